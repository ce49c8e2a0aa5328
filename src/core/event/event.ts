// Every event `cct normalize` writes: one zod schema each, from which the types, the JSON Schema and the check of events read back are made.
import * as z from 'zod';
import { lazily } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { messageRowSchema, tokenSchemas } from './usage-row.js';

export type { ModelUsage, Tokens } from './usage-row.js';

/** What a call of a team tool is about. */
export type TeamCategory = 'team_state_change' | 'team_task_update' | 'team_message';

export const taskStatuses = ['pending', 'in_progress', 'completed', 'deleted'] as const;

export const eventSchemas = lazily(() => {
  const { tokens: tokensSchema, modelUsage: modelUsageSchema } = tokenSchemas();
  const text = z.string().nullable();
  const count = z.number().nullable();
  const flag = z.boolean().nullable();
  const texts = z.array(z.string());
  const json = z.unknown();

  const envelope = {
    cct: z.literal(1).describe('schema version'),
    seq: z.number().describe('place in the stream of events'),
    time: text.describe('ISO 8601 UTC, null when the record has none'),
    session_id: text,
    team: text.describe('name of the team this session works in'),
    agent: text.describe('who did it: main, team-lead@<team>, an agent id, or the id of the call that spawned it'),
    line: count.describe('line of the input, from 1'),
    source: z.string().optional().describe('file, when several are read'),
  };

  const memberSchema = z.object({
    name: text,
    agent_id: text,
    agent_type: text,
    model: text,
    color: text,
    kind: z.enum(['lead', 'teammate', 'subagent']).nullable(),
    cwd: text,
    backend: text,
    plan_mode_required: flag,
    active: flag.describe('what a config file says of it'),
  });

  /** What one record says of a task: null is "not said", lists add to what is known. */
  const taskChangeSchema = z.object({
    id: z.string(),
    subject: text,
    description: text,
    active_form: text,
    status: text,
    owner: text,
    blocked_by: texts.nullable(),
    blocks: texts.nullable(),
    metadata: z.record(z.string(), json).nullable().describe('merged into what is known; a null value deletes its key'),
  });

  const messageSchema = z.object({
    type: z.string(),
    from: text,
    to: text,
    recipients: texts,
    summary: text,
    content: text,
    request_id: text,
    approve: flag,
    status: z.enum(['sent', 'delivered', 'failed', 'open']),
    error: text,
    error_code: text,
    delivered_at: text,
    tool_use_id: text,
  });

  const worktree = z.object({ path: text, branch: text }).nullable();
  const teamEvent = <C extends TeamCategory>(category: C) => ({
    category: z.literal(category),
    tool_use_id: text.describe('the call it comes from'),
  });
  const stateChange = teamEvent('team_state_change');
  const taskUpdate = {
    ...teamEvent('team_task_update'),
    kind: z.enum(['board', 'todo']),
    list: text.describe('whose list a todo stands in'),
    on_disk: z.boolean().optional().describe('what a file shows that was left behind, not something that happened'),
    task: taskChangeSchema,
  };
  const teamMessage = teamEvent('team_message');
  const member = { ...stateChange, member: memberSchema };
  const passed = {
    ...teamMessage,
    message: messageSchema,
    body: json
      .optional()
      .describe('the message as it was written, where it was JSON of the team protocol; null where it was text'),
    nth: z.number().optional().describe('which of several equal messages in one record it is, from 1'),
  };

  const agentDone = {
    task_id: text,
    task_type: text.describe('local_agent, local_bash, … as the program calls it'),
    run_id: text,
    tool_use_id: text,
    status: text,
    summary: text,
    result: json,
    model: text,
    total_tokens: count,
    tool_uses: count,
    duration_ms: count,
  };

  const events = {
    'session:started': z.object({
      model: text,
      cwd: text,
      claude_code_version: text,
      permission_mode: text,
      tools: texts.nullable(),
      agents: texts.nullable(),
      mcp_servers: z.array(json).nullable(),
      api_key_source: text,
      slash_commands: texts.nullable(),
      git_branch: text,
      transcript: z.boolean().describe('known from a transcript or a hook, not from a stream'),
    }),
    'turn:started': z.object({
      turn: z.number(),
      turn_id: text.optional().describe('of the init or the prompt that began it'),
      transcript: z.boolean().optional().describe('known from a prompt in a transcript, not from a stream'),
    }),
    'session:ended': z.object({
      result_id: text,
      subtype: text,
      is_error: flag,
      terminal_reason: text,
      stop_reason: text,
      api_error_status: json,
      duration_ms: count,
      duration_api_ms: count,
      num_turns: count,
      total_cost_usd: count,
      usage: tokensSchema.nullable().describe('main loop only, this turn'),
      model_usage: z.record(z.string(), modelUsageSchema).nullable().describe('all agents, cumulative'),
      model_usage_since_last_result: z.record(z.string(), modelUsageSchema).nullable(),
      result: text,
      structured_output: json,
      errors: z.array(json).nullable(),
      permission_denials: z.array(json).nullable(),
      result_index: count,
      origin: json,
    }),
    'session:compacted': z.looseObject({}),
    'session:reset': z.looseObject({}),
    'session:retried': z.looseObject({}),
    'session:limited': z.looseObject({}),
    'session:changed': z.looseObject({ type: text, subtype: text }),
    'control:requested': z.looseObject({ request_id: text, subtype: text, error: text }),
    'control:responded': z.looseObject({ request_id: text, subtype: text, error: text }),
    'control:cancelled': z.looseObject({ request_id: text, subtype: text, error: text }),
    'prompt:received': z.object({ text, origin: json, synthetic: z.boolean(), attachments: texts }),
    'text:produced': z.object({ message_id: text, model: text, text }),
    'thinking:produced': z.object({ message_id: text, model: text, text }),
    'tool:called': z.object({
      tool: text,
      tool_use_id: text,
      message_id: text,
      input: json,
      message: messageSchema.nullable().describe('of a call that sends one: the message, still open'),
    }),
    'tool:returned': z.object({
      tool: text,
      tool_use_id: text,
      is_error: z.boolean(),
      success: z.boolean(),
      result: json,
    }),
    'usage:recorded': z.object({
      message_id: text,
      request_id: text,
      model: text,
      ...tokensSchema.shape,
      speed: text,
      service_tier: text,
      inference_geo: text,
      final: z.boolean().describe('output_tokens is the final count'),
      transcript: z.boolean(),
      iteration: count.describe('place in usage.iterations of an attempt that the counts of its message do not hold'),
      iteration_type: text.describe('what that attempt was, such as advisor_message'),
    }),
    'usage:reported': z.looseObject({
      total_cost_usd: count,
      model_usage: z.record(z.string(), modelUsageSchema).nullable().describe('all agents, cumulative'),
    }),
    'usage:merged': z.object({ row: messageRowSchema().describe('a row of cct usage --by message, read back') }),
    'agent:started': z.object({
      agent_type: text,
      name: text,
      model: text,
      description: text,
      prompt: text,
      mode: text,
      isolation: text,
      worktree,
      parent: text,
      tool_use_id: text,
      task_id: text,
      task_type: text,
      run_id: text,
      background: flag,
      resumed: flag,
      transcript_path: text,
      continues: text.describe('an earlier id of the same agent'),
      turn_only: z.boolean().describe('this id is one turn of a teammate, not an agent'),
      color: text,
      ambient: z.boolean().describe('housekeeping of the program, not asked for by anybody'),
    }),
    'agent:progressed': z.object({ ...agentDone, background: flag, last_tool: text, worktree }),
    'agent:finished': z.object({ ...agentDone, worktree }),
    'team:created': z.object({
      ...stateChange,
      name: z.string(),
      description: text,
      lead_agent_id: text,
      lead_session_id: text,
      config_path: text,
      protocol: z.enum(['teammate-tool', 'team-create', 'implicit', 'files']),
    }),
    'team:deleted': z.object({ ...stateChange, name: text }),
    'team:cleanup_failed': z.object({ ...stateChange, name: text, error: text }),
    'team:member:joined': z.object(member),
    'team:member:active': z.object(member),
    'team:member:idle': z.object({ ...member, completed_task_id: text, reason: text }),
    'team:member:shutting_down': z.object(member),
    'team:member:shutdown': z.object(member),
    'team:task:created': z.object(taskUpdate),
    'team:task:claimed': z.object(taskUpdate),
    'team:task:updated': z.object(taskUpdate),
    'team:task:completed': z.object(taskUpdate),
    'team:task:deleted': z.object(taskUpdate),
    'team:message:sent': z.object(passed),
    'team:message:received': z.object(passed),
    'team:message:failed': z.object({ ...teamMessage, message: messageSchema }),
    'team:shutdown:requested': z.object({ ...teamMessage, request_id: text, from: text, to: text, reason: text }),
    'team:shutdown:response': z.object({
      ...teamMessage,
      request_id: text,
      from: text,
      to: text,
      approved: flag,
      reason: text,
    }),
    'team:plan:requested': z.object({ ...teamMessage, request_id: text, from: text, to: text, plan: text }),
    'team:plan:resolved': z.object({
      ...teamMessage,
      request_id: text,
      from: text,
      to: text,
      approved: flag,
      feedback: text,
    }),
    'hook:fired': z.looseObject({ hook: text }),
    'spawn:requested': z.object({ spawn_id: text, project_path: text, agent_type: text }),
    'spawn:linked': z.object({ spawn_id: text, project: text, zellij_session: text, zellij_pane: text }),
    'input:skipped': z.object({ reason: text, bytes: count }),
    unknown: z.looseObject({ type: text, subtype: text }),
  };
  return { envelope, memberSchema, taskChangeSchema, messageSchema, events };
});

