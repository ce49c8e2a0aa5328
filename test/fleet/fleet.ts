// A folder with many runs and, beside them, the rows that `cct schema --sql` loads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tables } from '../../src/commands/schema/command.js';
import { rows } from '../run.js';
import { writeRuns } from './runs.js';

type Row = Readonly<Record<string, unknown>>;

/** Reading thousands of runs takes a second, so no command reads them twice. */
export function rowsOnce(words: readonly string[]): Promise<Row[]> {
  const key = words.join(' ');
  const found = known.get(key) ?? rows(words);
  known.set(key, found);
  return found;
}
const known = new Map<string, Promise<Row[]>>();

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
    const own = await rowsOnce([...command.split(' ').slice(1), runs]);
    counts[name] = own.length;
    fields[name] = new Set(own.flatMap((row) => Object.keys(row)));
    writeFileSync(join(folder, `${name}.ndjson`), own.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return {
    folder,
    runs,
    counts,
    fields,
    remove: () => {
      known.clear();
      rmSync(folder, { recursive: true });
    },
  };
}
