// What is known about each session besides its usage: how it went, where it belongs, and its row by session.
import type { sessionColumns } from '../../core/event/usage-row.js';
import type { ObjectField, ValueOf } from '../../core/record/describe.js';
import { getOrCreate } from '../../core/record/json.js';
import { earliest, latest } from '../../core/tables/order.js';
import { toldEnding } from '../../core/tables/outcome.js';
import { joinFiles, type SessionFacts } from '../../core/tables/usage/files.js';
import { type ResultUse, sessionKey, type UsageState } from '../../core/tables/usage/usage.js';
import { countsAsMessage, type Part } from './parts.js';
import type { UsageQuery } from './rows.js';
import { noHints, type Spent, spentOf } from './spent.js';

export const summaryFields = [
  'duration_ms',
  'duration_api_ms',
  'num_turns',
  'results',
  'is_error',
  'subtype',
  'model',
] as const satisfies readonly (keyof SessionSummary)[];

/** The fields that a report by session adds to each row. */
export type SessionSummary = ReturnType<typeof summaryOf>;

export function summaryOf(usage: UsageState, session_id: string | null, last: LastParts | undefined) {
  const key = sessionKey(session_id);
  const all = usage.sessions.get(key)?.results.values() ?? [];
  const results = all.filter(({ state }) => !state);
  const named = results.some(({ models }) => models.size > 0);
  const hints = noHints(named);
  const spent = spentOf(results.map((result) => ({ session: key, result, hints })));
  const said = last?.result?.said;
  return {
    duration_ms: sumOf(results.map(({ said }) => said.duration_ms)),
    duration_api_ms: apiTime(spent),
    num_turns: sumOf(results.map(({ said }) => said.num_turns)),
    results: results.length,
    is_error: said?.is_error ?? null,
    subtype: said?.subtype ?? null,
    model: last?.model ?? mostExpensive(spent),
  };
}

function sumOf(list: readonly (number | null)[]): number | null {
  const known = list.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** API time is cumulative like the cost: adds up the last non-zero value of each chain. */
function apiTime(spent: readonly Spent[]): number | null {
  const chains = new Map<number, number>();
  for (const { result, chain } of spent) {
    const time = result.said.duration_api_ms ?? 0;
    if (time > 0) chains.set(chain, time);
  }
  return sumOf([...chains.values()]);
}

/** The model that cost most in the last result. */
function mostExpensive(spent: readonly Spent[]): string | null {
  const models = [...(spent.at(-1)?.result.models ?? [])];
  const cost = ([, { total }]: (typeof models)[number]) => total?.cost_usd ?? 0;
  return models.sort((a, b) => cost(b) - cost(a) || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}

/** The columns that say where a session belongs. */
type Columns = ValueOf<ObjectField<typeof sessionColumns>>;
export type SessionColumns = { readonly [K in keyof Columns]-?: Exclude<Columns[K], undefined> };

export class Sessions {
  readonly #query: Pick<UsageQuery, 'usage' | 'clocks'>;
  readonly #facts = new Map<string | null, SessionFacts>();
  readonly #parts = new Map<string | null, LastParts>();
  readonly #columns = new Map<string | null, SessionColumns>();

  constructor(query: Pick<UsageQuery, 'usage' | 'clocks'>) {
    this.#query = query;
  }

  note(part: Part): void {
    getOrCreate(this.#parts, part.session_id, () => new LastParts()).note(part);
  }

  partsOf(session_id: string | null): LastParts | undefined {
    return this.#parts.get(session_id);
  }

  readonly factsOf = (session_id: string | null): SessionFacts =>
    getOrCreate(this.#facts, session_id, () => {
      const { usage, clocks } = this.#query;
      const files = usage.sessions.get(sessionKey(session_id))?.files.entries() ?? [];
      return joinFiles(files, (source) => clocks?.firsts.get(source) ?? null);
    });

  /** Call it after all parts have been noted. */
  columnsOf(session_id: string | null): SessionColumns {
    return getOrCreate(this.#columns, session_id, () => this.#makeColumns(session_id));
  }

  #makeColumns(session_id: string | null): SessionColumns {
    const { project, branch, version, ci, labels, open, shown, started_at } = this.factsOf(session_id);
    const parts = this.partsOf(session_id);
    const { outcome, reason, api_error_status } = open ?? toldEnding(parts?.result?.said ?? shown);
    return {
      started_at: earliest(started_at, parts?.since ?? null),
      ended_at: parts?.until ?? null,
      outcome,
      ...{ project, branch, version, ci },
      labels: { ...labels },
      ...{ reason, api_error_status },
    };
  }
}

/** The last message of a session's main conversation, and its last result. */
class LastParts {
  #main: Part | null = null;
  #result: Part | null = null;
  /** The first part of a session without results. */
  first: Part | null = null;
  /** The earliest time of its messages. */
  since: string | null = null;
  /** The latest time of its reports. */
  until: string | null = null;
  hasReport = false;

  note(part: Part): void {
    if (this.first === null || isEarlier(part, this.first)) this.first = part;
    this.since = earliest(this.since, part.message?.time ?? null);
    if (part.result !== null) {
      this.hasReport = true;
      this.until = latest(this.until, part.time);
    }
    if (countsAsMessage(part) && part.who.kind === 'lead') this.#main = later(this.#main, part);
    else if (part.result !== null && !part.result.state) this.#result = later(this.#result, part);
  }

  get model(): string | null {
    return this.#main?.model ?? null;
  }

  get result(): ResultUse | null {
    return this.#result?.result ?? null;
  }
}

/** The later one by time, else in reading order. */
function later(known: Part | null, other: Part): Part {
  if (known === null) return other;
  const [a, b] = [known.time ?? '', other.time ?? ''];
  if (a !== b) return a < b ? other : known;
  return known.place <= other.place ? other : known;
}

/** By time, else by id, so that the order of files does not matter. */
function isEarlier(a: Part, b: Part): boolean {
  if (a.time !== b.time) return b.time === null || (a.time !== null && a.time < b.time);
  return a.message !== null && b.message !== null ? a.message.key < b.message.key : a.message !== null;
}
