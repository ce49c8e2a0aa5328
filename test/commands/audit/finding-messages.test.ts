import { describe, expect, test } from 'vitest';
import { readAll } from '../../laws/reading.js';
import { ndjson } from '../../streams.js';
import { findings, findingsIn, inShort, Story } from './finding-story.js';

/** A team whose lead sees what arrives. */
function crew(story: Story): Story {
  story.team('crew');
  story.mate('writer', 'crew');
  return story;
}

describe.each<[name: string, wrong: (story: Story) => void, right: (story: Story) => void, expected: string]>([
  [
    'a message to nobody the program took',
    (story) => crew(story).send('nobody', 'Are you there?'),
    (story) => {
      crew(story).send('writer', 'Are you there?');
      story.send('writer@crew', 'By id?');
      story.send('team-lead', 'Note to self');
    },
    'unknown_recipient | team-lead | - | no agent in the team is called nobody, but the call succeeded',
  ],
  [
    'a message to nobody the program refused',
    (story) =>
      story.call(
        'SendMessage',
        { to: 'nobody', message: 'Hi' },
        { success: false, message: "No agent named 'nobody' is reachable." },
      ),
    // Who is in a team that was made before the input began is not known.
    (story) => story.mate('writer', 'crew') && story.send('somebody', 'Hi'),
    "unknown_recipient | main | - | SendMessage to nobody: No agent named 'nobody' is reachable. (agent_not_found)",
  ],
  [
    'a broadcast that was refused',
    (story) =>
      story.call('SendMessage', { to: '*', message: 'Hi all' }, null, { error: 'broadcast is no longer supported' }),
    (story) => crew(story).broadcast('Hi all', ['writer']),
    'refused_broadcast | main | - | SendMessage: broadcast is no longer supported',
  ],
  [
    'a message without a recipient',
    (story) => story.call('SendMessage', { message: 'Hi' }, null, { error: 'InputValidationError' }),
    (story) => crew(story).send('writer', 'Hi'),
    'missing_field | main | - | SendMessage without recipient: InputValidationError',
  ],
  [
    'a message of the first generation without a summary',
    (story) => {
      const data = { success: true, message: 'Sent', routing: { sender: 'team-lead', target: '@writer' } };
      crew(story).call('SendMessage', { type: 'message', recipient: 'writer', content: 'Hi' }, data);
    },
    (story) => {
      const data = { success: true, message: 'Sent', routing: { sender: 'team-lead', target: '@writer' } };
      crew(story).call('SendMessage', { to: 'writer', message: 'Hi' }, data);
    },
    'missing_field | team-lead | - | SendMessage without summary',
  ],
  [
    'an answer that says neither what to nor which',
    (story) => story.call('SendMessage', { type: 'shutdown_response' }, { success: true, message: 'Sent' }),
    (story) =>
      story.call(
        'SendMessage',
        { type: 'shutdown_response', request_id: 'r1', approve: false },
        { success: true, message: 'Sent' },
      ),
    'missing_field | main | - | SendMessage without request_id, approve',
  ],
  [
    'a send that failed',
    (story) =>
      crew(story).call('SendMessage', { to: 'writer', message: 'Hi' }, null, { error: 'The mailbox is locked' }),
    (story) => crew(story).send('writer', 'The mailbox is locked'),
    'failed_call | team-lead | - | SendMessage to writer: The mailbox is locked',
  ],
  [
    'a message that never came, where others did',
    (story) => {
      const helper = crew(story).agent('helper');
      story.hear('helper', 'First');
      story.send('team-lead', 'Second', { by: helper, sender: 'helper' });
      story.task();
    },
    (story) => {
      const helper = crew(story).agent('helper');
      story.send('team-lead', 'First', { by: helper, sender: 'helper' });
      story.hear('helper', 'First');
      // Nobody can see what arrives at the writer.
      story.send('writer', 'Second');
      // It may come yet: the input ends before it could.
      story.send('team-lead', 'Third', { by: helper, sender: 'helper' });
    },
    'undelivered | team-lead | - | message from helper to team-lead is not in its conversation',
  ],
  [
    'a message that came twice',
    (story) => {
      const helper = crew(story).agent('helper');
      story.send('team-lead', 'Done', { by: helper, sender: 'helper' });
      story.hear('helper', 'Done').hear('helper', 'Done').hear('helper', 'Done');
    },
    (story) => {
      const helper = crew(story).agent('helper');
      for (let times = 0; times < 2; times++) {
        story.send('team-lead', 'Done', { by: helper, sender: 'helper' });
        story.hear('helper', 'Done');
      }
    },
    'delivered_twice | team-lead | - | message from helper to team-lead arrived 3 times',
  ],
  [
    'an idle notification that came twice',
    (story) => {
      const idle = { type: 'idle_notification', from: 'writer', timestamp: '2026-11-16T09:59:00.000Z' };
      crew(story).hear('writer', idle).hear('writer', idle);
    },
    (story) => {
      const idle = { type: 'idle_notification', from: 'writer' };
      crew(story).hear('writer', { ...idle, timestamp: '2026-11-16T09:59:00.000Z' });
      story.hear('writer', { ...idle, timestamp: '2026-11-16T09:59:30.000Z' });
    },
    'delivered_twice | team-lead | - | idle_notification from writer to team-lead arrived 2 times',
  ],
  [
    'a request to shut down without an answer',
    (story) => crew(story).ask('writer'),
    (story) => {
      crew(story).ask('writer');
      story.hear('writer', { type: 'shutdown_approved', requestId: 'shutdown-1@writer', from: 'writer' });
    },
    'unanswered_request | writer | - | the request to shut down has no answer (shutdown-1@writer)',
  ],
  [
    'a request to an agent that had ended',
    (story) => {
      story.finish('a1', story.agent('writer', 'a1'));
      story.ask('writer');
    },
    (story) => {
      const call = story.agent('writer', 'a1');
      story.ask('writer');
      story.wait(1).finish('a1', call);
    },
    'unanswered_request | writer | - | the request to shut down has no answer (shutdown-1@writer)',
  ],
  [
    'a request in a team that goes on',
    (story) => {
      crew(story).ask('writer');
      story.call('TeamDelete', {}, { success: false, message: 'Cannot cleanup team', team_name: 'crew' });
    },
    (story) => {
      crew(story).ask('writer');
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    'unanswered_request | writer | - | the request to shut down has no answer (shutdown-1@writer)',
  ],
  [
    'a plan nobody looks at',
    (story) =>
      crew(story).hear('writer', { type: 'plan_approval_request', from: 'writer', requestId: 'plan-1', plan: 'Go' }),
    (story) => {
      crew(story).hear('writer', { type: 'plan_approval_request', from: 'writer', requestId: 'plan-1', plan: 'Go' });
      const answer = { type: 'plan_approval_response', request_id: 'plan-1', approve: true };
      story.call('SendMessage', { to: 'writer', message: answer }, { success: true, message: 'Approved' });
    },
    'unanswered_request | team-lead | - | the request to approve a plan has no answer (plan-1)',
  ],
  [
    'a message that is too long',
    (story) => crew(story).send('writer', 'x'.repeat(10_001)),
    (story) => crew(story).send('writer', 'x'.repeat(10_000)),
    'long_message | team-lead | - | 10001 characters of a message, limit 10000',
  ],
  [
    'a summary that is too long',
    (story) => {
      const data = { success: true, message: 'Sent', routing: { sender: 'team-lead', target: '@writer' } };
      crew(story).call('SendMessage', { to: 'writer', message: 'Hi', summary: 'x'.repeat(101) }, data);
    },
    (story) => {
      const data = { success: true, message: 'Sent', routing: { sender: 'team-lead', target: '@writer' } };
      crew(story).call('SendMessage', { to: 'writer', message: 'Hi', summary: 'x'.repeat(100) }, data);
    },
    'long_summary | team-lead | - | 101 characters of a message summary, limit 100',
  ],
  [
    'broadcasts close upon each other',
    (story) => {
      crew(story).broadcast('One', ['writer']);
      story.broadcast('Two', ['writer']);
      story.broadcast('Three', ['writer']);
    },
    (story) => {
      crew(story).broadcast('One', ['writer']);
      story.wait(4).broadcast('Two', ['writer']);
    },
    'broadcast_rate | team-lead | - | 3 broadcasts in a team within 5 s, limit 1',
  ],
])('%s', (_name, wrong, right, expected) => {
  test('is a finding', () => {
    const story = new Story();
    wrong(story);
    expect(inShort(findings('messages', story.text))).toEqual([expected]);
  });

  test('what looks like it is none', () => {
    const story = new Story();
    right(story);
    expect(inShort(findings('messages', story.text))).toEqual([]);
  });
});

describe('the files of a team', () => {
  const said = { from: 'team-lead', text: 'Look here', timestamp: '2026-11-16T10:00:00.000Z' };
  const member = (name: string) => ({ name, agentId: `${name}@crew`, joinedAt: 1_790_000_000_000 });
  const config = { name: 'crew', leadAgentId: 'team-lead@crew', members: [member('team-lead'), member('writer')] };
  const read = (files: Record<string, unknown>) =>
    readAll(
      Object.entries({ 'teams/crew/config.json': config, ...files }).map(([path, value]) => ({
        path,
        bytes: Buffer.from(path.endsWith('l') ? ndjson(Array.isArray(value) ? value : [value]) : JSON.stringify(value)),
      })),
    ).events;

  test('show what nobody read', () => {
    const events = read({ 'teams/crew/inboxes/writer.json': [{ ...said, read: false }] });
    expect(inShort(findingsIn('messages', events))).toEqual([
      'undelivered | writer | - | message from team-lead to writer has not been read',
    ]);
  });

  test('show an inbox that belongs to nobody', () => {
    const events = read({ 'teams/crew/inboxes/nobody.json': [{ ...said, read: false }] });
    expect(inShort(findingsIn('messages', events))).toEqual([
      'unknown_recipient | team-lead | - | no agent in the team is called nobody',
    ]);
  });

  test('have forgotten who left, but not what it said', () => {
    const events = read({
      'teams/crew/inboxes/reader.json': [{ ...said, read: true }],
      'teams/crew/inboxes/team-lead.json': [{ ...said, from: 'reader', read: true }],
    });
    expect(findingsIn('messages', events)).toEqual([]);
  });

  const row = (at: number, message: Record<string, unknown>) => ({
    type: message['role'],
    sessionId: 's1',
    uuid: `u${at}`,
    parentUuid: at === 1 ? null : `u${at - 1}`,
    timestamp: `2026-11-16T10:00:0${at}.000Z`,
    teamName: 'crew',
    agentName: 'writer',
    version: '2.1.140',
    cwd: '/home/dev',
    message,
  });
  const speaks = (at: number) =>
    row(at, {
      role: 'assistant',
      id: `m${at}`,
      content: [{ type: 'text', text: 'ok' }],
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  const hears = (at: number, text: string) =>
    row(at, { role: 'user', content: `<teammate-message teammate_id="team-lead">\n${text}\n</teammate-message>` });

  test('do not tell whether a plan was answered that somebody read', () => {
    const text = JSON.stringify({ type: 'plan_approval_request', from: 'writer', requestId: 'plan-1', plan: 'Go' });
    const asked = { from: 'writer', text, timestamp: '2026-11-16T10:00:00.000Z' };
    const inbox = (isRead: boolean) => read({ 'teams/crew/inboxes/team-lead.json': [{ ...asked, read: isRead }] });
    expect(findingsIn('messages', inbox(true))).toEqual([]);
    expect(inShort(findingsIn('messages', inbox(false)))).toEqual([
      'unanswered_request | team-lead | - | the request to approve a plan has no answer (plan-1)',
      'undelivered | team-lead | - | plan_approval_request from writer to team-lead has not been read',
    ]);
  });

  test('say that a message was read which its reader never saw', () => {
    const inbox = [{ ...said, read: true }];
    const deaf = [hears(1, 'Begin'), speaks(2), speaks(3)];
    const files = (rows: unknown[]) => ({ 'teams/crew/inboxes/writer.json': inbox, 'projects/x/s1.jsonl': rows });
    expect(inShort(findingsIn('messages', read(files(deaf))))).toEqual([
      'undelivered | writer | - | message from team-lead to writer was marked as read, but is not in its conversation',
    ]);
    expect(findingsIn('messages', read(files([...deaf, hears(4, 'Look here'), speaks(5)])))).toEqual([]);
  });

  describe('and the transcripts of both', () => {
    const lead = (second: number, message: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
      ...row(second, message),
      ...{ sessionId: 's0', uuid: `l${second}`, parentUuid: null, agentName: 'team-lead', ...more },
    });
    const asks = (second: number, input: Record<string, unknown>, data: Record<string, unknown>) => {
      const id = `toolu_${second}`;
      const use = {
        role: 'assistant',
        id: `ml${second}`,
        content: [{ type: 'tool_use', id, name: 'SendMessage', input }],
      };
      const back = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] };
      return [lead(second, use), lead(second, back, { uuid: `r${second}`, toolUseResult: { success: true, ...data } })];
    };
    const says = (second: number) => asks(second, { to: 'writer', message: 'Look here' }, {});
    const ends = (second: number) =>
      asks(
        second,
        { to: 'writer', message: { type: 'shutdown_request' } },
        { request_id: 'shutdown-1@writer', target: 'writer' },
      );
    const approved = { type: 'shutdown_approved', requestId: 'shutdown-1@writer', from: 'writer' };
    const answer = lead(8, {
      role: 'user',
      content: `<teammate-message teammate_id="writer">\n${JSON.stringify(approved)}\n</teammate-message>`,
    });
    const found = (leads: unknown[], writers: unknown[]) =>
      inShort(findingsIn('messages', read({ 'projects/x/s0.jsonl': leads, 'projects/x/s1.jsonl': writers })));

    test('tell what a recipient that went on never saw', () => {
      expect(found(says(2), [hears(1, 'Begin'), speaks(3)])).toEqual([
        'undelivered | writer | - | message from team-lead to writer is not in its conversation',
      ]);
    });

    test('do not tell what came of a message after the end of the recipient', () => {
      expect(found(says(4), [hears(1, 'Begin'), speaks(3)])).toEqual([]);
      expect(found(says(4), [])).toEqual([]);
    });

    test('show that a request arrived, by its answer', () => {
      expect(found([...ends(2), answer], [hears(1, 'Begin'), speaks(3)])).toEqual([]);
      expect(found(ends(2), [hears(1, 'Begin'), speaks(3)])).toEqual([
        'unanswered_request | writer | - | the request to shut down has no answer (shutdown-1@writer)',
        'undelivered | writer | - | shutdown_request from team-lead to writer is not in its conversation',
      ]);
    });
  });
});

