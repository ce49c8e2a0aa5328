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
import { reportedUsage, tokens, usageMessageRow } from './usage-row.js';

export type { ReportedUsage as ModelUsage, Tokens } from './usage-row.js';

/** What a call of a team tool is about. */
export type TeamCategory = 'team_state_change' | 'team_task_update' | 'team_message';

export const envelope = {
  cct: means(exactly(1), 'schema version'),
  seq: means(number, 'place in the stream of events'),
  time: means(maybeText, 'ISO 8601 UTC, null when the record has none'),
  session_id: maybeText,
  team: means(maybeText, 'name of the team this session works in'),
  agent: means(maybeText, 'who did it: main, team-lead@<team>, an agent id, or the id of the call that spawned it'),
  line: means(maybeNumber, 'line of the input, from 1'),
  source: means(optional(text), 'file, when several are read'),
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
  active: means(maybeFlag, 'what a config file says of it'),
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
  metadata: means(orNull(mapOf(json)), 'merged into what is known; a null value deletes its key'),
});

export const message = object({
  type: text,
  from: maybeText,
  to: maybeText,
  recipients: texts,
  summary: maybeText,
  content: maybeText,
  request_id: maybeText,
  approve: maybeFlag,
  status: oneOf(['sent', 'delivered', 'failed', 'open']),
  error: maybeText,
  error_code: maybeText,
  delivered_at: maybeText,
  tool_use_id: maybeText,
});

const worktree = orNull(object({ path: maybeText, branch: maybeText }));
const teamEvent = <C extends TeamCategory>(category: C) => ({
  category: exactly(category),
  tool_use_id: means(maybeText, 'the call it comes from'),
});
const stateChange = teamEvent('team_state_change');
const taskUpdate = {
  ...teamEvent('team_task_update'),
  kind: oneOf(['board', 'todo']),
  list: means(maybeText, 'whose list a todo stands in'),
  on_disk: means(optional(flag), 'what a file shows that was left behind, not something that happened'),
  task: taskChange,
};
const teamMessage = teamEvent('team_message');
const memberChange = { ...stateChange, member };
const passed = {
  ...teamMessage,
  message,
  body: means(
    optional(json),
    'the message as it was written, where it was JSON of the team protocol; null where it was text',
  ),
  nth: means(optional(number), 'which of several equal messages in one record it is, from 1'),
};

