// Teams and who is in them: TeamCreate, TeamDelete, Agent, and what older programs had for them.
import { countOf, flagOf, type JsonObject, textOf } from '../../record/json.js';
import { createTeam, finishAgent, nameLead, spawnNews, startAgent } from '../agents.js';
import type { Call, Context } from '../context.js';
import { firstOf, type Read, read, spelled } from '../read.js';
import { canonical, leadName, nameOf, ownTeam, type Session } from '../sessions.js';
import { labelled, type ToolResult, textOfContent, usageInText } from './tool-result.js';

export function teamCreated(context: Context, call: Call, outcome: ToolResult): void {
  const { session } = call.at;
  const name = readTeamName(call.input, outcome);
  if (!outcome.success || name === null) return;
  session.lead = textOf(outcome.data?.lead_agent_id) ?? `team-lead@${name}`;
  session.leadType = textOf(call.input.agent_type);
  createTeam(context, call.at, {
    name,
    description: textOf(call.input.description),
    lead_agent_id: session.lead,
    config_path: textOf(outcome.data?.team_file_path),
    protocol: call.tool === 'Teammate' ? 'teammate-tool' : 'team-create',
    tool_use_id: call.id || null,
  });
}

export function teamDeleted(context: Context, call: Call, outcome: ToolResult): void {
  const name = readTeamName(call.input, outcome) ?? call.at.session.team;
  const own = { category: 'team_state_change' as const, tool_use_id: call.id || null, name };
  if (outcome.success) context.emit(call.at, 'team:deleted', own);
  else context.emit(call.at, 'team:cleanup_failed', { ...own, error: outcome.error });
}

/** The name the team really got; the one asked for may have been taken. */
export function readTeamName(input: JsonObject, outcome: ToolResult): string | null {
  return firstOf(textOf, outcome.data?.team_name, input.team_name);
}

/** ExitPlanMode of a teammate that needs its lead's approval. */
export function planSubmitted(context: Context, call: Call, outcome: ToolResult): void {
  if (!outcome.success || outcome.data?.awaitingLeaderApproval !== true) return;
  const { session, agent } = call.at;
  const from = nameOf(session, agent);
  const request = textOf(outcome.data.requestId);
  if (request !== null) session.requests.set(request, from);
  context.emit(call.at, 'team:plan:requested', {
    category: 'team_message',
    tool_use_id: call.id || null,
    request_id: request,
    from,
    to: leadName(session) === 'main' ? 'team-lead' : leadName(session),
    plan: textOf(outcome.data.plan) ?? textOf(call.input.plan),
  });
}

/** Task and Agent calls: a teammate was spawned, an agent launched in the background, or one has done its work. */
export function spawned(context: Context, call: Call, outcome: ToolResult): void {
  const { at } = call;
  const { session } = at;
  const spawn = readSpawn(call.input, outcome);
  const { asked, told } = spawn;
  const standIn = canonical(session, call.id);
  if (!outcome.success) {
    const agent = session.agents.get(standIn);
    const status = agent?.stopped || isInterrupted(outcome) ? 'stopped' : 'failed';
    if (call.seen || agent !== undefined)
      finishAgent(context, at, standIn, { tool_use_id: call.id, status, summary: outcome.error });
    return;
  }
  const teammate = spawn.isTeammate || isTeammateCall(session, spawn, outcome);
  const team = teammate ? teamOf(session, spawn) : null;
  const id = spawn.id ?? told.name ?? addressOf(session, spawn.name, team) ?? standIn;
  // It came when it was called: the result of a foreground agent tells when it left.
  const called = { ...at, time: call.calledAt ?? at.time };
  if (team !== null) joinTeam(context, { ...call, at: called }, team);
  const background = teammate || isLaunch(told, outcome.text);
  const worktree = worktreeOf(told, outcome.text);
  startAgent(context, called, {
    ...asked,
    description: asked.description ?? told.description,
    prompt: asked.prompt ?? told.prompt,
    id,
    kind: teammate ? 'teammate' : 'subagent',
    name: spawn.name,
    agent_type: spawn.agentType,
    model: spawn.model,
    color: spawn.color,
    worktree,
    tool_use_id: call.id || null,
    task_id:
      told.task_id ??
      labelled(outcome.text, 'agentId') ??
      labelled(outcome.text, 'Task ID') ??
      (teammate ? told.agent_id : null),
    background,
    resumed: textOf(call.input.resume) === null ? null : true,
    transcript_path: told.output_file ?? labelled(outcome.text, 'output_file'),
    member: { backend: backendOf(told.tmux_pane_id), plan_mode_required: told.plan_mode_required },
  });
  // A status of the future is not guessed at.
  if (background || (told.status !== null && told.status !== 'completed')) return;
  const { total_tokens, tool_uses, duration_ms } = told;
  const isCounted = total_tokens !== null && tool_uses !== null && duration_ms !== null;
  const said = usageInText(isCounted ? '' : outcome.text);
  finishAgent(context, at, id, {
    tool_use_id: call.id || null,
    task_id: id === call.id ? null : id,
    status: 'completed',
    result: outcome.data?.content === undefined ? outcome.text : textOfContent(outcome.data.content),
    model: told.resolved_model,
    total_tokens: total_tokens ?? said.total_tokens,
    tool_uses: tool_uses ?? said.tool_uses,
    duration_ms: duration_ms ?? said.duration_ms,
    worktree,
  });
}

