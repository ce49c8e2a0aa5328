import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cyclesAmong } from '../../../src/commands/tasks/rows.js';
import { check } from '../../laws/check.js';

type Graph = Readonly<Record<string, readonly string[]>>;

test.each<[name: string, graph: Graph, cyclic: string[]]>([
  ['nothing', {}, []],
  ['a chain', { a: ['b'], b: ['c'] }, []],
  ['a ring', { a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c']],
  ['a task that waits for itself', { a: ['a', 'b'] }, ['a']],
  ['what waits for a ring is not in it', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c']],
  [
    'what stands between two rings is in none',
    { a: ['b'], b: ['a', 'x'], x: ['c'], c: ['d'], d: ['c'] },
    ['a', 'b', 'c', 'd'],
  ],
  ['a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'] }, []],
  ['two rings that share a task', { a: ['b', 'c'], b: ['a'], c: ['a'] }, ['a', 'b', 'c']],
])('%s', (_name, graph, cyclic) => {
  expect([...cyclesIn(graph)].sort()).toEqual(cyclic);
});

test('a task is in a cycle when it can be reached from itself', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const graphs = fc.record(Object.fromEntries(ids.map((id) => [id, fc.subarray(ids)])));
  check(
    fc.property(graphs, (graph) => {
      const reaches = (from: string, seen = new Set<string>()): Set<string> => {
        for (const next of graph[from] ?? []) if (!seen.has(next)) reaches(next, seen.add(next));
        return seen;
      };
      expect([...cyclesIn(graph)].sort()).toEqual(ids.filter((id) => reaches(id).has(id)));
    }),
    500,
  );
});

test('a chain of 100,000 tasks', () => {
  const next = (id: string) => (id === '100000' ? ['1'] : [`${Number(id) + 1}`]);
  expect(cyclesAmong(['1'], next).map(({ size }) => size)).toEqual([100_000]);
});

function cyclesIn(graph: Graph): Set<string> {
  return new Set(cyclesAmong(Object.keys(graph), (id) => graph[id] ?? []).flatMap((cycle) => [...cycle]));
}
