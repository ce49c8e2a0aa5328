// Describes every event that `cct normalize` writes. Types, validation, schemas and the manual are made from this.
import {
  exactly,
  fits,
  flag,
  json,
  listOf,
  loose,
  mapOf,
  maybeFlag,
  maybeNumber,
  maybeText,
  means,
  number,
  type ObjectField,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
  texts,
  type ValueOf,
} from '../record/describe.js';
import type { JsonObject } from '../record/json.js';
import { type EventName, isEventName } from './names.js';
import { runEvents } from './run-events.js';
import { reportedUsage, tokens, usageMessageRow } from './usage-row.js';

export { type EventName, eventNames, isEventName } from './names.js';
export type { ReportedUsage as ModelUsage, Tokens } from './usage-row.js';

/** What a call of a team tool is about. */
export type TeamCategory = 'team_state_change' | 'team_task_update' | 'team_message';

export const envelope = {
  cct: means(exactly(1), 'schema version'),
  seq: means(number, 'number of the event in the stream, whatever is filtered out'),
  time: means(maybeText, 'time in ISO 8601, UTC; null if the record has none'),
  session_id: maybeText,
  team: means(maybeText, 'name of the team that the session works in'),
  agent: means(
    maybeText,
    'agent that did it: main, team-lead@<team>, an agent id, or the id of the call that spawned it',
  ),
  line: means(maybeNumber, 'line number in the input, from 1'),
  source: means(optional(text), 'name of the file, if several are read'),
};

/** Names of the fields every event has. No field of a record may use one of them. */
export const envelopeNames: readonly string[] = [...Object.keys(envelope), 'event', 'raw'];

export const member = object({
  name: maybeText,
  agent_id: maybeText,
  agent_type: maybeText,
  model: maybeText,
  color: maybeText,
  kind: orNull(oneOf(['lead', 'teammate', 'subagent'])),
  cwd: maybeText,
  backend: maybeText,
  plan_mode_required: maybeFlag,
  active: means(maybeFlag, 'whether the config file marks it as active'),
});

/** A change of a task in one record. null means no change; lists are added to the known ones. */
export const taskChange = object({
  id: text,
  subject: maybeText,
  description: maybeText,
  active_form: maybeText,
  status: maybeText,
  owner: maybeText,
  blocked_by: orNull(texts),
  blocks: orNull(texts),
  metadata: means(orNull(mapOf(json)), 'merged with known metadata; a null value deletes the key'),
});

/** What becomes of them: core/tables/sends.ts. */
export const messageStatuses = ['sent', 'delivered', 'failed', 'open'] as const;

export const message = object({
  type: text,
  from: maybeText,
  to: maybeText,
  recipients: texts,
  summary: maybeText,
  content: maybeText,
  request_id: maybeText,
  approve: maybeFlag,
  status: oneOf(messageStatuses),
  error: maybeText,
  error_code: maybeText,
  delivered_at: maybeText,
  tool_use_id: maybeText,
});

const worktree = orNull(object({ path: maybeText, branch: maybeText }));
const teamEvent = <C extends TeamCategory>(category: C) => ({
  category: exactly(category),
  tool_use_id: means(maybeText, 'id of the call it comes from'),
});
const stateChange = teamEvent('team_state_change');
const on_disk = means(optional(flag), 'known from a file that was left behind, not from something that happened');
const taskUpdate = {
  ...teamEvent('team_task_update'),
  kind: oneOf(['board', 'todo']),
  list: means(maybeText, 'owner of the todo list'),
  on_disk,
  task: taskChange,
};
const teamMessage = teamEvent('team_message');
const request = { ...teamMessage, request_id: maybeText, from: maybeText, to: maybeText };
const memberChange = { ...stateChange, member };
const passed = {
  ...teamMessage,
  message,
  body: means(optional(json), 'the message as written, if it was JSON of the team protocol; null if it was text'),
  nth: means(optional(number), 'number among identical messages in one record, from 1'),
};