/** The call of an agent that somebody stopped comes back as an error; the agent did not fail. */
function isInterrupted({ error, text }: ToolResult): boolean {
  return interruption.test(error ?? '') || interruption.test(text);
}
const interruption = /^\s*(?:User rejected tool use|The user doesn't want to proceed|\[Request interrupted by user)/;

function isLaunch({ status, is_async }: Pick<Told, 'status' | 'is_async'>, text: string): boolean {
  if (status !== null) return /launched|spawned|entered/.test(status);
  return is_async === true || /^(Async agent launched|Background task started|Remote agent launched)/.test(text);
}

/** In a team that was created, who is spawned with a name is one of it; a result that is only text need not say so. */
function isTeammateCall(session: Session, { asked, told, askedTeam, id }: Spawn, { data, text }: ToolResult): boolean {
  const isAsked = asked.name !== null && askedTeam !== null && !session.implicit && askedTeam === session.team;
  return isAsked && id === null && data === null && !isLaunch(told, text);
}

/** Since 2.1.178 the team that is asked for is not the one that is got, and ids do not end in one. */
function teamOf(session: Session, { told, id, team }: Spawn): string | null {
  if (told.team_name === null && id !== null && !id.includes('@')) return ownTeam(session);
  return team ?? session.team ?? ownTeam(session);
}

/** The id that teammates of created teams have. */
function addressOf(session: Session, name: string | null, team: string | null): string | null {
  return name === null || team === null || team === ownTeam(session) ? null : `${name}@${team}`;
}

/** A teammate's spawn result names the team it joined: the session's own, or one whose creation is not in the input. */
function joinTeam(context: Context, call: Call, name: string): void {
  const { session } = call.at;
  if (session.lead === 'main') nameLead(context, call.at, `team-lead@${name}`);
  if (session.announced === name) return;
  createTeam(context, call.at, {
    name,
    protocol: name === ownTeam(session) ? 'implicit' : 'team-create',
    lead_agent_id: session.lead,
    tool_use_id: call.id || null,
  });
}

/** A pane of its own, `%14`, is tmux; in-process says so. */
function backendOf(pane: string | null): string | null {
  return pane?.startsWith('%') ? 'tmux' : pane || null;
}

function worktreeOf(told: Told, text: string): { path: string | null; branch: string | null } | null {
  const path = told.worktree_path ?? labelled(text, 'Worktree');
  const branch = told.worktree_branch ?? labelled(text, 'Branch');
  return path === null && branch === null ? null : { path, branch };
}

// What a Task or Agent call and its result say of the agent it spawned.

/** Results of all generations, and their documented shape. */
const spawnResult = {
  status: textOf,
  teammate_id: textOf,
  agent_id: textOf,
  task_id: spelled(textOf, 'agentId', 'taskId'),
  name: textOf,
  team_name: textOf,
  agent_type: spelled(textOf, 'agent_type', 'agentType'),
  model: spelled(textOf, 'resolvedModel', 'model'),
  resolved_model: spelled(textOf, 'resolvedModel'),
  color: textOf,
  prompt: textOf,
  description: textOf,
  is_async: spelled(flagOf, 'isAsync'),
  total_tokens: spelled(countOf, 'totalTokens'),
  tool_uses: spelled(countOf, 'totalToolUseCount'),
  duration_ms: spelled(countOf, 'totalDurationMs'),
  worktree_path: spelled(textOf, 'worktreePath'),
  worktree_branch: spelled(textOf, 'worktreeBranch'),
  output_file: spelled(textOf, 'outputFile'),
  tmux_pane_id: textOf,
  plan_mode_required: flagOf,
};
type Told = Read<typeof spawnResult>;
type Spawn = ReturnType<typeof readSpawn>;

export function readSpawn(input: JsonObject, { data, text }: ToolResult) {
  const asked = spawnNews(input);
  const askedTeam = textOf(input.team_name);
  const told = read(spawnResult, data);
  const isTeammate = saysTeammate(told, text);
  return {
    asked,
    told,
    askedTeam,
    /** The canonical one; null when the result has none. */
    id:
      told.teammate_id ??
      told.agent_id ??
      told.task_id ??
      labelled(text, 'agent_id') ??
      labelled(text, 'agentId') ??
      labelled(text, 'Task ID'),
    name: told.name ?? (isTeammate ? labelled(text, 'name') : null) ?? asked.name,
    agentType: told.agent_type ?? asked.agent_type,
    model: told.model ?? asked.model,
    color: told.color,
    /** The result says that it is one of a team. */
    isTeammate,
    /** The team that was asked for, where the result names none. */
    team: told.team_name ?? labelled(text, 'team_name') ?? told.teammate_id?.split('@')[1] ?? askedTeam,
  };
}

function saysTeammate({ status, teammate_id }: Told, text: string): boolean {
  if (status !== null) return status === 'teammate_spawned' || status === 'spawned';
  return teammate_id !== null || /^Spawned successfully/.test(text);
}
