import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesRun } from './main.js';

test('a file counts if one of its functions runs', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cct-files-'));
  try {
    const [ran = []] = filesRun([['schema', '--help']], scratch);
    const files = ran.map(({ file }) => file);
    expect(files).toContain('cli');
    expect(files).toContain('cli/docs/help');
    expect(files).not.toContain('cli/input');
    expect(files).not.toContain('version');
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
