// A message that several sessions have is in the trace of the session that requested it, which is the one that pays for it.
import { describe, expect, test } from 'vitest';
import { spanRows } from '../../../src/commands/trace/fold.js';
import { reportUsage } from '../../../src/commands/usage/rows.js';
import { reduceAll, reduceRows } from '../../../src/core/tables/reduce.js';
import { homes } from '../../laws/inputs.js';
import { type Part, readAll } from '../../laws/reading.js';
import { rows } from '../../run.js';
import { tracesIn } from './traces-in.js';

const forks = homes.filter(({ name }) => /fork/.test(name));

/** The same files, with their two sessions named the other way round: ids say nothing. */
function renamed(parts: readonly Part[]): Part[] {
  const ids = [
    ...new Set(parts.flatMap(({ path }) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(path ?? '')?.[0] ?? [])),
  ];
  const [one = '', other = ''] = ids;
  const swap = (text: string) =>
    one === '' ? text : text.replaceAll(one, '\0').replaceAll(other, one).replaceAll('\0', other);
  return parts.map(({ path, bytes }) => ({
    path: path === null ? null : swap(path),
    bytes: Buffer.from(swap(bytes.toString())),
  }));
}

function paid(parts: readonly Part[]): string[] {
  const { usage, agents } = reduceAll(readAll(parts).events, reduceRows);
  const { rows } = reportUsage({ usage, agents, by: ['message'] });
  return rows
    .flatMap((row) => ('message_id' in row && row.message_id !== null ? `${row.session_id} ${row.message_id}` : []))
    .sort();
}

function spanned(parts: readonly Part[]) {
  return tracesIn(readAll(parts).events).flatMap(spanRows);
}

describe.each([
  ['as they are', (parts: readonly Part[]) => [...parts]],
  ['with ids in the other order', renamed],
  ['read in reverse', (parts: readonly Part[]) => parts.toReversed()],
])('%s', (_, changed) => {
  test.each(forks)('$name', ({ parts }) => {
    const files = changed(parts);
    const spans = spanned(files);
    const chats = spans.filter(({ kind }) => kind === 'chat');
    expect(chats.map(({ session_id, message_id }) => `${session_id} ${message_id}`).sort()).toEqual(paid(files));
    const sessions = new Map(chats.map(({ message_id, session_id }) => [message_id, session_id]));
    for (const { kind, message_id, session_id } of spans)
      if (kind === 'call' && sessions.has(message_id)) expect(session_id).toBe(sessions.get(message_id));
  });
});

test('the trace of a fork alone begins where the fork does', () => {
  const parts = homes.find(({ name }) => name === 'files/fork-sorts-first-2.1.327')?.parts ?? [];
  const fork = parts.filter(({ path }) => path?.startsWith('64eb7588'));
  const [root] = spanned(fork);
  expect(root?.time).toBe('2026-11-18T10:36:52.439Z');
  expect(spanned(fork).filter(({ kind }) => kind === 'chat')).toHaveLength(paid(fork).length);
});

test('so is its trajectory', async () => {
  const documents = await rows(['trace', '-f', 'atif', 'fixtures/files/fork-sorts-first-2.1.327']);
  const metrics = documents.map(({ session_id, final_metrics }) => [session_id, final_metrics]);
  const total_steps = (steps: number) => expect.objectContaining({ total_steps: steps });
  expect(Object.fromEntries(metrics)).toEqual({
    'c8e5eadc-8071-4ed9-99e9-fe877dab1492': total_steps(8),
    '64eb7588-2f1a-4a2c-a70a-b708f0638dc9': total_steps(6),
  });
});
