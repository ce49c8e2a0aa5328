import { describe, expect, test } from 'vitest';
import { createLineTimes, timeOfRecord } from '../../../src/core/wire/recorded.js';

const noon = '2026-11-15T12:00:00.000Z';
const one = '2026-11-15T13:00:00.000Z';
const epoch = Date.parse(noon);
const idle = (time: string) =>
  `<teammate-message teammate_id="writer">\n{"type":"idle_notification","from":"writer","timestamp":"${time}"}\n</teammate-message>`;

test.each<[string, object, string | null]>([
  ['its own', { type: 'user', timestamp: noon }, noon],
  ['its own, in another zone', { type: 'user', timestamp: '2026-11-15T13:00:00+01:00' }, noon],
  ['its own before any other', { type: 'user', timestamp: noon, message: { content: idle(one) } }, noon],
  ['of an event', { cct: 1, event: 'turn:started', time: noon }, noon],
  ['of an event, stamped, with its record', { cct: 1, event: 'x', time: noon, raw: { timestamp: one } }, noon],
  ['not of what only looks like an event', { type: 'x', time: noon }, null],
  [
    'when a task ended',
    { type: 'system', subtype: 'task_updated', patch: { status: 'completed', end_time: epoch } },
    noon,
  ],
  ['of the origin of a result', { type: 'result', origin: { kind: 'peer', timestamp: noon } }, noon],
  [
    'when the process of a result began, and how long it took',
    { type: 'result', time_origin_ms: epoch - 5000, duration_ms: 5000 },
    noon,
  ],
  ['when a teammate became idle', { type: 'user', message: { role: 'user', content: idle(noon) } }, noon],
  [
    'the last of several',
    { type: 'user', message: { content: [{ type: 'text', text: `${idle(one)}\n${idle(noon)}` }] } },
    one,
  ],
  [
    'not one that is quoted in a prompt',
    { type: 'user', message: { content: `Read "timestamp" in ${idle(noon)}` } },
    null,
  ],
  ['of a team file', { name: 'crew', members: [], createdAt: epoch }, noon],
  ['of a task file', { id: '1', subject: 'x', created_at: one, updated_at: noon }, noon],
  ['none', { type: 'assistant', message: { content: [] } }, null],
  ['no time at all', { type: 'user', timestamp: 'yesterday' }, null],
])('%s', (_name, record, time) => {
  expect(timeOfRecord({ ...record })).toBe(time);
});

describe('of lines', () => {
  const user = (time: string) => JSON.stringify({ type: 'user', timestamp: time });
  test.each<[string, string[], [number, string][]]>([
    [
      'each its own',
      [user(noon), '{"type":"x"}', user(one)],
      [
        [1, noon],
        [3, one],
      ],
    ],
    ['the first record of a line speaks for it', [user(noon) + user(one)], [[1, noon]]],
    [
      'behind a prefix',
      [`${noon} {"type":"x"}`, `${one} npm warn`],
      [
        [1, noon],
        [2, one],
      ],
    ],
    ['the record knows better than the prefix', [`${one} ${user(noon)}`], [[1, noon]]],
    ['damage', [user(noon).slice(0, -3), 'noise', '', user(one)], [[4, one]]],
    [
      'a record over several lines, at its first',
      ['{', `  "type": "user",`, `  "timestamp": "${noon}"`, '}'],
      [[1, noon]],
    ],
    ['an array', [`[${user(noon)},${user(one)}]`], [[1, noon]]],
  ])('%s', (_name, lines, expected) => {
    const known: [number, string][] = [];
    const times = createLineTimes((line, time) => known.push([line, new Date(time).toISOString()]));
    for (const [at, line] of lines.entries()) times.push(line, at + 1);
    times.end();
    expect(known).toEqual(expected);
  });
});
