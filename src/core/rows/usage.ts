import type { UsageState } from '../state/usage/usage.js';
import { once } from './once.js';
import { sortByPlace } from './usage-cover.js';
import { type Figures, Group, type Spending } from './usage-group.js';
import {
  compareKeys,
  isWanted,
  type Key,
  layoutOf,
  readerOf,
  type UsageChoice,
  type UsageKey,
  type UsageRow,
} from './usage-keys.js';
import { messageRow } from './usage-message-row.js';
import type { Part } from './usage-part.js';
import { type UsageInput, visitParts } from './usage-parts.js';
import { LastParts, summaryOf } from './usage-summary.js';

export { fieldsOf, rowFields, type UsageKey, type UsageRow, usageKeys } from './usage-keys.js';

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
    if (bySession) once(lasts, part.session_id, () => new LastParts()).note(part);
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
