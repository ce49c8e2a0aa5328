// Turns `system` frames, results, control requests and the other top-level types of a stream into events.

import type { Own } from '../../event/event.js';
import { isAgentWork } from '../../event/work.js';
import {
  countOf,
  flagOf,
  idOf,
  type JsonObject,
  listOf,
  moneyOf,
  objectOf,
  textOf,
  textsOf,
  timeOf,
  wholeOf,
} from '../../record/json.js';
import {
  changed,
  finishAgent,
  finishWork,
  saysAgent,
  spawnNews,
  startAgent,
  startWork,
  whose,
  workOf,
} from '../agents.js';
import { atTime, type Context, type Origin, ofAgent, passTime, turnsOf, type Waiting, within } from '../context.js';
import { fieldsOf, filledOf, onlyTextsOf, read, whole } from '../read.js';
import { alias, canonical, nameOf } from '../sessions.js';
import { isSpawnTool, startsAgents } from '../tools/table.js';
import { ParsedRecord } from '../view.js';
import { retract } from './conversation.js';
import { hasFailed, hook, hookEnd } from './hooks.js';
import { modelUsageOf, usageOf } from './usage.js';
import { endWorkflow, workflowAgents, workflowType } from './workflows.js';

export function system(context: Context, at: Origin): void {
  const { record } = at;
  const { subtype } = record;
  // Rows of 1.0.x about the result of a hook have no subtype.
  if (subtype === null) return changedBy(context, at, {});
  if (subtype === 'init') return init(context, at);
  if (subtype.startsWith('task_') && subtype !== 'task_summary') return taskFrame(context, at, subtype);
  if (subtype === 'compact_boundary') {
    if (!context.isWanted(at, 'session:compacted')) return;
    return context.emit(at, 'session:compacted', { compaction_id: record.uuid, ...fieldsOf(record.whole()) });
  }
  if (subtype === 'api_retry' || subtype === 'api_error') return passOn(context, at, 'session:retried');
  if (subtype.startsWith('hook_')) {
    if (!context.isWanted(at, 'hook:fired')) return;
    // Of hooks that passed, nothing is told.
    if (context.content === 'brief' && !hasFailed(record.pick(hookEnd))) return passTime(context, at.time);
    // Only the end of a session changes anything.
    if (context.content === 'none' && context.detail === 'rows' && record.pick(hookName).hook_event !== 'SessionEnd')
      return passTime(context, at.time);
    const fields = fieldsOf(record.whole());
    return context.emit(at, 'hook:fired', { ...fields, hook: textOf(record.whole().hook_event) });
  }
  changedBy(context, at, { type: 'system', subtype });
  if (subtype === 'model_refusal_fallback') retract(context, at, textsOf(record.whole().retracted_message_uuids));
}

const hookName = { hook_event: true } as const;

/** Passes on a frame or row that is not interpreted. Without content, only its type; titles are short, and kept. */
export function changedBy(
  context: Context,
  at: Origin,
  own: { readonly type?: string | null; readonly subtype?: string | null },
): void {
  if (!context.isWanted(at, 'session:changed')) return;
  const { record } = at;
  const name = own.subtype ?? own.type ?? '';
  const isTold = context.content === 'brief' && told.has(name);
  // Of nearly all rows and frames nothing is told.
  if (context.content === 'brief' && !isTold && !saysByItself.has(own.subtype ?? record.subtype))
    return passTime(context, at.time);
  const isKept = context.content === 'all' || titles.has(name) || isTold;
  const fields = isKept ? fieldsOf(record.whole()) : { type: record.type, subtype: record.subtype };
  context.emit(at, 'session:changed', { ...fields, ...own });
}

/** Those that a story tells. */
const told: ReadonlySet<string> = new Set(['tool_progress', 'model_fallback', 'model_refusal_fallback']);
/** Those that say by their name alone what a story tells. */
const saysByItself: ReadonlySet<string | null> = new Set(['interrupted', 'api_error', 'retracted']);
const titles: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary', 'session_title_changed']);

