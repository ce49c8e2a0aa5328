import { expect, test } from 'vitest';
import { type MessageQuery, type MessageRow, messageFilter } from '../../../src/commands/messages/rows.js';

const nothing: MessageQuery = { from: [], to: [], with: [], type: [], team: null, failed: false };
const row = (own: Partial<MessageRow>) => ({ ...blank, ...own });
const blank: MessageRow = {
  time: null,
  session_id: null,
  team: null,
  type: 'message',
  from: null,
  to: null,
  recipients: [],
  summary: null,
  content: null,
  request_id: null,
  approve: null,
  status: 'sent',
  error: null,
  error_code: null,
  delivered_at: null,
  tool_use_id: null,
  line: null,
};
const rows = [
  row({ line: 1, from: 'team-lead', to: 'writer', recipients: ['writer'], team: 'crew', session_id: 's1' }),
  row({ line: 2, from: 'writer', to: 'main', recipients: ['main'], type: 'shutdown_response' }),
  row({ line: 3, from: 'main', to: null, recipients: ['writer', 'reader'], type: 'broadcast' }),
  row({ line: 4, from: 'reader', to: 'a1b2', recipients: ['writer'], status: 'failed', team: 'other' }),
  row({ line: 5 }),
];

test.each<[name: string, query: Partial<MessageQuery>, lines: number[]]>([
  ['nothing asked', {}, [1, 2, 3, 4, 5]],
  ['from', { from: ['writer'] }, [2]],
  ['from one of two', { from: ['writer', 'reader'] }, [2, 4]],
  ['from the lead, by either name', { from: ['main'] }, [1, 3]],
  ['from the lead, by the other', { from: ['team-lead'] }, [1, 3]],
  ['from the lead, by its id', { from: ['team-lead@crew'] }, [1, 3]],
  ['to, in a broadcast and by an id too', { to: ['writer'] }, [1, 3, 4]],
  ['to an address as it was written', { to: ['a1b2'] }, [4]],
  ['to, written as an address', { to: ['@reader'] }, [3]],
  ['with', { with: ['reader'] }, [3, 4]],
  ['type', { type: ['broadcast', 'shutdown_response'] }, [2, 3]],
  ['team', { team: 'crew' }, [1]],
  ['failed', { failed: true }, [4]],
  ['all of it', { from: ['reader'], to: ['writer'], failed: true, team: 'other' }, [4]],
  ['one thing too many', { from: ['reader'], to: ['writer'], failed: true, team: 'crew' }, []],
  ['nobody', { with: ['nobody'] }, []],
])('%s', (_name, query, lines) => {
  expect(rows.filter(messageFilter({ ...nothing, ...query })).map(({ line }) => line)).toEqual(lines);
});
