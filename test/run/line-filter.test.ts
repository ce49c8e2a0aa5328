import { describe, expect, test } from 'vitest';
import { interestIn, type Look } from '../../src/core/event/interest.js';
import { createLineFilter, type Waiting } from '../../src/run/line-filter.js';
import { loadAll } from '../../src/run/registry.js';
import { namesLike, readText } from '../laws/reading.js';

const interests = (await loadAll()).map((command) => command.interest({}));
const waiting = {
  awaits: (id: string) => id === 'awaited',
  knows: () => true,
  dismiss() {},
  follows: (id: string) => id === 's1',
  complete: true,
};

describe('a line that is not {"type":"…" … } is always parsed', () => {
  test.each([
    ['another first key', '{"uuid":"1","type":"skipped"}'],
    ['a space', '{ "type":"skipped"}'],
    ['a prefix', '2026-11-16T00:00:00Z {"type":"skipped"}'],
    ['an array', '[{"type":"skipped"}]'],
    ['a bracket', '{'],
    ['a bracket at the end of everything', '}'],
    ['noise', 'npm warn'],
    ['a cut line', '{"type":"skipped","text":"abc'],
    ['a cut type', '{"type":"skip'],
    ['the start of one', '{"type":"'],
    ['something behind it', '{"type":"skipped"} '],
    ['no word for a type', `{"type":"${'x'.repeat(50)}"}`],
  ])('%s', (_what, text) => {
    expect(wants(text, { skipped: 'skip' })).toBe(true);
  });
});

describe('the look of its type decides', () => {
  test.each<[string, Look, string, boolean]>([
    ['parse', 'parse', line('"b":1'), true],
    ['skip', 'skip', line('"b":1'), false],
    ['a needle that is there', { needles: ['"Team'] }, line('"name":"TeamCreate"'), true],
    ['a needle that is not', { needles: ['"Team'] }, line('"name":"Read"'), false],
    ['a needle inside a text', { needles: ['"Agent"'] }, line('"text":"\\"Agent\\""'), false],
    ['one of several needles', { needles: ['"x"', '"y"'] }, line('"b":"y"'), true],
    ['the answer to an awaited call', { answers: [] }, answer('awaited'), true],
    ['the answer to another', { answers: [] }, answer('other'), false],
    ['an answer with a needle', { answers: ['"bg"'] }, answer('other', '"bg":1,'), true],
    ['no answer at all', { answers: [] }, line('"message":{"content":"hello"}'), true],
    ['an id too far back to be looked for', { answers: [] }, answer('other', `"x":"${'x'.repeat(400)}",`), true],
    ['an endless id', { answers: [] }, answer('other'.repeat(50)), true],
  ])('%s', (_what, look, text, expected) => {
    expect(wants(text, { a: look })).toBe(expected);
  });

  test('nothing is nobody’s while the input is not complete', () => {
    expect(wants(answer('other'), { a: { answers: [] } }, { ...waiting, complete: false })).toBe(true);
  });

  test('only the asked-for part of the buffer is looked at', () => {
    const bytes = Buffer.from(line('"name":"Read"'));
    const buffer = Buffer.concat([Buffer.from('"Team}'), bytes, Buffer.from('"Team}')]);
    expect(filterFor({ a: { needles: ['"Team'] } }).wants(buffer, 6, 6 + bytes.length)).toBe(false);
  });

  test('who asks for everything gets every line', () => {
    const bytes = Buffer.from(line('"b":1'));
    expect(createLineFilter(interestIn(['*']), waiting).wants(bytes, 0, bytes.length)).toBe(true);
    expect(createLineFilter(interestIn(['usage:recorded']), waiting).wants(bytes, 0, bytes.length)).toBe(false);
  });
});

