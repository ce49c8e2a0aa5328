import { type CostSource, costSources, type Tokens } from '../../core/event/usage-row.js';
import { MoneySum, usdOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/state/order.js';
import { sortByPlace } from './assign-to-results.js';
import { sessionKey, type UsageState } from './fold.js';
import {
  compareKeys,
  isWanted,
  type Key,
  layoutOf,
  messageRow,
  readerOf,
  type UsageChoice,
  type UsageKey,
  type UsageRow,
} from './keys.js';
import { type Cost, countsAsMessage, type Part, type Unit, type UsageInput, visitParts } from './parts.js';
import { spentOf } from './processes.js';
import type { ResultUse } from './result-use.js';
import { addTokens, isNothing, noTokens, type Spent, totalOf } from './spent.js';

export { fieldsOf, rowFields, type UsageKey, type UsageRow, usageKeys } from './keys.js';

export interface UsageQuery extends UsageInput, UsageChoice {}

export interface UsageReport {
  /** In the order of their keys; those of messages and results in the order of the input. */
  readonly rows: readonly UsageRow[];
  readonly total: Figures;
  /** What the total cost, by how sure that is. */
  readonly spending: Spending;
  /** An agent's usage is not in the input. */
  readonly incomplete: boolean;
}

export function reportUsage(query: UsageQuery): UsageReport {
  const report = reporterOf(query);
  const isAsked = isWanted(query);
  visitParts(query, (part) => {
    if (isAsked(part)) report.add(part);
  });
  return report.end();
}

/** Several reports for the price of one visit. */
export function reportsOf(input: UsageInput, bys: readonly (readonly UsageKey[])[]): UsageReport[] {
  const reports = bys.map((by) => reporterOf({ ...input, by }));
  visitParts(input, (part) => {
    for (const report of reports) report.add(part);
  });
  return reports.map((report) => report.end());
}

interface Reporter {
  add(part: Part): void;
  end(): UsageReport;
}

function reporterOf(query: UsageQuery): Reporter {
  return query.by.includes('message') ? partReporter(query) : groupReporter(query);
}

function partReporter(query: UsageQuery): Reporter {
  const total = new Keyed([]);
  const parts: Part[] = [];
  return {
    add(part) {
      total.add(part);
      parts.push(part);
    },
    end: () => ({ rows: partRows(parts, query), ...summed(total, true, query.usage) }),
  };
}

/** In the order of the input. */
export function partRows(parts: Part[], choice: UsageChoice): UsageRow[] {
  const dayOf = choice.by.includes('day') ? readerOf('day', choice) : null;
  return sortByPlace(parts).map(
    (part): UsageRow => (dayOf === null ? messageRow(part) : { ...messageRow(part), day: dayOf(part) }),
  );
}

function groupReporter(query: UsageQuery): Reporter {
  const { byAgent, bySession, isWhole, ...layout } = layoutOf(query);
  const total = new Keyed([]);
  const groups = new Map<Key, Keyed>();
  const lasts = new Map<string | null, LastParts>();

  function add(part: Part): void {
    if (!layout.counts(part)) return;
    total.add(part);
    if (bySession) getOrCreate(lasts, part.session_id, () => new LastParts()).note(part);
    const id = layout.idOf(part);
    let group = groups.get(id);
    if (group === undefined) {
      group = new Keyed(layout.keysOf(part));
      groups.set(id, group);
    }
    group.add(part);
  }

  function rowOf({ keys, group, incomplete }: Keyed): UsageRow {
    const figures = group.figures(incomplete && !byAgent);
    const row = layout.rowOf(keys, isWhole ? orUnknown(figures, query.usage) : figures);
    const session = keys[0];
    if (!bySession || typeof session === 'number') return row;
    return { ...row, ...summaryOf(query.usage, session ?? null, lasts.get(session ?? null)) };
  }

  function shown(): Keyed[] {
    if (isWhole) return [total];
    const all = [...groups.values()].filter(({ keys, group }) => layout.isShown(keys, group.isSolid));
    return all.sort((a, b) => compareKeys(a.keys, b.keys));
  }
  return { add, end: () => ({ rows: shown().map(rowOf), ...summed(total, byAgent, query.usage) }) };
}

function summed({ group, incomplete }: Keyed, showsAgents: boolean, usage: UsageState): Omit<UsageReport, 'rows'> {
  const total = orUnknown(group.figures(incomplete && !showsAgents), usage);
  return { total, spending: group.spending, incomplete };
}

/** Where nothing was read that could cost anything, nobody knows what it cost. */
export function orUnknown(total: Figures, { sessions, messages }: UsageState): Figures {
  const isRead =
    messages.size > 0 || sessions.values().some(({ results, agents }) => results.size > 0 || agents.size > 0);
  return isRead ? total : { ...total, cost_usd: null, cost_source: null };
}

class Keyed {
  readonly group = new Group();
  incomplete = false;

  constructor(readonly keys: readonly Key[]) {}

  add(part: Part): void {
    this.group.add(part);
    this.incomplete ||= part.incomplete;
  }
}

export interface Figures {
  messages: number;
  input_tokens: number;
  output_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  cache_read_tokens: number;
  total_tokens: number;
  web_search_requests: number;
  cost_usd: number | null;
  /** null where nothing was read. */
  cost_source: CostSource | null;
  unpriced_tokens: number;
}

/** What was paid, by how sure that is. */
export type Spending = ReadonlyMap<CostSource, number>;

/** What parts come to: whole reports count as one, and nothing refers to a single part any more. */
export interface Settled {
  readonly tokens: Tokens;
  readonly messages: number;
  /** How many have more to show than what a report leaves over when nothing is left. */
  readonly solid: number;
  readonly unpriced: number;
  /** In picodollars. */
  readonly sums: ReadonlyMap<CostSource, bigint>;
}

/** Adds up parts. What it says of the money is the weakest of what its parts say, a whole report counting as one. */
export class Group {
  readonly #tokens = noTokens();
  #messages = 0;
  #solid = 0;
  readonly #own = new Trust();
  readonly #units = new Map<Unit, Trust>();

  add(part: Part): void {
    this.#count(part, 1);
  }

  /** One that was added, and that no report holds. */
  remove(part: Part): void {
    this.#count(part, -1);
  }

  get isSolid(): boolean {
    return this.#solid > 0;
  }

  /** `incomplete`: somebody's usage is not in the input. */
  figures(incomplete = false): Figures {
    return figuresOf(this.settled(), incomplete);
  }

  get spending(): Spending {
    return new Map([...this.settled().sums].map(([source, sum]) => [source, usdOf(sum)]));
  }

  settled(): Settled {
    const all = this.#units.size === 0 ? this.#own : this.#together();
    const sums = new Map<CostSource, bigint>();
    for (const [source, { sum }] of all.sums) sums.set(source, sum.total);
    return {
      tokens: { ...this.#tokens },
      messages: this.#messages,
      solid: this.#solid,
      unpriced: all.unpriced,
      sums,
    };
  }

  #count(part: Part, times: 1 | -1): void {
    const { tokens, cost, unit } = part;
    addTokens(this.#tokens, tokens, times);
    if (countsAsMessage(part)) this.#messages += times;
    let trust = this.#own;
    if (unit !== null) trust = getOrCreate(this.#units, unit, newTrust);
    trust.parts += times;
    if (isEmpty(part)) return;
    this.#solid += times;
    if (cost === null) trust.unpriced += times * totalOf(tokens);
    else if (times === 1) trust.pay(part.source, cost);
    else trust.repay(part.source, cost);
  }

  #together(): Trust {
    const all = new Trust();
    all.include(this.#own);
    for (const [unit, trust] of this.#units) {
      if (trust.parts < unit.parts) all.include(trust);
      else {
        all.pay(unit.source, trust.total);
        all.unpriced += unit.unpriced;
      }
    }
    return all;
  }
}

export function figuresOf({ tokens, messages, unpriced, sums }: Settled, incomplete: boolean): Figures {
  const source = costSources.findLast((word) => sums.has(word)) ?? (unpriced > 0 ? 'unpriced' : 'calculated');
  let total = 0n;
  for (const sum of sums.values()) total += sum;
  return {
    messages,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    total_tokens: totalOf(tokens),
    web_search_requests: tokens.web_search_requests,
    cost_usd: source === 'unpriced' ? null : usdOf(total),
    cost_source: incomplete ? weaker(source, 'lower_bound') : source,
    unpriced_tokens: unpriced,
  };
}

class Trust {
  parts = 0;
  unpriced = 0;
  readonly sums = new Map<CostSource, { count: number; readonly sum: MoneySum }>();

  pay(source: CostSource, cost: NonNullable<Cost>): void {
    const paid = getOrCreate(this.sums, source, newSum);
    paid.count++;
    paid.sum.add(cost);
  }

  repay(source: CostSource, cost: NonNullable<Cost>): void {
    const paid = getOrCreate(this.sums, source, newSum);
    paid.count--;
    paid.sum.add(-cost);
    if (paid.count === 0) this.sums.delete(source);
  }

  include(other: Trust): void {
    for (const [source, { sum }] of other.sums) this.pay(source, sum.total);
    this.unpriced += other.unpriced;
  }

  get total(): bigint {
    let total = 0n;
    for (const { sum } of this.sums.values()) total += sum.total;
    return total;
  }
}

const newTrust = () => new Trust();
const newSum = () => ({ count: 0, sum: new MoneySum() });

/** What a result leaves over, when nothing is left. */
function isEmpty({ result, tokens, cost }: Part): boolean {
  return result !== null && isNothing(tokens) && (cost === 0 || cost === 0n);
}

function weaker(a: CostSource, b: CostSource): CostSource {
  return costSources.indexOf(a) > costSources.indexOf(b) ? a : b;
}

/** What a report by session adds to each row: how it went. */
export interface SessionSummary {
  duration_ms: number | null;
  duration_api_ms: number | null;
  num_turns: number | null;
  results: number;
  is_error: boolean | null;
  subtype: string | null;
  model: string | null;
}

export const summaryFields = [
  'duration_ms',
  'duration_api_ms',
  'num_turns',
  'results',
  'is_error',
  'subtype',
  'model',
] as const satisfies readonly (keyof SessionSummary)[];

/** Of one session: the last message of its main conversation, and its last result. */
export class LastParts {
  #main: Part | null = null;
  #result: Part | null = null;

  note(part: Part): void {
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

/** By time; where none is known, as they were read. */
function later(known: Part | null, part: Part): Part {
  if (known === null) return part;
  const [a, b] = [known.time ?? '', part.time ?? ''];
  if (a !== b) return a < b ? part : known;
  return known.place <= part.place ? part : known;
}

export function summaryOf(usage: UsageState, session_id: string | null, last: LastParts | undefined): SessionSummary {
  const key = sessionKey(session_id);
  const all = usage.sessions.get(key)?.results.values() ?? [];
  const results = all.filter(({ state }) => !state);
  const named = results.some(({ models }) => models.size > 0);
  const spent = spentOf(
    results.map((result) => ({ session: key, result })),
    () => ({ named, base: null, main: null }),
  );
  return {
    duration_ms: sumOf(results.map(({ said }) => said.duration_ms)),
    duration_api_ms: apiTime(spent),
    num_turns: sumOf(results.map(({ said }) => said.num_turns)),
    results: results.length,
    is_error: last?.result?.said.is_error ?? null,
    subtype: last?.result?.said.subtype ?? null,
    model: last?.model ?? dearest(spent),
  };
}

function sumOf(list: readonly (number | null)[]): number | null {
  const known = list.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** Cumulative, as the cost is: the last that is not zero of each chain. */
function apiTime(spent: readonly Spent[]): number | null {
  const chains = new Map<number, number>();
  for (const { result, chain } of spent) {
    const time = result.said.duration_api_ms ?? 0;
    if (time > 0) chains.set(chain, time);
  }
  return sumOf([...chains.values()]);
}

/** The model that cost most in the last result. */
function dearest(spent: readonly Spent[]): string | null {
  const models = [...(spent.at(-1)?.result.models ?? [])];
  const cost = ([, { total }]: (typeof models)[number]) => total?.cost_usd ?? 0;
  return models.sort((a, b) => cost(b) - cost(a) || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}
