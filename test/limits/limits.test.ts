import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from './main.js';

test.each([
  ['agents', 3],
  ['in one line', 1],
  ['kill -9', 2],
  ['files that cannot be read', 1],
])('a little of %s is held', async (only, strains) => {
  const scratch = mkdtempSync(join(tmpdir(), 'cct-limits-'));
  let text = '';
  const code = await main(['--scale', '0.0002', '--kills', '2', '--only', only], scratch, (more) => (text += more));
  rmSync(scratch, { recursive: true });
  expect({ code, held: text.match(/ \| right/g)?.length }).toEqual({ code: 0, held: strains });
});