test('a broadcast that one of two got', () => {
  const story = crew(new Story());
  story.mate('reader', 'crew');
  story.broadcast('Hi all', ['writer', 'reader']);
  const rows = ['writer', 'reader'].flatMap((name) => [
    {
      type: 'user',
      sessionId: story.session,
      uuid: `${name}-1`,
      parentUuid: 'x',
      isSidechain: true,
      agentId: `${name}@crew`,
      timestamp: '2026-11-16T11:00:00.000Z',
      message: {
        role: 'user',
        content: `<teammate-message teammate_id="team-lead">\n${name === 'writer' ? 'Hi all' : 'Other'}\n</teammate-message>`,
      },
    },
  ]);
  expect(inShort(findings('messages', story.text + ndjson(rows)))).toEqual([
    'undelivered | reader | - | broadcast from team-lead to reader is not in its conversation',
  ]);
});

test('a message that came as a prompt has come', () => {
  const story = new Story();
  const helper = story.agent('helper');
  story.hear('helper', 'First');
  story.send('main', 'Go on', { by: helper, sender: 'helper' });
  story.task();
  expect(findings('messages', story.text)).toHaveLength(1);
  story.put({ type: 'user', message: { role: 'user', content: 'Go on' } });
  expect(findings('messages', story.text)).toEqual([]);
});

