// Makes the rows of the usage command from a state.
import { costSources, type MessageRow } from '../../core/event/usage-row.js';
import { type Picos, picosOf, plusPicos, usdOf } from '../../core/prices/prices.js';
import { toldEnding } from '../../core/tables/outcome.js';
import type { Table } from '../../core/tables/table.js';
import { isUnnamed, type MessageUse, totalOf } from '../../core/tables/usage/messages.js';
import { programsOf, sessionKey } from '../../core/tables/usage/sessions.js';
import { nothingSaid, type UsageState } from '../../core/tables/usage/usage.js';
import { byPlace } from './assign-to-results.js';
import {
  compareKeys,
  type Figures,
  fieldsOf,
  Group,
  idReader,
  isOfSpeaker,
  isPeriod,
  type Key,
  partFilter,
  readerOf,
  readShare,
  type Spending,
  Sum,
  type UsageChoice,
  type UsageKey,
  usageKeys,
} from './grouping.js';
import { countsAsMessage, type Part, type UsageInput, visitParts } from './parts.js';
import {
  contextFields,
  figureFields,
  lastFields,
  sessionFields,
  type UsageMessageRow,
  type UsageRow,
  usageMessageFields,
} from './row.js';
import { Sessions, summaryFields, summaryOf } from './session-row.js';

export { type UsageKey, usageKeys } from './grouping.js';
export { modes } from './parts.js';
export type { UsageMessageRow, UsageRow } from './row.js';

export interface UsageQuery extends UsageInput, UsageChoice {
  /** The first time of each source, to order the files of a session. */
  readonly clocks?: { readonly firsts: Table<string> } | undefined;
}

export interface UsageReport {
  /** Ordered by their keys; rows by message in input order. */
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
  /** The cost of the total, by its source. */
  readonly spending: Spending;
  /** The usage of an agent is not in the input. */
  readonly incomplete: boolean;
}

export function reportUsage(query: UsageQuery): UsageReport {
  const report = reporterOf(query);
  const isAsked = partFilter(query);
  visitParts(query, findsBreaks([query.by]), (part) => {
    if (isAsked(part)) report.add(part);
  });
  return report.end();
}

/** What files say about sessions, also about one that used nothing. */
export function sessionsIn(state: Pick<UsageQuery, 'usage' | 'clocks'>): Pick<Sessions, 'columnsOf'> {
  return new Sessions(state);
}

export function reportsOf(input: Omit<UsageQuery, 'by'>, bys: readonly (readonly UsageKey[])[]): UsageReport[] {
  const reports = bys.map((by) => reporterOf({ ...input, by }));
  visitParts(input, findsBreaks(bys), (part) => {
    for (const report of reports) report.add(part);
  });
  return reports.map((report) => report.end());
}

/** What a group spent. */
export interface Spent extends ReturnType<Sum['counts']> {
  readonly session_id: Key;
  readonly agent: Key;
}

/** What each agent of each session spent, and each session: without what else their rows say. */
export function spentBy(input: Omit<UsageQuery, 'by'>): { readonly agents: Spent[]; readonly sessions: Spent[] } {
  const [agents, sessions] = [
    groupsOf({ ...input, by: ['session', 'agent'] }, (keys) => new Sum(keys)),
    groupsOf({ ...input, by: ['session'] }, (keys) => new Sum(keys)),
  ];
  visitParts(input, false, (part) => {
    if (isCounted(part, true, false)) agents.add(part);
    if (isCounted(part, false, false)) sessions.add(part);
  });
  const spent = (group: Sum, showsAgents: boolean): Spent => {
    const [session_id = null, agent = nameless('agent')] = group.keys;
    return { session_id, agent: agent ?? nameless('agent'), ...group.counts(showsAgents) };
  };
  return {
    agents: agents.shown().map((group) => spent(group, true)),
    sessions: sessions.shown().map((group) => spent(group, false)),
  };
}

/** The cost of several rows, added up exactly; null if no row has one. The source is the weakest of the counted rows. */
export function costOfRows(
  rows: readonly Pick<UsageRow, 'cost_usd' | 'cost_source'>[],
): Pick<Figures, 'cost_usd' | 'cost_source'> {
  const known = rows.filter((row) => row.cost_usd !== null);
  const priced = known.length === 0 ? rows : known;
  const cost_source = costSources.findLast((word) => priced.some((row) => row.cost_source === word)) ?? null;
  const sum = known.reduce<Picos>((all, { cost_usd }) => plusPicos(all, picosOf(cost_usd ?? 0)), 0);
  return { cost_usd: known.length === 0 ? null : usdOf(sum), cost_source };
}

