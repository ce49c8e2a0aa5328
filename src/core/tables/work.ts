// Keeps what each agent did: its model, and when it was first and last seen. The order of events does not matter.

import type { Event } from '../event/event.js';
import { isAgentWork } from '../event/work.js';
import { getOrCreate, textOf } from '../record/json.js';
import { scopeOf } from './agents.js';
import type { Caller, Calls } from './calls/calls.js';
import { type CallCounts, noCalls } from './calls/columns.js';
import { compare, earliest, hasSameFields, keyOf, latest } from './order.js';
import type { Table } from './table.js';

/** What each agent did, by session, team and agent, as the events name them. */
export type WorkState = Table<AgentWork>;

export interface AgentWork {
  readonly scope: string;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string;
  readonly first_seen_at: string | null;
  readonly last_seen_at: string | null;
  /** The model of its last message. */
  readonly model: string | null;
  readonly modelAt: string;
  /** When it last did something itself; '' if that has no time, null if none of its records is in the input. */
  readonly workedAt: string | null;
  /** The last error of the API that Claude Code wrote into its conversation. */
  readonly broke: { readonly at: string; readonly error: string } | null;
  /** The size of its context, and its calls, as Claude Code reports them. */
  readonly reported_tokens: number | null;
  readonly reported_calls: number | null;
}

/** What an agent did, with its calls counted. */
export interface CountedWork {
  readonly did: AgentWork;
  readonly counts: CallCounts;
}

/** Every agent that did something, by its scope. */
export function countedWork(work: WorkState, calls: Calls): ReadonlyMap<string, readonly CountedWork[]> {
  const counts = new Map<string, CallCounts>();
  for (const [caller, more] of calls.counts()) {
    const key = keyOfWork(caller);
    const known = counts.get(key);
    // A fork may both repeat calls and make its own.
    counts.set(key, known === undefined ? more : added(known, more));
  }
  const byScope = new Map<string, CountedWork[]>();
  for (const [key, did] of work)
    getOrCreate(byScope, did.scope, () => []).push({ did, counts: counts.get(key) ?? noCalls });
  return byScope;
}

function added(a: CallCounts, b: CallCounts): CallCounts {
  return { calls: a.calls + b.calls, errors: a.errors + b.errors, open: a.open + b.open };
}

export function noteWork(state: WorkState, event: Event): void {
  switch (event.event) {
    case 'tool:called':
    case 'text:produced':
    case 'thinking:produced':
      return worked(state, event, null);
    case 'tool:returned':
      if (event.tool_use_id !== null) worked(state, event, null);
      return;
    case 'prompt:received':
      // An agent that gets a prompt exists, but has not done anything yet.
      if (event.time !== null)
        change(state, event, ({ first_seen_at }) => ({ first_seen_at: earliest(first_seen_at, event.time) }));
      return;
    case 'usage:recorded':
      return worked(state, event, event.model);
    case 'agent:progressed':
    case 'agent:finished':
      if (isAgentWork(event.task_type)) noteReported(state, event);
      return;
    case 'session:changed':
      if (event.subtype === 'api_error') broken(state, event);
  }
}

function workKey({ session_id, team, agent }: Caller): string {
  // Most events have the same agent as the one before. A new string would have to be hashed again.
  if (lastKey.session_id !== session_id || lastKey.team !== team || lastKey.agent !== agent)
    lastKey = { session_id, team, agent, key: keyOfWork({ session_id, team, agent }) };
  return lastKey.key;
}
let lastKey: { session_id: string | null; team: string | null; agent: string | null; key: string } = {
  session_id: null,
  team: null,
  agent: null,
  key: '[null,null,null]',
};

function keyOfWork({ session_id, team, agent }: Caller): string {
  return keyOf(session_id, team, agent);
}

