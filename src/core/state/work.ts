// Counts what each agent did: its calls, and when it was first and last seen. The order of events does not matter.
import type { Event } from '../event/event.js';
import { getOrCreate, textOf } from '../record/json.js';
import { isAgentWork, scopeOf } from './agents.js';
import { compare, earliest, hasSameFields, isLeadId, keyOf, latest } from './order.js';
import { PersistentMap } from './persistent-map.js';

export interface WorkState {
  /** By session, team and agent, as the events name them. */
  readonly agents: PersistentMap<AgentWork>;
  /** What is known of every call, by id. */
  readonly calls: PersistentMap<CallFacts>;
}

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

/** What is known about a call. A call found in several files counts once, for the conversation that comes first. */
interface CallFacts {
  /** The key of the agent that made it; null while only its result is known. */
  readonly owner: string | null;
  readonly returned: boolean;
  readonly failed: boolean;
  /** Taken back, as if it had never been made. */
  readonly retracted: boolean;
}

export const noWork: WorkState = { agents: new PersistentMap(), calls: new PersistentMap() };

/** What an agent did, with its calls counted. */
export interface CountedWork extends AgentWork {
  readonly calls: number;
  readonly errors: number;
  readonly open: number;
}

/** Every agent that did something. */
export function countedWork({ agents, calls }: WorkState): CountedWork[] {
  const counts = new Map<string, { calls: number; errors: number; open: number }>();
  for (const { owner, returned, failed, retracted } of calls.values()) {
    if (owner === null || retracted) continue;
    const count = getOrCreate(counts, owner, () => ({ calls: 0, errors: 0, open: 0 }));
    count.calls++;
    if (!returned) count.open++;
    else if (failed) count.errors++;
  }
  return agents.entries().map(([key, entry]) => ({ ...entry, ...(counts.get(key) ?? noCalls) }));
}

const noCalls = { calls: 0, errors: 0, open: 0 };

export function reduceWork(state: WorkState, event: Event): WorkState {
  switch (event.event) {
    case 'tool:called':
      return called(worked(state, event, null), event);
    case 'tool:returned':
      return event.tool_use_id === null
        ? state
        : learned(worked(state, event, null), event.tool_use_id, { returned: true, failed: !event.success });
    case 'prompt:received':
      return prompted(state, event);
    case 'text:produced':
    case 'thinking:produced':
      return worked(state, event, null);
    case 'usage:recorded':
      return worked(state, event, event.model);
    case 'agent:progressed':
    case 'agent:finished':
      return isAgentWork(event.task_type) ? reported(state, event) : state;
    case 'session:changed':
      if (event.subtype === 'api_error') return broken(state, event);
      return Array.isArray(event.tool_use_ids) ? event.tool_use_ids.reduce(retracted, state) : state;
    default:
      return state;
  }
}

function workKey(event: Pick<Event, 'session_id' | 'team' | 'agent'>): string {
  const { session_id, team, agent } = event;
  // Most events have the same agent as the one before. A new string would have to be hashed again.
  if (lastKey.session_id !== session_id || lastKey.team !== team || lastKey.agent !== agent)
    lastKey = { session_id, team, agent, key: JSON.stringify([session_id, team, agent]) };
  return lastKey.key;
}
let lastKey: { session_id: string | null; team: string | null; agent: string | null; key: string } = {
  session_id: null,
  team: null,
  agent: null,
  key: '[null,null,null]',
};

function called(state: WorkState, event: Event & { event: 'tool:called' }): WorkState {
  return event.tool_use_id === null ? state : learned(state, event.tool_use_id, { owner: workKey(event) });
}

function retracted(state: WorkState, id: unknown): WorkState {
  return typeof id === 'string' ? learned(state, id, { retracted: true }) : state;
}

function learned(state: WorkState, id: string, news: Partial<CallFacts>): WorkState {
  const calls = state.calls.update(id, (known = unknownCall) => {
    const owner = ownerOf(known.owner, news.owner ?? null, state);
    const returned = known.returned || news.returned === true;
    const failed = known.failed || news.failed === true;
    const isRetracted = known.retracted || news.retracted === true;
    const isSame =
      owner === known.owner &&
      returned === known.returned &&
      failed === known.failed &&
      isRetracted === known.retracted;
    return isSame ? known : { owner, returned, failed, retracted: isRetracted };
  });
  return calls === state.calls ? state : { agents: state.agents, calls };
}

const unknownCall: CallFacts = { owner: null, returned: false, failed: false, retracted: false };

function ownerOf(a: string | null, b: string | null, { agents }: WorkState): string | null {
  if (a === null || b === null || a === b) return a ?? b;
  const [left, right] = [agents.get(a), agents.get(b)];
  if (left === undefined || right === undefined) return left === undefined ? b : a;
  return isFirstCaller(left, right) ? a : b;
}

/** A conversation that contains a call, as events name it. */
export interface Caller {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
}

/** If two conversations contain a call, the main one made it, else the first by name. */
export function isFirstCaller(a: Caller, b: Caller): boolean {
  if (scopeOf(a) !== scopeOf(b)) return scopeOf(a) < scopeOf(b);
  if (isLeadId(a.agent) !== isLeadId(b.agent)) return isLeadId(a.agent);
  return keyOf(a.agent, a.team) < keyOf(b.agent, b.team);
}

// Written out field by field: it runs for every record, and a spread takes thirty times as long.
function worked(state: WorkState, event: Event, model: string | null): WorkState {
  const key = workKey(event);
  const known = state.agents.get(key);
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
    return state;
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
  return { agents: state.agents.set(key, entry), calls: state.calls };
}

/** Changes what is known of the agent of an event. */
function changed(state: WorkState, event: Event, change: (known: AgentWork) => Partial<AgentWork>): WorkState {
  const key = workKey(event);
  const known = state.agents.get(key) ?? blankWork(event);
  const next = { ...known, ...change(known) };
  return hasSameFields(known, next) ? state : { agents: state.agents.set(key, next), calls: state.calls };
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

/** An agent that gets a prompt exists, but has not done anything yet. */
function prompted(state: WorkState, event: Event): WorkState {
  if (event.time === null) return state;
  return changed(state, event, ({ first_seen_at }) => ({ first_seen_at: earliest(first_seen_at, event.time) }));
}

/** The API refused a request of the agent, and Claude Code gave up. */
function broken(state: WorkState, event: Event & { event: 'session:changed' }): WorkState {
  const at = event.time ?? '';
  return changed(state, event, (known) => ({
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
function reported(state: WorkState, event: Event & { event: 'agent:progressed' | 'agent:finished' }): WorkState {
  return changed(state, event, (known) => ({
    ...seenAt(known, event.time),
    // Its end does not show when it began.
    ...(event.event === 'agent:finished' && { first_seen_at: known.first_seen_at }),
    reported_tokens: larger(known.reported_tokens, event.total_tokens),
    reported_calls: larger(known.reported_calls, event.tool_uses),
  }));
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
