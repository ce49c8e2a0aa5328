import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { replay } from './transcript.js';

const files = [
  ...readdirSync('test/cli')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `test/cli/${file}`),
  'README.md',
].filter(existsSync);

// The file is its own expectation: vitest -u writes what really happens, and git diff shows what changed.
const long = 600_000;
test.concurrent.for(files)('%s', { timeout: long }, async (file, { expect }) => {
  await expect(await replay(readFileSync(file, 'utf8'))).toMatchFileSnapshot(`../${file}`);
});

test('the README asks for nothing that only tests have', () => {
  expect(readFileSync('README.md', 'utf8')).not.toContain('SCRATCH');
});

describe('replay', () => {
  test.each([
    ['what was printed', '```console\n$ echo a; echo b\n```\n', '```console\n$ echo a; echo b\na\nb\n```\n'],
    ['stdout first', '```console\n$ echo e >&2; echo o\n```', '```console\n$ echo e >&2; echo o\no\ne\n```'],
    ['the exit code', '```console\n$ exit 3\n```', '```console\n$ exit 3\n[3]\n```'],
    ['old output goes', '```console\n$ echo a\nold\n> old\n[2]\n$ true\n```', '```console\n$ echo a\na\n$ true\n```'],
    ['long commands', '```console\n$ echo a \\\n> b\n```', '```console\n$ echo a \\\n> b\na b\n```'],
    ['no newline at the end', '```console\n$ printf a\n```', '```console\n$ printf a\na\n```'],
    ['other blocks stay', 'text\n```sh\n$ echo a\n```\n', 'text\n```sh\n$ echo a\n```\n'],
    [
      'a fixed world',
      '```console\n$ echo $TZ $TERM $NO_COLOR.\n```',
      '```console\n$ echo $TZ $TERM $NO_COLOR.\nUTC dumb .\n```',
    ],
  ])('%s', async (_name, markdown, replayed) => {
    expect(await replay(markdown)).toBe(replayed);
  });

  test('what a missing program would print stays as it is', async () => {
    const block = '```console\n$ echo 1 | jq -r .a\nold\n$ echo b\nold\n```';
    expect(await replay(block, ['jq'])).toBe(block.replace(/b\nold/, 'b\nb'));
  });
});
