// Emits the events of agents, teams and members. Joins all ids of an agent, whichever record names it first.
import type { Member, Message, Own } from '../event/event.js';
import { flagOf, type JsonObject, textOf } from '../record/json.js';
import { atTime, type Context, type Origin, ofAgent } from './context.js';
import {
  type Agent,
  alias,
  canonical,
  leadMember,
  memberNamed,
  nameOf,
  ownTeam,
  putAgent,
  type Session,
} from './sessions.js';
import { actOf, isSpawnTool } from './tools/table.js';

interface AgentNews extends Partial<Own<'agent:started'>> {
  id: string;
  kind?: 'teammate' | 'subagent';
  /** Details of the member that are only in the config or the spawn result. */
  member?: { backend?: string | null; plan_mode_required?: boolean | null; cwd?: string | null };
}

/** Emits that an agent exists or runs again. A repeat with nothing new emits nothing. */
export function startAgent(context: Context, at: Origin, news: AgentNews): Agent {
  const { session } = at;
  const { id, kind, tool_use_id = null, task_id = null, run_id = null } = news;
  const before = session.agents.get(id);
  const count = session.agents.size;
  const known = adopt(session, id, tool_use_id) ?? adopt(session, id, task_id) ?? before;
  // Two known agents turn out to be the same, such as one from a call and one from a hook.
  const isMerged = session.agents.size < count;
  session.aliases.delete(id);
  alias(session, tool_use_id, id);
  alias(session, task_id, id);
  const agent = known ?? newAgent(id, kind ?? 'subagent');
  const reopened = known !== undefined && run_id !== null && run_id !== known.run && known.run !== null;
  const isTimed = at.time !== null && (agent.since === null || at.time < agent.since);
  if (isTimed) agent.since = at.time;
  // An agent may work before the result of its call shows that it is a teammate.
  const isPromoted = kind === 'teammate' && agent.kind === 'subagent';
  const isChanged = before === undefined || isMerged || isPromoted || isTimed || reopened;
  const isNews = isChanged || news.resumed === true || news.continues != null || hasNews(agent, news);
  learnAgent(agent, news, kind);
  putAgent(session, agent);
  if (!isNews) return agent;
  if (reopened || news.resumed) runsAgain(agent);
  const isOwn = internalForks.test(id);
  const isMember = !news.turn_only && !isOwn;
  if (isMember) ensureTeam(context, at);
  const own = startOf(news);
  own.ambient ||= isOwn;
  own.name = agent.name;
  own.agent_type = agent.type;
  own.description = agent.description;
  own.model = agent.model;
  own.color = agent.color;
  own.resumed ??= reopened;
  context.emit(ofAgent(at, id), 'agent:started', own);
  if ((isPromoted || !agent.joined) && isMember) {
    agent.joined = true;
    emitMember(context, ofAgent(at, id), 'team:member:joined', memberOf(agent, news.member), tool_use_id);
  }
  return agent;
}

function memberOf({ id, name, description, type, model, color, kind }: Agent, more: AgentNews['member']): Member {
  return {
    name: name ?? description ?? type ?? id,
    agent_id: id,
    agent_type: type,
    model,
    color,
    kind,
    cwd: more?.cwd ?? null,
    backend: more?.backend ?? null,
    plan_mode_required: more?.plan_mode_required ?? null,
    active: null,
  };
}

function runsAgain(agent: Agent): void {
  agent.finished = false;
  agent.stopped = false;
}

/** A record under the id of a spawning call shows that the spawned agent is running. */
export function noticeChild(context: Context, at: Origin, spawnCall: string): void {
  const call = context.calls.named(spawnCall);
  if (call === undefined || call.seen || !isSpawnTool(call.tool)) return;
  call.seen = true;
  startAgent(context, ofAgent(at, call.at.agent, call.calledAt ?? at.time), {
    id: canonical(at.session, spawnCall),
    parent: call.at.agent,
    ...spawnNews(call.input),
    tool_use_id: spawnCall,
  });
}

