import { dayIn } from './usage-day.js';
import type { Figures } from './usage-group.js';
import { figureFields, messageFields } from './usage-message-row.js';
import type { Part } from './usage-part.js';
import { type SessionSummary, summaryFields } from './usage-summary.js';
import { isNothing } from './usage-tokens.js';

export const usageKeys = ['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'message'] as const;
export type UsageKey = (typeof usageKeys)[number];

/** What somebody asks for. */
export interface UsageChoice {
  readonly by: readonly UsageKey[];
  readonly session?: string | null;
  readonly team?: string | null;
  /** Whether a time is asked for, where some are not; null is an unknown one. */
  readonly includes?: ((time: string | null) => boolean) | undefined;
  /** The zone of days. */
  readonly timezone?: string;
}

export type UsageRow = Readonly<Figures & Partial<SessionSummary> & Record<string, unknown>>;

export type Key = string | number | null;

/** How parts are told apart, and what their rows look like. */
export interface Layout {
  /** Parts with the same id stand in the same row, and have the same keys. */
  idOf(part: Part): Key;
  keysOf(part: Part): Key[];
  /** An agent of which nothing but its name is known has a row among agents only. */
  counts(part: Part): boolean;
  isShown(keys: readonly Key[], isSolid: boolean): boolean;
  labelsOf(keys: readonly Key[]): Record<string, unknown>;
  rowOf(keys: readonly Key[], figures: Figures): UsageRow;
  /** One row for everything. */
  readonly isWhole: boolean;
  readonly byAgent: boolean;
  /** Rows also say how each session went. */
  readonly bySession: boolean;
}

export function layoutOf(choice: UsageChoice): Layout {
  const { by } = choice;
  const fields = fieldsOf(by);
  const readers = fields.map((field) => readerOf(field, choice));
  const byAgent = by.includes('agent');
  const showsAll = by.every((key) => key === 'session' || key === 'team');
  const labelsOf = (keys: readonly Key[]) => {
    const labels: Record<string, unknown> = {};
    for (const [at, field] of fields.entries()) labels[field] = shownKey(field, keys, at);
    return labels;
  };
  return {
    idOf: idReader(readers),
    keysOf: (part) => readers.map((read) => read(part)),
    counts: ({ message, result }) => byAgent || message !== null || result !== null,
    isShown: (keys, isSolid) => isSolid || keys.length === 0 || showsAll,
    labelsOf,
    rowOf: (keys, figures) => Object.assign(labelsOf(keys), figures),
    isWhole: by.every((key) => key === 'total'),
    byAgent,
    bySession: isBySession(by),
  };
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

export function readerOf(field: string, { timezone = 'UTC' }: UsageChoice): (part: Part) => Key {
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

function idReader([first, ...rest]: readonly ((part: Part) => Key)[]): (part: Part) => Key {
  if (first === undefined) return () => '';
  if (rest.length === 0) return first;
  return (part) => {
    let id = `${first(part) ?? '\u0001'}`;
    for (const read of rest) id += `\u0000${read(part) ?? '\u0001'}`;
    return id;
  };
}

/** Whether a part is among those that are asked for. */
export function isWanted({ session = null, team = null, includes }: UsageChoice): (part: Part) => boolean {
  return (part) => {
    if (session !== null && part.session_id !== session) return false;
    if (team !== null && part.who.team !== team) return false;
    if (includes === undefined) return true;
    // A result that leaves nothing over is not missed when nobody knows its time.
    if (part.time === null && part.message === null && isNothing(part.tokens)) return false;
    return includes(part.time);
  };
}

/** By one key after the other; what has none comes last. */
export function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [at, key] of a.entries()) {
    const other = b[at] ?? null;
    if (key === other) continue;
    if (key === null || other === null) return key === null ? 1 : -1;
    return key < other ? -1 : 1;
  }
  return 0;
}
