// A folder with many runs and, beside them, the rows that `cct schema --sql` loads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tables } from '../../src/commands/schema/tables.js';
import { cct } from '../run.js';
import { writeRuns } from './runs.js';

export interface Fleet {
  readonly folder: string;
  readonly runs: string;
  /** How many rows there are of each table. */
  readonly counts: Readonly<Record<string, number>>;
  /** The names of the fields of each table's rows. */
  readonly fields: Readonly<Record<string, ReadonlySet<string>>>;
  remove(): void;
}

export async function makeFleet(count: number): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'cct-fleet-'));
  const runs = join(folder, 'runs');
  const counts: Record<string, number> = {};
  const fields: Record<string, Set<string>> = {};
  writeRuns(runs, count);
  for (const { name, command } of tables) {
    const { stdout } = await cct([...command.split(' ').slice(1), runs]);
    const lines = stdout.split('\n').slice(0, -1);
    counts[name] = lines.length;
    fields[name] = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))));
    writeFileSync(join(folder, `${name}.ndjson`), stdout);
  }
  return { folder, runs, counts, fields, remove: () => rmSync(folder, { recursive: true }) };
}
