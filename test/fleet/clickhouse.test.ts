// That ClickHouse, with the statements of `cct schema --sql clickhouse`, says what cct says over the same runs. The embedded
// engine, chdb, takes half a gigabyte, so it is not a dependency: `npm install --no-save chdb` before this test.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tables } from '../../src/commands/schema/command.js';
import { namingTables } from '../man/man.js';
import { cct } from '../run.js';
import { answers } from './answers.js';
import { type Fleet, makeFleet } from './fleet.js';
import { commandOf } from './page.js';

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

function engineIfInstalled():
  | (new (
      path: string,
      options?: { readonly connectionArgs: readonly string[] },
    ) => Session)
  | null {
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
    writeFileSync(`${home}.xml`, cluster);
    clickhouse = new Session(home, { connectionArgs: [`--config-file=${home}.xml`] });
    const { stdout } = await cct(['schema', '--sql', 'clickhouse']);
    for (const statement of stdout.split(/;\n/)) run(statement.replace(`INFILE '`, `INFILE '${fleet.folder}/`));
  }, slow);
  afterAll(() => {
    clickhouse.cleanup();
    fleet.remove();
    for (const path of [home, `${home}.xml`]) rmSync(path, { recursive: true, force: true });
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

  // The embedded engine reaches no other machine, so the tables over all shards are made, and not asked.
  test('tables over all shards', () => {
    const printed = namingTables(
      commandOf('over-shards'),
      tables.map(({ name }) => name),
    )
      .split('\n')
      .slice(1, -1)
      .join('\n')
      .replace('| clickhouse-client', '');
    const statements = execFileSync('sh', ['-c', printed], { encoding: 'utf8' });
    run('CREATE DATABASE IF NOT EXISTS fleet');
    for (const statement of statements.split(/;\n/)) {
      expect(statement === '' || statement.includes(' ON CLUSTER fleet ')).toBe(true);
      run(statement.replace(' ON CLUSTER fleet ', ' ').replaceAll('shard', 'default'));
    }
    const made = select(`SELECT name FROM system.tables WHERE database = 'fleet' AND engine = 'Distributed'`);
    expect(made.map(({ name }) => name).sort()).toEqual(tables.map(({ name }) => name).sort());
  });
});

const cluster = `<clickhouse><remote_servers><fleet>
  <shard><replica><host>build1</host><port>9000</port></replica></shard>
  <shard><replica><host>build2</host><port>9000</port></replica></shard>
</fleet></remote_servers></clickhouse>`;
