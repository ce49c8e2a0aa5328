import { readdirSync, readFileSync } from 'node:fs';
import { reportUsage, type UsageQuery, type UsageReport } from '../../../src/commands/usage/rows.js';
import { reduceAll, reducerOf } from '../../../src/core/tables/reduce.js';
import type { Event, UsageKey } from '../../../src/lib.js';
import { type Part, readAll, readText } from '../../laws/reading.js';

type Asked = Partial<Omit<UsageQuery, 'usage' | 'agents' | 'by'>>;

/** The report of a text, or of files under their paths. */
export function report(
  input: string | readonly Part[],
  by: readonly UsageKey[] = ['model'],
  asked: Asked = {},
): UsageReport {
  const state = typeof input === 'string' ? stateOfText(input) : stateOf(readAll(input).events);
  return reportUsage({ ...state, by, ...asked });
}

/** Read once, however many reports are made from it. */
function stateOfText(text: string): ReturnType<typeof stateOf> {
  const known = states.get(text) ?? stateOf(readText(text).events);
  if (states.size > 9) states.clear();
  states.set(text, known);
  return known;
}
const states = new Map<string, ReturnType<typeof stateOf>>();

export function rowsOf(input: string | readonly Part[], by: readonly UsageKey[] = ['model'], asked: Asked = {}) {
  return report(input, by, asked).rows;
}

/** As the command writes them. */
export function written(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Rows by message: what one step of a map and reduce passes to the next. */
export function messageRows(input: string | readonly Part[]): string {
  return written(rowsOf(input, ['message']));
}

export function stateOf(events: readonly Event[]) {
  return reduceAll(events, follow);
}

const follow = reducerOf({ usage: true });

export function session(name: string): string {
  return readFileSync(`fixtures/sessions/${name}.ndjson`, 'utf8');
}

/** The files of a home, each under its path. */
export function home(name: string, keep: (path: string) => boolean = () => true): Part[] {
  const folder = `fixtures/files/${name}/`;
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return inside
    .filter((path) => /\.(?:jsonl?|ndjson)$/.test(path) && keep(path))
    .map((path) => ({ path, bytes: readFileSync(folder + path) }));
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly write: number;
  readonly read: number;
}

/** The four counters of a row, cache writes as one. */
export function tokens(row: Record<string, unknown> | undefined): Tokens {
  const count = (field: string) => Number(row?.[field] ?? 0);
  return {
    input: count('input_tokens'),
    output: count('output_tokens'),
    write: count('cache_write_5m_tokens') + count('cache_write_1h_tokens') + count('cache_write_tokens'),
    read: count('cache_read_tokens'),
  };
}

export function sum(all: readonly Tokens[]): Tokens {
  return all.reduce(
    (a, b) => ({
      input: a.input + b.input,
      output: a.output + b.output,
      write: a.write + b.write,
      read: a.read + b.read,
    }),
    { input: 0, output: 0, write: 0, read: 0 },
  );
}

export interface Call {
  readonly story: string;
  readonly id: string;
  readonly agent: string;
  readonly model: string;
}

/** Every API call that was served, as the server counted it. */
export const ledger: readonly Call[] = readFileSync('fixtures/usage/ledgers.ndjson', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

/** Model → tokens of the calls of a story. */
export function served(story: string, isCounted: (call: Call) => boolean = () => true): Record<string, Tokens> {
  const models: Record<string, Tokens> = {};
  for (const call of ledger.filter((one) => one.story === story && isCounted(one)))
    models[call.model] = sum([models[call.model] ?? sum([]), tokens({ ...call })]);
  return models;
}

export function byModel(rows: readonly Record<string, unknown>[]): Record<string, Tokens> {
  return Object.fromEntries(rows.map((row) => [String(row['model']), tokens(row)]));
}
