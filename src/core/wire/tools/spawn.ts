import { textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { createTeam, finishAgent, nameLead, spawnNews, startAgent } from '../agents.js';
import type { Call, Context } from '../context.js';
import { canonical, type Session } from '../sessions.js';
import { read, type SpawnCallWire, type SpawnResultWire, spawnCallWire, spawnResultWire } from '../shapes.js';
import { labelled, type ToolResult, textOfContent, usageInText } from './tool-result.js';

/** Task and Agent calls: a teammate was spawned, an agent launched in the background, or one has done its work. */
export function spawned(context: Context, call: Call, outcome: ToolResult): void {
  const { at } = call;
  const { session } = at;
  const spawn = readSpawn(call.input, outcome);
  const { asked: input, told: result } = spawn;
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
  const id = spawn.id ?? result.name ?? addressOf(session, spawn.name, team) ?? standIn;
  // It came when it was called: the result of a foreground agent tells when it left.
  const called = { ...at, time: call.calledAt ?? at.time };
  if (team !== null) joinTeam(context, { ...call, at: called }, team);
  const background = teammate || isLaunch(result, outcome.text);
  const worktree = worktreeOf(result, outcome.text);
  startAgent(context, called, {
    ...spawnNews(input),
    description: input.description ?? result.description ?? null,
    prompt: input.prompt ?? result.prompt ?? null,
    id,
    kind: teammate ? 'teammate' : 'subagent',
    name: spawn.name,
    agent_type: spawn.agentType,
    model: spawn.model,
    color: spawn.color,
    worktree,
    tool_use_id: call.id || null,
    task_id:
      result.agentId ??
      result.taskId ??
      labelled(outcome.text, 'agentId') ??
      labelled(outcome.text, 'Task ID') ??
      (teammate ? (result.agent_id ?? null) : null),
    background,
    resumed: input.resume != null ? true : null,
    transcript_path: result.outputFile ?? labelled(outcome.text, 'output_file'),
    member: { backend: backendOf(result.tmux_pane_id), plan_mode_required: result.plan_mode_required ?? null },
  });
  // A status of the future is not guessed at.
  if (background || (result.status != null && result.status !== 'completed')) return;
  const isCounted = result.totalTokens != null && result.totalToolUseCount != null && result.totalDurationMs != null;
  const said = usageInText(isCounted ? '' : outcome.text);
  finishAgent(context, at, id, {
    tool_use_id: call.id || null,
    task_id: id === call.id ? null : id,
    status: 'completed',
    result: result.content === undefined ? outcome.text : textOfContent(result.content),
    model: result.resolvedModel ?? null,
    total_tokens: result.totalTokens ?? said.total_tokens,
    tool_uses: result.totalToolUseCount ?? said.tool_uses,
    duration_ms: result.totalDurationMs ?? said.duration_ms,
    worktree,
  });
}

/** The call of an agent that somebody stopped comes back as an error; the agent did not fail. */
function isInterrupted({ error, text }: ToolResult): boolean {
  return interruption.test(error ?? '') || interruption.test(text);
}
const interruption = /^\s*(?:User rejected tool use|The user doesn't want to proceed|\[Request interrupted by user)/;

function isLaunch(result: SpawnResultWire, text: string): boolean {
  if (result.status != null) return /launched|spawned|entered/.test(result.status);
  return result.isAsync === true || /^(Async agent launched|Background task started|Remote agent launched)/.test(text);
}

/** In a team that was created, who is spawned with a name is one of it; a result that is only text need not say so. */
function isTeammateCall(session: Session, { asked, id }: Spawn, { data, text }: ToolResult): boolean {
  const isAsked = asked.name != null && asked.team_name != null && asked.team_name === explicitTeam(session);
  return isAsked && id === null && data === null && !isLaunch({}, text);
}

/** Since 2.1.178 the team that is asked for is not the one that is got, and ids do not end in one. */
function teamOf(session: Session, { told, id, team }: Spawn): string | null {
  if (told.team_name == null && id !== null && !id.includes('@')) return implicitTeam(session);
  return team ?? session.team ?? implicitTeam(session);
}

/** The id that teammates of created teams have. */
function addressOf(session: Session, name: string | null, team: string | null): string | null {
  return name === null || team === null || team === implicitTeam(session) ? null : `${name}@${team}`;
}

function explicitTeam(session: Session): string | null {
  return session.implicit ? null : session.team;
}

function implicitTeam(session: Session): string | null {
  return session.id === null ? null : `session-${session.id.slice(0, 8)}`;
}

/** A teammate's spawn result names the team it joined: the session's own, or one whose creation is not in the input. */
function joinTeam(context: Context, call: Call, name: string): void {
  const { session } = call.at;
  if (session.lead === 'main') nameLead(context, call.at, `team-lead@${name}`);
  if (session.announced === name) return;
  createTeam(context, call.at, {
    name,
    protocol: name === implicitTeam(session) ? 'implicit' : 'team-create',
    lead_agent_id: session.lead,
    tool_use_id: call.id || null,
  });
}

/** A pane of its own, `%14`, is tmux; in-process says so. */
function backendOf(pane: string | null | undefined): string | null {
  return pane?.startsWith('%') ? 'tmux' : pane || null;
}

function worktreeOf(result: SpawnResultWire, text: string): { path: string | null; branch: string | null } | null {
  const path = result.worktreePath ?? labelled(text, 'Worktree');
  const branch = result.worktreeBranch ?? labelled(text, 'Branch');
  return path == null && branch == null ? null : { path: path ?? null, branch: branch ?? null };
}

// What a Task or Agent call and its result say of the agent it spawned.

export interface Spawn {
  asked: SpawnCallWire;
  told: SpawnResultWire;
  /** The canonical one: teammate_id, else agent_id, else agentId; null when the result has none of them. */
  id: string | null;
  name: string | null;
  agentType: string | null;
  model: string | null;
  color: string | null;
  /** The result says that it is one of a team. */
  isTeammate: boolean;
  /** The team that was asked for, where the result names none. */
  team: string | null;
}

export function readSpawn(input: JsonObject, { data, text }: ToolResult): Spawn {
  const asked = read(spawnCallWire, input);
  const told = read(spawnResultWire, data);
  const isTeammate = saysTeammate(told, text);
  return {
    asked,
    told,
    id: agentId(told, text),
    name: told.name ?? (isTeammate ? labelled(text, 'name') : null) ?? asked.name ?? null,
    agentType: told.agent_type ?? told.agentType ?? asked.subagent_type ?? null,
    model: told.resolvedModel ?? told.model ?? asked.model ?? null,
    color: told.color ?? null,
    isTeammate,
    team: told.team_name ?? labelled(text, 'team_name') ?? told.teammate_id?.split('@')[1] ?? textOf(input.team_name),
  };
}

function agentId(told: SpawnResultWire, text: string): string | null {
  const said = told.teammate_id ?? told.agent_id ?? told.agentId ?? told.taskId;
  return said ?? labelled(text, 'agent_id') ?? labelled(text, 'agentId') ?? labelled(text, 'Task ID');
}

function saysTeammate(told: SpawnResultWire, text: string): boolean {
  if (told.status != null) return told.status === 'teammate_spawned' || told.status === 'spawned';
  return told.teammate_id != null || /^Spawned successfully/.test(text);
}
