// That DuckDB, with the statements of `cct schema --sql duckdb`, says what cct says over the same runs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tables, views } from '../../src/commands/schema/command.js';
import { runs } from '../effort.js';
import { cct, rows } from '../run.js';
import { answers } from './answers.js';
import { type Fleet, makeFleet, rowsOnce } from './fleet.js';
import { commandOf } from './page.js';
import { writeRuns } from './runs.js';

type Row = Readonly<Record<string, unknown>>;

let fleet: Fleet;
let duckdb: DuckDBConnection;
const slow = 120_000;

beforeAll(async () => {
  fleet = await makeFleet(runs(700, 2000));
  duckdb = await opened();
  await duckdb.run(await statements());
}, slow);
afterAll(() => {
  duckdb.closeSync();
  fleet.remove();
});

async function opened(): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`SET file_search_path = '${fleet.folder}'`);
  return connection;
}

async function statements(...names: string[]): Promise<string> {
  return (await cct(['schema', '--sql', 'duckdb', ...names])).stdout;
}

async function select(sql: string, connection = duckdb): Promise<readonly Row[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

test('every view has an answer of cct beside it', () => {
  expect(views.map(({ name }) => name).sort()).toEqual(Object.keys(answers).sort());
});

test.each(Object.entries(answers))('%s', async (view, { expected, read }) => {
  const own = await expected(fleet.runs);
  expect(own.length).toBeGreaterThan(2);
  expect(read(await select(`FROM ${view}`))).toEqual(own);
});

test.each(tables)('$name has all rows and all fields', async ({ name }) => {
  expect(fleet.counts[name]).toBeGreaterThan(100);
  expect(await select(`SELECT count(*) AS rows FROM ${name}`)).toEqual([{ rows: String(fleet.counts[name]) }]);
  const columns = new Set((await select(`DESCRIBE ${name}`)).map(({ column_name }) => column_name));
  expect([...(fleet.fields[name] ?? [])].filter((field) => !columns.has(field))).toEqual([]);
});

test.each(tables)('$name: times, days, money and shares have types of their own', async ({ name }) => {
  const untyped = (await select(`DESCRIBE ${name}`)).filter(({ column_name: column, column_type: type }) =>
    wantedTypes.some(([named, wanted]) => named.test(String(column)) && type !== wanted),
  );
  expect(untyped).toEqual([]);
});
const wantedTypes: readonly (readonly [RegExp, string])[] = [
  [/^time$|_at$/, 'TIMESTAMP'],
  [/^day$/, 'DATE'],
  [/_usd$/, 'DECIMAL(38,12)'],
  [/_share$/, 'DOUBLE'],
  [/_ms$|_tokens$|_bytes$/, 'BIGINT'],
];

test('money is exact, and nested lists are lists', async () => {
  const [sum] = await select('SELECT sum(cost_usd) AS cost_usd FROM usage_sessions');
  const costs = (await rowsOnce(['usage', '--by', 'model', fleet.runs])).map((row) => Number(row['cost_usd']) * 1e12);
  expect(Number(sum?.['cost_usd'])).toBe(costs.reduce((all, cost) => all + Math.round(cost), 0) / 1e12);
  const [member] = await select(`
    SELECT count(*) AS members
    FROM (SELECT unnest(members) AS member FROM teams) WHERE member.kind = 'teammate'`);
  const [row] = await select(`SELECT count(*) AS members FROM members WHERE kind = 'teammate'`);
  expect(member).toEqual(row);
  expect(Number(row?.['members'])).toBeGreaterThan(100);
  const [lists] = await select('SELECT sum(len(recipients)) AS recipients FROM messages');
  expect(Number(lists?.['recipients'])).toBeGreaterThan(100);
});

test.each([...new Set(tables.map(({ of }) => of.title))])('the statements for %s stand alone', async (title) => {
  const own = await opened();
  await own.run(await statements(title));
  expect((await select('SHOW TABLES', own)).length).toBeGreaterThan(0);
  own.closeSync();
});

test('text that is not Unicode can be loaded', async () => {
  const call = {
    type: 'tool_use',
    id: 't1',
    name: 'SendMessage',
    input: { to: 'a', message: 'half \ud83d of \udc00' },
  };
  const record = { type: 'assistant', session_id: 's', message: { id: 'm', role: 'assistant', content: [call] } };
  const { stdout } = await cct(['messages', '--settled'], `${JSON.stringify(record)}\n`);
  writeFileSync(join(fleet.folder, 'messages-odd.ndjson'), stdout);
  const own = await opened();
  await own.run((await statements('message')).replace('messages*', 'messages-odd'));
  expect(await select('SELECT content FROM messages', own)).toEqual([{ content: 'half \ufffd of \ufffd' }]);
  own.closeSync();
});

test('numbers that are too large or no whole numbers can be loaded', async () => {
  const said = { duration_ms: 12.7, duration_api_ms: 1e30, num_turns: 2 ** 63, total_cost_usd: 1e30 };
  const result = { type: 'result', subtype: 'success', session_id: 's', uuid: 'r', is_error: false, ...said };
  const { stdout } = await cct(['usage', '--by', 'session'], `${JSON.stringify(result)}\n`);
  writeFileSync(join(fleet.folder, 'odd.ndjson'), stdout);
  const own = await opened();
  await own.run((await statements('usage')).replace('usage_sessions*', 'odd'));
  expect(await select('SELECT duration_ms, num_turns, cost_usd FROM usage_sessions', own)).toEqual([
    { duration_ms: '13', num_turns: String(Number.MAX_SAFE_INTEGER), cost_usd: '1000000000000000.000000000000' },
  ]);
  own.closeSync();
});

test('the recipes of cct-fleet(7)', async () => {
  const folder = join(fleet.folder, 'recipe');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  symlinkSync(resolve('bin/cct.js'), join(folder, 'bin/cct'));
  symlinkSync(resolve('test/fleet/duckdb-shell.js'), join(folder, 'bin/duckdb'));
  writeRuns(join(folder, 'runs'), 23);
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
  const run = (script: string) =>
    execFileSync('sh', ['-c', script], { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' })
      .trimEnd()
      .split('\n')
      .map((line): Row => JSON.parse(line));

  const { expected, read } = answers['cost_by_project_and_week'] ?? {};
  expect(read?.(run(commandOf('into-duckdb')))).toEqual(await expected?.(join(folder, 'runs')));
  const months = run(commandOf('into-parquet')).filter(({ calls }) => calls !== undefined);
  const calls = await rows(['calls', '--by', 'call', join(folder, 'runs')]);
  expect(months.reduce((sum, row) => sum + Number(row['calls']), 0)).toBe(calls.length);
  expect(readdirSync(join(folder, 'calls')).filter((name) => /^month=2026-\d\d$/.test(name)).length).toBeGreaterThan(1);
});

test('types that are guessed are not exact', async () => {
  const [guessed] = await select(`
    SELECT typeof(cost_usd) AS cost, typeof(day) AS day FROM read_json('usage_agents.ndjson') LIMIT 1`);
  expect(guessed).toEqual({ cost: 'DOUBLE', day: 'DATE' });
});
