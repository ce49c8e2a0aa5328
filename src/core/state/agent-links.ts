// Ids of agents and what they stand for: joined ids share one entry, whichever became known first.
import type { Member } from '../event/event.js';
import type { Table } from './table.js';

export interface AgentsState {
  /** Scoped id → scoped id it was joined to; an id without a link is its own entry. */
  readonly links: Table<string>;
  readonly entries: Table<AgentEntry>;
  /** Scoped name → entry of the member that goes by it. */
  readonly names: Table<string>;
  /** Scoped name → a turn that must belong to whoever has that name. */
  readonly turns: Table<string>;
  /** Scoped digest of a spawn prompt → the agent that got it. */
  readonly prompts: Table<string>;
  /** Scoped digest of the text a turn began with → the turns that are waiting for whoever was spawned with it. */
  readonly waiting: Table<readonly string[]>;
  readonly sessions: Table<SessionEntry>;
}

export interface AgentEntry {
  readonly id: string;
  readonly scope: string;
  readonly session_id: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly agent_type: string | null;
  readonly kind: Member['kind'];
  /** Known only as one turn of somebody: no member unless it finds its agent. */
  readonly turnOnly: boolean;
  /** Its first row says that it is a turn; other records of the same id may not know. */
  readonly isTurn: boolean;
}

export interface SessionEntry {
  readonly team: string | null;
  readonly explicit: boolean;
  readonly leadName: string;
  /** Session of the agent that leads the team, where that is known. */
  readonly leadSession: string | null;
}

export function learn(
  state: AgentsState,
  scope: string,
  id: string,
  news: Omit<AgentEntry, 'id' | 'scope'>,
): AgentsState {
  const at = find(state, key(scope, id));
  const known = state.entries.get(at);
  const merged = known === undefined ? { id, scope, ...news } : merge(known, { id, scope, ...news });
  const entry = merged.isTurn && merged.id === id ? { ...merged, turnOnly: true } : merged;
  return known !== undefined && same(known, entry) ? state : { ...state, entries: state.entries.set(at, entry) };
}

/** Two ids of one scope are one agent. */
export function join(state: AgentsState, scope: string, a: string, b: string): AgentsState {
  return union(state, key(scope, a), key(scope, b));
}

export function union(state: AgentsState, a: string, b: string): AgentsState {
  const from = find(state, a);
  const to = find(state, b);
  if (from === to) return state;
  const left = state.entries.get(from);
  const right = state.entries.get(to);
  const entry = left === undefined ? right : right === undefined ? left : merge(right, left);
  const entries = state.entries.delete(from);
  return {
    ...state,
    links: state.links.set(from, to),
    entries: entry === undefined ? entries : entries.set(to, entry),
  };
}

/** What is said later wins where it says more; the canonical id is the most telling one. */
function merge(a: AgentEntry, b: AgentEntry): AgentEntry {
  return {
    id: rank(b) > rank(a) ? b.id : a.id,
    scope: a.scope,
    session_id: a.session_id ?? b.session_id,
    // `main` is what everybody's own conversation is called.
    name: b.turnOnly || b.name === 'main' ? (a.name ?? b.name) : (b.name ?? a.name),
    description: a.description ?? b.description,
    agent_type: a.turnOnly && !b.turnOnly ? (b.agent_type ?? a.agent_type) : (a.agent_type ?? b.agent_type),
    kind:
      a.kind === 'lead' || b.kind === 'lead'
        ? 'lead'
        : a.kind === 'teammate' || b.kind === 'teammate'
          ? 'teammate'
          : (a.kind ?? b.kind),
    turnOnly: a.turnOnly && b.turnOnly,
    isTurn: a.id === b.id ? a.isTurn || b.isTurn : rank(b) > rank(a) ? b.isTurn : a.isTurn,
  };
}

function rank({ id, turnOnly }: AgentEntry): number {
  if (id.includes('@')) return 4;
  if (id === 'main') return 3;
  if (turnOnly) return 0;
  return id.startsWith('toolu_') ? 1 : 2;
}

function same(a: AgentEntry, b: AgentEntry): boolean {
  return (
    a.id === b.id &&
    a.name === b.name &&
    a.description === b.description &&
    a.agent_type === b.agent_type &&
    a.kind === b.kind &&
    a.turnOnly === b.turnOnly &&
    a.isTurn === b.isTurn
  );
}

export function find(state: AgentsState, at: string): string {
  let root = at;
  for (let next = state.links.get(root); next !== undefined; next = state.links.get(root)) root = next;
  return root;
}

export function key(scope: string, id: string): string {
  return `${scope} ${id}`;
}
