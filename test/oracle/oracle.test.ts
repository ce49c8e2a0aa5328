import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { main } from './main.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-oracle-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** This build, but it calls the status of a team by another name. */
function otherBuild(): string {
  cpSync('bin', join(scratch, 'bin'), { recursive: true });
  cpSync('dist/cli', join(scratch, 'dist/cli'), { recursive: true });
  for (const name of readdirSync(join(scratch, 'dist/cli'))) {
    const file = join(scratch, 'dist/cli', name);
    if (name.endsWith('.cjs')) writeFileSync(file, readFileSync(file, 'utf8').replaceAll('cleaned_up', 'tidied_up'));
  }
  return join(scratch, 'bin/cct.js');
}

test('a planted difference is noticed, and counted apart if it is meant', async () => {
  const runs = join(scratch, 'runs');
  mkdirSync(runs);
  cpSync('fixtures/sessions/team-2.1.39.ndjson', join(runs, 'team.ndjson'));
  const meantFile = join(scratch, 'expected');
  writeFileSync(meantFile, '^teams\tteam\\.ndjson$\tanother word\n');
  const program = otherBuild();
  const oracle = async (...words: string[]) => {
    let said = '';
    const code = await main(['--no-fixtures', '--more', runs, '--only', 'cct teams -f', ...words], scratch, (text) => {
      said += text;
    });
    return { code, said };
  };

  const same = await oracle('--old', 'bin/cct.js');
  expect(same.code).toBe(0);
  expect(same.said).toMatch(/^oracle: \d+ comparisons in \d+ s, 0 differences\n$/);

  const other = await oracle('--old', program);
  expect(other.code).toBe(1);
  expect(other.said).toContain('cct teams -f ndjson  (');
  expect(other.said).toMatch(/"status":"tidied_up".*\n.*"status":"cleaned_up"/);

  const meant = await oracle('--old', program, '--expect', meantFile);
  expect(meant.code).toBe(0);
  expect(meant.said).toContain('meant: another word');
}, 60_000);
