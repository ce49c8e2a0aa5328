import { describe, expect, test } from 'vitest';
import type { Interest } from '../../../src/core/wire/interest.js';
import type { JsonObject } from '../../json.js';
import { readText } from '../../laws/reading.js';

const usage: Interest = { events: ['usage:recorded', 'agent:*', 'session:ended', 'turn:started'], nameless: true };
const tasks: Interest = { events: ['team:task:*', 'agent:*', 'team:created'] };
const messages: Interest = { events: ['team:message:*', 'team:created', 'team:member:joined', 'agent:*'] };
const lean: Interest = { events: ['*'], lean: true };

/** How many of the lines behind the first are dropped: the init, so that there is a session. */
function dropped(interest: Interest, ...lines: (JsonObject | string)[]): number {
  const init = { type: 'system', subtype: 'init', session_id: 's1', uuid: 'u0' };
  const text = [init, ...lines].map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return readText(text, { interest }).skipped;
}

let uuids = 1;
const own = (more: JsonObject = {}) => ({ session_id: 's1', uuid: `u${uuids++}`, parent_tool_use_id: null, ...more });
const said = (block: JsonObject, more?: JsonObject) => ({
  type: 'assistant',
  message: { id: 'm1', model: 'claude-opus-4-6', usage: { input_tokens: 1 }, content: [block] },
  ...own(more),
});
const call = (name: string, id = `toolu_${name}`, more?: JsonObject) =>
  said({ type: 'tool_use', id, name, input: { command: 'ls' } }, more);
const answer = (id: string, more: JsonObject = {}, block: JsonObject = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done', ...block }] },
  ...own(),
  ...more,
});
const text = { type: 'text', text: 'hello' };

describe('what changes nothing is dropped', () => {
  test.each<[string, Interest, (JsonObject | string)[], number]>([
    ['a text, where calls are of interest', messages, [said(text)], 1],
    ['a text, where usage is: only if it repeats its message', usage, [said(text), said(text)], 1],
    ['nothing, where all is counted', lean, [said(text), call('Read'), answer('toolu_Read')], 0],
    ['a call that is not followed, and its result', tasks, [call('Read'), answer('toolu_Read')], 2],
    ['not one that is', tasks, [call('TaskUpdate'), answer('toolu_TaskUpdate')], 0],
    ['a shell', tasks, [call('Bash'), answer('toolu_Bash')], 2],
    [
      'not its result, if it goes to the background',
      tasks,
      [call('Bash'), answer('toolu_Bash', { tool_use_result: { backgroundTaskId: 'b1' } })],
      1,
    ],
    ['a message, where names do not matter', usage, [said(text), call('SendMessage'), answer('toolu_SendMessage')], 2],
    [
      'not its result, if it wakes an agent',
      usage,
      [said(text), call('SendMessage'), answer('toolu_SendMessage', {}, { content: 'Resuming agent a1' })],
      1,
    ],
    ['a result of nothing that is known, if it is prose', messages, [answer('toolu_other')], 1],
    ['not if it may tell what it was', messages, [answer('toolu_other', { tool_use_result: { routing: {} } })], 0],
    ['a copy', messages, [said(text, { uuid: 'u0' })], 1],
    ['partial messages', messages, [{ type: 'stream_event', event: { type: 'content_block_delta' }, ...own() }], 1],
    [
      'not their beginning and end, where usage matters',
      usage,
      [{ type: 'stream_event', event: { type: 'message_delta', usage: {} }, ...own() }],
      0,
    ],
    ['records of an unknown type', messages, [{ type: 'mystery', ...own({ session_id: 's2' }) }], 1],
  ])('%s', (_what, interest, lines, count) => {
    expect(dropped(interest, ...lines)).toBe(count);
  });
});

describe('what is not as expected is parsed whole', () => {
  const plain = JSON.stringify(said(text));
  test.each<[string, JsonObject | string]>([
    ['another session', said(text, { session_id: 's2' })],
    ['a session that is no text', said(text, { session_id: 7 })],
    ['a key twice', plain.replace('{', '{"type":"user",')],
    ['a key with an escape', plain.replace('"type"', '"\\u0074ype"')],
    ['a second record', `${plain} ${plain}`],
    ['text behind it', `${plain} }`],
    ['damage in a value nobody wants', plain.replace('"hello"', '01')],
    ['a control character', plain.replace('hello', 'he\u0001llo')],
    ['an uuid with an escape', plain.replace(/"uuid":"u/, '"uuid":"\\u0075')],
    ['no list of blocks', { type: 'assistant', message: { content: 'hello' }, ...own() }],
    ['a block that is no object', said('text' as unknown as JsonObject)],
    ['a block of another kind', said({ type: 'image' })],
    ['a call without an id', said({ type: 'tool_use', name: 'Read', input: {} })],
    ['what takes something back', said(text, { supersedes: ['u1'] })],
    ['an agent that is named', said(text, { agent_id: 'a1' })],
    ['a parent that is no text', said(text, { parent_tool_use_id: 7 })],
    ['a text of the user', { type: 'user', message: { content: [text] }, ...own() }],
    ['a type that is no text', { type: 7, ...own() }],
  ])('%s', (_what, line) => {
    expect(dropped(messages, line)).toBe(0);
  });
});
