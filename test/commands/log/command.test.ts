import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cct } from '../../run.js';

const home = (name: string) =>
  readdirSync(`fixtures/files/${name}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.jsonl?$/.test(file))
    .map((file) => `fixtures/files/${name}/${file}`);
const read = (file: string) => readFileSync(`fixtures/sessions/${file}`, 'utf8');

test('a stream and its transcripts tell each thing once, in any order', async () => {
  const files = ['fixtures/sessions/woken-agents-2.1.326.ndjson', ...home('woken-agents-2.1.326')];
  const { stdout } = await cct(['log', ...files]);
  expect((await cct(['log', ...files.toReversed()])).stdout).toBe(stdout);
  const told = (text: string) => stdout.split('\n').filter((line) => line.includes(text)).length;
  expect([told('First ping'), told('First pong'), told('▸ sleeper (')]).toEqual([1, 1, 1]);
  // Only the transcript has the prompt, only the stream the results of its five turns, one after the other.
  expect([told('you: '), told('✓ finished'), told('11 turns')]).toEqual([1, 1, 1]);
});

test.each(['woken-agents-2.1.326', 'team-2.1.325', 'team-2.1.140', 'forked-2.1.326', 'cleared-2.1.140'])(
  'files of %s that are followed are told in order of time, and each thing once',
  async (name) => {
    const words = ['log', '-q', ...home(name)];
    const { stdout } = await cct([...words, '--follow', '--idle-timeout', '1']);
    expect(stdout.split('\n').length).toBeGreaterThan(8);
    expect(stdout).toBe((await cct(words)).stdout);
  },
);

test('on a terminal a call shows while it runs, and is one line in the end', async () => {
  const lines = read('several-tools.ndjson').split(/(?<=\n)/);
  const called = lines.findIndex((line) => line.includes('"tool_use"')) + 2;
  async function* slowly() {
    yield lines.slice(0, called).join('');
    // The clock of these tests does not wait; a real moment lets it tick.
    await new Promise((resolve) => setTimeout(resolve, 50));
    yield lines.slice(called).join('');
  }
  const world = { tty: { stdout: true }, open: true, columns: 100, rows: 30, env: { NO_COLOR: '1' } };
  const { stdout } = await cct(['log'], slowly(), world);
  expect(stdout).toMatch(/\$ ls -1 && echo warn >&2 · \d+(?:\.\d)?(?:s|m\d\ds)\n/);
  expect(stdout.match(/\$ ls -1 && echo warn >&2 · 939ms\n/g)).toHaveLength(1);
  // The cursor goes back, so that what cct run says on stderr does not continue the line.
  expect(stdout).toMatch(/open calls[^\x1b]*\x1b\[1G/);
});
