// Handles TeamCreate, TeamDelete, Agent and ExitPlanMode, and their older equivalents.
import { flagOf, idOf, type JsonObject, textOf, wholeOf } from '../../record/json.js';
import { createTeam, finishAgent, nameLead, spawnNews, startAgent } from '../agents.js';
import { atTime, type Call, type Context, repeatsTexts } from '../context.js';
import { firstOf, picked, type Read, read, spelled } from '../read.js';
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

/** The name the team really got; the requested one may have been taken. */
function readTeamName(input: JsonObject, outcome: ToolResult): string | null {
  return firstOf(textOf, outcome.data?.team_name, input.team_name);
}

/** Handles ExitPlanMode of a teammate that needs its lead's approval. */
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

/** Handles Task and Agent calls: a teammate was spawned, an agent was started in the background, or an agent finished. */
export function spawned(context: Context, call: Call, outcome: ToolResult): void {
  const { at } = call;
  const { session } = at;
  // What a structured result does not say is not looked for in what the agent said.
  const text = outcome.isStructured ? '' : outcome.text;
  const spawn = readSpawn(call.input, outcome.brief(spawnFields), text);
  const { asked, result } = spawn;
  const callAgent = canonical(session, call.id);
  if (!outcome.success) {
    const agent = session.agents.get(callAgent);
    const status = agent?.stopped || isInterrupted(outcome) ? 'stopped' : 'failed';
    if (call.seen || agent !== undefined)
      finishAgent(context, at, callAgent, { tool_use_id: call.id, status, summary: outcome.error });
    return;
  }
  const teammate = spawn.isTeammate || isTeammateCall(session, spawn, outcome, text);
  const team = teammate ? teamOf(session, spawn) : null;
  const id = spawn.id ?? result.name ?? addressOf(session, spawn.name, team) ?? callAgent;
  // An agent starts at the time of its call. The result of a foreground agent has the time of its end.
  const background = teammate || isLaunch(result, text);
  const called = atTime(at, call.calledAt ?? (background ? at.time : null));
  if (team !== null) joinTeam(context, { ...call, at: called }, team);
  const worktree = worktreeOf(result, text);
  startAgent(context, called, {
    id,
    kind: teammate ? 'teammate' : 'subagent',
    agent_type: spawn.agentType,
    name: spawn.name,
    model: spawn.model,
    description: asked.description ?? textOf(outcome.brief(repeated)?.description),
    prompt: asked.prompt ?? textOf(outcome.brief(repeated)?.prompt),
    mode: asked.mode,
    isolation: asked.isolation,
    parent: called.agent,
    color: spawn.color,
    worktree,
    tool_use_id: call.id || null,
    task_id:
      result.task_id ?? labelled(text, 'agentId') ?? labelled(text, 'Task ID') ?? (teammate ? result.agent_id : null),
    background,
    resumed: textOf(call.input.resume) === null ? null : true,
    transcript_path: result.output_file ?? labelled(text, 'output_file'),
    member: { backend: backendOf(result.tmux_pane_id), plan_mode_required: result.plan_mode_required },
  });
  // An unknown status is not interpreted.
  if (background || (result.status !== null && result.status !== 'completed')) return;
  const { total_tokens, tool_uses, duration_ms } = result;
  const isCounted = total_tokens !== null && tool_uses !== null && duration_ms !== null;
  const inText = usageInText(isCounted ? '' : outcome.text);
  finishAgent(context, at, id, {
    tool_use_id: call.id || null,
    task_id: id === call.id ? null : id,
    status: 'completed',
    // It may begin with the error or the limit that ended the agent.
    result:
      repeatsTexts(context) || outcome.mayHold('API') || outcome.mayHold('turn limit') ? resultText(outcome) : null,
    model: result.resolved_model,
    total_tokens: total_tokens ?? inText.total_tokens,
    tool_uses: tool_uses ?? inText.tool_uses,
    duration_ms: duration_ms ?? inText.duration_ms,
    worktree,
  });
}

/** A skill with `context: fork` is the work of an agent. */
export function skillUsed(context: Context, call: Call, outcome: ToolResult): void {
  const { id, name, status, result } = read(skillResult, outcome.brief(skillFields));
  if (!outcome.success || status !== 'forked' || id === null) return;
  const skill = name ?? textOf(call.input.skill);
  const tool_use_id = call.id || null;
  startAgent(context, atTime(call.at, call.calledAt), {
    id,
    description: skill === null ? null : `/${skill}`,
    parent: call.at.agent,
    tool_use_id,
    task_id: id,
    background: false,
  });
  finishAgent(context, call.at, id, { tool_use_id, task_id: id, status: 'completed', result });
}