const words = { message_id: maybeText, model: maybeText, text: maybeText };

const agentDone = {
  task_id: maybeText,
  task_type: means(maybeText, 'type of the work in the words of Claude Code, such as local_agent or local_bash'),
  run_id: maybeText,
  tool_use_id: maybeText,
  status: maybeText,
  summary: maybeText,
  result: json,
  model: maybeText,
  total_tokens: maybeNumber,
  tool_uses: maybeNumber,
  duration_ms: maybeNumber,
};

const control = { request_id: maybeText, subtype: maybeText, error: maybeText };

export const events = {
  'session:started': means(
    object({
      program: means(optional(text, 'claude'), 'claude, or another agent that wrote it, such as codex'),
      model: maybeText,
      cwd: maybeText,
      claude_code_version: means(maybeText, 'version of the program'),
      permission_mode: maybeText,
      tools: orNull(texts),
      agents: orNull(texts),
      mcp_servers: orNull(listOf(json)),
      api_key_source: maybeText,
      slash_commands: orNull(texts),
      git_branch: maybeText,
      transcript: means(flag, 'known from a transcript or a hook, not from a stream'),
    }),
    'a session started, or its properties changed',
  ),
  'session:labelled': means(
    object({
      ci: means(maybeText, 'CI service that wrote the log; null if the log does not show one'),
      labels: means(mapOf(text), 'labels such as host, pod or job, from what the log writes around each line'),
    }),
    'the log that contains the session says where it ran',
  ),
  'turn:started': means(
    object({
      turn: number,
      turn_id: means(optional(maybeText), 'id of the init or prompt that started the turn'),
      transcript: means(optional(flag), 'known from a prompt in a transcript, not from a stream'),
    }),
    'a turn started',
  ),
  'session:ended': means(
    object({
      result_id: maybeText,
      subtype: maybeText,
      is_error: maybeFlag,
      terminal_reason: maybeText,
      stop_reason: maybeText,
      api_error_status: json,
      duration_ms: maybeNumber,
      duration_api_ms: maybeNumber,
      num_turns: maybeNumber,
      total_cost_usd: maybeNumber,
      usage: means(orNull(tokens), 'usage of the main loop in this turn'),
      model_usage: means(orNull(mapOf(reportedUsage)), 'usage of all agents by model, cumulative'),
      model_usage_since_last_result: orNull(mapOf(reportedUsage)),
      result: maybeText,
      structured_output: json,
      errors: orNull(listOf(json)),
      permission_denials: orNull(listOf(json)),
      result_index: maybeNumber,
      origin: json,
      subagent_stats: means(
        optional(json),
        'how many subagents were started and how they ended, as Claude Code counts them',
      ),
    }),
    'a turn ended with a result',
  ),
  'session:compacted': means(
    loose({
      compaction_id: means(optional(maybeText), 'id of the compaction, the same in a stream and in its transcript'),
    }),
    'the context was compacted; fields as in the record',
  ),
  'session:reset': means(loose({}), 'the conversation was cleared; fields as in the record'),
  'session:retried': means(loose({}), 'an API request was retried; fields as in the record'),
  'session:limited': means(loose({}), 'Claude Code reported the status of a rate limit; fields as in the record'),
  'session:changed': means(
    loose({ type: maybeText, subtype: maybeText }),
    'any other record about the session; fields as in the record',
  ),
  'control:requested': means(loose(control), 'a control request; other fields as in the record'),
  'control:responded': means(
    loose({
      ...control,
      success: means(optional(flag), 'whether the request was carried out'),
      response: means(optional(json), 'the response, as written'),
    }),
    'the response to a control request',
  ),
  'control:cancelled': means(loose(control), 'a control request was cancelled'),
  'prompt:received': means(object({ text: maybeText, origin: json, synthetic: flag, attachments: texts }), 'a prompt'),
  'text:produced': means(object(words), 'a block of text'),
  'thinking:produced': means(
    object({
      ...words,
      duration_ms: means(optional(number), 'how long it took, if Claude Code reports it'),
    }),
    'a block of thinking',
  ),
  'tool:called': means(
    object({
      tool: maybeText,
      tool_use_id: maybeText,
      message_id: maybeText,
      input: json,
      input_bytes: means(optional(number), 'length of the JSON of the input, if the input was changed or left out'),
      server: means(optional(text), 'MCP server of the tool'),
      message: means(orNull(message), 'if the call sends a message: that message, still open'),
      copied: means(optional(flag), 'whether a fork only repeats the call, which another session made'),
    }),
    'a tool was called',
  ),
  'tool:returned': means(
    object({
      tool: maybeText,
      tool_use_id: maybeText,
      is_error: flag,
      success: flag,
      result: json,
      result_bytes: means(optional(number), 'length of the JSON of the result, if the result was changed or left out'),
      error: means(optional(maybeText), 'error of a failed call, as written'),
      denied: means(optional(flag), 'whether the call was denied permission'),
      duration_ms: means(optional(number), 'how long it took, if Claude Code reports it'),
    }),
    'a tool call returned',
  ),
  'usage:recorded': means(
    object({
      message_id: maybeText,
      request_id: maybeText,
      model: maybeText,
      ...tokens.fields,
      ...{ speed: maybeText, service_tier: maybeText, inference_geo: maybeText },
      final: means(flag, 'whether output_tokens is the final count'),
      transcript: flag,
      iteration: means(
        maybeNumber,
        'index in usage.iterations of an attempt that the counts of its message do not include',
      ),
      iteration_type: means(maybeText, 'type of that attempt, such as advisor_message'),
      web_fetch_requests: means(optional(number), 'number of web fetches by the API'),
      stop_reason: means(optional(maybeText), 'why the message ended, such as end_turn or max_tokens'),
      stop_sequence: means(optional(maybeText), 'text that ended the message, if one was asked for'),
      cost_usd: means(optional(number), 'what the program says the message cost; absent if it does not say it'),
      copied: means(optional(flag), 'whether a fork only repeats the message, which another session requested'),
    }),
    'token counts of one API message, partial or final',
  ),
  'usage:reported': means(
    loose({
      total_cost_usd: maybeNumber,
      model_usage: means(orNull(mapOf(reportedUsage)), 'usage of all agents by model, cumulative'),
    }),
    'cost of a session so far, as its transcript says (cost-state)',
  ),
  'usage:merged': means(object({ row: means(usageMessageRow, 'the row') }), 'a row of cct usage --by message was read'),
  'agent:started': means(
    object({
      agent_type: maybeText,
      name: maybeText,
      model: maybeText,
      description: maybeText,
      prompt: maybeText,
      mode: maybeText,
      isolation: maybeText,
      worktree,
      parent: maybeText,
      tool_use_id: maybeText,
      task_id: maybeText,
      task_type: maybeText,
      run_id: maybeText,
      background: maybeFlag,
      resumed: maybeFlag,
      transcript_path: maybeText,
      continues: means(maybeText, 'earlier id of the same agent'),
      turn_only: means(flag, 'whether the id stands for one turn of a teammate, not for an agent'),
      color: maybeText,
      ambient: means(flag, 'whether Claude Code started it for itself'),
      workflow: means(optional(maybeText), 'task id of the workflow that runs it'),
    }),
    'a subagent, a teammate or a background shell was started or resumed',
  ),
  'agent:progressed': means(
    object({ ...agentDone, background: maybeFlag, last_tool: maybeText, worktree }),
    'an agent or background shell reported progress',
  ),
  'agent:finished': means(
    object({ ...agentDone, worktree, on_disk }),
    'an agent or background shell finished, failed or was stopped',
  ),
  'team:created': means(
    object({
      ...stateChange,
      name: text,
      description: maybeText,
      lead_agent_id: maybeText,
      lead_session_id: maybeText,
      config_path: maybeText,
      protocol: oneOf(['teammate-tool', 'team-create', 'implicit', 'files']),
    }),
    'a team was created, or is known to exist',
  ),
  'team:deleted': means(object({ ...stateChange, name: maybeText }), 'a team was cleaned up'),
  'team:cleanup_failed': means(
    object({ ...stateChange, name: maybeText, error: maybeText }),
    'a team could not be cleaned up',
  ),
  'team:member:joined': means(object(memberChange), 'an agent is a member of the team'),
  'team:member:active': means(object(memberChange), 'a member is working'),
  'team:member:idle': means(
    object({
      ...memberChange,
      completed_task_id: maybeText,
      reason: maybeText,
      error: means(optional(text), 'why its turn failed'),
    }),
    'a member is idle',
  ),
  'team:member:shutting_down': means(object(memberChange), 'a member was asked to shut down'),
  'team:member:shutdown': means(object(memberChange), 'a member has shut down'),
  'team:task:created': means(object(taskUpdate), 'a task was added to the board or to a todo list'),
  'team:task:claimed': means(object(taskUpdate), 'an agent started a task'),
  'team:task:updated': means(object(taskUpdate), 'a task changed in another way'),
  'team:task:completed': means(object(taskUpdate), 'a task was completed'),
  'team:task:deleted': means(object(taskUpdate), 'a task was deleted'),
  'team:message:sent': means(object(passed), 'an agent sent a message, and the call returned'),
  'team:message:received': means(object(passed), 'a message reached its recipient'),
  'team:message:failed': means(object(passed), 'a message was refused'),
  'team:shutdown:requested': means(object({ ...request, reason: maybeText }), 'an agent was asked to shut down'),
  'team:shutdown:response': means(
    object({ ...request, approved: maybeFlag, reason: maybeText }),
    'the response to a shutdown request',
  ),
  'team:plan:requested': means(object({ ...request, plan: maybeText }), 'a plan waits for approval'),
  'team:plan:resolved': means(
    object({ ...request, approved: maybeFlag, feedback: maybeText }),
    'the response to a plan',
  ),
  'hook:fired': means(loose({ hook: maybeText }), 'a hook ran; fields as in the record'),
  'spawn:requested': means(
    object({ spawn_id: maybeText, project_path: maybeText, agent_type: maybeText }),
    'a tracked spawn was requested',
  ),
  'spawn:linked': means(
    object({ spawn_id: maybeText, project: maybeText, zellij_session: maybeText, zellij_pane: maybeText }),
    'a tracked spawn has its session',
  ),
  ...runEvents,
  'input:skipped': means(object({ reason: maybeText, bytes: maybeNumber }), 'a line could not be read'),
  unknown: means(loose({ type: maybeText, subtype: maybeText }), 'a record that cct does not know; always has raw'),
} satisfies Record<EventName, ObjectField<Shape>>;

export type Member = ValueOf<typeof member>;
export type TaskChange = ValueOf<typeof taskChange>;
export type Message = ValueOf<typeof message>;

/** The fields of an event without its envelope. */
export type Own<K extends EventName> = ValueOf<(typeof events)[K]>;

type Envelope = ValueOf<ObjectField<typeof envelope>>;
export type EventMap = { [K in EventName]: Envelope & { event: K; raw?: unknown } & Own<K> };
export type Event = EventMap[EventName];

/** A whole event: its envelope, its own fields, and its record. */
export function describeEvent(name: EventName): ObjectField<Shape> {
  const own: Shape = events[name].fields;
  return object<Shape>({ ...envelope, event: exactly(name), ...own, raw: optional(json) });
}

/** Reads an event that cct wrote; null if the record is not one. */
export function readEvent(record: JsonObject): Event | null {
  const name = record.event;
  return typeof name === 'string' && isEventName(name) && isEvent(record, name) ? record : null;
}

function isEvent(record: JsonObject, name: EventName): record is JsonObject & Event {
  const known = described.get(name) ?? describeEvent(name);
  described.set(name, known);
  return fits(known, record);
}
const described = new Map<EventName, ObjectField<Shape>>();
