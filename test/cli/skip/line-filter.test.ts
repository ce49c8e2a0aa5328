import { describe, expect, test } from 'vitest';
import { loadAll } from '../../../src/cli/registry.js';
import { createLineFilter, type Judgement, type LineReader } from '../../../src/cli/skip/line-filter.js';
import {
  type Interest,
  interestIn,
  type LineRule,
  type LineRules,
  type Talk,
} from '../../../src/core/wire/interest.js';
import { namesLike, readText } from '../../laws/reading.js';

const interests = (await loadAll()).map((command) => command.interest({}));
const waiting: LineReader = {
  line() {},
  record() {},
  usage() {},
  isPending: () => false,
  toolOf: (id: string) => ({ spawn: 'Agent', shell: 'Bash', read: 'Read' })[id] ?? null,
  isNewCall: () => true,
  called() {},
  dismiss() {},
  follows: (id: string) => id === 's1',
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
    expect(judged(text, { skipped: 'skip' })).toBe('parse');
  });
});

const skip: LineRule = { idle: 'skip', resultNeedles: [], shellNeedles: ['"bg"'] };
const lean: Talk = { idle: 'lean', resultNeedles: ['"success":false'], shellNeedles: [] };
const once: LineRule = { idle: 'once', resultNeedles: [], shellNeedles: [] };

