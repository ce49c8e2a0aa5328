import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each(['usage', 'teams', 'tasks'])('%s says nothing of it on stderr', (command) => {
  const input = Buffer.alloc(40 * 1024 * 1024, `${' '.repeat(1023)}\n`);
  const { status, stderr } = spawnSync(process.execPath, ['bin/cct.js', command], { input, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
