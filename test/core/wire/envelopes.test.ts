import { describe, expect, test } from 'vitest';
import { queuedOrigin, readEnvelopes } from '../../../src/core/wire/dialects/deliveries.js';
import { cpuSeconds } from '../../cpu-seconds.js';

const plain = { kind: 'message', senderId: null, summary: null, color: null, body: null, nth: 1 };
const noUsage = { total_tokens: null, tool_uses: null, duration_ms: null };
const note = { kind: 'notification', call: null, run: null, status: null, summary: null, result: null, usage: noUsage };

describe('messages', () => {
  test.each<[string, string, unknown[]]>([
    [
      'one, with all it can say',
      '<teammate-message teammate_id="writer" color="green" summary="Task 2 finished">\nDONE\n\nBye\n</teammate-message>',
      [{ ...plain, from: 'writer', color: 'green', summary: 'Task 2 finished', text: 'DONE\n\nBye' }],
    ],
    [
      'one introduced by a line',
      'Another Claude session sent a message:\n<agent-message from="writer">\nHello\n</agent-message>',
      [{ ...plain, from: 'writer', text: 'Hello' }],
    ],
    [
      'several in one text',
      '<teammate-message teammate_id="a">\n1\n</teammate-message>\n\n<teammate-message teammate_id="b">\n2\n</teammate-message>\n',
      [
        { ...plain, from: 'a', text: '1' },
        { ...plain, from: 'b', text: '2' },
      ],
    ],
    [
      'equal ones in one text',
      '<teammate-message teammate_id="a">\n1\n</teammate-message>\n<teammate-message teammate_id="b">\n1\n</teammate-message>\n<teammate-message teammate_id="a">\n1\n</teammate-message>',
      [
        { ...plain, from: 'a', text: '1' },
        { ...plain, from: 'b', text: '1' },
        { ...plain, from: 'a', text: '1', nth: 2 },
      ],
    ],
    [
      'one from another session',
      '<cross-session-message from="x">hi</cross-session-message>',
      [{ ...plain, from: 'x', text: 'hi' }],
    ],
    [
      'entities in attributes, and as they are in the text',
      '<teammate-message teammate_id="a" summary="&quot;x&quot; &lt;y&gt; &amp;amp; it&#39;s">\n1 &lt; 2\n</teammate-message>',
      [{ ...plain, from: 'a', summary: '"x" <y> &amp; it\'s', text: '1 &lt; 2' }],
    ],
    [
      'one that is never closed',
      '<teammate-message teammate_id="a">\nrest of it',
      [{ ...plain, from: 'a', text: 'rest of it' }],
    ],
    ['one without a sender', '<teammate-message>\nx\n</teammate-message>', [{ ...plain, from: '', text: 'x' }]],
    ['one after blank lines', '\n\n  <agent-message from="a">x</agent-message>', [{ ...plain, from: 'a', text: 'x' }]],
    ['one with CRLF', '<agent-message from="a">\r\nx\r\n</agent-message>', [{ ...plain, from: 'a', text: 'x' }]],
  ])('%s', (_what, text, expected) => {
    expect(readEnvelopes(text, null)).toEqual(expected);
  });

  test.each([
    ['a JSON body', '{"type":"idle_notification","from":"a"}', { type: 'idle_notification', from: 'a' }],
    ['a JSON body followed by prose', '{"type":"x"}\n\nYou may now …', { type: 'x' }],
    ['JSON that is no body of the protocol', '{"result":1}', null],
    ['JSON whose type is no text', '{"type":7}', null],
    ['broken JSON', '{"type":"x"', null],
    ['JSON after prose', 'see {"type":"x"}', null],
  ])('%s', (_what, text, body) => {
    const [envelope] = readEnvelopes(`<teammate-message teammate_id="a">\n${text}\n</teammate-message>`, null);
    expect(envelope).toMatchObject({ text, body });
  });
});