// Written out field by field: it runs for every record, and a spread takes thirty times as long.
function worked(state: WorkState, event: Event, model: string | null): void {
  const key = workKey(event);
  const known = state.get(key);
  const first_seen_at = earliest(known?.first_seen_at ?? null, event.time);
  const last_seen_at = latest(known?.last_seen_at ?? null, event.time);
  const workedAt = latest(known?.workedAt ?? null, event.time ?? '');
  const isNewer = model !== null && model !== known?.model && isLater(event.time, model, known);
  if (
    known !== undefined &&
    !isNewer &&
    first_seen_at === known.first_seen_at &&
    last_seen_at === known.last_seen_at &&
    workedAt === known.workedAt &&
    (model === null || known.modelAt >= (event.time ?? ''))
  )
    return;
  const entry: AgentWork = {
    scope: known?.scope ?? scopeOf(event),
    session_id: event.session_id,
    team: event.team,
    agent: event.agent ?? '',
    first_seen_at,
    last_seen_at,
    model: isNewer ? model : (known?.model ?? null),
    modelAt:
      model !== null && (event.time ?? '') > (known?.modelAt ?? '') ? (event.time ?? '') : (known?.modelAt ?? ''),
    workedAt,
    broke: known?.broke ?? null,
    reported_tokens: known?.reported_tokens ?? null,
    reported_calls: known?.reported_calls ?? null,
  };
  state.put(key, entry);
}

/** Changes what is known of the agent of an event. */
function change(state: WorkState, event: Event, news: (known: AgentWork) => Partial<AgentWork>): void {
  const key = workKey(event);
  const known = state.get(key) ?? blankWork(event);
  // Not a spread: V8 would take it for an object of another shape.
  const next = Object.assign(blankWork(event), known, news(known));
  if (!hasSameFields(known, next)) state.put(key, next);
}

function blankWork(event: Event): AgentWork {
  return {
    scope: scopeOf(event),
    session_id: event.session_id,
    team: event.team,
    agent: event.agent ?? '',
    first_seen_at: null,
    last_seen_at: null,
    model: null,
    modelAt: '',
    workedAt: null,
    broke: null,
    reported_tokens: null,
    reported_calls: null,
  };
}

/** The API refused a request of the agent, and Claude Code gave up. */
function broken(state: WorkState, event: Event & { event: 'session:changed' }): void {
  const at = event.time ?? '';
  change(state, event, (known) => ({
    ...seenAt(known, event.time),
    broke: known.broke !== null && known.broke.at >= at ? known.broke : { at, error: textOf(event.error) ?? '' },
  }));
}

function seenAt({ first_seen_at, last_seen_at }: AgentWork, time: string | null) {
  return { first_seen_at: earliest(first_seen_at, time), last_seen_at: latest(last_seen_at, time) };
}

/** The error that ended the conversation of an agent; null if it went on. */
export function brokeOff(work: readonly AgentWork[]): string | null {
  const workedAt = work.reduce<string | null>((time, entry) => latest(time, entry.workedAt), null);
  const errors = work.flatMap(({ broke }) => broke ?? []).filter(({ at }) => workedAt === null || at >= workedAt);
  return errors.toSorted((a, b) => compare(a.at, b.at) || compare(a.error, b.error)).at(-1)?.error ?? null;
}

/** Models at the same time are ordered by name. Without times, the one read last wins. */
function isLater(time: string | null, model: string, known: AgentWork | undefined): boolean {
  if (known === undefined || time === null) return (known?.modelAt ?? '') === '';
  return time > known.modelAt || (time === known.modelAt && model > (known.model ?? ''));
}

/** Keeps the largest numbers, because those of an agent only grow. */
function noteReported(state: WorkState, event: Event & { event: 'agent:progressed' | 'agent:finished' }): void {
  change(state, event, (known) => ({
    ...seenAt(known, event.time),
    // Its end does not show when it began.
    ...(event.event === 'agent:finished' && { first_seen_at: known.first_seen_at }),
    reported_tokens: larger(known.reported_tokens, event.total_tokens),
    reported_calls: larger(known.reported_calls, event.tool_uses),
  }));
}

/** What two readers know of an agent. The same in any order. */
export function joinWork(a: AgentWork | undefined, b: AgentWork): AgentWork {
  if (a === undefined) return b;
  const isNewer = b.modelAt > a.modelAt || (b.modelAt === a.modelAt && (b.model ?? '') > (a.model ?? ''));
  const isLaterError = a.broke === null || (b.broke !== null && b.broke.at > a.broke.at);
  return {
    ...a,
    first_seen_at: earliest(a.first_seen_at, b.first_seen_at),
    last_seen_at: latest(a.last_seen_at, b.last_seen_at),
    model: isNewer ? b.model : a.model,
    modelAt: isNewer ? b.modelAt : a.modelAt,
    workedAt: latest(a.workedAt, b.workedAt),
    broke: isLaterError ? b.broke : a.broke,
    reported_tokens: larger(a.reported_tokens, b.reported_tokens),
    reported_calls: larger(a.reported_calls, b.reported_calls),
  };
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