describe('no asked-for event is lost', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's1', uuid: 'i1' };
  const otherInit = { type: 'system', subtype: 'init', session_id: 's2', uuid: 'i2' };
  const bash = call('bash1', 'Bash', { command: 'ls' });
  const send = call('send1', 'SendMessage', { to: 'writer', message: 'hello', summary: 'hi' });
  const routed = { success: true, message: 'sent', routing: { sender: 'team-lead', target: '@writer' } };
  const sent = result('send1', routed);
  const listed = result('bash1', { stdout: 'a b' });
  const hookCallback = {
    type: 'control_request',
    request_id: 'r1',
    session_id: 's1',
    request: {
      subtype: 'hook_callback',
      input: { hook_event_name: 'TeammateIdle', session_id: 's1', teammate_name: 'writer', team_name: 'crew' },
    },
  };
  const both = {
    type: 'user',
    message: { content: [block('bash1', 'a b'), block('send1', JSON.stringify(routed))] },
    session_id: 's1',
    uuid: 'u9',
  };
  const heard = '<teammate-message teammate_id="writer">\nhello\n</teammate-message>';
  const answerAndMessage = {
    type: 'user',
    message: { content: [block('bash1', 'a b'), { type: 'text', text: heard }] },
    session_id: 's1',
    uuid: 'u9',
  };
  const cut = (record: unknown) => JSON.stringify(record).slice(0, -40);
  const { session_id: _session, ...sentNowhere } = sent;

  test.each<[string, readonly (object | string)[]]>([
    ['two results in one record, the second awaited', [init, bash, send, both]],
    ['a result and a message in one record', [init, bash, answerAndMessage]],
    ['a hook in a control request', [init, hookCallback]],
    ['two records in one line, the first of no interest', [init, send, `{"type":"keep_alive"}${JSON.stringify(sent)}`]],
    ['two results in one line, the second awaited', [init, bash, send, JSON.stringify(listed) + JSON.stringify(sent)]],
    ['a record inside a line of no interest', [init, send, bash, inside(listed, sent)]],
    ['a call lost in a damaged line', [init, cut(send), { ...bash, uuid: 'x' }, listed, sent]],
    ['a call lost in a damaged line, its result at once', [init, bash, cut(send), sent]],
    ['a stream joined late', [listed, sent]],
    ['a stream joined late, at the start of a turn', [init, bash, sent]],
    ['a stream joined late that goes on with another turn', [listed, init, bash, sent]],
    ['another session, joined late', [init, bash, { ...sent, session_id: 's2' }]],
    ['another session, joined late, between lines of the first', [init, bash, { ...sent, session_id: 's2' }, listed]],
    ['a record without session after one of no interest', [init, otherInit, send, bash, listed, sentNowhere]],
    ['keys in another order', [init, send, { uuid: 'u7', message: sent.message, type: 'user', session_id: 's1' }]],
    ['a huge result', [init, bash, send, result('bash1', { stdout: 'x'.repeat(3e5) }), sent]],
    ['a shell that went to the background by itself', [init, bash, result('bash1', { backgroundTaskId: 'b1' })]],
  ])('%s', (_what, lines) => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    for (const globs of interests) expect(asked(text, globs, true)).toEqual(asked(text, globs, false));
  });
});

function wants(text: string, looks: Record<string, Look>, followed?: Waiting): boolean {
  const bytes = Buffer.from(text);
  return filterFor(looks, followed).wants(bytes, 0, bytes.length);
}

function filterFor(looks: Record<string, Look>, followed: Waiting = waiting) {
  const interest = {
    everything: false,
    seesCalls: true,
    countsCalls: false,
    look: (type: string) => looks[type] ?? 'parse',
  };
  return createLineFilter(interest, followed);
}

/** A record of the session at hand. */
function line(fields: string): string {
  return `{"type":"a",${fields},"session_id":"s1"}`;
}

function answer(id: string, before = ''): string {
  return line(`${before}"message":{"content":[{"tool_use_id":"${id}","type":"tool_result"}]}`);
}

function call(id: string, name: string, input: object) {
  const message = { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] };
  return { type: 'assistant', message, session_id: 's1', uuid: `a-${id}` };
}

function block(id: string, content: string) {
  return { tool_use_id: id, type: 'tool_result', content };
}

function result(id: string, data: object) {
  const message = { content: [block(id, JSON.stringify(data))] };
  return { type: 'user', message, session_id: 's1', uuid: `u-${id}`, tool_use_result: data };
}

/** Written by another process into the middle of a line. */
function inside(line: object, other: object): string {
  const text = JSON.stringify(line);
  return `${text.slice(0, 60)}${JSON.stringify(other)}\n${text.slice(60)}`;
}

function asked(text: string, globs: readonly string[], skips: boolean): unknown[] {
  const names = namesLike(globs);
  const { events } = readText(text, skips ? { interest: globs } : {});
  return events.filter(({ event }) => names.has(event)).map(({ seq: _seq, ...event }) => event);
}
