import type { MessageRow } from '../../core/event/usage-row.js';
import { usdOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/state/order.js';
import { isUnnamed, type MessageUse } from './message-use.js';
import { countsAsMessage, type Part } from './parts.js';
import { figureFields, usageMessageFields } from './row.js';
import { type Figures, type SessionSummary, summaryFields } from './rows.js';
import { isNothing, totalOf } from './spent.js';

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
  if (by.includes('message')) return [...usageMessageFields, ...(by.includes('day') ? ['day'] : [])];
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

/** The day of a time in a zone, as `2026-11-16`. */
export function dayIn(zone: string): (time: string) => string {
  if (zone === 'UTC') return (time) => time.slice(0, 10);
  const days = new Map<number, string>();
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => {
    // Zones differ from UTC by whole quarters of an hour, so days do not change within one; asking Intl each time is slow.
    const quarter = Math.floor(Date.parse(time) / quarterMs);
    return getOrCreate(days, quarter, () => format.format(new Date(quarter * quarterMs)));
  };
}

const quarterMs = 15 * 60 * 1000;

/** The columns of every usage row, whatever it is grouped by. */

/** A part as a row of its own, from which the same part can be worked out again. */
export function messageRow(part: Part): MessageRow {
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

/** An attempt is kept under the id of its message and its place in it. */
function idOf({ key, origin }: MessageUse): string {
  return origin.iteration === null ? key : key.slice(0, key.lastIndexOf(' '));
}

function iterationOf({ key, origin }: MessageUse): number | null {
  return origin.iteration === null ? null : Number(key.slice(key.lastIndexOf(' ') + 1));
}
