import { expect, test } from 'vitest';
import { nowhere, type Place, placeOf } from '../../../src/core/wire/sessions.js';

const session = 'e14e95d0-e463-4002-a221-694ad34b7f94';

test.each<[string, Partial<Place>]>([
  ['run.ndjson', {}],
  ['/home/dev/teams/report-crew/config.json', { team: 'report-crew' }],
  ['teams/report-crew/inboxes/writer.json', { team: 'report-crew', inbox: 'writer' }],
  ['C:\\Users\\dev\\.claude\\teams\\report-crew\\inboxes\\writer.json', { team: 'report-crew', inbox: 'writer' }],
  ['inboxes/team-lead.json', { inbox: 'team-lead' }],
  ['tasks/report-crew/3.json', { team: 'report-crew' }],
  [`tasks/${session}/3.json`, { team: 'session-e14e95d0', session }],
  ['teams/session-e14e95d0/config.json', { team: 'session-e14e95d0' }],
  ['teams/teams/tasks/crew/1.json', { team: 'crew' }],
  ['tasks/3.json', {}],
  ['teams', {}],
  ['teams/', {}],
  [`projects/-home-dev/${session}.jsonl`, {}],
  [`projects/-home-dev/${session}/subagents/agent-a57ce7c.jsonl`, { session, agent: 'a57ce7c' }],
  [`${session}/subagents/agent-awriter-9d686fae.meta.json`, { session, agent: 'awriter-9d686fae' }],
  ['agent-a57ce7c.json', { agent: 'a57ce7c' }],
  ['agent-.jsonl', {}],
  ['subagents/agent-a57ce7c.jsonl', { agent: 'a57ce7c' }],
  ['', {}],
])('%s', (path, said) => {
  expect(placeOf(path)).toEqual({ ...nowhere, source: path, ...said });
});
