// Keeps what the normalizer knows about a session: its agents and its team. Nothing here grows with the stream.
import type { Member, Own } from '../event/event.js';
import type { JsonObject } from '../record/json.js';

export interface Session {
  id: string | null;
  /** Whether its init was seen. */
  streamed: boolean;
  /** When the last message of its transcript was written. */
  spoke: string | null;
  /** When its file began, if the file says so before its first message. Older rows were copied into the file. */
  opened: string | null;
  /** The cost-state row since its last prompt. It includes all messages up to the next prompt. */
  reported: Own<'usage:reported'> | null;
  /** Why that message stopped; null if a prompt came after it. */
  stopped: string | null;
  /** The prompt that its rows named last. */
  prompt: string | null;
  /** The last session:started, to recognize a repeat. */
  started: Own<'session:started'> | null;
  /** What its agent has said up to now, if its program writes a text in pieces. */
  saying?: { readonly record: JsonObject; readonly line: number };
  /** Where it moved to last, if that is told at the end of its source. */
  moved: { readonly time: string; readonly line: number; readonly own: Own<'session:started'> } | null;
  /** The earliest time at which it was announced. */
  since: string | null;
  team: string | null;
  /** The teamName in its rows. */
  tagged: string | null;
  /** The team that was announced because of something in this session, not because of a file. */
  announced: string | null;
  /** The team exists only because agents were spawned. */
  implicit: boolean;
  /** Canonical id of the main conversation. */
  lead: string;
  /** The agent type the lead gave itself when it created the team. */
  leadType: string | null;
  /** Any id of an agent → its canonical id. */
  aliases: Map<string, string>;
  agents: Map<string, Agent>;
  /** Shells, monitors and workflows that are running, by task id. */
  work: Map<string, Work>;
  /** Who sent each shutdown or plan request, so that the answer has a recipient. */
  requests: Map<string, string>;
  /** The task a member completed, until its next call shows whether it claims another. */
  completed: Map<string, string>;
  idle: Set<string>;
  /** The length of each agent's todo list. */
  todos: Map<string, number>;
}

interface Work {
  owner: string;
  type: string | null;
  /** Whether its start time is known. */
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
  /** Whether something else stopped it. */
  stopped: boolean;
  joined: boolean;
  /** The earliest time at which it is known to exist. */
  since: string | null;
  /** The task id of the workflow that runs it. */
  workflow: string | null;
}

