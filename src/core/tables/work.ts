// Keeps what each agent did: its model, and when it was first and last seen. The order of events does not matter.

import type { Event } from '../event/event.js';
import { isAgentWork } from '../event/work.js';
import { getOrCreate, textOf } from '../record/json.js';
import { scopeOf } from './agents.js';
import type { Caller, Calls } from './calls/calls.js';
import { type CallCounts, noCalls } from './calls/columns.js';
import { compare, earliest, keyOf, latest } from './order.js';
import { Table } from './table.js';

/** What each agent did, by session, team and agent, as the events name them. */
export type WorkState = Table<AgentWork>;

/** Changed in place, unlike the entries of other tables: nearly every record of an agent says that it is later now. */
export interface AgentWork {
  readonly scope: string;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string;
  first_seen_at: string | null;
  last_seen_at: string | null;
  /** The model of its last message. */
  model: string | null;
  modelAt: string;
  /** When it last did something itself; '' if that has no time, null if none of its records is in the input. */
  workedAt: string | null;
  /** The last error of the API that Claude Code wrote into its conversation. */
  broke: { readonly at: string; readonly error: string } | null;
  /** The size of its context, and its calls, as Claude Code reports them. */
  reported_tokens: number | null;
  reported_calls: number | null;
}

/** A copy that stays as it is. */
export function copyWork(state: WorkState): WorkState {
  return new Table(state.entries().map(([key, entry]) => [key, { ...entry }]));
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
      if (event.time !== null) {
        const entry = changedWork(state, event);
        entry.first_seen_at = earliest(entry.first_seen_at, event.time);
      }
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

function keyOfWork({ session_id, team, agent }: Caller): string {
  return keyOf(session_id, team, agent);
}

function worked(state: WorkState, event: Event, model: string | null): void {
  const entry = changedWork(state, event);
  const { time } = event;
  noteSeen(entry, time);
  entry.workedAt = latest(entry.workedAt, time ?? '');
  if (model === null) return;
  if (model !== entry.model && isLater(time, model, entry)) entry.model = model;
  entry.modelAt = latest(entry.modelAt, time) ?? '';
}

/** What is known of the agent of an event that adds to it. */
function changedWork(state: WorkState, { session_id, team, agent }: Event): AgentWork {
  // Most events have the same agent as the one before. A change that is not made here makes another version.
  const isKnown = last?.state === state && last.version === state.version;
  if (last === null || !isKnown || last.session_id !== session_id || last.team !== team || last.agent !== agent)
    last = { state, version: 0, session_id, team, agent, entry: entryOf(state, { session_id, team, agent }) };
  state.version++;
  last.version = state.version;
  return last.entry;
}
let last: (Caller & { readonly state: WorkState; version: number; readonly entry: AgentWork }) | null = null;

function entryOf(state: WorkState, caller: Caller): AgentWork {
  const key = keyOfWork(caller);
  const entry = state.get(key) ?? blankWork(caller);
  state.set(key, entry);
  return entry;
}

function blankWork({ session_id, team, agent }: Caller): AgentWork {
  return {
    scope: scopeOf({ session_id, team }),
    session_id,
    team,
    agent: agent ?? '',
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
  const entry = changedWork(state, event);
  noteSeen(entry, event.time);
  if (entry.broke === null || entry.broke.at < at) entry.broke = { at, error: textOf(event.error) ?? '' };
}

function noteSeen(entry: AgentWork, time: string | null): void {
  entry.first_seen_at = earliest(entry.first_seen_at, time);
  entry.last_seen_at = latest(entry.last_seen_at, time);
}

/** The error that ended the conversation of an agent; null if it went on. */
export function brokeOff(work: readonly AgentWork[]): string | null {
  const workedAt = work.reduce<string | null>((time, entry) => latest(time, entry.workedAt), null);
  const errors = work.flatMap(({ broke }) => broke ?? []).filter(({ at }) => workedAt === null || at >= workedAt);
  return errors.toSorted((a, b) => compare(a.at, b.at) || compare(a.error, b.error)).at(-1)?.error ?? null;
}

/** Models at the same time are ordered by name. Without times, the one read last wins. */
function isLater(time: string | null, model: string, { model: known, modelAt }: AgentWork): boolean {
  if (time === null) return modelAt === '';
  return time > modelAt || (time === modelAt && model > (known ?? ''));
}

/** Keeps the largest numbers, because those of an agent only grow. */
function noteReported(state: WorkState, event: Event & { event: 'agent:progressed' | 'agent:finished' }): void {
  const { time, total_tokens, tool_uses } = event;
  if (time === null && total_tokens === null && tool_uses === null) return;
  const entry = changedWork(state, event);
  // Its end does not show when it began.
  if (event.event === 'agent:progressed') noteSeen(entry, time);
  else entry.last_seen_at = latest(entry.last_seen_at, time);
  entry.reported_tokens = larger(entry.reported_tokens, total_tokens);
  entry.reported_calls = larger(entry.reported_calls, tool_uses);
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
