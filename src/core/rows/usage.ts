import { sortByPlace } from './usage-cover.js';
import { dayIn } from './usage-day.js';
import { type Figures, Group, type Spending } from './usage-group.js';
import { figureFields, messageFields, messageRow } from './usage-message-row.js';
import type { Part } from './usage-part.js';
import { type UsageInput, visitParts } from './usage-parts.js';
import { type SessionSummary, summaryFields, summaryOf } from './usage-summary.js';
import { isNothing } from './usage-tokens.js';

export const usageKeys = ['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'message'] as const;
export type UsageKey = (typeof usageKeys)[number];

export interface UsageQuery extends UsageInput {
  readonly by: readonly UsageKey[];
  readonly session?: string | null;
  readonly team?: string | null;
  /** Whether a time is asked for, where some are not; null is an unknown one. */
  readonly includes?: ((time: string | null) => boolean) | undefined;
  /** The zone of days. */
  readonly timezone?: string;
}

export type UsageRow = Readonly<Figures & Partial<SessionSummary> & Record<string, unknown>>;

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
  visitWanted(query, report.add);
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
    end() {
      const dayOf = readerOf('day', query);
      const isByDay = query.by.includes('day');
      const rows = sortByPlace(parts).map(
        (part): UsageRow => (isByDay ? { ...messageRow(part), day: dayOf(part) } : messageRow(part)),
      );
      return { rows, ...summed(total, true) };
    },
  };
}

function groupReporter(query: UsageQuery): Reporter {
  const { by, usage } = query;
  const fields = fieldsOf(by);
  const readers = fields.map((field) => readerOf(field, query));
  const idOf = idReader(readers);
  const total = new Keyed([]);
  const groups = new Map<Key, Keyed>();
  const mains = new Map<Key, Part>();
  const byAgent = by.includes('agent');
  const bySession = isBySession(by);

  function add(part: Part): void {
    if (isMissing(part) && !byAgent) return;
    total.add(part);
    if (bySession && isMain(part) && (mains.get(part.session_id)?.place ?? 0) <= part.place)
      mains.set(part.session_id, part);
    const id = idOf(part);
    let group = groups.get(id);
    if (group === undefined) {
      group = new Keyed(readers.map((read) => read(part)));
      groups.set(id, group);
    }
    group.add(part);
  }

  function rowOf({ keys, group, incomplete }: Keyed): UsageRow {
    const row: Record<string, unknown> = {};
    fields.forEach((field, at) => {
      row[field] = shownKey(field, keys, at);
    });
    const session = keys[0];
    const whole: UsageRow = Object.assign(row, group.figures(incomplete && !byAgent));
    if (!bySession || typeof session === 'number') return whole;
    return { ...whole, ...summaryOf(usage, session ?? null, mains.get(session ?? null)?.model ?? null) };
  }

  const isShown = ({ group, keys }: Keyed) =>
    group.isSolid || keys.length === 0 || by.every((key) => key === 'session' || key === 'team');
  const isWhole = by.every((key) => key === 'total');
  return {
    add,
    end: () => ({
      rows: (isWhole ? [total] : [...groups.values()].filter(isShown).sort(byKeys)).map(rowOf),
      ...summed(total, byAgent),
    }),
  };
}

function summed({ group, incomplete }: Keyed, showsAgents: boolean): Omit<UsageReport, 'rows'> {
  return { total: group.figures(incomplete && !showsAgents), spending: group.spending, incomplete };
}

type Key = string | number | null;

/** Parts with the same id have the same keys. */
function idReader([first, ...rest]: readonly ((part: Part) => Key)[]): (part: Part) => Key {
  if (first === undefined) return () => '';
  if (rest.length === 0) return first;
  return (part) => {
    let id = `${first(part) ?? '\u0001'}`;
    for (const read of rest) id += `\u0000${read(part) ?? '\u0001'}`;
    return id;
  };
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

/** The fields that tell one row from another. */
export function fieldsOf(by: readonly UsageKey[]): string[] {
  return [...new Set(by.flatMap((key) => keyFields[key]))];
}

/** All fields of a row. */
export function rowFields(by: readonly UsageKey[]): string[] {
  if (by.includes('message')) return [...messageFields, ...(by.includes('day') ? ['day'] : [])];
  return [...fieldsOf(by), ...figureFields, ...(isBySession(by) ? summaryFields : [])];
}

function isBySession(by: readonly UsageKey[]): boolean {
  return by.every((key) => key === 'session');
}

const keyFields: Readonly<Record<UsageKey, readonly string[]>> = {
  total: [],
  model: ['model'],
  session: ['session_id'],
  agent: ['agent', 'name', 'agent_type'],
  team: ['team'],
  turn: ['session_id', 'turn'],
  day: ['day'],
  message: [],
};

function readerOf(field: string, { timezone = 'UTC' }: UsageQuery): (part: Part) => Key {
  const dayOf = field === 'day' ? dayIn(timezone) : null;
  switch (field) {
    case 'agent':
      return ({ who }) => who.agent;
    case 'name':
      return ({ who }) => who.name;
    case 'agent_type':
      return ({ who }) => who.agent_type;
    case 'team':
      return ({ who }) => who.team;
    case 'session_id':
      return ({ session_id }) => session_id;
    case 'turn':
      return ({ turn }) => turn;
    case 'day':
      return ({ time }) => (time === null || dayOf === null ? null : dayOf(time));
    default:
      return ({ model }) => model;
  }
}

/** What belongs to no agent has a name all the same. */
function shownKey(field: string, keys: readonly Key[], at: number): Key {
  const key = keys[at] ?? null;
  return key === null && (field === 'agent' || field === 'name') ? 'unattributed' : key;
}

function visitWanted(query: UsageQuery, visit: (part: Part) => void): void {
  const { session = null, team = null, includes } = query;
  visitParts(query, (part) => {
    if (session !== null && part.session_id !== session) return;
    if (team !== null && part.who.team !== team) return;
    // A result that leaves nothing over is not missed when nobody knows its time.
    const isEmpty = part.message === null && isNothing(part.tokens);
    if (includes !== undefined && ((isEmpty && part.time === null) || !includes(part.time))) return;
    visit(part);
  });
}

function isMain({ message, who }: Part): boolean {
  return message !== null && who.kind === 'lead';
}

/** An agent of which nothing but its name is known. */
function isMissing({ message, result }: Part): boolean {
  return message === null && result === null;
}

/** By one key after the other; what has none comes last. */
function byKeys(a: Keyed, b: Keyed): number {
  for (const [at, key] of a.keys.entries()) {
    const other = b.keys[at] ?? null;
    if (key === other) continue;
    if (key === null || other === null) return key === null ? 1 : -1;
    return key < other ? -1 : 1;
  }
  return 0;
}