/** What the input of a spawning call says about the agent. */
export function spawnNews(input: JsonObject) {
  return {
    agent_type: textOf(input.subagent_type) ?? textOf(input.agentType),
    name: textOf(input.name),
    model: textOf(input.model),
    description: textOf(input.description),
    prompt: textOf(input.prompt),
    mode: textOf(input.mode),
    isolation: textOf(input.isolation),
    background: flagOf(input.run_in_background),
  };
}

export function finishAgent(context: Context, at: Origin, id: string, end: Partial<Own<'agent:finished'>>): void {
  const agent = at.session.agents.get(id);
  const own = endOf(end);
  noteFailure(own);
  if (agent !== undefined) {
    agent.finished = true;
    agent.stopped = own.status === 'stopped';
  }
  context.emit(ofAgent(at, id), 'agent:finished', own);
}

/** Starts work that has an id but is not an agent. It belongs to the agent that started it. */
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
  const own = startOf(news);
  own.task_type = type;
  context.emit(at, 'agent:started', own);
}

/** Finds the agent with this task id, or the owner of the work with this id. */
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
  if (end.task_id !== null && !at.session.work.has(end.task_id) && saysAgent(end.summary, end.total_tokens)) {
    const { task_id, run_id = null, tool_use_id = null } = end;
    // Its call is in another file, or before the beginning of this one. When it started is not known.
    const started = { id: task_id, task_id, run_id, tool_use_id, description: describedIn(end.summary) };
    return finishAgent(context, at, startAgent(context, atTime(at, null), started).id, end);
  }
  const own = endOf(end);
  own.task_type ??= task_type;
  context.emit(ofAgent(at, agent), 'agent:finished', own);
}

/** Whether the end of unknown work is that of an agent: shells have no tokens, and a workflow says that it is one. */
export function saysAgent(summary: string | null | undefined, tokens: number | null | undefined): boolean {
  return describedIn(summary) !== null || (tokens != null && !/^Dynamic workflow\b/.test(summary ?? ''));
}

