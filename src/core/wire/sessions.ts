import { type Member, member, type Own } from '../event/event.js';
import { implicitTeam } from '../record/place.js';
import { unsaid } from './read.js';

/** What the normalizer knows of one session: enough to name agents and teams, nothing that grows with the stream. */
export interface Session {
  id: string | null;
  /** An init of it was seen. */
  streamed: boolean;
  /** When the last message of its transcript was written. */
  spoke: string | null;
  /** What session:started said last, to tell a repeat from news. */
  started: Own<'session:started'> | null;
  team: string | null;
  /** teamName its rows carry. */
  tagged: string | null;
  /** Team that was said to exist because of what happened here, not because of a file. */
  announced: string | null;
  /** The team exists only because agents were spawned. */
  implicit: boolean;
  /** Canonical id of the main conversation. */
  lead: string;
  /** Type the lead gave itself when it made the team. */
  leadType: string | null;
  /** Any id of an agent → its canonical id. */
  aliases: Map<string, string>;
  agents: Map<string, Agent>;
  /** Shells, monitors and workflows that are running, by task id. */
  work: Map<string, Work>;
  /** Sender of each shutdown or plan request, so that its answer has a recipient. */
  requests: Map<string, string>;
  /** Task a member completed, until its next call shows whether it claims another. */
  completed: Map<string, string>;
  idle: Set<string>;
  /** Length of each agent's todo list. */
  todos: Map<string, number>;
}

interface Work {
  owner: string;
  type: string | null;
  /** It is known when it began. */
  timed: boolean;
}

export interface Agent {
  id: string;
  name: string | null;
  type: string | null;
  description: string | null;
  model: string | null;
  color: string | null;
  kind: 'lead' | 'teammate' | 'subagent';
  run: string | null;
  finished: boolean;
  /** It did not end by itself. */
  stopped: boolean;
  joined: boolean;
  /** The earliest time at which it is known to be there. */
  since: string | null;
}

export function createSession(id: string | null): Session {
  return {
    id,
    streamed: false,
    spoke: null,
    started: null,
    team: null,
    tagged: null,
    announced: null,
    implicit: false,
    lead: 'main',
    leadType: null,
    aliases: new Map(),
    agents: new Map(),
    work: new Map(),
    requests: new Map(),
    completed: new Map(),
    idle: new Set(),
    todos: new Map(),
  };
}

export function canonical(session: Session, id: string): string {
  let at = id;
  // An id may have been adopted more than once: call → task id → teammate id. The bound is for input that makes a ring.
  for (let steps = 0; steps < 8; steps++) {
    const next = session.aliases.get(at);
    if (next === undefined || next === at) break;
    at = next;
  }
  return at;
}

export function alias(session: Session, id: string | null | undefined, to: string): void {
  if (id && id !== to) session.aliases.set(id, to);
}

/** Name an agent answers to: its own, else its description, its type, its id. */
export function nameOf(session: Session, id: string): string {
  if (id === session.lead || id === 'main') return leadName(session);
  const agent = session.agents.get(canonical(session, id));
  // `writer@report-crew` names itself.
  return agent?.name ?? agent?.description ?? agent?.type ?? id.split('@')[0] ?? id;
}

export function leadName(session: Session): string {
  return session.lead === 'main' ? 'main' : (session.lead.split('@')[0] ?? 'team-lead');
}

/** The team a session has when it spawns agents without making one. */
export function ownTeam({ id }: Session): string | null {
  return id === null ? null : implicitTeam(id);
}

/** An agent by name or by any of its ids. */
export function agentNamed(session: Session, name: string): Agent | null {
  const known = session.agents.get(canonical(session, name));
  if (known !== undefined) return known;
  for (const agent of session.agents.values()) if (agent.name === name) return agent;
  return null;
}

export function memberNamed(session: Session, name: string): Member {
  if (name === leadName(session) || name === session.lead) return leadMember(session);
  const agent = agentNamed(session, name);
  const explicit = session.team !== null && !session.implicit;
  return {
    ...noMember,
    name: agent?.name ?? name,
    agent_id: agent?.id ?? (explicit ? `${name}@${session.team}` : null),
    agent_type: agent?.type ?? null,
    model: agent?.model ?? null,
    color: agent?.color ?? null,
    kind: agent?.kind ?? (explicit ? 'teammate' : null),
  };
}

export function leadMember(session: Session): Member {
  return {
    ...noMember,
    name: leadName(session),
    agent_id: session.lead,
    agent_type: session.leadType,
    model: session.started?.model ?? null,
    kind: 'lead',
    cwd: session.started?.cwd ?? null,
  };
}

export const noMember: Member = unsaid(member.fields);
