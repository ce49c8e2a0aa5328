import { describe, expect, it } from 'vitest';
import { stripColour, stripPrefix } from '../../../src/core/record/line.js';

const noon = '2026-11-14T10:00:00.123Z';

describe('stripPrefix', () => {
  it.each([
    ['GitHub Actions', '2026-11-14T10:00:00.1234567Z {"a":1}', '{"a":1}', noon],
    ['gh run view --log', 'build (20)\tRun claude\t2026-11-14T10:00:00.1234567Z {"a":1}', '{"a":1}', noon],
    ['gh, first line of a step', 'build\tRun\t\ufeff2026-11-14T10:00:00.1234567Z {', '{', noon],
    ['compose', 'web-1  | {"a":1}', '{"a":1}', null],
    ['compose with times', 'web-1  | 2026-11-14T10:00:00.123456789Z {"a":1}', '{"a":1}', noon],
    ['foreman', '10:00:01 web.1   | {"a":1}', '{"a":1}', null],
    ['a tag', '[web] {"a":1}', '{"a":1}', null],
    ['a tag before a list', '[web] [{"a":1}]', '[{"a":1}]', null],
    ['a clock in brackets', '[10:00:01] {"a":1}', '{"a":1}', null],
    ['a date in brackets', '[2026-11-14T10:00:00.123Z] {"a":1}', '{"a":1}', noon],
    ['date, level, no zone', '2026-11-14 10:00:00,123 INFO {"a":1}', '{"a":1}', null],
    ['an offset', '2026-11-14T11:30:00.1239+01:30 {"a":1}', '{"a":1}', noon],
    ['an offset without colon', '2026-11-14 05:00:00.123 -0500 {"a":1}', '{"a":1}', noon],
    ['no fraction', '2026-11-14 10:00:00 UTC {"a":1}', '{"a":1}', '2026-11-14T10:00:00.000Z'],
    ['the first of two times', '2026-11-14T10:00:00.123Z 2026-11-15T00:00:00Z {', '{', noon],
    ['all at once', '2026-11-14T10:00:00.123Z web-1 | [worker] 10:00:01 WARN {"a":1}', '{"a":1}', noon],
    ['server-sent events', 'data: {"a":1}', '{"a":1}', null],
    ['indentation behind it', '2026-11-14T10:00:00.123Z   "a": 1', '  "a": 1', noon],
    ['an empty line behind it', '2026-11-14T10:00:00.123Z', '', noon],
    ['no such day', '2026-13-14T10:00:00.123Z {"a":1}', '{"a":1}', null],
  ])('takes off %s', (_, text, rest, time) => {
    expect(stripPrefix(text)).toEqual({ text: rest, time });
  });

  it.each([
    [''],
    ['{"a":1}'],
    ['[{"a":1}] x'],
    ['["a"] x'],
    ['hello'],
    ['npm warn deprecated'],
    ['10:00 {"a":1}'],
    ['  "a": 1'],
    ['a\tb\t{"a":1}'],
  ])('leaves %j alone', (text) => {
    expect(stripPrefix(text)).toBeNull();
  });
});

describe('stripColour', () => {
  it.each([
    ['\u001b[36mweb-1  | \u001b[0m{"a":1}\u001b[39;49m', 'web-1  | {"a":1}'],
    ['\u001b[1;39m{\u001b[0m\u001b[34;1m"a"\u001b[0m:1}', '{"a":1}'],
    ['\u001b]0;title\u0007{"a":1}', '{"a":1}'],
    ['\u001b_bk;t=1763114400123\u0007{"a":1}', '{"a":1}'],
    ['\u001b]8;;https://example.com\u001b\\x', 'x'],
    ['{"a":"\\u001b[0m"}', '{"a":"\\u001b[0m"}'],
  ])('%j', (text, plain) => {
    expect(stripColour(text)).toBe(plain);
  });
});