/** Only rows by turn and by message show where the cache broke. */
function findsBreaks(bys: readonly (readonly UsageKey[])[]): boolean {
  return bys.some((by) => by.includes('turn') || by.includes('message'));
}

export function rowFields(by: readonly UsageKey[]): readonly string[] {
  if (by.includes('message')) return [...usageMessageFields, ...by.filter(isPeriod)];
  const [summary, session] = isBySession(by) ? [summaryFields, sessionFields] : [[], []];
  const breaks = by.includes('turn') ? breakFields : [];
  const program = isBySession(by) ? ['program'] : [];
  const figures = [...figureFields, ...summary, ...contextFields, ...breaks, ...session, ...lastFields];
  return [...fieldsOf(by), ...figures, ...program];
}

const breakFields = ['cache_breaks', 'cache_break_causes'] as const satisfies readonly (keyof Group['breaks'])[];

export const fieldsByKey = addedFields(usageKeys);

/** The fields that each key adds to a row, besides its figures. */
function addedFields(keys: readonly UsageKey[]) {
  const shared = new Set<string>([...figureFields, ...contextFields, ...lastFields]);
  const added = keys.map((key) => ({
    when: `with --by ${key}`,
    fields: rowFields([key]).filter((field) => !shared.has(field)),
  }));
  return added.filter(({ fields }) => fields.length > 0);
}

interface Reporter {
  add(part: Part): void;
  end(): UsageReport;
}

interface Rows {
  add(part: Part): void;
  end(): { readonly rows: UsageRow[]; readonly total: Group };
}

function reporterOf(query: UsageQuery): Reporter {
  const { by, usage } = query;
  const byMessage = by.includes('message');
  const showsAgents = byMessage || by.includes('agent');
  const parts = byMessage ? messageRows(query) : groupRows(query, showsAgents);
  return {
    add(part) {
      if (isCounted(part, showsAgents, byMessage)) parts.add(part);
    },
    end() {
      const { rows, total } = parts.end();
      return {
        rows,
        total: { ...orUnknown(total.figures(showsAgents), usage), ...total.last },
        spending: total.spending,
        incomplete: total.isIncomplete,
      };
    },
  };
}

function isUsage({ message, result }: Part): boolean {
  return message !== null || result !== null;
}

/** An agent without usage has a row only in reports by agent, a session without usage only by message. */
function isCounted(part: Part, showsAgents: boolean, byMessage: boolean): boolean {
  return isUsage(part) || (part.who.agent !== null ? showsAgents : byMessage);
}

/** In input order. */
function messageRows(query: UsageQuery): Rows {
  const parts: Part[] = [];
  const total = new Group([]);
  const sessions = new Sessions(query);
  const periods = query.by.filter(isPeriod);
  const readers = periods.map((period) => readerOf(period, query, sessions.factsOf));
  const rowOf = (part: Part): UsageMessageRow => {
    const row = messageRow(part, sessions);
    return readers.length === 0
      ? row
      : { ...row, ...Object.fromEntries(periods.map((period, at) => [period, readers[at]?.(part)])) };
  };
  return {
    add(part) {
      sessions.note(part);
      parts.push(part);
      if (isUsage(part) || part.who.agent !== null) total.add(part);
    },
    end: () => ({ rows: parts.sort((a, b) => byPlace(a, b) || compareNames(a, b)).map(rowOf), total }),
  };
}

/** Orders what has no place in the input: agents and sessions without usage. */
function compareNames(a: Part, b: Part): number {
  return compareKeys([a.session_id, a.who.agent], [b.session_id, b.who.agent]);
}

