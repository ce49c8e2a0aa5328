// Joins all ids of an agent into one entry, in whichever order they become known.

import type { Event, EventMap, Member } from '../event/event.js';
import { isAgentWork } from '../event/work.js';
import { digest, hasSameFields, type Place } from './order.js';
import { Table } from './table.js';

export interface AgentsState {
  /** Scoped id → the scoped id it was joined to. An id without a link has its own entry. */
  readonly links: Table<string>;
  readonly entries: Table<AgentEntry>;
  /** Scoped name → entry of the member with this name. */
  readonly names: Table<string>;
  /** Scoped name → a turn of the member with this name. */
  readonly turns: Table<string>;
  /** Scoped digest of a spawn prompt → the agent that got it. */
  readonly prompts: Table<string>;
  /** Scoped digest of a turn's first text → turns waiting for the agent that was spawned with that text. */
  readonly waiting: Table<readonly string[]>;
  readonly sessions: Table<SessionEntry>;
}

interface AgentEntry {
  readonly id: string;
  readonly scope: string;
  readonly session_id: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly agent_type: string | null;
  readonly kind: Member['kind'];
  /** Known only as one turn of another agent. It is not a member until that agent is found. */
  readonly turnOnly: boolean;
  /** Its first row says that it is a turn. Other records of the same id may not say so. */
  readonly isTurn: boolean;
}

interface SessionEntry {
  readonly team: string | null;
  readonly explicit: boolean;
  readonly leadName: string;
  /** Session of the agent that leads the team, if known. */
  readonly leadSession: string | null;
}

export function newAgents(): AgentsState {
  return {
    links: new Table(),
    entries: new Table(),
    names: new Table(),
    turns: new Table(),
    prompts: new Table(),
    waiting: new Table(),
    sessions: new Table(),
  };
}

/** Whether noteAgents looks at such an event. */
export function isOfAgents({ event }: Event): boolean {
  return agentEvents.has(event);
}

const agentEvents: ReadonlySet<Event['event']> = new Set([
  'team:created',
  'team:member:active',
  'team:member:idle',
  'team:member:shutdown',
  'team:member:joined',
  'agent:started',
  'agent:finished',
  'agent:progressed',
  'team:message:sent',
  'team:message:failed',
] as const);

export function noteAgents(state: AgentsState, event: Event): void {
  const scope = scopeOf(event);
  switch (event.event) {
    case 'team:created':
      return noteTeamCreated(state, scope, event);
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutdown':
      // The files of a team may contain a teammate's status and nothing else about it.
      if (event.member.kind === 'teammate' && event.member.agent_id !== null)
        joined(state, scope, event.member.agent_id, event.member, event.session_id);
      return;
    case 'team:member:joined':
      return joined(state, scope, event.agent ?? '', event.member, event.session_id);
    case 'agent:started':
      if (isAgentWork(event.task_type)) started(state, scope, event);
      return;
    case 'agent:finished':
    case 'agent:progressed': {
      if (!isAgentWork(event.task_type) || event.agent === null || event.agent === event.task_id) return;
      const known = entryAt(state, inScope(scope, event.agent));
      // Work whose start is unknown may be a shell, whose events have the id of its owner.
      if (known === undefined || known.kind === 'lead' || event.task_id === null) return;
      return join(state, scope, event.agent, event.task_id);
    }
    case 'team:message:sent':
    case 'team:message:failed':
      return named(state, scope, event.agent ?? '', event.message.from);
  }
}

export function entryAt(state: AgentsState, key: string): AgentEntry | undefined {
  return state.entries.get(rootOf(state, key));
}

/** The key of the entry that all ids of an agent share. */
export function rootOf(state: AgentsState, key: string): string {
  let root = key;
  for (let next = state.links.get(root); next !== undefined; next = state.links.get(root)) root = next;
  return root;
}

/** The key of an id or a name in its scope. */
export function inScope(scope: string, id: string): string {
  // An event is asked for several times under the same key. A new string would have to be hashed again.
  if (scope !== lastInScope.scope || id !== lastInScope.id) lastInScope = { scope, id, key: `${scope} ${id}` };
  return lastInScope.key;
}
let lastInScope = { scope: '', id: '', key: ' ' };

/** Names are unique in a session. Team files do not name a session, so their scope is the team. */
export function scopeOf({ session_id, team }: Place): string {
  return session_id ?? (team === null ? '' : `team ${team}`);
}

function noteTeamCreated(state: AgentsState, scope: string, event: EventMap['team:created']): void {
  const { name: team, lead_agent_id, lead_session_id: leadSession } = event;
  const known = state.sessions.get(scope);
  const explicit = event.protocol !== 'implicit';
  if (known?.explicit && !explicit) return;
  const said = lead_agent_id?.split('@')[0] ?? known?.leadName ?? 'main';
  const leadName = said === 'main' ? (known?.leadName ?? 'main') : said;
  state.sessions.put(scope, { team, explicit, leadName, leadSession });
  if (lead_agent_id !== null) join(state, scope, 'main', lead_agent_id);
}

function started(state: AgentsState, scope: string, event: EventMap['agent:started']): void {
  const id = event.agent ?? '';
  learn(state, scope, id, {
    session_id: event.session_id,
    name: event.name,
    description: event.description,
    agent_type: event.agent_type,
    turnOnly: event.turn_only,
    isTurn: event.turn_only && event.prompt !== null,
    kind: /teammate/.test(event.task_type ?? '') ? 'teammate' : null,
  });
  for (const other of [event.tool_use_id, event.task_id, event.continues])
    if (other !== null && other !== id) join(state, scope, id, other);
  if (event.prompt !== null && event.prompt !== '' && !event.resumed)
    prompted(state, scope, id, event.prompt, event.turn_only);
  // Hooks and meta files of a teammate's turn have the teammate's name as the agent type, and no type of work.
  if (event.name === null && event.task_type === null && event.tool_use_id === null && event.agent_type !== null)
    turnNamed(state, scope, id, event.agent_type);
  if (event.name !== null && !event.turn_only) memberNamed(state, scope, id, event.name);
}

