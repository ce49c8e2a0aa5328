import { describe, expect, test } from 'vitest';
import { createReader } from '../../src/core/wire/reader.js';
import { placeOf } from '../../src/core/wire/sessions.js';
import { createParser, type Event, type ParserInput } from '../../src/lib.js';
import { eventsOf, eventsOfHome, filesOf, homes, textOf } from '../lib/read-fixture.js';

function parsed(inputs: Iterable<ParserInput>, options = {}): Event[] {
  const parser = createParser(options);
  return [...[...inputs].flatMap((input) => parser.push(input)), ...parser.end()];
}

function* cut<T extends { length: number; slice(from: number, to: number): T }>(whole: T, size: number): Generator<T> {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size);
}

const session = 'team-2.1.140.ndjson';

describe('the same events, however the input comes', () => {
  const expected = eventsOf(session);
  const bytes = new TextEncoder().encode(textOf(session));

  test.each([1, 7, 4096])('text in pieces of %i', (size) => {
    expect(parsed(cut(textOf(session), size))).toEqual(expected);
  });

  test.each([1, 7, 4096])('bytes in pieces of %i', (size) => {
    expect(parsed(cut(bytes, size))).toEqual(expected);
  });

  const records = textOf(session)
    .trim()
    .split('\n')
    .map((line): object => JSON.parse(line));

  test('records', () => expect(parsed(records)).toEqual(expected));
  test('a list of records', () => expect(parsed([records])).toEqual(expected));
  test('events', () => expect(parsed(expected)).toEqual(expected));
});

test('a character cut in two is one character', () => {
  const line = new TextEncoder().encode('{"type":"user","message":{"content":"für 🎈"}}');
  const [prompt] = parsed(cut(line, 1)).filter((event) => event.event === 'prompt:received');
  expect(prompt).toMatchObject({ text: 'für 🎈' });
});

test('events come as soon as their line is whole', () => {
  const parser = createParser();
  const line = '{"type":"user","message":{"content":"hello"}}';
  expect(parser.push(line)).toEqual([]);
  expect(parser.push('\n').map(({ event }) => event)).toEqual(['prompt:received']);
  expect(parser.push(line)).toEqual([]);
  expect(parser.end()).toMatchObject([{ event: 'prompt:received', line: 2 }]);
});

test('damage is an event with its line', () => {
  const events = parsed([
    '{"type":"user","message":{"content":"a"}}\n{"type":\n{"type":"user","message":{"content":"b"}}\n',
  ]);
  expect(events.map(({ event, line }) => [event, line])).toEqual([
    ['prompt:received', 1],
    ['input:skipped', 2],
    ['prompt:received', 3],
  ]);
});

test('a line that is too long is an event with its length', () => {
  const events = parsed(
    [`{"type":"user","message":{"content":"${'x'.repeat(200)}"}}\n{"type":"user","message":{"content":"b"}}`],
    {
      maxLineBytes: 100,
    },
  );
  expect(events).toMatchObject([
    { event: 'input:skipped', reason: 'line too long', bytes: 240, line: 1 },
    { event: 'prompt:received', text: 'b', line: 2 },
  ]);
});

test('paths say what files do not', () => {
  const created = eventsOfHome('team-2.1.325').filter((event) => event.event === 'team:created');
  // The main file and each agent's say what they know themselves.
  expect(created.map((event) => [event.name, event.protocol])).toEqual([
    ...Array.from({ length: 3 }, () => ['session-e14e95d0', 'implicit']),
    ['session-e14e95d0', 'files'],
  ]);
  const inbox = eventsOfHome('team-2.1.140').filter(({ event }) => event === 'team:message:received');
  expect(inbox.some((event) => event.event === 'team:message:received' && event.message.to === 'nobody')).toBe(false);
  expect(inbox.some((event) => event.event === 'team:message:received' && event.message.to === 'researcher')).toBe(
    true,
  );
});

test.each(homes)('%s: files begun one after the other have the events that the commands read', (home) => {
  const events: Event[] = [];
  const reader = createReader({ several: true, emit: (event) => events.push(event) });
  for (const { path, text } of filesOf(home)) {
    reader.begin(placeOf(path));
    for (const [at, line] of text.split('\n').entries()) reader.line(line, at + 1);
    reader.end();
  }
  expect(eventsOfHome(home)).toEqual(events);
});

test('events that are read back keep their source', () => {
  const [event] = parsed([{ type: 'user', session_id: 's', message: { content: 'hi' } }]);
  const parser = createParser();
  parser.begin('b.ndjson');
  expect(parser.push({ ...event, source: 'a.ndjson' })).toMatchObject([{ source: 'a.ndjson' }]);
});

test('what options say is done', () => {
  const warnings: string[] = [];
  const call = {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 'a', name: 'TeamMerge', input: {} }] },
  };
  const events = parsed([call], {
    raw: true,
    stamp: () => '2026-01-01T00:00:00.000Z',
    onWarning: (text: string) => warnings.push(text),
  });
  expect(events).toMatchObject([{ event: 'tool:called', time: '2026-01-01T00:00:00.000Z', raw: call }]);
  expect(warnings).toEqual([expect.stringContaining('TeamMerge')]);
});

test('nothing in the input throws', () => {
  for (const input of ['\0\ufffd{]', '[[[', [null, 1, 'x', []], new Uint8Array([0xff, 0xfe, 0x0a]), {}])
    expect(() => parsed([input])).not.toThrow();
});