function groupRows(query: UsageQuery, showsAgents: boolean): Rows {
  const { by, usage } = query;
  const fields = fieldsOf(by);
  const sessions = new Sessions(query);
  const groups = groupsOf(query, (keys) => new Group(keys), sessions);
  const bySession = isBySession(by);
  const programs = bySession ? programsOf(usage.sessions) : null;
  const isWhole = by.every((key) => key === 'total');
  const byTurn = by.includes('turn');

  function rowOf(group: Group): UsageRow {
    const { keys } = group;
    const labels = Object.fromEntries(fields.map((field, at) => [field, keys[at] ?? nameless(field)]));
    const [session = null] = keys;
    if (bySession && typeof session !== 'number') {
      const summary = summaryOf(usage, session, sessions.partsOf(session));
      // Existing columns keep their place: new ones are added at the end.
      const columns = sessions.columnsOf(session);
      const program = programs && { program: programs.get(sessionKey(session)) ?? 'claude' };
      const figures = { ...group.counts(showsAgents), ...summary, ...group.context, ...columns, ...group.last };
      return { ...labels, ...figures, ...program };
    }
    const figures = group.figures(showsAgents);
    const row = Object.assign(labels, isWhole ? orUnknown(figures, usage) : figures);
    return Object.assign(row, byTurn ? group.breaks : {}, group.last);
  }

  return {
    add(part) {
      if (bySession) sessions.note(part);
      groups.add(part);
    },
    end() {
      const total = new Group([]);
      for (const group of groups.values()) total.include(group);
      const rows = isWhole ? [total] : groups.shown().sort((a, b) => compareKeys(a.keys, b.keys));
      return { rows: rows.map(rowOf), total };
    },
  };
}

/** Adds up parts by the keys of a query. */
function groupsOf<S extends Sum>(
  query: UsageQuery,
  create: (keys: readonly Key[]) => S,
  sessions = new Sessions(query),
) {
  const { by } = query;
  const fields = fieldsOf(by);
  const readers = fields.map((field) => readerOf(field, query, sessions.factsOf));
  const idOf = idReader(readers);
  const isBySpeaker = fields.every(isOfSpeaker);
  const showsAll = by.every((key) => key === 'session' || key === 'team');
  const groups = new Map<Key, S>();
  // Parts come session by session, and most have the agent of the one before.
  let last: { readonly session_id: string | null; readonly who: Part['who']; readonly group: S } | null = null;

  function groupOf(part: Part): S {
    const { session_id, who } = part;
    if (isBySpeaker && last?.who === who && last.session_id === session_id) return last.group;
    const id = idOf(part);
    let group = groups.get(id);
    if (group === undefined) {
      group = create(readers.map((read) => read(part)));
      groups.set(id, group);
    }
    last = { session_id, who, group };
    return group;
  }

  return {
    add(part: Part): void {
      groupOf(part).add(part);
    },
    values: () => groups.values(),
    shown: () => [...groups.values()].filter(({ isSolid }) => isSolid || showsAll),
  };
}

/** Usage without an agent still has a name. */
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

/** A part as a row, from which the same part can be read back. */
function messageRow(part: Part, sessions: Sessions): MessageRow {
  const { message, result, who, tokens, cost, prompt } = part;
  const model = part.named === null ? undefined : result?.models.get(part.named);
  const parts = sessions.partsOf(part.session_id);
  const columns = sessions.columnsOf(part.session_id);
  const { project, branch, version, started_at, ended_at, ci, labels } = columns;
  const { copied, program } = sessions.factsOf(part.session_id);
  const { outcome: _outcome, reason: _reason, api_error_status: _status, ...said } = result?.said ?? nothingSaid;
  // The last result says how the session ended.
  const { outcome, ...why } = toldEnding(result === (parts?.result ?? result) ? columns : result?.said);
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
    cost_usd: cost === null ? null : usdOf(cost),
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
        : {
            ...said,
            model_usage: model?.total ?? null,
            since_last_result: model?.since ?? null,
            context_window: model?.window ?? null,
            max_output_tokens: model?.most ?? null,
            started_at,
            ended_at,
            outcome,
            ...{ ci, labels, copied, ...why },
          },
    cache_read_share: readShare(tokens),
    context_tokens: prompt,
    context_window: part.window,
    compactions: part.compactions,
    ...{ project, branch, version },
    cache_break: part.cacheBreak,
    session: parts?.first === part && !parts.hasReport ? { started_at, outcome, ci, labels, copied, ...why } : null,
    stop_reason: message?.stop_reason ?? null,
    stop_sequence: message?.stop_sequence ?? null,
    web_fetch_requests: message?.web_fetch_requests ?? 0,
    ...(program !== null && { program }),
    ...(message !== null && message.said_usd !== null && { said_usd: message.said_usd }),
  };
}

/** The key of an attempt is the id of its message plus its place in it. */
function idOf({ key, origin }: MessageUse): string {
  return origin.iteration === null ? key : key.slice(0, key.lastIndexOf(' '));
}

function iterationOf({ key, origin }: MessageUse): number | null {
  return origin.iteration === null ? null : Number(key.slice(key.lastIndexOf(' ') + 1));
}
