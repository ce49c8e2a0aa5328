// Makes the zod and JSON schemas of events and rows. Loaded only when needed, because zod is slow to load.
import * as z from 'zod';
import { type Described, type Field, json, type Shape } from '../record/describe.js';
import { isObject, type JsonObject } from '../record/json.js';
import { describeEvent, type EventName, eventNames, member, message, taskChange } from './event.js';
import { reportedUsage, tokens } from './usage-row.js';

/** The schema of one whole event with its envelope, made on first use. */
export function eventSchema(name: EventName): z.ZodType {
  const known = eventSchemas.get(name) ?? zodOf(describeEvent(name));
  eventSchemas.set(name, known);
  return known;
}
const eventSchemas = new Map<EventName, z.ZodType>();

/** The JSON Schema of a line of `cct normalize`, with one definition for each event and each shared part. */
export function eventJsonSchema(): JsonObject {
  // Not the global registry of zod: there, every other user of zod would see these ids.
  const ids = z.registry<{ id: string }>();
  for (const name of eventNames()) ids.add(eventSchema(name), { id: name });
  for (const [id, part] of Object.entries(eventParts)) ids.add(zodOf(part), { id });
  const { $schema, ...rest } = z.toJSONSchema(z.union(eventNames().map(eventSchema)), {
    io,
    metadata: ids,
    override({ zodSchema, jsonSchema }) {
      const description = z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  return withMeanings({ $schema, title: 'event', description: 'one line of cct normalize', ...rest }, 'event');
}

/** The parts that several events share, by name. */
export const eventParts: Shape = { tokens, model_usage: reportedUsage, message, member, task: taskChange };

export function rowJsonSchema({ title, means, shapes }: Described): unknown {
  const schemas = shapes.map(zodOf);
  const [only] = schemas;
  const { $schema, ...rest } = z.toJSONSchema(only !== undefined && schemas.length === 1 ? only : z.union(schemas), {
    io,
  });
  return withMeanings({ $schema, title, description: means, ...rest }, title);
}

/** zod's output form would forbid fields that a later version may add. */
const io = 'input';

/** Adds a description to each field of a JSON Schema that has none. `owner` is what the schema describes. */
export function withMeanings(schema: JsonObject, owner: string): JsonObject;
export function withMeanings(schema: unknown, owner: string): unknown;
export function withMeanings(schema: unknown, owner: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withMeanings(each, owner));
  if (!isObject(schema)) return schema;
  return mapped(schema, (value, key) => {
    if (key === '$defs' && isObject(value)) return mapped(value, (part, name) => withMeanings(part, name));
    if (key !== 'properties' || !isObject(value)) return withMeanings(value, owner);
    return mapped(value, (field, name) => described(withMeanings(field, `${owner}.${name}`), meaningOf(owner, name)));
  });
}

/** What a field name means in an event, a row or a part of one. */
export function meaningOf(owner: string, field: string): string | undefined {
  const own = special[owner] ?? special[owner.split(':').slice(0, 2).join(':')];
  if (own !== undefined && Object.hasOwn(own, field)) return own[field];
  return Object.hasOwn(meanings, field) ? meanings[field] : undefined;
}

/** The zod schema of a description; always the same object for the same description. */
export type Schema<T> = z.ZodType<T>;

export function zodOf<T>(field: Field<T>): Schema<T> {
  const known = made.get(field) ?? withMeaning(field, plain(field));
  made.set(field, known);
  // A Field<T> describes values of type T: describe.ts builds both together.
  return known as z.ZodType<T>;
}
const made = new WeakMap<Field, z.ZodType>();

function described(field: unknown, meaning: string | undefined): unknown {
  if (!isObject(field) || field.description !== undefined || meaning === undefined) return field;
  return { description: meaning, ...field };
}

function mapped(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** What a name means in every event and row. */
const meanings: Readonly<Record<string, string>> = {
  active_form: 'what to call the task while it is in progress',
  agent: 'agent that did it',
  agent_id: 'canonical id of the agent',
  agent_type: 'type of the agent, such as general-purpose',
  agents: 'types of agents that it can spawn',
  api_error_status: 'HTTP status of the API error that ended the turn',
  api_key_source: 'where its API key comes from',
  approve: 'in a response: whether the request was approved',
  approved: 'whether the request was approved',
  attachments: 'types of the attachments, such as image',
  backend: 'what a teammate runs in, such as tmux or in-process',
  background: 'whether it runs in the background, so that nobody waits for it',
  blocked_by: 'ids of the tasks that must be completed first',
  blocks: 'ids of the tasks that wait for it',
  branch: 'git branch',
  bytes: 'length of the line',
  cache_read_tokens: 'input tokens read from the cache',
  cache_write_1h_tokens: 'input tokens written to the cache for an hour',
  cache_write_5m_tokens: 'input tokens written to the cache for five minutes',
  canonical_model: 'name of the model in the price table',
  category: 'what the team event is about',
  cct: 'schema version',
  claude_code_version: 'version of Claude Code',
  color: 'colour that Claude Code shows it in',
  completed_task_id: 'id of the task it finished before it became idle',
  config_path: 'config file of the team',
  content: 'text of the message',
  cost_basis: 'unknown: Claude Code did not know the model and charged its default price',
  cost_source:
    'where the cost comes from, listed from the best source to the weakest; a sum has the weakest of its sources',
  cost_usd: 'cost in US dollars',
  created_at: 'when it was created',
  cwd: 'working directory',
  day: 'date in the time zone of --timezone',
  delivered_at: 'when it was seen to arrive',
  description: 'what it is for',
  duration_api_ms: 'time spent waiting for the API, in milliseconds',
  duration_ms: 'how long it took, in milliseconds',
  ended_at: 'when it ended',
  error: 'error message, as written',
  error_code: 'the kind of error in one word, if it is known',
  errors: 'errors that the result lists',
  event: 'name of the event',
  feedback: 'comment on the plan',
  from: 'name of the agent that sent it',
  git_branch: 'git branch of the working directory',
  hook: 'name of the hook, such as TeammateIdle',
  id: 'id of the task on its board',
  inference_geo: 'region where the model ran',
  input: 'input of the tool',
  input_tokens: 'input tokens that were not written to or read from the cache',
  is_error: 'whether it failed',
  isolation: 'worktree: it works in its own copy of the repository; remote: it works on another machine',
  joined_at: 'when it joined the team',
  kind: 'role of the agent: lead, teammate or subagent',
  last_seen_at: 'when it last did or said something',
  last_tool: 'name of the last tool it used',
  lead: 'name of the lead',
  lead_agent_id: 'agent id of the lead',
  lead_session_id: 'session id of the lead',
  line: 'line number in the input, from 1',
  mcp_servers: 'MCP servers and their status',
  member: 'the member it is about',
  members: 'all members of the team, the lead first',
  message: 'the message that one agent sent to another',
  message_id: 'id of the API message',
  messages: 'number of messages between agents',
  messages_received: 'number of messages sent to it',
  messages_sent: 'number of messages it sent',
  metadata: 'other properties of the task',
  mode: 'permission mode it was started in',
  model: 'name of the model',
  model_usage_since_last_result: 'usage of all agents since the previous result, by model',
  name: 'name of the agent, or else its description, type or id',
  num_turns: 'number of API turns, as Claude Code counts them',
  open_calls: 'number of calls that have not returned',
  origin: 'what caused it, if it was not a person',
  output_tokens: 'output tokens',
  owner: 'agent that owns the task',
  parent: 'agent that spawned it',
  path: 'path of the folder',
  permission_denials: 'calls that were denied',
  permission_mode: 'permission mode: what it may do without asking',
  plan: 'text of the plan',
  plan_mode_required: 'whether its plan must be approved before it starts to work',
  project: 'name of the project',
  project_path: 'folder of the project',
  prompt: 'prompt it was started with',
  protocol: 'how the team is known: from which generation of team tools, only from its agents, or from files',
  raw: 'the original record, with --raw',
  reason: 'why',
  recipients: 'names of the agents that a broadcast went to',
  request_id: 'id that a request and its response share',
  result: 'result of the work',
  result_id: 'id of the result it belongs to',
  result_index: 'number of the result in its process, from 0',
  results: 'number of results',
  resumed: 'whether it had finished before and continues',
  role: 'role of this session in the team; null if known only from files',
  run_id: 'id of this run of the agent',
  runs: 'number of times it was started or resumed',
  service_tier: 'service tier of the API',
  session_id: 'id of the session',
  slash_commands: 'available slash commands',
  spawn_id: 'id that the tracker gave to the spawn',
  speed: 'fast or standard',
  status: 'current status',
  stop_reason: 'why the model stopped',
  structured_output: 'the result in the form of the requested schema',
  subject: 'title of the task',
  subtype: 'subtype, as written in the record',
  success: 'whether the call succeeded; only then it has an effect',
  summary: 'short summary',
  synthetic: 'whether Claude Code inserted it, so that nobody typed it',
  task: 'what the record says about the task; null means nothing is said',
  task_id: 'id that Claude Code gave to the work',
  task_type: 'type of the work in the words of Claude Code, such as local_agent or local_bash',
  tasks: 'number of tasks by status',
  team: 'name of the team',
  terminal_reason: 'why the turn ended',
  text: 'the text',
  time: 'time in ISO 8601, UTC',
  to: 'name of the recipient',
  tool: 'name of the tool',
  tool_calls: 'number of calls it made',
  tool_errors: 'number of its calls that failed',
  tool_use_id: 'id of the call',
  tool_uses: 'number of calls it made, as Claude Code counts them',
  tools: 'names of the available tools',
  total_cost_usd: 'cost in US dollars of all agents, cumulative',
  total_tokens: 'all tokens, including the cache',
  transcript: 'known only from a transcript, not from a stream',
  transcript_path: 'path of its transcript file',
  turn: 'number of the prompt in the session, from 1',
  type: 'type, as written in the record',
  updated_at: 'when it last changed',
  web_search_requests: 'number of web searches, which cost extra',
  worktree: 'its own copy of the repository (git worktree)',
  zellij_pane: 'zellij pane it runs in',
  zellij_session: 'zellij session it runs in',
};

/** Names that mean something else in one event, in events that begin alike, or in one row or part. */
const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'session:started': { model: 'model of the main conversation', tools: 'names of the tools it has' },
  'session:ended': {
    result: 'the last text of the turn',
    subtype: 'success, or the kind of error',
    result_id: 'id of the result',
  },
  'control:responded': { subtype: 'subtype of the request; null if the request is not in the input' },
  'usage:recorded': { request_id: 'id of the request to the API' },
  'agent:started': { name: 'name it was given; null if it has none' },
  'agent:finished': {
    status: 'completed, failed or stopped',
    result: 'its last answer',
    summary: 'what Claude Code says about it in one line',
  },
  'tool:returned': { result: 'what the tool returned' },
  'team:created': { name: 'name of the team', description: 'what the team is for' },
  'team:deleted': { name: 'name of the team' },
  'team:cleanup_failed': { name: 'name of the team' },
  'team:task': { kind: 'board or todo' },
  'input:skipped': { reason: 'what is wrong with the line' },
  member: { status: 'status; unknown means still open when the stream ended' },
  task: { kind: 'where the task comes from: the board, a todo list or background work' },
  team: {
    status:
      'active: still working; cleaned_up: deleted; ended: the last turn has its result, but the team was not cleaned up; unfinished: the stream stopped before the result',
  },
  'team.members': { status: 'status; unknown means still open when the stream ended' },
  'team.tasks': {
    pending: 'tasks that have not started',
    in_progress: 'tasks in progress',
    completed: 'completed tasks',
    deleted: 'deleted tasks',
  },
  usage: { subtype: 'success, or the kind of error', is_error: 'whether its last result is an error' },
  'usage.reported': { subtype: 'success, or the kind of error' },
  message: { type: 'message, broadcast, shutdown_request and so on; other types as written' },
};

function withMeaning({ means }: Field, schema: z.ZodType): z.ZodType {
  return means === undefined ? schema : schema.describe(means);
}

function plain({ kind, values = [], of = json, fields = {}, isLoose, fallback }: Field): z.ZodType {
  switch (kind) {
    case 'text':
      return z.string();
    case 'number':
      return z.number();
    case 'flag':
      return z.boolean();
    case 'json':
      return z.unknown();
    case 'exactly':
      return z.literal(values.filter(isLiteral));
    case 'oneOf':
      return z.enum(values.map(String));
    case 'list':
      return z.array(zodOf(of));
    case 'map':
      return z.record(z.string(), zodOf(of));
    case 'object': {
      const shape = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, zodOf(field)]));
      return isLoose ? z.looseObject(shape) : z.object(shape);
    }
    case 'orNull':
      return zodOf(of).nullable();
    case 'optional':
      return fallback === undefined ? zodOf(of).optional() : zodOf(of).default(fallback);
  }
}

function isLiteral(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