describe('notifications', () => {
  test('say what became of a task', () => {
    const text =
      '<task-notification>\n<task-id>a57ce7c</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>\n<summary>Agent &quot;x&quot; done</summary>\n' +
      '<result>1 &lt; 2</result>\n<usage><subagent_tokens>14105</subagent_tokens><tool_uses>2</tool_uses><duration_ms>9</duration_ms></usage>\n</task-notification>';
    expect(readEnvelopes(text, { runId: 'run-1' })).toEqual([
      {
        kind: 'notification',
        tasks: ['a57ce7c'],
        call: 'toolu_1',
        run: 'run-1',
        status: 'completed',
        summary: 'Agent "x" done',
        result: '1 < 2',
        usage: { total_tokens: 14105, tool_uses: 2, duration_ms: 9 },
      },
    ]);
  });

  test('may say little, and stand among others', () => {
    const text =
      '<task-notification><task-id>b1</task-id></task-notification>\n<task-notification></task-notification>';
    expect(readEnvelopes(text, null)).toEqual([
      { ...note, tasks: ['b1'] },
      { ...note, tasks: [] },
    ]);
  });

  test('a result that quotes their tags is read to its end', () => {
    const text =
      '<task-notification>\n<task-id>b1</task-id>\n<result>say <result>x</result> twice</result>\n</task-notification>';
    expect(readEnvelopes(text, null)).toMatchObject([{ tasks: ['b1'], result: 'say <result>x</result> twice' }]);
  });

  test('may be about several tasks, with an id that is none; one in a result is quoted', () => {
    const text =
      '<task-notification>\n<task-id>b1</task-id>\n<task-id>b2</task-id>\n<task-id>__orphan_summary__:shell</task-id>\n' +
      '<status>stopped</status>\n<result><task-id>b3</task-id></result></task-notification>';
    expect(readEnvelopes(text, null)).toMatchObject([{ tasks: ['b1', 'b2'], status: 'stopped' }]);
  });
});

describe('prompts are none', () => {
  test.each([
    ['no tag', 'Please review the report.'],
    ['a quoted envelope', 'What does this mean?\nIt says:\n<teammate-message teammate_id="a">\nx\n</teammate-message>'],
    ['one in the middle of a line', 'Look: <teammate-message teammate_id="a">x</teammate-message>'],
    ['one after a long line', `${'x'.repeat(300)}\n<teammate-message teammate_id="a">x</teammate-message>`],
    ['another tag', '<system-reminder>x</system-reminder>'],
    ['a tag that only begins like one', '<teammate-messages teammate_id="a">x</teammate-messages>'],
    ['a tag that does not end', '<teammate-message teammate_id="a'],
    ['nothing', ''],
  ])('%s', (_what, text) => {
    expect(readEnvelopes(text, null)).toEqual([]);
  });
});

describe('the origin is believed before the text', () => {
  test.each([
    [
      'a peer with its body',
      'Another session …',
      { kind: 'peer', from: 'a1', name: 'writer', senderTaskId: 'a1', body: 'Hi' },
      { from: 'writer', senderId: 'a1', text: 'Hi' },
    ],
    ['a peer without name', 'x', { kind: 'peer', from: 'writer', body: 'Hi' }, { from: 'writer', text: 'Hi' }],
    ['a peer without body', 'as typed', { kind: 'peer', from: 'writer' }, { from: 'writer', text: 'as typed' }],
    [
      'a peer whose text is an envelope',
      '<agent-message from="w">x</agent-message>',
      { kind: 'peer', from: 'writer' },
      { from: 'w', text: 'x' },
    ],
    ['an observer', 'seen', { kind: 'observer', name: 'watcher' }, { from: 'watcher', text: 'seen' }],
    ['the coordinator', 'go on', { kind: 'coordinator' }, { from: '', text: 'go on' }],
    [
      'the coordinator, waking an agent',
      'The coordinator sent a message while you were working:\nGo on.\n\nThen stop.\n\nAddress this before completing your current task.',
      { kind: 'coordinator' },
      { from: '', text: 'Go on.\n\nThen stop.' },
    ],
    [
      'a body of the protocol',
      '',
      { kind: 'peer', from: 'w', body: '{"type":"shutdown_request","request_id":"r"}' },
      { from: 'w', body: { type: 'shutdown_request', request_id: 'r' } },
    ],
  ])('%s', (_what, text, origin, expected) => {
    expect(readEnvelopes(text, origin)).toMatchObject([expected]);
  });

  test('a person is no peer', () => {
    expect(readEnvelopes('hello', { kind: 'human', from: 'me' })).toEqual([]);
    expect(readEnvelopes('hello', { kind: 'peer' })).toEqual([]);
  });

  test('a queued command keeps its run beside its text', () => {
    expect(queuedOrigin({ origin: { kind: 'task-notification' }, runId: 'r1' })).toEqual({
      kind: 'task-notification',
      runId: 'r1',
    });
    expect(queuedOrigin({ origin: { runId: 'own' }, runId: 'r1' })).toEqual({ runId: 'own' });
    expect(queuedOrigin({ runId: 'r1' })).toBeNull();
  });
});

test.each([
  ['blanks', ' '.repeat(2_000_000)],
  ['lines', 'x\n'.repeat(1_000_000)],
  ['tags', '<teammate-message '.repeat(50_000)],
  ['envelopes', '<agent-message from="a">x</agent-message>'.repeat(20_000)],
])('a text of %s takes no time', (_what, text) => {
  expect(cpuSeconds(() => readEnvelopes(text, null))).toBeLessThan(5);
});
