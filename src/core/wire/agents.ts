// Agents coming and going: one place decides who an agent is, whichever record speaks of it first.

import type { Own } from '../event/event.js';
import { type Call, type Context, noAgentEnd, noAgentNews, type Origin } from './context.js';
import { type Agent, alias, canonical, leadMember, noMember, type Session } from './sessions.js';
import { read, type SpawnCallWire, spawnCallWire } from './shapes.js';
import { isSpawnTool, startsAgents } from './tools/table.js';

export interface AgentNews extends Partial<Own<'agent:started'>> {
  id: string;
  kind?: 'teammate' | 'subagent';
  color?: string | null;
  /** What the config or spawn result adds for the roster. */
  member?: { backend?: string | null; plan_mode_required?: boolean | null; cwd?: string | null };
}

/** Work that is an agent, not a shell, monitor or workflow. Frames without a type are judged by their call. */
export function isAgentTask(type: string | null | undefined, call: Call | undefined): boolean {
  if (type) return /agent|teammate/.test(type);
  return call === undefined || startsAgents(call.tool);
}

/** Says that an agent exists or runs again; repeats that bring nothing new say nothing. */
export function startAgent(context: Context, at: Origin, news: AgentNews): Agent {
  const { session } = at;
  const { id, kind, member, ...own } = news;
  const isNew = !session.agents.has(id);
  const count = session.agents.size;
  const known = adopt(session, id, [own.tool_use_id, own.task_id]) ?? session.agents.get(id);
  // Two that were known apart, as by a call and a hook, turn out to be one: that is news.
  const isOne = session.agents.size < count;
  session.aliases.delete(id);
  alias(session, own.tool_use_id, id);
  alias(session, own.task_id, id);
  const agent = known ?? { ...unknownAgent, id, kind: kind ?? 'subagent' };
  const reopened = known != null && own.run_id != null && own.run_id !== known.run && known.run !== null;
  const isTimed = at.time !== null && (agent.since === null || at.time < agent.since);
  if (isTimed) agent.since = at.time;
  // An agent may be seen at work before its receipt says that it is a teammate.
  const isPromoted = kind === 'teammate' && agent.kind === 'subagent';
  const isNews = isNew || isOne || isPromoted || isTimed || reopened || own.resumed === true || own.continues != null;
  const fresh = isNews || learns(agent, own);
  learn(agent, own, kind);
  session.agents.set(id, agent);
  if (!fresh) return agent;
  if (reopened || own.resumed) Object.assign(agent, { finished: false, stopped: false });
  const isOwn = ownWork.test(id);
  if (!own.turn_only && !isOwn) ensureTeam(context, at);
  context.emit({ ...at, agent: id }, 'agent:started', {
    ...noAgentNews,
    ...own,
    ambient: isOwn || (own.ambient ?? false),
    name: agent.name,
    agent_type: agent.type,
    description: agent.description,
    model: agent.model,
    color: agent.color,
    resumed: own.resumed ?? reopened,
    parent: own.parent ?? (at.agent === id ? null : at.agent),
  });
  if ((isPromoted || !agent.joined) && !own.turn_only && !isOwn) {
    agent.joined = true;
    context.emit({ ...at, agent: id }, 'team:member:joined', {
      category: 'team_state_change',
      tool_use_id: own.tool_use_id ?? null,
      member: {
        ...noMember,
        name: agent.name ?? agent.description ?? agent.type ?? id,
        agent_id: id,
        agent_type: agent.type,
        model: agent.model,
        color: agent.color,
        kind: agent.kind,
        ...member,
      },
    });
  }
  return agent;
}

/** Forks of the conversation that the program runs for itself, as their ids say: usage, but nobody's agents. */
const ownWork =
  /^a?(?:prompt_suggestion|compact|session_memory|side_question|extract_memories|auto_dream|away_summary|agent_summary|speculation)-/;

const unknownAgent = {
  name: null,
  type: null,
  description: null,
  model: null,
  color: null,
  run: null,
  finished: false,
  stopped: false,
  joined: false,
  since: null,
};

/** A record under the id of a spawning call shows that the agent is at work. */
export function noticeChild(context: Context, at: Origin, spawnCall: string): void {
  const call = context.calls.get(spawnCall);
  if (call === undefined || call.seen || !isSpawnTool(call.tool)) return;
  call.seen = true;
  startAgent(
    context,
    { ...at, agent: call.at.agent, time: call.calledAt ?? at.time },
    { id: canonical(at.session, spawnCall), ...spawnNews(read(spawnCallWire, call.input)), tool_use_id: spawnCall },
  );
}

/** What the input of a spawning call says of the agent. */
export function spawnNews(input: SpawnCallWire): Partial<Own<'agent:started'>> {
  return {
    agent_type: input.subagent_type ?? null,
    name: input.name ?? null,
    model: input.model ?? null,
    description: input.description ?? null,
    prompt: input.prompt ?? null,
    mode: input.mode ?? null,
    isolation: input.isolation ?? null,
    background: input.run_in_background ?? null,
  };
}

