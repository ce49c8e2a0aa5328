// The bars of spans on a terminal.
import { expect, test } from 'vitest';
import { cct } from '../../run.js';

const team = 'fixtures/sessions/team-2.1.325.ndjson';

test.each([
  [80, 24],
  [120, 50],
  [200, 130],
])('at %i columns a bar has at least %i cells, and no line is wider', async (columns, least) => {
  const { stdout } = await cct(['trace', team], '', { tty: true, columns });
  const lines = stdout
    .replace(/\x1b\[[0-9;]*m/g, '')
    .split('\n')
    .filter((line) => /[█▒]/.test(line));
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  const bar = /[·█▒]+$/.exec(lines[1] ?? '')?.[0] ?? '';
  expect(bar.length).toBeGreaterThanOrEqual(least);
});

test('in a pipe it has 24', async () => {
  const { stdout } = await cct(['trace', '-f', 'table', team], '', { columns: 200 });
  expect(/[·█▒]+$/m.exec(stdout.split('\n')[2] ?? '')?.[0]).toHaveLength(24);
});