const skillResult = {
  id: spelled(idOf, 'agentId'),
  name: spelled(textOf, 'commandName'),
  status: textOf,
  result: textOf,
};
const skillFields = picked(skillResult);

function resultText(outcome: ToolResult): string {
  const content = outcome.brief(onlyContent)?.content;
  return content === undefined ? outcome.text : textOfContent(content);
}

/** Results of Task and Agent in all versions, and their documented shape. */
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
  is_async: spelled(flagOf, 'isAsync'),
  total_tokens: spelled(wholeOf, 'totalTokens'),
  tool_uses: spelled(wholeOf, 'totalToolUseCount'),
  duration_ms: spelled(wholeOf, 'totalDurationMs'),
  worktree_path: spelled(textOf, 'worktreePath'),
  worktree_branch: spelled(textOf, 'worktreeBranch'),
  output_file: spelled(textOf, 'outputFile'),
  tmux_pane_id: textOf,
  plan_mode_required: flagOf,
};
const spawnFields = picked(spawnResult);
const onlyContent = { content: true } as const;
/** What the call said already. */
const repeated = { description: true, prompt: true } as const;
type SpawnResult = Read<typeof spawnResult>;
type Spawn = ReturnType<typeof readSpawn>;

function readSpawn(input: JsonObject, data: JsonObject | null, text: string) {
  const asked = spawnNews(input);
  const askedTeam = textOf(input.team_name);
  const result = read(spawnResult, data);
  const isTeammate = saysTeammate(result, text);
  return {
    asked,
    result,
    askedTeam,
    /** The canonical id; null if the result has none. */
    id:
      result.teammate_id ??
      result.agent_id ??
      result.task_id ??
      labelled(text, 'agent_id') ??
      labelled(text, 'agentId') ??
      labelled(text, 'Task ID'),
    name: result.name ?? (isTeammate ? labelled(text, 'name') : null) ?? asked.name,
    agentType: result.agent_type ?? asked.agent_type,
    model: result.model ?? asked.model,
    color: result.color ?? textOf(input.color),
    /** Whether the result says that it is a teammate. */
    isTeammate,
    /** The requested team, if the result does not name one. */
    team: result.team_name ?? labelled(text, 'team_name') ?? result.teammate_id?.split('@')[1] ?? askedTeam,
  };
}

/** If somebody stops an agent, its call returns an error, but the agent did not fail. */
function isInterrupted({ error, text }: ToolResult): boolean {
  return interruption.test(error ?? '') || interruption.test(text);
}
const interruption = /^\s*(?:User rejected tool use|The user doesn't want to proceed|\[Request interrupted by user)/;

function isLaunch({ status, is_async }: Pick<SpawnResult, 'status' | 'is_async'>, text: string): boolean {
  if (status !== null) return /launched|spawned|entered/.test(status);
  return is_async === true || /^(Async agent launched|Background task started|Remote agent launched)/.test(text);
}

/** In a created team, an agent spawned with a name is a teammate, even if a text result does not say so. */
function isTeammateCall(
  session: Session,
  { asked, result, askedTeam, id }: Spawn,
  outcome: ToolResult,
  text: string,
): boolean {
  const isAsked = asked.name !== null && askedTeam !== null && !session.implicit && askedTeam === session.team;
  return isAsked && id === null && outcome.data === null && !isLaunch(result, text);
}

/** Since 2.1.178 the team is not the requested one, and ids do not end with a team. */
function teamOf(session: Session, { result, id, team }: Spawn): string | null {
  if (result.team_name === null && id !== null && !id.includes('@')) return ownTeam(session);
  return team ?? session.team ?? ownTeam(session);
}

/** The id of a teammate in a created team. */
function addressOf(session: Session, name: string | null, team: string | null): string | null {
  return name === null || team === null || team === ownTeam(session) ? null : `${name}@${team}`;
}

/** The spawn result of a teammate names its team: that of the session, or one created outside the input. */
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

/** A pane such as `%14` means tmux. Otherwise the field is the name of the backend. */
function backendOf(pane: string | null): string | null {
  return pane?.startsWith('%') ? 'tmux' : pane || null;
}

function worktreeOf(result: SpawnResult, text: string): { path: string | null; branch: string | null } | null {
  const path = result.worktree_path ?? labelled(text, 'Worktree');
  const branch = result.worktree_branch ?? labelled(text, 'Branch');
  return path === null && branch === null ? null : { path, branch };
}

function saysTeammate({ status, teammate_id }: SpawnResult, text: string): boolean {
  if (status !== null) return status === 'teammate_spawned' || status === 'spawned';
  return teammate_id !== null || /^Spawned successfully/.test(text);
}