describe('the look of its type decides', () => {
  test.each<[string, LineRule, string, string]>([
    ['parse', 'parse', line('"b":1'), 'parse'],
    ['skip', 'skip', line('"b":1'), 'skip'],
    ['a second record behind it', 'skip', `${line('"b":1')}${line('"b":2')}`, 'parse'],
    ['another session', 'skip', line('"b":1').replace('s1', 's2'), 'parse'],
    ['a needle that is there', { needles: ['"Team'], unless: '"x"' }, line('"name":"TeamCreate"'), 'parse'],
    ['a needle that is not', { needles: ['"Team'], unless: '"x"' }, line('"name":"Read"'), 'skip'],
    ['a needle inside a text', { needles: ['"Agent"'], unless: '"x"' }, line('"text":"\\"Agent\\""'), 'skip'],
    ['one of several needles', { needles: ['"x"', '"y"'], unless: '"z"' }, line('"b":"y"'), 'parse'],
    ['a beginning that says no', { needles: ['"y"'], unless: ',"b":' }, line('"b":"y"'), 'skip'],
    ['the answer to a followed call', skip, answer('spawn'), 'parse'],
    ['the answer to an unknown call', skip, answer('other'), 'parse'],
    ['the same, if calls are counted', skip, prose('abc'), 'parse'],
    ['the answer to another', skip, answer('read'), 'skip'],
    ['the answer of a shell', skip, answer('shell'), 'skip'],
    ['the resultNeedles answer of a shell', skip, answer('shell', ',"bg":1'), 'parse'],
    ['two answers in one', skip, answer('read', '},{"tool_use_id":"read"'), 'parse'],
    ['no answer at all', skip, line('"message":{"content":"hello"}'), 'parse'],
    ['an endless id', skip, answer('other'.repeat(50)), 'parse'],
    ['what was said', skip, said('{"type":"text","text":"hello"}'), 'skip'],
    ['what was thought', skip, said('{"type":"thinking","thinking":"x","signature":"y"}'), 'skip'],
    ['a call', skip, said('{"type":"tool_use","id":"c1","name":"Read","input":{}}'), 'skip'],
    ['a followed call', skip, said('{"type":"tool_use","id":"c1","name":"Agent","input":{}}'), 'parse'],
    ['two blocks', skip, said('{"type":"text","text":"a"},{"type":"text","text":"b"}'), 'parse'],
    ['a block of another kind', skip, said('{"type":"image","source":{}}'), 'parse'],
    ['what takes something back', skip, said('{"type":"text","text":"a"}', ',"supersedes":["u1"]'), 'parse'],
    ['a second message', once, said('{"type":"text","text":"a"}', ',"message":"b"'), 'parse'],
    ['a second type', skip, said('{"type":"text","text":"a"}', ',"type":"b"'), 'parse'],
    ['a resultNeedles answer', lean, answer('read').replace('"stdout"', '"success":false,"stdout"'), 'parse'],
    ['an answer that tells of something else', lean, answer('spawn', ',"success":false'), 'parse'],
    ['usage that is new', once, said('{"type":"text","text":"hello"}'), `usage ${said('{"type":"text"}')}`],
    ['no usage at all', lean, said('{"type":"text","text":"hello"}').replace('"usage"', '"used"'), 'parse'],
    ['said, without content', lean, said('{"type":"text","text":"hello"}'), said('{"type":"text"}')],
    [
      'called, without content',
      lean,
      said('{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"x"}}'),
      said('{"type":"tool_use","id":"c1","name":"Read","input":{}}'),
    ],
  ])('%s', (_what, look, text, expected) => {
    expect(judged(text, { a: look })).toBe(expected);
  });

  test.each([
    ['prose', 'abc', 'skip'],
    ['prose behind blanks', '   abc', 'skip'],
    ['nothing', '', 'skip'],
    ['JSON', '{\\"success\\":true}', 'parse'],
    ['JSON behind blanks', '  {\\"success\\":true}', 'parse'],
    ['an escape', '\\nabc', 'parse'],
    ['another blank', '\u00a0{', 'parse'],
  ])('the answer to a call that was never seen, if nobody counts them: %s', (_what, text, expected) => {
    const filter = createLineFilter(interestIn({ events: ['usage:recorded'], once: true }), waiting);
    const line = Buffer.from(prose(text).replace('"a"', '"user"'));
    expect(filter.judge(line, 0, line.length)).toBe(expected);
  });

  test('who counts no calls is told of none, until a whole record may answer one', () => {
    const told: string[] = [];
    const heard = { ...waiting, called: (id: string) => told.push(id) };
    const filter = createLineFilter(interestIn({ events: ['usage:recorded'], once: true }), heard);
    const judge = (text: string) => shown(filter.judge(Buffer.from(text), 0, Buffer.byteLength(text)));
    const talk = (text: string) => text.replace('"a"', '"assistant"');
    expect(judge(talk(said('{"type":"tool_use","id":"c1","name":"Read","input":{}}')))).toBe(`usage ${talk(said(''))}`);
    expect(told).toEqual([]);
    expect(judge(answer('spawn').replace('"a"', '"user"'))).toBe('parse');
    expect(told).toEqual(['c1']);
  });

  test('who asks what is open is told, of each call once and by the uuid of its record', () => {
    const told: (string | null)[][] = [];
    const seen = new Set<string>();
    const heard: LineReader = {
      ...waiting,
      isNewCall: (id) => !seen.has(id) && seen.add(id) !== undefined,
      called: (...call) => told.push(call),
    };
    const filter = createLineFilter(interestIn({ events: ['usage:recorded'], once: true }), heard);
    const line = said('{"type":"tool_use","id":"c1","name":"Read","input":{}}').replace('"a"', '"assistant"');
    for (let copies = 0; copies < 2; copies++) {
      filter.judge(Buffer.from(line), 0, Buffer.byteLength(line));
      filter.settle();
    }
    expect(told).toEqual([['c1', 'Read', 'u1']]);
  });

  test.each([false, true])('an answer without content keeps whether it failed: %s', (failed) => {
    const judgement = judged(answer('read', `,"content":"abc","is_error":${failed}`), { a: lean });
    const block = { type: 'tool_result', tool_use_id: 'read', ...(failed && { is_error: true }) };
    expect(JSON.parse(judgement)).toMatchObject({ message: { content: [block] }, session_id: 's1', uuid: 'u1' });
    expect(judgement).not.toMatch(/abc|stdout/);
  });

  test.each([
    ['last', '{E},"message":{M},"uuid":"u1","timestamp":"t1","toolUseResult":{R},"sourceToolAssistantUUID":"a1"}'],
    [
      'before the envelope',
      '{E},"message":{M},"uuid":"u1","timestamp":"t1","toolUseResult":{R},"sourceToolAssistantUUID":"a1",{S}}',
    ],
    ['before its own id', '{E},{S},"message":{M},"toolUseResult":{R},"uuid":"u1","timestamp":"t1"}'],
    ['nowhere', '{E},{S},"message":{M},"uuid":"u1","timestamp":"t1"}'],
  ])('a row of a transcript keeps its envelope, with the result %s', (_where, shape) => {
    const text = shape
      .replace('{E}', '{"parentUuid":"p1","isSidechain":false,"promptId":"q1"')
      .replace('{S}', '"cwd":"/home/dev","sessionId":"s9","version":"2.1.140"')
      .replace('{M}', '{"role":"user","content":[{"tool_use_id":"read","type":"tool_result","content":"abc"}]}')
      .replace('{R}', '{"stdout":"abc","lines":[{"text":"abc"},{"text":"def"}]}');
    const judgement = shown(filterFor({}, lean).judge(Buffer.from(text), 0, Buffer.byteLength(text)));
    const { message: _message, toolUseResult: _result, ...envelope } = JSON.parse(text);
    const content = [{ type: 'tool_result', tool_use_id: 'read' }];
    expect(JSON.parse(judgement)).toEqual({ ...envelope, message: { role: 'user', content } });
  });

  test('the next block of a message with the same usage is dropped, one with more is not', () => {
    const filter = filterFor({ a: once });
    const judge = (text: string) => shown(filter.judge(Buffer.from(text), 0, Buffer.byteLength(text))).slice(0, 5);
    const block = said('{"type":"text","text":"hello"}');
    expect([block, block, block.replace('"output_tokens":1', '"output_tokens":2')].map(judge)).toEqual([
      'usage',
      'skip',
      'usage',
    ]);
  });

  test.each<[string, string, string]>([
    ['a time where there was none', '', ',"timestamp":"2026-11-16T00:00:00.000Z"'],
    ['an earlier time', ',"timestamp":"2026-11-16T00:00:01.000Z"', ',"timestamp":"2026-11-16T00:00:00.000Z"'],
    ['a time after one that is none', ',"timestamp":"1"', ',"timestamp":"2026-11-16T00:00:00.000Z"'],
  ])('so is one with %s', (_what, first, second) => {
    expect(kept(said('{"type":"text","text":"a"}', first), said('{"type":"text","text":"b"}', second))).toBe(2);
  });

  test('a message without an id is another one each time', () => {
    const nameless = said('{"type":"text","text":"a"}').replace('"id":"m1"', '"id":null');
    expect(kept(nameless, nameless)).toBe(2);
  });

  function kept(...lines: readonly string[]): number {
    const filter = filterFor({ a: once });
    return lines.filter((text) => filter.judge(Buffer.from(text), 0, Buffer.byteLength(text)) !== 'skip').length;
  }

  test('a line cut in the wrong place is parsed whole', () => {
    const nested = '{"type":"tool_use","id":"c1","name":"Read","input":{"a":[1],"stop_reason":1,"usage":{"x":1}}}';
    const records: unknown[] = [];
    const reader: LineReader = { ...waiting, line: (text) => records.push(JSON.parse(text)) };
    const bytes = Buffer.from(said(nested));
    expect(filterFor({ a: lean }, 'parse', reader).pass(bytes, 0, bytes.length, 1)).toBe(true);
    expect(records).toEqual([JSON.parse(said(nested))]);
  });

  test('only the asked-for part of the buffer is looked at', () => {
    const bytes = Buffer.from(line('"name":"Read"'));
    const buffer = Buffer.concat([Buffer.from('"Team}'), bytes, Buffer.from('"Team}')]);
    const filter = filterFor({ a: { needles: ['"Team'], unless: '"x"' } });
    expect(filter.judge(buffer, 6, 6 + bytes.length)).toBe('skip');
  });

  test('who asks for everything gets every line', () => {
    const bytes = Buffer.from(line('"b":1'));
    const filterOf = (glob: string) => createLineFilter(interestIn({ events: [glob] }), waiting);
    expect(filterOf('*').judge(bytes, 0, bytes.length)).toBe('parse');
    expect(filterOf('usage:recorded').judge(bytes, 0, bytes.length)).toBe('skip');
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
  const prose = { type: 'user', message: { content: [block('bash1', 'a b')] }, session_id: 's1', uuid: 'u-prose' };
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
    ['a stream joined late, at a result of prose', [prose, bash, listed, sent]],
    ['a result of prose before its call, and once more', [init, prose, bash, prose, send, sent]],
    ['a result of prose in another session', [init, { ...prose, session_id: 's2' }, send, sentNowhere]],
    ['a stream joined late, at the start of a turn', [init, bash, sent]],
    ['a stream joined late that goes on with another turn', [listed, init, bash, sent]],
    ['another session, joined late', [init, bash, { ...sent, session_id: 's2' }]],
    ['another session, joined late, between lines of the first', [init, bash, { ...sent, session_id: 's2' }, listed]],
    ['a record without session after one of no interest', [init, otherInit, send, bash, listed, sentNowhere]],
    ['keys in another order', [init, send, { uuid: 'u7', message: sent.message, type: 'user', session_id: 's1' }]],
    ['a huge result', [init, bash, send, result('bash1', { stdout: 'x'.repeat(3e5) }), sent]],
  ])('%s', (_what, lines) => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    for (const wish of interests) expect(asked(text, wish, true)).toEqual(asked(text, wish, false));
  });
});