function passOn(context: Context, at: Origin, event: 'session:retried' | 'session:limited' | 'session:reset'): void {
  if (context.isWanted(at, event)) context.emit(at, event, fieldsOf(at.record.whole()));
}

/** Types other than system, assistant, user and result. */
export function otherFrame(context: Context, at: Origin, type: string): void {
  if (type === 'keep_alive') return;
  if (type === 'rate_limit_event') return passOn(context, at, 'session:limited');
  if (type === 'conversation_reset') return passOn(context, at, 'session:reset');
  changedBy(context, at, { type });
}

export function unknown(context: Context, at: Origin): void {
  const { uuid, subtype } = at.record;
  if (uuid !== null && !context.seen.add(`unknown ${uuid}`)) return;
  if (!context.wants('unknown')) return;
  const raw = at.record.whole();
  context.emit(at, 'unknown', { type: textOf(raw.type), subtype, raw });
}

/** A session as its init tells it. */
function announced(program: string, init: JsonObject): Own<'session:started'> {
  return {
    program,
    model: textOf(init.model),
    cwd: textOf(init.cwd),
    claude_code_version: textOf(init.claude_code_version),
    permission_mode: textOf(init.permissionMode),
    tools: onlyTextsOf(init.tools),
    agents: onlyTextsOf(init.agents),
    mcp_servers: listOf(init.mcp_servers),
    api_key_source: textOf(init.apiKeySource),
    slash_commands: onlyTextsOf(init.slash_commands),
    git_branch: null,
    transcript: false,
  };
}

/** The fields of a session that transcripts and hooks do not have. */
export const noSession: Own<'session:started'> = { ...announced('claude', {}), transcript: true };

/** The names of the fields of a session. */
const sessionFields = Object.keys(noSession) as (keyof Own<'session:started'>)[];

export function sessionStarted(context: Context, at: Origin, own: Own<'session:started'>): void {
  const before = at.session.started;
  const now = before === null ? own : keepKnown(before, own);
  if (before !== null && sessionFields.every((name) => isSame(before[name], now[name]))) return;
  at.session.started = now;
  context.emit(at, 'session:started', now);
}

export function result(context: Context, at: Origin): void {
  const record = at.record.whole();
  const origin = objectOf(record.origin);
  const own: Own<'session:ended'> = {
    result_id: filledOf(record.uuid),
    subtype: textOf(record.subtype),
    is_error: flagOf(record.is_error),
    terminal_reason: textOf(record.terminal_reason) ?? textOf(record.startup_failure_reason),
    stop_reason: textOf(record.stop_reason),
    api_error_status: record.api_error_status ?? null,
    duration_ms: wholeOf(record.duration_ms),
    duration_api_ms: wholeOf(record.duration_api_ms),
    num_turns: wholeOf(record.num_turns),
    total_cost_usd: moneyOf(record.total_cost_usd),
    usage: usageOf(record.usage),
    model_usage: modelUsageOf(record.modelUsage),
    model_usage_since_last_result: modelUsageOf(record.model_usage_since_last_result),
    result: textOf(record.result),
    structured_output: record.structured_output ?? null,
    errors: listOf(record.errors),
    permission_denials: listOf(record.permission_denials),
    result_index: wholeOf(record.result_index),
    origin,
  };
  const stats = objectOf(record.subagent_stats);
  if (stats !== null) own.subagent_stats = stats;
  context.emit(atTime(at, timeOf(origin?.timestamp) ?? at.time), 'session:ended', own);
}