export function createSession(id: string | null): Session {
  return {
    id,
    streamed: false,
    spoke: null,
    opened: null,
    reported: null,
    stopped: null,
    prompt: null,
    started: null,
    moved: null,
    since: null,
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
  let found = id;
  // An id may be replaced more than once: call → task id → teammate id. The bound guards against cycles.
  for (let steps = 0; steps < 8; steps++) {
    const next = session.aliases.get(found);
    if (next === undefined || next === found) break;
    found = next;
  }
  return found;
}

export function alias(session: Session, id: string | null | undefined, to: string): void {
  if (id && id !== to) session.aliases.set(id, to);
}

/** The name of an agent, else its description or its id. Its type is no address: others may have the same. */
export function nameOf(session: Session, id: string): string {
  if (id === session.lead || id === 'main') return leadName(session);
  const agent = session.agents.get(canonical(session, id));
  // The id `writer@report-crew` contains the name.
  return agent?.name ?? agent?.description ?? id.split('@')[0] ?? id;
}

export function leadName(session: Session): string {
  return session.lead === 'main' ? 'main' : (session.lead.split('@')[0] ?? 'team-lead');
}

/** The team of a session that spawns agents without creating a team. */
export function ownTeam({ id }: Session): string | null {
  return id === null ? null : implicitTeam(id);
}

/** An agent by name or by any of its ids. */
export function agentNamed(session: Session, name: string): Agent | null {
  const { agents } = session;
  const known = agents.get(canonical(session, name));
  if (known !== undefined) return known;
  const named = agents.get(namedIds(agents).get(name) ?? '');
  return named?.name === name ? named : null;
}

/** Adds an agent, or what is known of it now. The first agent of a name keeps it. */
export function putAgent({ agents }: Session, agent: Agent): void {
  agents.set(agent.id, agent);
  if (agent.name === null) return;
  const ids = namedIds(agents);
  if (agents.get(ids.get(agent.name) ?? '')?.name !== agent.name) ids.set(agent.name, agent.id);
}

/** The ids of agents by name. */
function namedIds(agents: Session['agents']): Map<string, string> {
  let ids = idsByName.get(agents);
  if (ids === undefined) {
    ids = new Map();
    for (const { id, name } of [...agents.values()].reverse()) if (name !== null) ids.set(name, id);
    idsByName.set(agents, ids);
  }
  return ids;
}
/** Not in the session, which is saved: they can be made again. */
const idsByName = new WeakMap<Session['agents'], Map<string, string>>();

export function memberNamed(session: Session, name: string): Member {
  if (name === leadName(session) || name === session.lead) return leadMember(session);
  const agent = agentNamed(session, name);
  const explicit = session.team !== null && !session.implicit;
  return {
    name: agent?.name ?? name,
    agent_id: agent?.id ?? (explicit ? `${name}@${session.team}` : null),
    agent_type: agent?.type ?? null,
    model: agent?.model ?? null,
    color: agent?.color ?? null,
    kind: agent?.kind ?? (explicit ? 'teammate' : null),
    cwd: null,
    backend: null,
    plan_mode_required: null,
    active: null,
  };
}

export function leadMember(session: Session): Member {
  return {
    name: leadName(session),
    agent_id: session.lead,
    agent_type: session.leadType,
    model: session.started?.model ?? null,
    color: null,
    kind: 'lead',
    cwd: session.started?.cwd ?? null,
    backend: null,
    plan_mode_required: null,
    active: null,
  };
}

// Finds the session, team, agent or inbox of a file from its path.

export interface Place {
  source: string;
  /** For an inbox file, the recipient. */
  inbox: string | null;
  team: string | null;
  /** For a transcript or meta file of a subagent, the agent id. */
  agent: string | null;
  session: string | null;
  /** It was found in a directory, so it may not be a file of Claude Code. */
  found?: boolean;
}

export const nowhere: Place = { source: 'stdin', inbox: null, team: null, agent: null, session: null };

/**
 * Knows the folders of Claude Code: teams/<team>/inboxes/<name>.json, tasks/<team>/<id>.json,
 * <session>/subagents/agent-<id>.*, <session>/subagents/workflows/<run>/agent-<id>.*, <session>/workflows/<run>.json
 */
export function placeOf(path: string): Place {
  const parts = path.split(/[\\/]/);
  const file = (parts.at(-1) ?? '').replace(/\.gz$/, '');
  const place: Place = { ...nowhere, source: path };
  if (parts.at(-2) === 'inboxes') place.inbox = file.replace(/\.json$/, '');
  const home = parts.findLastIndex((part) => part === 'teams' || part === 'tasks');
  const team = home === -1 || home === parts.length - 1 ? undefined : parts[home + 1];
  if (team !== undefined && home < parts.length - 2) {
    // Since 2.1.178 the folder may be named after the session id.
    if (uuid.test(team)) Object.assign(place, { session: team, team: implicitTeam(team) });
    else place.team = team;
  }
  const agent = /^agent-(.+?)(?:\.meta)?\.jsonl?$/.exec(file)?.[1];
  if (agent !== undefined) place.agent = agent;
  if (parts.at(-2) === 'subagents') place.session = parts.at(-3) ?? null;
  else if (parts.at(-3) === 'workflows' && parts.at(-4) === 'subagents') place.session = parts.at(-5) ?? null;
  // Other programs have folders of this name too.
  else if (parts.at(-2) === 'workflows' && uuid.test(parts.at(-3) ?? '')) place.session = parts.at(-3) ?? null;
  return place;
}
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The name of a team that nobody named. */
export function implicitTeam(session: string | null): string {
  return `session-${(session ?? '').slice(0, 8)}`;
}
