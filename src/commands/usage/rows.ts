// Makes the rows of the usage command from a state.
import type { MessageRow } from '../../core/event/usage-row.js';
import { usdOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';

import { sortByPlace } from './assign-to-results.js';
import { type ResultUse, sessionKey, type UsageState } from './fold.js';
import {
  compareKeys,
  type Figures,
  fieldsOf,
  Group,
  idReader,
  isWanted,
  type Key,
  readerOf,
  type Spending,
  type UsageChoice,
  type UsageKey,
  usageKeys,
} from './grouping.js';
import { isUnnamed, type MessageUse, totalOf } from './message-use.js';
import { countsAsMessage, later, type Part, type UsageInput, visitParts } from './parts.js';
import { figureFields, usageMessageFields } from './row.js';
import { type Spent, spentOf } from './spent.js';

export { type UsageKey, usageKeys } from './grouping.js';

export interface UsageQuery extends UsageInput, UsageChoice {}

export type UsageRow = Readonly<Figures & Partial<SessionSummary> & Record<string, unknown>>;

export interface UsageReport {
  /** Ordered by their keys; rows by message in the order of the input. */
  readonly rows: readonly UsageRow[];
  readonly total: Figures;
  /** The cost of the total, by its source. */
  readonly spending: Spending;
  /** The usage of an agent is not in the input. */
  readonly incomplete: boolean;
}

export function reportUsage(query: UsageQuery): UsageReport {
  const report = reporterOf(query);
  const isAsked = isWanted(query);
  visitParts(query, isSummed(query.by) && query.includes === undefined, (part) => {
    if (isAsked(part)) report.add(part);
  });
  return report.end();
}

/** Makes several reports in one pass. */
export function reportsOf(input: UsageInput, bys: readonly (readonly UsageKey[])[]): UsageReport[] {
  const reports = bys.map((by) => reporterOf({ ...input, by }));
  visitParts(input, bys.every(isSummed), (part) => {
    for (const report of reports) report.add(part);
  });
  return reports.map((report) => report.end());
}

/** Rows by these keys need no single messages. */
function isSummed(by: readonly UsageKey[]): boolean {
  return by.every((key) => key !== 'turn' && key !== 'day' && key !== 'message');
}

export function rowFields(by: readonly UsageKey[]): readonly string[] {
  if (by.includes('message')) return by.includes('day') ? [...usageMessageFields, 'day'] : usageMessageFields;
  return [...fieldsOf(by), ...figureFields, ...(isBySession(by) ? summaryFields : [])];
}

const summaryFields = [
  'duration_ms',
  'duration_api_ms',
  'num_turns',
  'results',
  'is_error',
  'subtype',
  'model',
] as const satisfies readonly (keyof SessionSummary)[];

/** The fields that a row has besides its figures, by the key that brings them. */
export const fieldsByKey = usageKeys
  .map((key) => ({
    when: `with --by ${key}`,
    fields: rowFields([key]).filter((field) => !figureFields.some((figure) => figure === field)),
  }))
  .filter(({ fields }) => fields.length > 0);

interface Reporter {
  add(part: Part): void;
  end(): UsageReport;
}

interface Rows {
  add(part: Part): void;
  end(total: Group): UsageRow[];
}

function reporterOf(query: UsageQuery): Reporter {
  const { by, usage } = query;
  const byMessage = by.includes('message');
  const showsAgents = byMessage || by.includes('agent');
  const total = new Group([]);
  const rows = byMessage ? messageRows(query) : groupRows(query, showsAgents);
  return {
    add(part) {
      // An agent without any usage has a row only in reports by agent.
      if (!showsAgents && part.message === null && part.result === null) return;
      total.add(part);
      rows.add(part);
    },
    end: () => ({
      rows: rows.end(total),
      total: orUnknown(total.figures(showsAgents), usage),
      spending: total.spending,
      incomplete: total.isIncomplete,
    }),
  };
}

/** In the order of the input. */
function messageRows(choice: UsageChoice): Rows {
  const parts: Part[] = [];
  const dayOf = choice.by.includes('day') ? readerOf('day', choice) : null;
  return {
    add: (part) => void parts.push(part),
    end: () =>
      sortByPlace(parts).map((part) => (dayOf === null ? messageRow(part) : { ...messageRow(part), day: dayOf(part) })),
  };
}

function groupRows(query: UsageQuery, showsAgents: boolean): Rows {
  const { by, usage } = query;
  const fields = fieldsOf(by);
  const readers = fields.map((field) => readerOf(field, query));
  const idOf = idReader(readers);
  const bySession = isBySession(by);
  const isWhole = by.every((key) => key === 'total');
  const showsAll = by.every((key) => key === 'session' || key === 'team');
  const groups = new Map<Key, Group>();
  const lasts = new Map<Key, LastParts>();

  function rowOf(group: Group): UsageRow {
    const { keys } = group;
    const labels = Object.fromEntries(fields.map((field, at) => [field, keys[at] ?? nameless(field)]));
    const figures = group.figures(showsAgents);
    const row = Object.assign(labels, isWhole ? orUnknown(figures, usage) : figures);
    const [session = null] = keys;
    if (!bySession || typeof session === 'number') return row;
    return { ...row, ...summaryOf(usage, session, lasts.get(session)) };
  }

  return {
    add(part) {
      if (bySession) getOrCreate(lasts, part.session_id, () => new LastParts()).note(part);
      const id = idOf(part);
      let group = groups.get(id);
      if (group === undefined) {
        group = new Group(readers.map((read) => read(part)));
        groups.set(id, group);
      }
      group.add(part);
    },
    end(total) {
      if (isWhole) return [rowOf(total)];
      const shown = [...groups.values()].filter(({ isSolid }) => isSolid || showsAll);
      return shown.sort((a, b) => compareKeys(a.keys, b.keys)).map(rowOf);
    },
  };
}

/** Usage of no agent still has a name. */
function nameless(field: string): string | null {
  return field === 'agent' || field === 'name' ? 'unattributed' : null;
}

/** The cost is unknown if the input has no usage at all. */
function orUnknown(total: Figures, { sessions, messages }: UsageState): Figures {
  const isRead =
    messages.size > 0 || sessions.values().some(({ results, agents }) => results.size > 0 || agents.size > 0);
  return isRead ? total : { ...total, cost_usd: null, cost_source: null };
}

function isBySession(by: readonly UsageKey[]): boolean {
  return by.every((key) => key === 'session');
}

/** The fields that a report by session adds to each row. */
type SessionSummary = ReturnType<typeof summaryOf>;

function summaryOf(usage: UsageState, session_id: string | null, last: LastParts | undefined) {
  const key = sessionKey(session_id);
  const all = usage.sessions.get(key)?.results.values() ?? [];
  const results = all.filter(({ state }) => !state);
  const named = results.some(({ models }) => models.size > 0);
  const spent = spentOf(
    results.map((result) => ({ session: key, result })),
    () => ({ named, base: null, main: null }),
  );
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

/** The last message of a session's main conversation, and its last result. */
class LastParts {
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

/** A part as a row, from which the same part can be read back. */
function messageRow(part: Part): MessageRow {
  const { message, result, who, tokens, cost } = part;
  const model = part.named === null ? undefined : result?.models.get(part.named);
  return {
    cct: 1,
    message_id: message === null || isUnnamed(message) ? null : idOf(message),
    session_id: part.session_id,
    team: who.team,
    agent: who.agent,
    name: who.name,
    agent_type: who.agent_type,
    model: part.named,
    time: part.time,
    turn: part.turn,
    speed: message?.origin.speed ?? null,
    inference_geo: message?.origin.inference_geo ?? null,
    messages: countsAsMessage(part) ? 1 : 0,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    total_tokens: totalOf(tokens),
    web_search_requests: tokens.web_search_requests,
    cost_usd: cost === null ? null : usdOf(BigInt(cost)),
    cost_source: part.source,
    unpriced_tokens: cost === null ? totalOf(tokens) : 0,
    result_id: result?.id ?? null,
    kind: who.kind,
    final: message?.final ?? null,
    transcript: message === null ? result?.state || null : !message.stream,
    in_transcript: message?.row ?? null,
    also_in: [...(message?.others ?? [])],
    iteration: message === null ? null : iterationOf(message),
    iteration_type: message?.origin.iteration ?? null,
    reported:
      result === null
        ? null
        : { ...result.said, model_usage: model?.total ?? null, since_last_result: model?.since ?? null },
  };
}

/** The key of an attempt is the id of its message and its place in it. */
function idOf({ key, origin }: MessageUse): string {
  return origin.iteration === null ? key : key.slice(0, key.lastIndexOf(' '));
}

function iterationOf({ key, origin }: MessageUse): number | null {
  return origin.iteration === null ? null : Number(key.slice(key.lastIndexOf(' ') + 1));
}
