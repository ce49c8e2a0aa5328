import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mapTexts } from '../map-texts.js';
import { cct } from '../run.js';

const key = `sk-ant-api03-${'aB3dE5gH7j'.repeat(9)}`;
const scratch = mkdtempSync(join(tmpdir(), 'cct-redact-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Runs in which every text that people or agents wrote holds a key: descriptions, subjects, bodies, prompts, results. */
const leaking = ['team-2.1.39', 'parallel-subagents', 'background-2.1.325']
  .map((name) => readFileSync(`fixtures/sessions/${name}.ndjson`, 'utf8'))
  .map((text) => mapTexts(text, (said) => (said.includes(' ') ? `${said} ${key}` : said)))
  .join('');

const formats = ['table', 'ndjson', 'json', 'csv', 'tsv', 'md'];
const ways = [
  ['normalize'],
  ['normalize', '--raw'],
  ...formats.flatMap((format) =>
    [
      ['teams'],
      ['teams', '--members'],
      ['tasks', '--all'],
      ['messages'],
      ['messages', '--settled'],
      ['usage', '--by', 'agent'],
      ['teams', '--audit'],
    ].map((words) => [...words, '--format', format]),
  ),
  ['usage', '--by', 'message'],
  ['usage', '--by', 'agent', '--format', 'prometheus'],
  ['tasks', '--all', '--board'],
  ['tasks', '--all', '--format', 'mermaid'],
  ['tasks', '--all', '--format', 'dot'],
  ['messages', '--audit'],
  ['tasks', '--audit'],
].map((words) => ({ line: words.join(' '), words }));

test.each(ways)('cct $line --redact has no secret', async ({ words }) => {
  const { stdout, stderr } = await cct([...words, '--redact'], leaking);
  expect(`${stdout}${stderr}`).not.toContain(key.slice(0, 30));
});

test('most of them would have one', async () => {
  const shown = await Promise.all(ways.map(({ words }) => cct(words, leaking)));
  expect(shown.filter(({ stdout }) => stdout.includes(key.slice(0, 30))).length).toBeGreaterThan(ways.length / 2);
});

describe('a state', () => {
  // Behind the line of a call, before that of its result.
  const half = leaking.slice(0, leaking.indexOf('\n', leaking.indexOf('"name":"TaskCreate"')) + 1);

  test('has none, not even of calls that are still open', async () => {
    const path = join(scratch, 'state.json');
    await cct(['teams', '--redact', '--state', path], half);
    expect(readFileSync(path, 'utf8')).toContain('[redacted:anthropic-key]');
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    const { code, stdout } = await cct(['tasks', '--all', '--redact', '--state', path], leaking.slice(half.length));
    expect({ code, hasRows: stdout !== '' }).toEqual({ code: 0, hasRows: true });
  });

  test('would have', async () => {
    const path = join(scratch, 'leaking.json');
    await cct(['teams', '--state', path], half);
    expect(readFileSync(path, 'utf8')).toContain(key);
  });
});