export function finishAgent(context: Context, at: Origin, id: string, end: Partial<Own<'agent:finished'>>): void {
  const agent = at.session.agents.get(id);
  if (agent !== undefined) Object.assign(agent, { finished: true, stopped: end.status === 'stopped' });
  context.emit({ ...at, agent: id }, 'agent:finished', { ...noAgentEnd, ...end });
}

/** Work with an id of its own that is no agent: it belongs to the agent that started it. */
export function startWork(
  context: Context,
  at: Origin,
  news: Partial<Own<'agent:started'>> & { task_id: string | null },
): void {
  const { session } = at;
  const known = news.task_id === null ? undefined : session.work.get(news.task_id);
  if (known !== undefined && (known.timed || at.time === null)) return;
  const type = news.task_type ?? known?.type ?? null;
  if (news.task_id !== null)
    session.work.set(news.task_id, { owner: known?.owner ?? at.agent, type, timed: at.time !== null });
  context.emit(at, 'agent:started', { ...noAgentNews, ...news, task_type: type });
}

/** Who a task id stands for: an agent, or the owner of the work that has this id. */
export function whose(at: Origin, task: string | null): { agent: string; task_type: string | null; isAgent: boolean } {
  const id = task === null ? at.agent : canonical(at.session, task);
  if (task !== null && at.session.agents.has(id)) return { agent: id, task_type: null, isAgent: true };
  const work = task === null ? undefined : at.session.work.get(task);
  return { agent: work?.owner ?? at.agent, task_type: work?.type ?? null, isAgent: false };
}

export function finishWork(
  context: Context,
  at: Origin,
  end: Partial<Own<'agent:finished'>> & { task_id: string | null },
): void {
  const { agent, task_type, isAgent } = whose(at, end.task_id);
  if (isAgent) return finishAgent(context, at, agent, end);
  context.emit({ ...at, agent }, 'agent:finished', { ...noAgentEnd, ...end, task_type: end.task_type ?? task_type });
}

/** A session that spawns agents without a team of its own is an implicit team. */
function ensureTeam(context: Context, at: Origin): void {
  const { session } = at;
  if (session.id === null) return;
  const name = `session-${session.id.slice(0, 8)}`;
  if (session.team !== null && (session.team !== name || session.announced === name)) return;
  createTeam(context, at, {
    name,
    protocol: 'implicit',
    lead_agent_id: session.lead,
  });
}

export function createTeam(
  context: Context,
  at: Origin,
  team: Partial<Own<'team:created'>> & { name: string; protocol: Own<'team:created'>['protocol'] },
): void {
  const { session } = at;
  session.team = team.name;
  session.announced = team.name;
  session.implicit = team.protocol === 'implicit';
  const lead = { ...at, agent: session.lead };
  context.emit(lead, 'team:created', {
    category: 'team_state_change',
    tool_use_id: team.tool_use_id ?? null,
    name: team.name,
    description: team.description ?? null,
    lead_agent_id: team.lead_agent_id ?? null,
    lead_session_id: session.id,
    config_path: team.config_path ?? null,
    protocol: team.protocol,
  });
  context.emit(lead, 'team:member:joined', {
    category: 'team_state_change',
    tool_use_id: team.tool_use_id ?? null,
    member: leadMember(session),
  });
}

/** The main conversation turns out to lead a team: from now on it goes by that id. */
export function nameLead(context: Context, at: Origin, id: string): void {
  const { session } = at;
  session.lead = id;
  at.agent = at.agent === 'main' ? id : at.agent;
  if (session.team === null) return;
  context.emit({ ...at, agent: id }, 'team:member:joined', {
    category: 'team_state_change',
    tool_use_id: null,
    member: leadMember(session),
  });
}

/** An agent known so far by its spawning call or its task id takes its canonical id. */
function adopt(session: Session, id: string, others: (string | null | undefined)[]): Agent | undefined {
  for (const other of others) {
    const standIn = other ? canonical(session, other) : id;
    const agent = standIn === id ? undefined : session.agents.get(standIn);
    if (agent === undefined) continue;
    session.agents.delete(standIn);
    alias(session, standIn, id);
    const known = session.agents.get(id);
    if (known === undefined) return { ...agent, id, joined: false };
    learn(
      known,
      { name: agent.name, agent_type: agent.type, model: agent.model, description: agent.description },
      undefined,
    );
  }
  return undefined;
}

function learns(agent: Agent, own: Partial<Own<'agent:started'>>): boolean {
  return (
    (own.name != null && agent.name !== own.name) ||
    (own.agent_type != null && agent.type === null) ||
    (own.model != null && agent.model !== own.model) ||
    (own.description != null && agent.description === null) ||
    (own.color != null && agent.color === null)
  );
}

function learn(agent: Agent, own: Partial<Own<'agent:started'>>, kind: 'teammate' | 'subagent' | undefined): void {
  agent.name = own.name ?? agent.name;
  agent.type = own.agent_type ?? agent.type;
  agent.model = own.model ?? agent.model;
  agent.description = own.description ?? agent.description;
  agent.color = own.color ?? agent.color;
  agent.run = own.run_id ?? agent.run;
  if (kind !== undefined) agent.kind = kind;
}
