import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.js';
import { rows } from '../../run.js';

const start = Date.UTC(2026, 10, 16, 23, 59);
const time = (ms: number) => new Date(start + ms).toISOString();
let count = 0;

/** A call that takes so long, and what more its result says. */
function call(ms: number, more: JsonObject = {}, tool = 'Bash', session_id = 's'): JsonObject[] {
  const id = `toolu_${++count}`;
  const content = [{ type: 'tool_use', id, name: tool, input: {} }];
  const answer = [{ type: 'tool_result', tool_use_id: id, content: 'é' }];
  return [
    { type: 'assistant', session_id, uuid: `c${count}`, timestamp: time(0), message: { content } },
    { type: 'user', session_id, uuid: `r${count}`, timestamp: time(ms), message: { content: answer }, ...more },
  ];
}

const text = (records: readonly JsonObject[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const counted = (records: readonly JsonObject[], ...words: string[]) => rows(['calls', '-q', ...words], text(records));

describe('percentiles by nearest rank', () => {
  test.each<[number[], number, number, number]>([
    [[7], 7, 7, 7],
    [[1, 2], 1, 2, 2],
    [[3, 1, 2], 2, 3, 3],
    [Array.from({ length: 20 }, (_, at) => 20 - at), 10, 19, 20],
    [Array.from({ length: 100 }, (_, at) => at + 1), 50, 95, 100],
    [Array.from({ length: 101 }, (_, at) => at), 50, 95, 100],
    [[5, 5, 5, 900], 5, 900, 900],
  ])('of %j', async (times, ms_p50, ms_p95, ms_max) => {
    const ms_total = times.reduce((sum, ms) => sum + ms, 0);
    const found = await counted(times.flatMap((ms) => call(ms)));
    expect(found).toMatchObject([{ calls: times.length, ms_total, ms_p50, ms_p95, ms_max, clock: 'records' }]);
  });
});

test('the weakest clock names a row, and what has none is in no duration', async () => {
  const reported = call(900, { tool_use_result: { durationMs: 20 } });
  expect(await counted(reported)).toMatchObject([{ ms_total: 20, clock: 'reported' }]);
  const timeless = call(5).map(({ timestamp: _, ...record }) => record);
  expect(await counted([...reported, ...call(30), ...timeless])).toMatchObject([
    { calls: 3, ms_total: 50, ms_max: 30, clock: 'records' },
  ]);
  expect(await counted(timeless)).toMatchObject([{ calls: 1, ms_total: null, ms_p50: null, clock: null }]);
});

test('lengths are those of UTF-8 in what normalize writes', async () => {
  const found = await counted([...call(1), ...call(1, { tool_use_result: { a: 1.0, b: '…' } })], '--by', 'call');
  expect(found.map(({ input_bytes, result_bytes }) => [input_bytes, result_bytes])).toEqual([
    [2, '"é"'.length + 1],
    [2, '{"a":1,"b":"…"}'.length + 2],
  ]);
});

test('servers that nobody called, of each session if that is a key', async () => {
  const servers = ['lab', 'idle'].map((name) => ({ name, status: 'connected' }));
  const init = (session_id: string, mcp_servers: readonly object[]) => ({
    type: 'system',
    subtype: 'init',
    uuid: session_id,
    session_id,
    mcp_servers: [...mcp_servers, { name: 'gone', status: 'failed' }],
  });
  const records = [init('s', servers), init('t', servers.slice(0, 1)), ...call(1, {}, 'mcp__lab__fast')];
  const shown = async (by: string) =>
    (await counted(records, '--by', by)).map(({ session_id, server, calls }) => [session_id, server, calls]);
  expect(await shown('server')).toEqual([
    [undefined, 'idle', 0],
    [undefined, 'lab', 1],
  ]);
  expect(await shown('session,server')).toEqual([
    ['s', 'idle', 0],
    ['s', 'lab', 1],
    ['t', 'lab', 0],
  ]);
});

test('a call that ends on another day is of the day it began on', async () => {
  const records = call(90_000);
  expect(await counted(records, '--by', 'day')).toMatchObject([{ day: '2026-11-16', calls: 1 }]);
  expect(await counted(records, '--by', 'day', '--timezone', '+00:01')).toMatchObject([{ day: '2026-11-17' }]);
  expect(await counted(records, '--by', 'total', '--since', time(1))).toMatchObject([{ calls: 0 }]);
});

test('a denial that only the result of the run tells', async () => {
  const records = call(1);
  const denial = { tool_name: 'Bash', tool_use_id: `toolu_${count}`, tool_input: {} };
  const result = { type: 'result', subtype: 'success', session_id: 's', uuid: 'z', permission_denials: [denial] };
  expect(await counted([...records, result])).toMatchObject([{ calls: 1, denied: 1 }]);
});