const agentDone = {
  task_id: maybeText,
  task_type: means(maybeText, 'local_agent, local_bash, … as the program calls it'),
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

/** Every event and its meaning. */
export const events = {
  'session:started': means(
    object({
      model: maybeText,
      cwd: maybeText,
      claude_code_version: maybeText,
      permission_mode: maybeText,
      tools: orNull(texts),
      agents: orNull(texts),
      mcp_servers: orNull(listOf(json)),
      api_key_source: maybeText,
      slash_commands: orNull(texts),
      git_branch: maybeText,
      transcript: means(flag, 'known from a transcript or a hook, not from a stream'),
    }),
    'a session began, or something about it changed',
  ),
  'turn:started': means(
    object({
      turn: number,
      turn_id: means(optional(maybeText), 'of the init or the prompt that began it'),
      transcript: means(optional(flag), 'known from a prompt in a transcript, not from a stream'),
    }),
    'a turn began',
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
      usage: means(orNull(tokens), 'main loop only, this turn'),
      model_usage: means(orNull(mapOf(reportedUsage)), 'all agents, cumulative'),
      model_usage_since_last_result: orNull(mapOf(reportedUsage)),
      result: maybeText,
      structured_output: json,
      errors: orNull(listOf(json)),
      permission_denials: orNull(listOf(json)),
      result_index: maybeNumber,
      origin: json,
      subagent_stats: means(
        optional(json),
        'how many subagents were started and how they ended, as the program counts',
      ),
    }),
    'a result, one per turn',
  ),
  'session:compacted': means(
    loose({ compaction_id: means(optional(maybeText), 'the same in a stream and in its transcript') }),
    'the context was compacted; fields as in the record',
  ),
  'session:reset': means(loose({}), 'the conversation was cleared; fields as in the record'),
  'session:retried': means(loose({}), 'an API request is tried again; fields as in the record'),
  'session:limited': means(loose({}), 'news of a rate limit; fields as in the record'),
  'session:changed': means(
    loose({ type: maybeText, subtype: maybeText }),
    'any other record about the session; fields as in the record',
  ),
  'control:requested': means(
    loose({ request_id: maybeText, subtype: maybeText, error: maybeText }),
    'a control request',
  ),
  'control:responded': means(loose({ request_id: maybeText, subtype: maybeText, error: maybeText }), 'its response'),
  'control:cancelled': means(
    loose({ request_id: maybeText, subtype: maybeText, error: maybeText }),
    'it was withdrawn',
  ),
  'prompt:received': means(object({ text: maybeText, origin: json, synthetic: flag, attachments: texts }), 'a prompt'),
  'text:produced': means(object({ message_id: maybeText, model: maybeText, text: maybeText }), 'a block of text'),
  'thinking:produced': means(
    object({
      message_id: maybeText,
      model: maybeText,
      text: maybeText,
      duration_ms: means(optional(number), 'how long it took, where the program says so'),
    }),
    'a block of thinking',
  ),
  'tool:called': means(
    object({
      tool: maybeText,
      tool_use_id: maybeText,
      message_id: maybeText,
      input: json,
      input_bytes: means(optional(number), 'length of the JSON of the input, where the input was changed or left out'),
      server: means(optional(text), 'the MCP server of the tool'),
      message: means(orNull(message), 'of a call that sends one: the message, still open'),
    }),
    'a call of a tool',
  ),
  'tool:returned': means(
    object({
      tool: maybeText,
      tool_use_id: maybeText,
      is_error: flag,
      success: flag,
      result: json,
      result_bytes: means(
        optional(number),
        'length of the JSON of the result, where the result was changed or left out',
      ),
      error: means(optional(maybeText), 'of a call that failed: the error as written'),
      denied: means(optional(flag), 'it was not allowed to run'),
      duration_ms: means(optional(number), 'how long it took, where the program says so'),
    }),
    'what it gave back',
  ),
  'usage:recorded': means(
    object({
      message_id: maybeText,
      request_id: maybeText,
      model: maybeText,
      ...tokens.fields,
      speed: maybeText,
      service_tier: maybeText,
      inference_geo: maybeText,
      final: means(flag, 'output_tokens is the final count'),
      transcript: flag,
      iteration: means(
        maybeNumber,
        'place in usage.iterations of an attempt that the counts of its message do not hold',
      ),
      iteration_type: means(maybeText, 'what that attempt was, such as advisor_message'),
    }),
    'tokens of one API message, so far or final',
  ),
  'usage:reported': means(
    loose({
      total_cost_usd: maybeNumber,
      model_usage: means(orNull(mapOf(reportedUsage)), 'all agents, cumulative'),
    }),
    'what a session has cost by its transcript, cumulative (cost-state)',
  ),
  'usage:merged': means(
    object({ row: means(usageMessageRow, 'a row of cct usage --by message, read back') }),
    'a row of cct usage --by message, read back',
  ),
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
      continues: means(maybeText, 'an earlier id of the same agent'),
      turn_only: means(flag, 'this id is one turn of a teammate, not an agent'),
      color: maybeText,
      ambient: means(flag, 'housekeeping of the program, not asked for by anybody'),
    }),
    'a subagent or teammate was started or resumed, or a shell in the background',
  ),
  'agent:progressed': means(
    object({ ...agentDone, background: maybeFlag, last_tool: maybeText, worktree }),
    'news of it',
  ),
  'agent:finished': means(object({ ...agentDone, worktree }), 'it is done, failed or was stopped'),
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
    'a team exists',
  ),
  'team:deleted': means(object({ ...stateChange, name: maybeText }), 'it was cleaned up'),
  'team:cleanup_failed': means(object({ ...stateChange, name: maybeText, error: maybeText }), 'it could not be'),
  'team:member:joined': means(object(memberChange), 'somebody is in the team'),
  'team:member:active': means(object(memberChange), 'works'),
  'team:member:idle': means(
    object({ ...memberChange, completed_task_id: maybeText, reason: maybeText }),
    'has nothing to do',
  ),
  'team:member:shutting_down': means(object(memberChange), 'was asked to stop'),
  'team:member:shutdown': means(object(memberChange), 'has stopped'),
  'team:task:created': means(object(taskUpdate), 'a task is on the board, or in a list of todos'),
  'team:task:claimed': means(object(taskUpdate), 'somebody began it'),
  'team:task:updated': means(object(taskUpdate), 'it changed otherwise'),
  'team:task:completed': means(object(taskUpdate), 'it is done'),
  'team:task:deleted': means(object(taskUpdate), 'it was removed'),
  'team:message:sent': means(object(passed), 'one agent wrote to another, and the call came back'),
  'team:message:received': means(object(passed), 'the other side saw it'),
  'team:message:failed': means(object({ ...teamMessage, message }), 'it was refused'),
  'team:shutdown:requested': means(
    object({ ...teamMessage, request_id: maybeText, from: maybeText, to: maybeText, reason: maybeText }),
    'somebody is asked to stop',
  ),
  'team:shutdown:response': means(
    object({
      ...teamMessage,
      request_id: maybeText,
      from: maybeText,
      to: maybeText,
      approved: maybeFlag,
      reason: maybeText,
    }),
    'the answer',
  ),
  'team:plan:requested': means(
    object({ ...teamMessage, request_id: maybeText, from: maybeText, to: maybeText, plan: maybeText }),
    'a plan waits for approval',
  ),
  'team:plan:resolved': means(
    object({
      ...teamMessage,
      request_id: maybeText,
      from: maybeText,
      to: maybeText,
      approved: maybeFlag,
      feedback: maybeText,
    }),
    'the answer',
  ),
  'hook:fired': means(loose({ hook: maybeText }), 'a hook ran; fields as in the record'),
  'spawn:requested': means(
    object({ spawn_id: maybeText, project_path: maybeText, agent_type: maybeText }),
    'a tracked spawn was asked for',
  ),
  'spawn:linked': means(
    object({ spawn_id: maybeText, project: maybeText, zellij_session: maybeText, zellij_pane: maybeText }),
    'it has its session',
  ),
  'run:started': means(
    object({
      ci: means(maybeText, 'the CI service it ran in, such as github-actions; null where it ran in none'),
      workflow: means(maybeText, 'the name of the workflow, pipeline or job'),
      run_id: means(maybeText, 'of the CI service'),
      commit: means(maybeText, 'the commit it worked on'),
      pull_request: means(maybeText, 'the number of the pull or merge request'),
      traceparent: means(maybeText, 'the trace it is part of, as in W3C Trace Context'),
      labels: means(mapOf(text), 'what --label said'),
      command: means(texts, 'the program and its flags, without the prompt'),
    }),
    'cct run started a command: the first line of what --keep keeps',
  ),
  'input:skipped': means(object({ reason: maybeText, bytes: maybeNumber }), 'a line could not be read'),
  unknown: means(loose({ type: maybeText, subtype: maybeText }), 'a record cct does not know; always with raw'),
};

export type Member = ValueOf<typeof member>;
export type TaskChange = ValueOf<typeof taskChange>;
export type Message = ValueOf<typeof message>;

export type EventName = keyof typeof events;
/** The fields of an event without its envelope. */
export type Own<K extends EventName> = ValueOf<(typeof events)[K]>;

type Envelope = ValueOf<ObjectField<typeof envelope>>;
export type EventMap = { [K in EventName]: Envelope & { event: K; raw?: unknown } & Own<K> };
export type Event = EventMap[EventName];

export function eventNames(): EventName[] {
  return Object.keys(events).filter(isEventName);
}

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name);
}

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