/** control_request, control_response and control_cancel_request are matched by request_id. */
export function control(context: Context, at: Origin, type: string): void {
  const record = at.record.whole();
  const { controls } = context.memory;
  const request = objectOf(record.request) ?? {};
  const response = objectOf(record.response) ?? {};
  const request_id = idOf(record.request_id) ?? idOf(response.request_id);
  if (request_id !== null && !context.seen.add(`${type} ${request_id}`)) return;
  if (type === 'control_request') {
    const subtype = textOf(request.subtype);
    if (request_id !== null) controls.set(request_id, subtype ?? '');
    if (context.isWanted(at, 'control:requested')) {
      const { type: _type, subtype: _subtype, ...fields } = fieldsOf(request);
      const own = { request_id, subtype, error: null };
      const by = within(context, at, new ParsedRecord({ agent_id: request.agent_id }));
      context.emit(by, 'control:requested', { ...own, ...fields, ...own });
    }
    const input = objectOf(request.input);
    if (subtype === 'hook_callback' && typeof input?.hook_event_name === 'string')
      hook(context, within(context, at, new ParsedRecord(input)));
    return;
  }
  const subtype = controls.get(request_id ?? '') || null;
  if (request_id !== null) controls.delete(request_id);
  if (type === 'control_cancel_request')
    return context.emit(at, 'control:cancelled', { request_id, subtype, error: null });
  context.emit(at, 'control:responded', {
    request_id,
    subtype,
    error: textOf(response.error),
    success: response.subtype !== 'error',
    response: response.response ?? null,
  });
}

/** Whether Claude Code asks its host, which answers on stdin. Otherwise the host asks, and the answer is on stdout. */
export function isForHost(subtype: string | null): boolean {
  return hostRequests.has(subtype ?? '');
}
const hostRequests = new Set(['can_use_tool', 'hook_callback', 'mcp_message', 'elicitation', 'request_user_dialog']);

/** Records of a spawn tracker: a pending spawn, then the session with the same id. */
export function spawn(context: Context, at: Origin): void {
  const record = at.record.whole();
  const isPending = typeof record.project_path === 'string' && record.session_id === undefined;
  if (isPending) return context.emit({ ...at, agent: null }, 'spawn:requested', read(pendingSpawn, record));
  context.emit({ ...at, agent: textOf(record.agent) }, 'spawn:linked', read(linkedSpawn, record));
}

const pendingSpawn = { spawn_id: idOf, project_path: textOf, agent_type: textOf };
const linkedSpawn = { spawn_id: idOf, project: textOf, zellij_session: textOf, zellij_pane: idOf };

/** Each init starts a turn. The session is announced again only if something changed. */
function init(context: Context, at: Origin): void {
  sessionStarted(context, at, announced(context.program, at.record.whole()));
  at.session.streamed = true;
  const { inits } = turnsOf(context, at.session.id);
  const { uuid } = at.record;
  const id = uuid ?? `init ${inits.size + 1}`;
  const turn = inits.get(id) ?? inits.size + 1;
  inits.set(id, turn);
  context.emit(at, 'turn:started', { turn, turn_id: uuid, transcript: false });
}

/** A null field keeps its earlier value. A session that was seen as a stream stays a stream. */
function keepKnown(before: Own<'session:started'>, own: Own<'session:started'>): Own<'session:started'> {
  const now: Record<string, unknown> = { ...before };
  for (const name of sessionFields) if (own[name] !== null) now[name] = own[name];
  return { ...before, ...now, transcript: before.transcript && own.transcript };
}

/** Texts and lists of texts, mostly; anything else is compared as it would be written. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  return typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b);
}

function readTaskFrame(record: JsonObject) {
  return {
    task_id: textOf(record.task_id),
    tool_use_id: textOf(record.tool_use_id),
    task_type: textOf(record.task_type),
    run_id: textOf(record.run_id),
    description: textOf(record.description),
    agent_type: textOf(record.subagent_type),
    prompt: textOf(record.prompt),
    background: flagOf(record.is_backgrounded),
    parent_task_id: textOf(record.parent_task_id),
    ambient: flagOf(record.ambient),
    skip_transcript: flagOf(record.skip_transcript),
    last_tool: textOf(record.last_tool_name),
    summary: textOf(record.summary),
    output_file: textOf(record.output_file),
    workflow_progress: listOf(record.workflow_progress),
    status: textOf(record.status),
    usage: taskUsage(record.usage),
    patch: taskPatch(record.patch),
  };
}
type TaskFrame = ReturnType<typeof readTaskFrame>;

const taskUsage = whole({ total_tokens: wholeOf, tool_uses: wholeOf, duration_ms: wholeOf });
const taskPatch = whole({
  status: textOf,
  description: textOf,
  end_time: countOf,
  error: textOf,
  is_backgrounded: flagOf,
});

/** task_started, task_progress, task_updated and task_notification of an agent, shell, monitor or workflow. */
function taskFrame(context: Context, at: Origin, subtype: string): void {
  const frame = readTaskFrame(at.record.whole());
  const call = context.calls.named(frame.tool_use_id);
  const found = agentOf(at, frame, call);
  if (subtype === 'task_started') return started(context, at, frame, call, found);
  const id = found === null ? null : ensureKnown(context, at, frame, found);
  const patched = frame.patch?.status ?? null;
  if (subtype === 'task_notification') ended(context, at, frame, id, frame.status);
  else if (subtype === 'task_updated' && isTerminal(patched)) ended(context, at, frame, id, patched);
  else progressed(context, at, frame, id);
}