test('an answer need not be read: the program acts upon it', () => {
  const approved = { type: 'shutdown_approved', requestId: 'shutdown-1@writer', from: 'writer' };
  const inbox = [{ from: 'writer', text: JSON.stringify(approved), timestamp: '2026-11-16T10:00:00Z', read: false }];
  const path = 'teams/crew/inboxes/team-lead.json';
  const { events } = readAll([{ path, bytes: Buffer.from(JSON.stringify(inbox)) }]);
  expect(findingsIn('messages', events)).toEqual([]);
});

test('two sessions that each have a team of the same name know and hear nothing of each other', () => {
  const one = crew(new Story());
  const two = new Story({ session: 'bbbbbbbb-0000' });
  // Made before the input began: nobody knows who is in it, and nobody sees what arrives at its lead.
  const call = two.mate('reader', 'crew');
  one.hear('writer', 'Hello');
  two.send('somebody', 'Hi');
  two.send('team-lead', 'Hi', { by: call, sender: 'reader' });
  expect(findings('messages', one.text + two.text)).toEqual([]);
  one.send('reader', 'Hi');
  expect(inShort(findings('messages', one.text + two.text))).toEqual([
    'unknown_recipient | team-lead | - | no agent in the team is called reader, but the call succeeded',
  ]);
});
