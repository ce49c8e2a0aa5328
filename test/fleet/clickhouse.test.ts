// That ClickHouse, with the statements of `cct schema --sql clickhouse`, says what cct says over the same runs. The embedded
// engine, chdb, takes half a gigabyte, so it is not a dependency: `npm install --no-save chdb` before this test.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tables } from '../../src/commands/schema/tables.js';
import { cct } from '../run.js';
import { answers } from './answers.js';
import { type Fleet, makeFleet } from './fleet.js';

type Row = Readonly<Record<string, unknown>>;

/** What we use of chdb. */
interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

const Session = engineIfInstalled();
if (Session === null)
  process.stderr.write(
    '\nNOT RUN: the SQL for ClickHouse, because chdb is not installed (npm install --no-save chdb)\n\n',
  );

function engineIfInstalled(): (new (path: string) => Session) | null {
  try {
    return createRequire(import.meta.url)('chdb').Session;
  } catch {
    return null;
  }
}

describe.runIf(Session !== null)('ClickHouse', () => {
  let fleet: Fleet;
  let clickhouse: Session;
  const home = mkdtempSync(join(tmpdir(), 'cct-clickhouse-'));
  const slow = 240_000;

  beforeAll(async () => {
    if (Session === null) return;
    fleet = await makeFleet(2000);
    clickhouse = new Session(home);
    const { stdout } = await cct(['schema', '--sql', 'clickhouse']);
    for (const statement of stdout.split(/;\n/)) run(statement.replace(`INFILE '`, `INFILE '${fleet.folder}/`));
  }, slow);
  afterAll(() => {
    clickhouse.cleanup();
    fleet.remove();
    rmSync(home, { recursive: true, force: true });
  });

  function run(sql: string): void {
    if (sql.trim() !== '') clickhouse.query(sql);
  }

  function select(sql: string): Row[] {
    const lines = clickhouse.query(sql, 'JSONEachRow').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  test.each(Object.entries(answers))('%s', async (view, { expected, read }) => {
    expect(read(select(`SELECT * FROM ${view}`))).toEqual(await expected(fleet.runs));
  });

  test.each(tables)('$name has all rows and all fields', ({ name }) => {
    expect(select(`SELECT toUInt32(count()) AS rows FROM ${name}`)).toEqual([{ rows: fleet.counts[name] }]);
    const columns = new Set(select(`DESCRIBE ${name}`).map((column) => column['name']));
    expect([...(fleet.fields[name] ?? [])].filter((field) => !columns.has(field))).toEqual([]);
  });
});