/** A task_started of 2.1.47 in a transcript; false if it is none. */
export function workStarted(context: Context, at: Origin, record: JsonObject): boolean {
  const frame = readTaskFrame(record);
  const call = context.calls.named(frame.tool_use_id);
  if (frame.task_type === null || call === undefined) return false;
  started(context, at, frame, call, agentOf(at, frame, call));
  return true;
}

/** The agent of a frame; null if the work is not an agent. */
function agentOf(at: Origin, frame: TaskFrame, call: Waiting | undefined): string | null {
  const { session } = at;
  const task = frame.task_id ?? '';
  const known = canonical(session, task);
  if (session.agents.has(known)) return known;
  // Only the first frame of a shell or workflow has its type.
  if (session.work.has(task) || frame.workflow_progress !== null) return null;
  if (!isAgentTask(frame.task_type, call)) return null;
  const byCall = frame.tool_use_id === null ? undefined : session.aliases.get(frame.tool_use_id);
  if (byCall !== undefined && session.agents.has(byCall)) return byCall;
  // If the start of the work is not in the input: only agents have a type and tokens.
  const isAgent =
    frame.task_type !== null ||
    call !== undefined ||
    byCall !== undefined ||
    frame.agent_type !== null ||
    saysAgent(frame.summary, frame.usage?.total_tokens);
  return isAgent && task !== '' ? task : null;
}

/** False for shells, monitors and workflows. For a frame without a type, the call decides. */
function isAgentTask(type: string | null, call: Waiting | undefined): boolean {
  return type ? isAgentWork(type) : call === undefined || startsAgents(call.tool);
}

/** Starts an agent whose spawn is not in the input, from the fields of the frame. */
function ensureKnown(context: Context, at: Origin, frame: TaskFrame, id: string): string {
  if (at.session.agents.has(id)) return id;
  const { task_id, tool_use_id, run_id, agent_type, description } = frame;
  const own = { task_id, tool_use_id, run_id, agent_type };
  // 2.1.140 ends a teammate with a notification whose summary is `writer@report-crew`.
  const mate = /^([^@\s]+)@([^@\s]+)$/.exec(frame.summary ?? '');
  if (mate === null) return startAgent(context, at, { ...own, id, description }).id;
  at.session.team ??= mate[2] ?? null;
  return startAgent(context, at, { ...own, id: mate[0], kind: 'teammate', name: mate[1] ?? null }).id;
}

