// A container log says what its lines say, and gives its times to records without one.
import { describe, expect, test } from 'vitest';
import { bareRows, reports } from '../fuzz/differential.js';
import { errors, logs, wrappedAt } from '../fuzz/wrapped.js';
import { parseJson } from '../json.js';
import { cct } from '../run.js';
import { bytesOf, type Input, sessions } from './inputs.js';
import { inputsOf } from './laws.js';
import { type Part, type Reading, readAll } from './reading.js';

describe.each(Object.entries(logs))('%s', (_name, wrap) => {
  test.each(inputsOf('wrapped: sessions', sessions))('$name', async (input) => {
    const lines = linesOf(input);
    const stamped = asPart(lines.map((line) => `${wrappedAt} ${line}`));
    const whole = asPart(lines.flatMap((line) => wrap(line, Number.POSITIVE_INFINITY)));
    expect(uncounted(readAll([whole]))).toMatchObject({ ...uncounted(readAll([stamped])) });
    const good = lines.filter((line) => parseJson(line) !== undefined);
    const timed = asPart(good.map((line) => `${wrappedAt} ${line}`));
    const pieces = good.flatMap((line, at) => wrap(line, 1000).flatMap((piece) => [piece, errors[at % 3] ?? '']));
    for (const report of [...inputsOf('wrapped: reports', reports), 'normalize --raw', 'tasks --all --strict'])
      expect(await bareRows(report, [asPart(pieces)], 65536), report).toBe(await bareRows(report, [timed], 65536));
  });
});

test('records with times of their own are the same inside a log', async () => {
  const input = sessions.find(({ name }) => name.includes('transcript')) ?? sessions[0];
  if (input === undefined) throw new Error('no sessions');
  const plain = await cct(['normalize'], bytesOf(input));
  const { stdout } = await cct(['normalize'], plain.stdout.split('\n').flatMap(asDocker).join('\n'));
  expect(stdout).toBe(plain.stdout);
});

/** Without the bytes of damaged lines: they are counted with a time before them, but without the log around them. */
function uncounted(reading: Reading): Reading {
  const events = reading.events.map((event) => (event.event === 'input:skipped' ? { ...event, bytes: null } : event));
  return { ...reading, events };
}

function asDocker(line: string): string[] {
  return logs['docker']?.(line, 1e6) ?? [];
}

function linesOf(input: Input): string[] {
  return bytesOf(input).toString().split('\n').filter(Boolean);
}

function asPart(lines: readonly string[]): Part {
  return { path: null, bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')) };
}
