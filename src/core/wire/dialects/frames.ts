// `system` frames and the other top-level types of a stream (wire/format 1.2 and 1.3).

import type { Own } from '../../event/event.js';
import { idOf, objectOf, textOf, textsOf, timeOf } from '../../record/fields.js';
import { type Context, type Origin, turnsOf } from '../context.js';
import { fieldsOf } from '../free-fields.js';
import { isTranscriptRow } from '../kind.js';
import { initWire, read, resultWire } from '../shapes.js';
import { retract } from './conversation.js';
import { hook } from './hooks.js';
import { taskFrame } from './task-frames.js';
import { modelUsageOf, usageOf } from './usage.js';

const systemFrames = new Set(
  (
    'init compact_boundary status task_started task_progress task_updated task_notification background_tasks_changed hook_started hook_progress hook_response ' +
    'files_persisted session_state_changed api_retry permission_denied thinking_tokens model_refusal_fallback model_refusal_no_fallback informational notification ' +
    'local_command_output commands_changed plugin_install memory_recall elicitation_complete mirror_error control_request_progress worker_shutting_down session_writes_lost ' +
    'start end post_turn_summary task_summary api_error turn_duration stop_hook_summary local_command microcompact_boundary away_summary bridge_status agents_killed scheduled_task_fire model_consent_fallback'
  ).split(' '),
);

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

const otherFrames = new Set(
  'tool_progress tool_use_summary auth_status prompt_suggestion active_goal streamlined_text streamlined_tool_use_summary post_turn_summary task_summary transcript_mirror command_lifecycle queued_notification'.split(
    ' ',
  ),
);

const conversation = new Set(
  'assistant user system result stream_event keep_alive rate_limit_event conversation_reset control_request control_response control_cancel_request'.split(
    ' ',
  ),
);

/** Whether a record is of a type, and a frame of a subtype, that was ever seen or declared. */
export function isKnown(
  kind: 'hook' | 'spawn' | 'stream' | 'transcript',
  type: string,
  subtype: string | null,
): boolean {
  if (kind === 'hook' || kind === 'spawn') return true;
  if (type === 'system') return subtype === null || systemFrames.has(subtype);
  return conversation.has(type) || (kind === 'stream' ? otherFrames.has(type) : isTranscriptRow(type));
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
  const said = read(initWire, at.record);
  sessionStarted(context, at, {
    model: said.model ?? null,
    cwd: said.cwd ?? null,
    claude_code_version: said.claude_code_version ?? null,
    permission_mode: said.permissionMode ?? null,
    tools: said.tools ?? null,
    agents: said.agents ?? null,
    mcp_servers: said.mcp_servers ?? null,
    api_key_source: said.apiKeySource ?? null,
    slash_commands: said.slash_commands ?? null,
    git_branch: null,
    transcript: false,
  });
  at.session.streamed = true;
  const { inits } = turnsOf(context, at.session.id);
  const uuid = idOf(at.record.uuid);
  const id = uuid ?? `init ${inits.size + 1}`;
  const turn = inits.get(id) ?? inits.size + 1;
  inits.set(id, turn);
  context.emit(at, 'turn:started', { turn, turn_id: uuid, transcript: false });
}

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
  const said = read(resultWire, at.record);
  const origin = objectOf(said.origin);
  const ended = timeOf(origin?.timestamp) ?? at.time;
  context.emit({ ...at, time: ended }, 'session:ended', {
    result_id: idOf(said.uuid),
    subtype: said.subtype ?? null,
    is_error: said.is_error ?? null,
    terminal_reason: said.terminal_reason ?? said.startup_failure_reason ?? null,
    stop_reason: said.stop_reason ?? null,
    api_error_status: said.api_error_status ?? null,
    duration_ms: said.duration_ms ?? null,
    duration_api_ms: said.duration_api_ms ?? null,
    num_turns: said.num_turns ?? null,
    total_cost_usd: said.total_cost_usd ?? null,
    usage: usageOf(said.usage),
    model_usage: modelUsageOf(said.modelUsage),
    model_usage_since_last_result: modelUsageOf(said.model_usage_since_last_result),
    result: said.result ?? null,
    structured_output: said.structured_output ?? null,
    errors: said.errors ?? null,
    permission_denials: said.permission_denials ?? null,
    result_index: said.result_index ?? null,
    origin,
  });
}

/** control_request, control_response, control_cancel_request: paired by request_id. */
export function control(context: Context, at: Origin, type: string): void {
  const { record } = at;
  const request = objectOf(record.request) ?? {};
  const response = objectOf(record.response) ?? {};
  const id = idOf(record.request_id) ?? idOf(response.request_id);
  if (type === 'control_request') {
    const subtype = textOf(request.subtype);
    if (id !== null && !context.seen.add(`${type} ${id}`)) return;
    if (id !== null) context.controls.set(id, subtype ?? '');
    const { type: _type, subtype: _subtype, ...fields } = fieldsOf(request);
    const own = { request_id: id, subtype, error: null };
    context.emit(context.within(at, { agent_id: request.agent_id }), 'control:requested', {
      ...own,
      ...fields,
      ...own,
    });
    const input = objectOf(request.input);
    if (subtype === 'hook_callback' && typeof input?.hook_event_name === 'string')
      hook(context, context.within(at, input));
    return;
  }
  if (id !== null && !context.seen.add(`${type} ${id}`)) return;
  const subtype = context.controls.get(id ?? '') || null;
  if (id !== null) context.controls.delete(id);
  if (type === 'control_cancel_request')
    return context.emit(at, 'control:cancelled', { request_id: id, subtype, error: null });
  context.emit(at, 'control:responded', {
    request_id: id,
    subtype,
    error: textOf(response.error),
    success: response.subtype !== 'error',
    response: response.response ?? null,
  });
}

/** Spawn tracker records: a pending spawn, then the session state that carries its id. */
export function spawn(context: Context, at: Origin): void {
  const { record } = at;
  const spawn_id = idOf(record.spawn_id);
  const when = { ...at, time: timeOf(record.timestamp) ?? at.time };
  if (typeof record.project_path === 'string' && record.session_id === undefined) {
    return context.emit({ ...when, agent: null }, 'spawn:requested', {
      spawn_id,
      project_path: record.project_path,
      agent_type: textOf(record.agent_type),
    });
  }
  context.emit({ ...when, agent: textOf(record.agent) }, 'spawn:linked', {
    spawn_id,
    project: textOf(record.project),
    zellij_session: textOf(record.zellij_session),
    zellij_pane: idOf(record.zellij_pane),
  });
}