function started(context: Context, at: Origin, frame: TaskFrame, call: Waiting | undefined, id: string | null): void {
  const { description, prompt, agent_type, tool_use_id, task_id, task_type, run_id, background } = frame;
  // An agent that wakes another one with a message did not start it.
  const caller = call === undefined || (startsAgents(call.tool) && !isSpawnTool(call.tool)) ? null : call.at.agent;
  const parent = frame.parent_task_id === null ? caller : canonical(at.session, frame.parent_task_id);
  const ambient = frame.ambient === true || frame.skip_transcript === true;
  const own = { description, prompt, agent_type, parent, tool_use_id, task_id, task_type, run_id, background, ambient };
  const byParent = ofAgent(at, parent ?? at.agent);
  if (id === null) return startWork(context, atTime(byParent, at.time ?? call?.calledAt ?? null), own);
  const isTeammate = /teammate/.test(task_type ?? '');
  if (call === undefined || !isSpawnTool(call.tool)) {
    // If a message resumed the agent, the prompt is that message, and the agent keeps its name. If the spawn is not in
    // the input: the description of a teammate begins with its name.
    const mate = isTeammate ? /^([^:\s]+): /.exec(description ?? '')?.[1] : undefined;
    startAgent(context, byParent, {
      ...own,
      id,
      description: at.session.agents.get(id)?.description ?? description,
      ...(mate === undefined ? {} : { kind: 'teammate', name: mate }),
    });
    return;
  }
  call.seen = true;
  // The call's result, which comes later, has the name.
  if (isTeammate) return alias(at.session, task_id, call.id);
  const asked = spawnNews(call.input);
  startAgent(context, ofAgent(at, call.at.agent, at.time ?? call.calledAt), {
    id,
    agent_type: agent_type ?? asked.agent_type,
    name: asked.name,
    model: asked.model,
    description: asked.description ?? description,
    prompt: prompt ?? asked.prompt,
    mode: asked.mode,
    isolation: asked.isolation,
    parent,
    tool_use_id,
    task_id,
    task_type,
    run_id,
    background: background ?? asked.background,
    ambient,
  });
}

function ended(context: Context, at: Origin, frame: TaskFrame, id: string | null, status: string | null): void {
  const own = progressOf(frame, status, frame.summary ?? frame.patch?.error ?? null);
  const when = atTime(at, at.time ?? timeOf(frame.patch?.end_time));
  if (id === null) {
    // Up to 2.1.178 an agent's long shell has frames too. Only the output of one in the background is in a file.
    if (status === 'completed' && frame.output_file === '') notInBackground(context, when, frame);
    if (frame.task_id !== null) endWorkflow(context, when, frame.task_id, status === 'completed' ? status : 'stopped');
    return finishWork(context, when, own);
  }
  finishAgent(context, when, id, own);
  if (at.session.agents.get(id)?.kind === 'teammate')
    changed(context, ofAgent(when, id), 'team:member:shutdown', nameOf(at.session, id), null);
}

function notInBackground(context: Context, at: Origin, frame: TaskFrame): void {
  const { agent, task_type } = whose(at, frame.task_id);
  const own = progressOf(frame, null, null);
  own.task_type = task_type;
  context.emit(ofAgent(at, agent), 'agent:progressed', { ...own, background: false, last_tool: null });
}

function progressed(context: Context, at: Origin, frame: TaskFrame, id: string | null): void {
  if (id !== null) alias(at.session, frame.tool_use_id, id);
  const { task_id, tool_use_id, summary } = frame;
  // The stream began after the start of the workflow.
  if (frame.workflow_progress !== null)
    startWork(context, at, { task_id, tool_use_id, task_type: workflowType, description: summary, background: true });
  else if (!context.isWanted(at, 'agent:progressed')) return;
  const owner = whose(at, task_id);
  if (frame.workflow_progress !== null)
    workflowAgents(context, ofAgent(at, owner.agent), frame.workflow_progress, task_id);
  const { patch, last_tool } = frame;
  const own = progressOf(frame, patch?.status ?? null, summary ?? patch?.description ?? frame.description);
  own.task_type ??= owner.task_type;
  const background = patch?.is_backgrounded ?? null;
  context.emit(ofAgent(at, id ?? owner.agent), 'agent:progressed', { ...own, background, last_tool });
}

function progressOf(frame: TaskFrame, status: string | null, summary: string | null): Own<'agent:finished'> {
  const { task_id, task_type, run_id, tool_use_id, usage } = frame;
  const { total_tokens = null, tool_uses = null, duration_ms = null } = usage ?? {};
  return workOf({ task_id, task_type, run_id, tool_use_id, status, summary, total_tokens, tool_uses, duration_ms });
}

function isTerminal(status: string | null): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped';
}