function judged(text: string, looks: Record<string, LineRule>): string {
  const bytes = Buffer.from(text);
  return shown(filterFor(looks).judge(bytes, 0, bytes.length));
}

function shown(judgement: Judgement): string {
  if (typeof judgement === 'string') return judgement;
  return judgement.as === 'usage' ? `usage ${judgement.text}` : judgement.text;
}

function filterFor(looks: Record<string, LineRule>, rows: LineRules['rows'] = 'parse', reader = waiting) {
  const interest: LineRules = {
    everything: false,
    countsCalls: true,
    rows,
    wants: () => true,
    follows: (tool) => tool === 'Agent',
    ruleFor: (type) => looks[type] ?? 'parse',
  };
  return createLineFilter(interest, reader);
}

/** A record of the session at hand. */
function line(fields: string): string {
  return `{"type":"a",${fields},"session_id":"s1"}`;
}

function answer(id: string, more = ''): string {
  const block = `{"tool_use_id":"${id}","type":"tool_result"${more}}`;
  return `{"type":"a","message":{"role":"user","content":[${block}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1","tool_use_result":{"stdout":"abc"}}`;
}

function prose(text: string): string {
  const block = `{"tool_use_id":"other","type":"tool_result","content":"${text}"}`;
  return `{"type":"a","message":{"role":"user","content":[${block}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1"}`;
}

function said(blocks: string, more = ''): string {
  const usage = '"usage":{"input_tokens":1,"output_tokens":1}';
  return `{"type":"a","message":{"id":"m1","content":[${blocks}],"stop_reason":null,${usage}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1"${more}}`;
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

function asked(text: string, { events: globs, lean }: Interest, skips: boolean): unknown[] {
  const names = namesLike(globs);
  const { events } = readText(text, skips ? { interest: { events: globs, ...(lean && { lean }) } } : {});
  return events
    .filter((event) => names.has(event.event) && !('task_type' in event && event.task_type === 'local_bash'))
    .map(({ seq: _seq, ...event }) => (lean ? { ...event, text: null, input: null, result: null } : event));
}
