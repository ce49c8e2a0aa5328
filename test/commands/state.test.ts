import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stateVersion } from '../../src/core/tables/saved-state.js';
import { checkLater } from '../laws/check.js';
import { bytesOf, sessions } from '../laws/inputs.js';
import { cct } from '../run.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-state-'));
let made = 0;
const newPath = () => join(scratch, `${++made}.json`);
const team = readFileSync(new URL('../../fixtures/sessions/team-2.1.39.ndjson', import.meta.url), 'utf8');

describe('a stream in pieces', () => {
  test.each(sessions)('comes to the same as the whole: $name', async (input) => {
    const lines = bytesOf(input)
      .toString()
      .split(/(?<=\n)/);
    const whole = await cct(['teams', '-q'], lines.join(''));
    await checkLater(
      fc.asyncProperty(fc.nat(lines.length), fc.nat(lines.length), async (a, b) => {
        const path = newPath();
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        await cct(['teams', '-q', '--state', path], lines.slice(0, first).join(''));
        await cct(['teams', '-q', '--state', path], lines.slice(first, second).join(''));
        const last = await cct(['teams', '-q', '--state', path], lines.slice(second).join(''));
        expect(last.stdout).toBe(whole.stdout);
      }),
      1,
      4,
    );
  });

  test('a piece that comes again changes nothing', async () => {
    const path = newPath();
    const once = await cct(['teams', '--state', path], team);
    expect((await cct(['teams', '--state', path], team)).stdout).toBe(once.stdout);
  });
});

describe('a file that is not a state of ours', () => {
  test.each([
    [
      'of a newer cct',
      '{"cct_state":99,"digest":"","slices":{}}',
      `the state was saved by a newer cct (version 99, this one reads ${stateVersion})`,
    ],
    ['of somebody else', '{"name":"left-pad"}', 'this is not a state of cct'],
    [
      'of an older cct',
      '{"cct_state":1,"digest":"x","slices":{}}',
      `the state was saved by an older cct (version 1, this one reads ${stateVersion}); remove it and read the whole input again to make a new one`,
    ],
    ['damaged', `{"cct_state":${stateVersion},"digest":"x","slices":{}}`, 'the state is damaged'],
  ])('%s is refused and left alone', async (_what, text, reason) => {
    const path = newPath();
    writeFileSync(path, text);
    const ran = await cct(['teams', '--state', path], team);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `cct: --state: ${path}: ${reason}; the file is unchanged\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

test('a state that cannot be saved is said, the rows are written all the same, and no draft is left', async () => {
  const path = join(scratch, 'no-such-folder', 'state.json');
  const ran = await cct(['teams', '--state', path], team);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(`${path}: no such file; the new state was not saved`);
  expect(ran.stdout).not.toBe('');
});

test('an empty file is no state yet', async () => {
  const path = newPath();
  writeFileSync(path, '');
  chmodSync(path, 0o600);
  expect((await cct(['teams', '--state', path], team)).code).toBe(0);
  expect(readdirSync(scratch).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
