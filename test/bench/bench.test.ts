import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamOf } from './data.js';
import { createFiles } from './files.js';
import { topics } from './groups.js';
import { main } from './main.js';
import { isInstalled, median } from './measure.js';
import { disagreement, rowsOf } from './table.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('runs every case once and finds the same answers', async () => {
  let said = '';
  const print = (text: string) => {
    said += text;
  };
  const words = ['--size', '0.01', '--rounds', '0', '--line', '0.01', '--lines', '8'];
  const code = await main(words, folder, print);
  expect({ code, said }).toMatchObject({ code: 0 });
  for (const title of [
    'start',
    'usage, file',
    'usage, pipe',
    'messages',
    'teams',
    'tasks',
    'normalize',
    'usage, a directory',
    'real runs repeated',
    'teams, four times as many runs',
    '157 tiny lines',
    'line in',
  ])
    expect(said).toContain(`| ${title}`);
  if (!isInstalled('ccusage')) expect(said).toContain('ccusage is not installed');
});

test('makes the same data from the same seed, of the size asked for', () => {
  const text = [...streamOf(50_000, 'tools')].join('');
  expect([...streamOf(50_000, 'tools')].join('')).toBe(text);
  expect([...streamOf(50_000, 'tools', 1)].join('')).not.toBe(text);
  expect(text.length).toBeGreaterThan(50_000);
});

test('says whether a bar is met, and when answers differ', () => {
  const files = createFiles(folder);
  const [group] = topics['usage']?.(files, 0.01) ?? [];
  if (group === undefined) throw new Error('no group');
  const figures = (wall: number, answer: string) => ({ wall, cpu: wall, memory: 150, answer });
  const measured = new Map([
    ['cct', figures(10, 'a')],
    ['jq', figures(90, 'b')],
    ['wc -l', figures(1, 'a')],
  ]);
  const bars = [
    { faster: 8, than: 'jq', aim: 12 },
    { faster: 6.5, than: 'naive node' },
    { slower: 8, than: 'wc -l' },
    { most: 130, of: 'memory' },
  ] as const;
  const cases = group.cases.map((one) => (one.name === 'cct' ? { ...one, bars } : one));
  const [first = ''] = rowsOf({ ...group, cases }, measured);
  expect(first).toContain(
    '>= 8x jq (aim 12): 9.00 ok; >= 6.5x naive node: not measured; <= 8x wc -l: 10.00 NOT MET; <= 130 MB: 150.00 NOT MET',
  );
  expect(disagreement(group, measured)).toContain('cct a, jq b');
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
])('the median of %j is %d', (numbers, expected) => {
  expect(median(numbers)).toBe(expected);
});
