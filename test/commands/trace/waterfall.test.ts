// The picture of a run on a terminal: as wide as the terminal, at most about two screens long.
import { expect, test } from 'vitest';
import { cct } from '../../run.js';

const team = 'fixtures/sessions/team-2.1.325.ndjson';

async function drawn(words: readonly string[], stdin = '', world = {}): Promise<string[]> {
  const { stdout } = await cct(['trace', ...words], stdin, { tty: { stdout: true }, columns: 120, rows: 50, ...world });
  return stdout.replace(/\x1b\[[0-9;]*m/g, '').split('\n');
}

test.each([
  [80, 24],
  [120, 45],
  [200, 100],
])('at %i columns a bar has at least %i cells, and no line is wider', async (columns, least) => {
  const lines = (await drawn([team], '', { columns })).filter((line) => /[█▒]+[·─█▒]*$/.test(line));
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  for (const line of lines) expect(/[·─█▒]+$/.exec(line)?.[0].length).toBeGreaterThanOrEqual(least);
});

/** A run of turns, each with calls of a second each; the seventh call of a turn takes a minute. */
function longRun(turns: number, calls: number): string {
  let at = Date.parse('2026-11-16T09:00:00Z');
  const stamp = (ms: number) => {
    at += ms;
    return new Date(at).toISOString();
  };
  const own = { type: 'assistant', session_id: 's' };
  const model = { model: 'claude-opus-4-6', usage: { input_tokens: 1, output_tokens: 1 } };
  const records: object[] = [];
  for (let turn = 0; turn < turns; turn++) {
    records.push({ type: 'system', subtype: 'init', session_id: 's', uuid: `i${turn}`, tools: ['Bash', 'Read'] });
    records.push({ type: 'user', session_id: 's', timestamp: stamp(600_000), message: { content: `prompt ${turn}` } });
    for (let call = 0; call < calls; call++) {
      const [id, isLong] = [`t${turn}-${call}`, call === 7];
      const [name, input] = isLong
        ? ['Bash', { command: `npm test ${turn}` }]
        : ['Read', { file_path: `/home/me/shop/src/core/f${call}.ts` }];
      const content = [{ type: 'tool_use', id, name, input }];
      records.push({ ...own, timestamp: stamp(1000), message: { id: `m${id}`, ...model, content } });
      const result = [{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: isLong && turn === 3 }];
      const timestamp = stamp(isLong ? 60_000 : 1000);
      records.push({ type: 'user', session_id: 's', timestamp, message: { role: 'user', content: result } });
    }
    const content = [{ type: 'text', text: 'Done.' }];
    records.push({ ...own, timestamp: stamp(1000), message: { id: `end${turn}`, ...model, content } });
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

test('a long run takes at most two screens, and shows what took long or failed', async () => {
  const lines = await drawn(['-q'], longRun(12, 40));
  expect(lines.length).toBeLessThanOrEqual(100);
  for (const turn of [0, 3, 11]) expect(lines.join('\n')).toMatch(new RegExp(`Bash (failed: )?npm test ${turn} `));
  expect(lines.join('\n')).toMatch(/ 1m00s .* · · Bash failed: npm test 3 /);
  expect(lines.join('\n')).toMatch(/ · · .*32 × Read/);
  expect(lines.at(-2)).toMatch(/^\d+ spans are folded; --full shows every span$/);
});

test('with --full every span has a line', async () => {
  const run = longRun(12, 40);
  const { stdout } = await cct(['trace', '-q', '-f', 'ndjson'], run);
  const bars = (await drawn(['-q', '--full'], run)).filter((line) => /[·─█▒]{8}$/.test(line));
  expect(bars).toHaveLength(stdout.trim().split('\n').length);
});

test('what is the same for all files is not repeated', async () => {
  const lines = await drawn(['-q'], longRun(1, 6));
  expect(lines.find((line) => line.includes('Read f3.ts'))).toBeDefined();
});

test('of many runs the newest are drawn, each with its heading', async () => {
  const files = ['team-2.1.325', 'parallel-subagents', 'one-shot'].map((name) => `fixtures/sessions/${name}.ndjson`);
  const headingsIn = (lines: readonly string[]) => lines.filter((line) => /· \d+ agents? · /.test(line));
  expect(headingsIn(await drawn(['-q', ...files]))).toHaveLength(3);
  const lines = await drawn(['-q', 'fixtures/sessions']);
  expect(lines.length).toBeLessThanOrEqual(110);
  expect(headingsIn(lines)).toHaveLength(9);
  expect(lines.at(-2)).toMatch(/^\d+ earlier runs are not shown; --session ID shows one, --full all$/);
});

test('a terminal without Unicode gets plain signs', async () => {
  const lines = await drawn([team], '', { env: { LC_ALL: 'C' } });
  expect(lines.find((line) => line.includes('researcher'))).toMatch(/ [.=#-]{24,}$/);
});

test('sorted rows are plain', async () => {
  const lines = await drawn(['-q', '--sort', 'duration_ms', '--limit', '30', team]);
  expect(lines[0]).toMatch(/^START +DURATION +CRITICAL +NAME +KIND +LABEL/);
  expect(lines.slice(1, 30).join('\n')).not.toMatch(/[█▒]/);
});

test('with --follow an account is printed again only if it changed', async () => {
  const { stdout } = await cct([
    'trace',
    '--by',
    'agent',
    '--follow',
    '--until-end',
    '-f',
    'csv',
    '--fields',
    'name',
    team,
  ]);
  expect(stdout).toBe('name\nmain\nresearcher\nwriter\n');
});