type Schemas = ReturnType<typeof eventSchemas>;
type Events = Schemas['events'];
export type Member = z.infer<Schemas['memberSchema']>;
export type TaskChange = z.infer<Schemas['taskChangeSchema']>;
export type Message = z.infer<Schemas['messageSchema']>;

export type EventName = keyof Events;
/** The fields an event has besides its envelope. */
export type Own<K extends EventName> = z.infer<Events[K]>;

type Envelope = z.infer<z.ZodObject<Schemas['envelope']>>;
export type EventMap = { [K in EventName]: Envelope & { event: K; raw?: unknown } & Own<K> };
export type Event = EventMap[EventName];

export function eventNames(): EventName[] {
  return Object.keys(eventSchemas().events).filter(isEventName);
}

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventSchemas().events, name);
}

/** The schema of one whole event, envelope and all; built when first asked for, since most runs never ask. */
export function eventSchema(name: EventName): z.ZodType {
  let schema = built.get(name);
  if (schema === undefined) {
    const { envelope, events } = eventSchemas();
    schema = z.object({ ...envelope, event: z.literal(name), ...events[name].shape, raw: z.unknown().optional() });
    built.set(name, schema);
  }
  return schema;
}
const built = new Map<EventName, z.ZodType>();

/** An event of our own read back, exactly as it was written; null when it is not one after all. */
export function readEvent(record: JsonObject): Event | null {
  const name = record.event;
  if (typeof name !== 'string' || !isEventName(name)) return null;
  return fits(record, name) ? record : null;
}

function fits(record: JsonObject, name: Event['event']): record is JsonObject & Event {
  return eventSchema(name).safeParse(record).success;
}

// The pieces several events have, as the library gives them: as values. cct makes them only when a record asks for one.

export const { memberSchema, messageSchema, taskChangeSchema } = eventSchemas();
export const { tokens: tokensSchema, modelUsage: modelUsageSchema } = tokenSchemas();