/** `Agent "Count bytes" finished`, `Background agent "Count bytes" didn't finish before the previous session ended` */
function describedIn(summary: string | null | undefined): string | null {
  return agentEnd.exec(summary ?? '')?.[1] ?? null;
}
const agentEnd = /^(?:Background a|A)gent "(.+)" (?:(?:\w+ )*(?:finished|completed|failed|stopped)|didn't finish)\b/;

export function createTeam(
  context: Context,
  at: Origin,
  team: Partial<Own<'team:created'>> & { name: string; protocol: Own<'team:created'>['protocol'] },
): void {
  const { session } = at;
  session.team = team.name;
  session.announced = team.name;
  session.implicit = team.protocol === 'implicit';
  const lead = ofAgent(at, session.lead);
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
  emitMember(context, lead, 'team:member:joined', leadMember(session), team.tool_use_id);
}

/** The main conversation turns out to lead a team: from now on it has this id. */
export function nameLead(context: Context, at: Origin, id: string): void {
  const { session } = at;
  session.lead = id;
  at.agent = at.agent === 'main' ? id : at.agent;
  if (session.team !== null) emitMember(context, ofAgent(at, id), 'team:member:joined', leadMember(session));
}

/** Emits an event whose only field is its member. */
export function emitMember(
  context: Context,
  at: Origin,
  event: `team:member:${'joined' | 'active' | 'shutting_down' | 'shutdown'}`,
  member: Member,
  tool_use_id: string | null = null,
): void {
  context.emit(at, event, { category: 'team_state_change', tool_use_id, member });
}

/** All that an agent:started says. Written out, like other frequent events: spreads take several times as long. */
export function startOf(news: Partial<Own<'agent:started'>>): Own<'agent:started'> {
  const own: Own<'agent:started'> = {
    agent_type: news.agent_type ?? null,
    name: news.name ?? null,
    model: news.model ?? null,
    description: news.description ?? null,
    prompt: news.prompt ?? null,
    mode: news.mode ?? null,
    isolation: news.isolation ?? null,
    worktree: news.worktree ?? null,
    parent: news.parent ?? null,
    tool_use_id: news.tool_use_id ?? null,
    task_id: news.task_id ?? null,
    task_type: news.task_type ?? null,
    run_id: news.run_id ?? null,
    background: news.background ?? null,
    resumed: news.resumed ?? null,
    transcript_path: news.transcript_path ?? null,
    continues: news.continues ?? null,
    turn_only: news.turn_only ?? false,
    color: news.color ?? null,
    ambient: news.ambient ?? false,
  };
  if (news.workflow !== undefined) own.workflow = news.workflow;
  return own;
}

/** What an agent:finished and an agent:progressed say alike. */
export function workOf(done: Partial<Own<'agent:finished'>>): Own<'agent:finished'> {
  const own: Own<'agent:finished'> = {
    task_id: done.task_id ?? null,
    task_type: done.task_type ?? null,
    run_id: done.run_id ?? null,
    tool_use_id: done.tool_use_id ?? null,
    status: done.status ?? null,
    summary: done.summary ?? null,
    result: done.result ?? null,
    model: done.model ?? null,
    total_tokens: done.total_tokens ?? null,
    tool_uses: done.tool_uses ?? null,
    duration_ms: done.duration_ms ?? null,
    worktree: done.worktree ?? null,
  };
  if (done.on_disk !== undefined) own.on_disk = done.on_disk;
  return own;
}

/** Emits the events that follow from a protocol message, sent or received. */
export function announce(context: Context, at: Origin, message: Message): void {
  const { session } = at;
  const { request_id, from, to, content, approve, tool_use_id } = message;
  const own = { category: 'team_message' as const, tool_use_id, request_id, from, to };
  switch (message.type) {
    case 'shutdown_request':
      if (request_id !== null && from !== null) session.requests.set(request_id, from);
      context.emit(at, 'team:shutdown:requested', { ...own, reason: content });
      if (to !== null) changed(context, at, 'team:member:shutting_down', to, tool_use_id);
      break;
    case 'shutdown_response':
      context.emit(at, 'team:shutdown:response', { ...own, approved: approve, reason: content });
      if (from === null) break;
      if (approve === true) changed(context, at, 'team:member:shutdown', from, tool_use_id);
      // A member that refuses continues its work.
      if (approve === false) changed(context, at, 'team:member:active', from, tool_use_id);
      break;
    case 'plan_approval_request':
      if (request_id !== null && from !== null) session.requests.set(request_id, from);
      context.emit(at, 'team:plan:requested', { ...own, plan: content });
      break;
    case 'plan_approval_response':
      context.emit(at, 'team:plan:resolved', { ...own, approved: approve, feedback: content });
      break;
  }
}

export function changed(
  context: Context,
  at: Origin,
  event: 'team:member:shutting_down' | 'team:member:shutdown' | 'team:member:active',
  name: string,
  tool_use_id: string | null,
): void {
  if (event === 'team:member:active') at.session.idle.delete(name);
  emitMember(context, at, event, memberNamed(at.session, name), tool_use_id);
}

export function idle(
  context: Context,
  at: Origin,
  name: string,
  more: { reason?: string | null; completed?: string | null; tool_use_id?: string | null; error?: string },
): void {
  const { session } = at;
  const completed = more.completed ?? session.completed.get(name) ?? null;
  session.completed.delete(name);
  session.idle.add(name);
  context.emit(at, 'team:member:idle', {
    category: 'team_state_change',
    tool_use_id: more.tool_use_id ?? null,
    member: memberNamed(session, name),
    completed_task_id: completed,
    reason: more.reason ?? null,
    ...(more.error !== undefined && { error: more.error }),
  });
}

/**
 * A member is idle if its first call after completing a task does not claim another task. Any call of an idle member
 * makes it active again.
 */
export function noticeIdle(context: Context, at: Origin, tool: string, input: JsonObject): void {
  const { completed, idle } = at.session;
  if (completed.size > 0 || idle.size > 0) noticeStep(context, at, tool, input);
}

function noticeStep(context: Context, at: Origin, tool: string, input: JsonObject): void {
  const { session } = at;
  const name = nameOf(session, at.agent);
  if (session.completed.has(name)) {
    if (isTaskStep(tool, input)) session.completed.delete(name);
    else idle(context, at, name, {});
  } else if (session.idle.has(name)) {
    changed(context, at, 'team:member:active', name, null);
  }
}

/** Whether a call completes a task or claims the next one. */
export function isTaskStep(tool: string, { status }: JsonObject): boolean {
  return actOf(tool) === 'updateTask' && (status === 'in_progress' || status === 'completed');
}

/** Moves an agent that was known by its spawning call or its task id to its canonical id. */
function adopt(session: Session, id: string, other: string | null): Agent | undefined {
  const oldId = other ? canonical(session, other) : id;
  const agent = oldId === id ? undefined : session.agents.get(oldId);
  if (agent === undefined) return undefined;
  session.agents.delete(oldId);
  alias(session, oldId, id);
  const known = session.agents.get(id);
  if (known === undefined) return { ...agent, id, joined: false };
  const { name, type: agent_type, model, description } = agent;
  learnAgent(known, { name, agent_type, model, description }, undefined);
  return undefined;
}

function hasNews(agent: Agent, own: Partial<Own<'agent:started'>>): boolean {
  return (
    (own.name != null && agent.name !== own.name) ||
    (own.agent_type != null && agent.type === null) ||
    (own.model != null && agent.model !== own.model) ||
    (own.description != null && agent.description === null) ||
    (own.color != null && agent.color === null)
  );
}

function learnAgent(agent: Agent, own: Partial<Own<'agent:started'>>, kind: 'teammate' | 'subagent' | undefined): void {
  agent.name = own.name ?? agent.name;
  agent.type = own.agent_type ?? agent.type;
  agent.model = own.model ?? agent.model;
  agent.description = own.description ?? agent.description;
  agent.color = own.color ?? agent.color;
  agent.run = own.run_id ?? agent.run;
  agent.workflow = own.workflow ?? agent.workflow;
  if (kind !== undefined) agent.kind = kind;
}

/** Ids of forks that Claude Code runs for itself. They have usage, but the user did not start them as agents. */
const internalForks =
  /^a?(?:prompt_suggestion|compact|session_memory|side_question|extract_memories|auto_dream|away_summary|agent_summary|speculation)-/;

export function isInternalFork(id: string): boolean {
  return internalForks.test(id);
}

function newAgent(id: string, kind: Agent['kind']): Agent {
  return {
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
    workflow: null,
    id,
    kind,
  };
}

/** A session that spawns agents without creating a team is an implicit team. */
function ensureTeam(context: Context, at: Origin): void {
  const { session } = at;
  const name = ownTeam(session);
  if (name === null || (session.team !== null && (session.team !== name || session.announced === name))) return;
  createTeam(context, at, { name, protocol: 'implicit', lead_agent_id: session.lead });
}

function endOf(end: Partial<Own<'agent:finished'>>): Own<'agent:finished'> {
  const own = workOf(end);
  // Frames and notifications write `killed`; the tool that stops work writes `stopped`.
  if (own.status === 'killed') own.status = 'stopped';
  return own;
}

/** An agent that an API error or its limit of turns ended may have the status `completed`. Its result begins with the reason. */
function noteFailure(end: Own<'agent:finished'>): void {
  if (end.status === 'failed') end.summary = failedAgent.exec(end.summary ?? '')?.[1] ?? end.summary;
  if (end.status !== 'completed') return;
  const result = textOf(end.result) ?? '';
  const summary = end.summary ?? '';
  const error =
    apiError.exec(result) ?? turnLimit.exec(result) ?? turnLimit.exec(summary) ?? limitedAgent.exec(summary);
  if (error?.[1] === undefined) return;
  end.status = 'failed';
  end.summary = error[1];
}
const apiError =
  /^\s*((?:Agent terminated early due to an API error|API Error:? ?(?:\(?\d{3}\b|Claude(?:'s response exceeded| Code is unable to respond)))[^\n]*)/;
const turnLimit =
  /^\s*(?:<tools-used-before-summary>[^\n]*\s+)?NOTE: this agent (stopped at its \d+-turn limit) before finishing\./;
/** How a notification begins. A frame has only the error. */
const failedAgent = /^Agent "[^\n]*?" failed: (.+)/s;
const limitedAgent = /^Agent "[^\n]*" (stopped at its \d+-turn limit) \(/;