function joined(state: AgentsState, scope: string, agent: string, member: Member, session_id: string | null): void {
  const id = member.agent_id ?? agent;
  learn(state, scope, id, {
    session_id,
    // Here, the name of a subagent may be its description or type. Its own events say which.
    name: member.kind === 'subagent' ? null : member.name,
    description: null,
    agent_type: member.agent_type,
    turnOnly: false,
    isTurn: false,
    kind: member.kind,
  });
  if (agent !== '' && agent !== id) join(state, scope, agent, id);
  if (member.kind === 'lead') {
    const session = state.sessions.get(scope);
    const leadName = member.name ?? 'main';
    join(state, scope, 'main', id);
    if (session !== undefined && leadName !== 'main' && session.leadName !== leadName)
      state.sessions.put(scope, { ...session, leadName });
  }
  if (member.name !== null && member.kind === 'teammate') memberNamed(state, scope, id, member.name);
}

/** A turn that sends under a name belongs to the member of that name. */
function named(state: AgentsState, scope: string, agent: string, name: string | null): void {
  const entry = entryAt(state, inScope(scope, agent));
  if (entry === undefined || !entry.turnOnly || name === null || name === agent || name === entry.id) return;
  turnNamed(state, scope, agent, name);
}

function turnNamed(state: AgentsState, scope: string, turn: string, name: string): void {
  const key = inScope(scope, name);
  const member = state.names.get(key);
  const own = rootOf(state, inScope(scope, turn));
  if (member === undefined) {
    if (!state.turns.has(key)) state.turns.set(key, own);
  } else if (isTeammate(state, member)) union(state, own, member);
}

/** A name refers to the latest member that has it. */
function memberNamed(state: AgentsState, scope: string, id: string, name: string): void {
  const key = inScope(scope, name);
  const own = rootOf(state, inScope(scope, id));
  state.names.set(key, own);
  const turn = state.turns.get(key);
  if (turn !== undefined && isTeammate(state, own)) union(state, turn, own);
}

/** Teammates get their prompt as a message. Two turns that begin with the same text may be two agents (a broadcast). */
function prompted(state: AgentsState, scope: string, id: string, prompt: string, isTurn: boolean): void {
  const key = inScope(scope, digest(prompt.trim()));
  const own = rootOf(state, inScope(scope, id));
  const spawned = state.prompts.get(key);
  const waiting = state.waiting.get(key) ?? [];
  if (isTurn) {
    if (spawned !== undefined) union(state, own, spawned);
    else state.waiting.set(key, [...waiting, own]);
    return;
  }
  if (spawned === undefined) state.prompts.put(key, own);
  state.waiting.delete(key);
  for (const turn of waiting) union(state, turn, own);
}

function isTeammate(state: AgentsState, key: string): boolean {
  return entryAt(state, key)?.kind === 'teammate';
}

function learn(state: AgentsState, scope: string, id: string, news: Omit<AgentEntry, 'id' | 'scope'>): void {
  const key = rootOf(state, inScope(scope, id));
  const known = state.entries.get(key);
  const merged = known === undefined ? { id, scope, ...news } : mergeEntries(known, { id, scope, ...news });
  const entry = merged.isTurn && merged.id === id ? { ...merged, turnOnly: true } : merged;
  if (known === undefined || !hasSameFields(known, entry)) state.entries.put(key, entry);
}

function join(state: AgentsState, scope: string, a: string, b: string): void {
  union(state, inScope(scope, a), inScope(scope, b));
}

function union(state: AgentsState, a: string, b: string): void {
  const from = rootOf(state, a);
  const to = rootOf(state, b);
  if (from === to) return;
  const left = state.entries.get(from);
  const right = state.entries.get(to);
  const entry = left === undefined ? right : right === undefined ? left : mergeEntries(right, left);
  state.links.put(from, to);
  state.entries.delete(from);
  if (entry !== undefined) state.entries.set(to, entry);
}

/** The later entry wins where it says more. The canonical id is the one with the highest rank. */
function mergeEntries(a: AgentEntry, b: AgentEntry): AgentEntry {
  // Every conversation calls itself `main`.
  const name = b.turnOnly || b.name === 'main' ? (a.name ?? b.name) : (b.name ?? a.name);
  // A turn names its member as its type.
  const typeOf = (one: AgentEntry) => (one.turnOnly || one.agent_type === name ? null : one.agent_type);
  return {
    id: rank(b) > rank(a) ? b.id : a.id,
    scope: a.scope,
    session_id: a.session_id ?? b.session_id,
    name,
    description: a.description ?? b.description,
    agent_type: typeOf(a) ?? typeOf(b) ?? a.agent_type ?? b.agent_type,
    kind: kinds.find((kind) => a.kind === kind || b.kind === kind) ?? null,
    turnOnly: a.turnOnly && b.turnOnly,
    isTurn: a.id === b.id ? a.isTurn || b.isTurn : rank(b) > rank(a) ? b.isTurn : a.isTurn,
  };
}

/** In order of precedence: a lead stays a lead, and a teammate a teammate, even if another record says less. */
const kinds = ['lead', 'teammate', 'subagent'] as const;

function rank({ id, turnOnly }: AgentEntry): number {
  if (id.includes('@')) return 4;
  if (id === 'main') return 3;
  if (turnOnly) return 0;
  return id.startsWith('toolu_') ? 1 : 2;
}
