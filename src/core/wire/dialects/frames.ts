// `system` frames and the other top-level types of a stream.

import type { Own } from '../../event/event.js';
import { countOf, flagOf, idOf, listOf, objectOf, textOf, textsOf, timeOf } from '../../record/fields.js';
import { type Context, type Origin, turnsOf, within } from '../context.js';
import { fieldsOf, filledOf, jsonOf, onlyTextsOf, read, spelled } from '../read.js';
import { retract } from './conversation.js';
import { hook } from './hooks.js';
import { taskFrame } from './task-frames.js';
import { modelUsageOf, usageOf } from './usage.js';

export function system(context: Context, at: Origin): void {
  const { record } = at;
  const subtype = textOf(record.subtype);
  // Rows of 1.0.x that tell how a hook went are just that: system.
  if (subtype === null) return context.emit(at, 'session:changed', fieldsOf(record));
  if (subtype === 'init') return init(context, at);
  if (subtype.startsWith('task_') && subtype !== 'task_summary') return taskFrame(context, at, subtype);
  if (subtype === 'compact_boundary') return context.emit(at, 'session:compacted', fieldsOf(record));
  if (subtype === 'api_retry' || subtype === 'api_error') return context.emit(at, 'session:retried', fieldsOf(record));
  if (subtype.startsWith('hook_'))
    return context.emit(at, 'hook:fired', { ...fieldsOf(record), hook: textOf(record.hook_event) });
  context.emit(at, 'session:changed', { ...fieldsOf(record), type: 'system', subtype });
  if (subtype === 'model_refusal_fallback') retract(context, at, textsOf(record.retracted_message_uuids));
}

/** Types that stand beside system, assistant, user and result. */
export function otherFrame(context: Context, at: Origin, type: string): void {
  if (type === 'keep_alive') return;
  if (type === 'rate_limit_event') return context.emit(at, 'session:limited', fieldsOf(at.record));
  if (type === 'conversation_reset') return context.emit(at, 'session:reset', fieldsOf(at.record));
  context.emit(at, 'session:changed', { ...fieldsOf(at.record), type });
}

export function unknown(context: Context, at: Origin): void {
  const uuid = idOf(at.record.uuid);
  if (uuid !== null && !context.seen.add(`unknown ${uuid}`)) return;
  context.emit(at, 'unknown', { type: textOf(at.record.type), subtype: textOf(at.record.subtype), raw: at.record });
}

/** Each init starts a turn; what it says of the session is news only when something changed. */
function init(context: Context, at: Origin): void {
  sessionStarted(context, at, { ...read(initFrame, at.record), git_branch: null, transcript: false });
  at.session.streamed = true;
  const { inits } = turnsOf(context, at.session.id);
  const uuid = idOf(at.record.uuid);
  const id = uuid ?? `init ${inits.size + 1}`;
  const turn = inits.get(id) ?? inits.size + 1;
  inits.set(id, turn);
  context.emit(at, 'turn:started', { turn, turn_id: uuid, transcript: false });
}

const initFrame = {
  model: textOf,
  cwd: textOf,
  claude_code_version: textOf,
  permission_mode: spelled(textOf, 'permissionMode'),
  tools: onlyTextsOf,
  agents: onlyTextsOf,
  mcp_servers: listOf,
  api_key_source: spelled(textOf, 'apiKeySource'),
  slash_commands: onlyTextsOf,
};

/** What transcripts and hooks do not say of a session. */
export const noSession: Own<'session:started'> = { ...read(initFrame, null), git_branch: null, transcript: true };

export function sessionStarted(context: Context, at: Origin, said: Own<'session:started'>): void {
  const before = at.session.started;
  const now = before === null ? said : keepKnown(before, said);
  if (before !== null && JSON.stringify(before) === JSON.stringify(now)) return;
  at.session.started = now;
  context.emit(at, 'session:started', now);
}

/** A record that does not say a field leaves it as it was; once a stream is seen, it stays one. */
function keepKnown(before: Own<'session:started'>, said: Own<'session:started'>): Own<'session:started'> {
  const news = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
  return { ...before, ...news, transcript: before.transcript && said.transcript };
}

export function result(context: Context, at: Origin): void {
  const said = read(resultFrame, at.record);
  context.emit({ ...at, time: timeOf(said.origin?.timestamp) ?? at.time }, 'session:ended', said);
}

const resultFrame = {
  result_id: spelled(filledOf, 'uuid'),
  subtype: textOf,
  is_error: flagOf,
  terminal_reason: spelled(textOf, 'terminal_reason', 'startup_failure_reason'),
  stop_reason: textOf,
  api_error_status: jsonOf,
  duration_ms: countOf,
  duration_api_ms: countOf,
  num_turns: countOf,
  total_cost_usd: countOf,
  usage: usageOf,
  model_usage: spelled(modelUsageOf, 'modelUsage'),
  model_usage_since_last_result: modelUsageOf,
  result: textOf,
  structured_output: jsonOf,
  errors: listOf,
  permission_denials: listOf,
  result_index: countOf,
  origin: objectOf,
};

/** control_request, control_response, control_cancel_request: paired by request_id. */
export function control(context: Context, at: Origin, type: string): void {
  const { record } = at;
  const { controls } = context.memory;
  const request = objectOf(record.request) ?? {};
  const response = objectOf(record.response) ?? {};
  const request_id = idOf(record.request_id) ?? idOf(response.request_id);
  if (request_id !== null && !context.seen.add(`${type} ${request_id}`)) return;
  if (type === 'control_request') {
    const subtype = textOf(request.subtype);
    if (request_id !== null) controls.set(request_id, subtype ?? '');
    const { type: _type, subtype: _subtype, ...fields } = fieldsOf(request);
    const own = { request_id, subtype, error: null };
    const by = within(context, at, { agent_id: request.agent_id });
    context.emit(by, 'control:requested', { ...own, ...fields, ...own });
    const input = objectOf(request.input);
    if (subtype === 'hook_callback' && typeof input?.hook_event_name === 'string')
      hook(context, within(context, at, input));
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

/** Spawn tracker records: a pending spawn, then the session state that carries its id. */
export function spawn(context: Context, at: Origin): void {
  const { record } = at;
  const isPending = typeof record.project_path === 'string' && record.session_id === undefined;
  if (isPending) return context.emit({ ...at, agent: null }, 'spawn:requested', read(pendingSpawn, record));
  context.emit({ ...at, agent: textOf(record.agent) }, 'spawn:linked', read(linkedSpawn, record));
}

const pendingSpawn = { spawn_id: idOf, project_path: textOf, agent_type: textOf };
const linkedSpawn = { spawn_id: idOf, project: textOf, zellij_session: textOf, zellij_pane: idOf };
