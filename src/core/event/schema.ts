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
export function eventJsonSchema(): unknown {
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

/** The JSON Schema of a kind of row. */
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
  const own = special[owner];
  if (own !== undefined && Object.hasOwn(own, field)) return own[field];
  return Object.hasOwn(meanings, field) ? meanings[field] : undefined;
}

/** The zod schema of a description; always the same object for the same description. */
export function zodOf<T>(field: Field<T>): z.ZodType<T> {
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
  active_form: 'what to call it while it is being done',
  agent: 'who did it',
  agent_id: 'canonical id of the agent',
  agent_type: 'type of the agent, such as general-purpose',
  agents: 'types of agents it can spawn',
  api_error_status: 'HTTP status of the API error that ended the turn',
  api_key_source: 'where its API key comes from',
  approve: 'of a response: whether it says yes',
  approved: 'whether it says yes',
  attachments: 'types of what was attached, such as image',
  backend: 'what a teammate runs in, such as tmux or in-process',
  background: 'nobody waits for it',
  blocked_by: 'ids of the tasks that have to be completed first',
  blocks: 'ids of the tasks that wait for it',
  branch: 'its git branch',
  bytes: 'how long the line was',
  cache_read_tokens: 'input tokens read from the cache',
  cache_write_1h_tokens: 'input tokens written to the cache, to be kept an hour',
  cache_write_5m_tokens: 'input tokens written to the cache, to be kept five minutes',
  canonical_model: 'the name of the model that prices go by',
  category: 'what kind of news of the team it is',
  cct: 'schema version',
  claude_code_version: 'version of the program',
  color: 'colour the program shows it in',
  completed_task_id: 'the task after which it had nothing to do',
  config_path: 'file that describes the team',
  content: 'what was said',
  cost_basis: 'unknown: the program did not know the model and charged its default',
  cost_source: 'where the cost comes from, from the best source to the weakest; of several, the weakest',
  cost_usd: 'dollars',
  created_at: 'when it came to be',
  cwd: 'working directory',
  day: 'date, in the zone of --timezone',
  delivered_at: 'when it was seen to arrive',
  description: 'what it is for, in words',
  duration_api_ms: 'time spent waiting for the API, in milliseconds',
  duration_ms: 'how long it took, in milliseconds',
  ended_at: 'when it ended',
  error: 'what went wrong, as it was written',
  error_code: 'one word for the error, where it can be told',
  errors: 'errors the result lists',
  event: 'name of the event',
  feedback: 'what was said of the plan',
  from: 'name of the agent that sent it',
  git_branch: 'git branch of the working directory',
  hook: 'name of the hook, such as TeammateIdle',
  id: 'id of the task, on its board',
  inference_geo: 'where the model ran',
  input: 'what the tool was given',
  input_tokens: 'input tokens that were neither written to nor read from the cache',
  is_error: 'whether it failed',
  isolation: 'worktree: it works in a copy of its own; remote: on another machine',
  joined_at: 'when it became a member',
  kind: 'what the agent is in its team',
  last_seen_at: 'when it was last heard of',
  last_tool: 'name of the tool it used last',
  lead: 'name of the member that leads',
  lead_agent_id: 'id of the agent that leads',
  lead_session_id: 'session of the agent that leads',
  line: 'line of the input, from 1',
  mcp_servers: 'MCP servers, with their state',
  member: 'who it is about',
  members: 'everybody in the team, the lead first',
  message: 'what one agent sent another',
  message_id: 'id of the API message',
  messages: 'how many messages agents sent each other',
  messages_received: 'messages sent to it',
  messages_sent: 'messages it sent',
  metadata: 'whatever else was noted of it',
  mode: 'permission mode it was started in',
  model: 'name of the model',
  model_usage_since_last_result: 'all agents, by model, since the result before',
  name: 'name of the agent; without one its description, type or id',
  num_turns: 'API turns the program counted',
  open_calls: 'calls that have not come back',
  origin: 'what made it come, other than a person',
  output_tokens: 'output tokens',
  owner: 'agent that has it',
  parent: 'agent that spawned it',
  path: 'its folder',
  permission_denials: 'calls that were not permitted',
  permission_mode: 'what it may do without asking',
  plan: 'the plan itself',
  plan_mode_required: 'it needs approval of its plan before it works',
  project: 'name of the project',
  project_path: 'folder of the project',
  prompt: 'what it was told to do',
  protocol: 'how the team is known: by which generation of tools, by its agents alone, or from files',
  raw: 'the record itself, with --raw',
  reason: 'why',
  recipients: 'names of those a broadcast went to',
  request_id: 'id that a request and its response share',
  result: 'what it came to',
  result_id: 'id of the result it belongs to',
  result_index: 'place among the results of its process, 0 first',
  results: 'how many results there are',
  resumed: 'it had finished before, and goes on',
  role: 'of this session in the team; null from files alone',
  run_id: 'id of this run of the agent',
  runs: 'how often it was started or resumed',
  service_tier: 'service tier of the API',
  session_id: 'session it belongs to',
  slash_commands: 'slash commands there are',
  spawn_id: 'id the tracker gave the spawn',
  speed: 'fast or standard',
  status: 'how it stands',
  stop_reason: 'why the model stopped',
  structured_output: 'the result as the schema that was asked for has it',
  subject: 'what is to be done, in a line',
  subtype: 'which kind of it',
  success: 'whether the call did what it was for; only then it changes anything',
  summary: 'in a few words',
  synthetic: 'put there by the program, not typed',
  task: 'what is said of the task; null is not said',
  task_id: 'id the program gave the work',
  task_type: 'local_agent, local_bash and so on, as the program calls it',
  tasks: 'how many tasks there are, by status',
  team: 'name of the team',
  terminal_reason: 'why the turn ended',
  text: 'the text',
  time: 'ISO 8601, UTC',
  to: 'name of the agent it is for',
  tool: 'name of the tool',
  tool_calls: 'calls it made',
  tool_errors: 'calls of it that failed',
  tool_use_id: 'id of the call',
  tool_uses: 'calls it made, as the program counted',
  tools: 'names of the tools there are',
  total_cost_usd: 'dollars, all agents, cumulative',
  total_tokens: 'all tokens, cache included',
  transcript: 'known from a transcript, not from a stream',
  transcript_path: 'file its transcript is written to',
  turn: 'number of the prompt in its session, from 1',
  type: 'type, as it is spelled',
  updated_at: 'when it last changed',
  web_search_requests: 'searches of the web, which are charged for',
  worktree: 'the copy of the repository it works in',
  zellij_pane: 'pane it runs in',
  zellij_session: 'terminal session it runs in',
};

/** Names that mean something else in one event, row or part. */
const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'session:started': { model: 'model of the main conversation', tools: 'names of the tools it has' },
  'session:ended': { result: 'the last text of the turn', subtype: 'success, or which error', result_id: 'its id' },
  'control:responded': { subtype: 'that of its request' },
  'tool:returned': { result: 'what the tool gave back' },
  'team:created': { name: 'name of the team', description: 'what the team is for' },
  'team:deleted': { name: 'name of the team' },
  'team:cleanup_failed': { name: 'name of the team' },
  'team:task:created': { kind: 'board or todo' },
  'team:task:claimed': { kind: 'board or todo' },
  'team:task:updated': { kind: 'board or todo' },
  'team:task:completed': { kind: 'board or todo' },
  'team:task:deleted': { kind: 'board or todo' },
  'input:skipped': { reason: 'what is wrong with the line' },
  member: { status: 'how it stands; unknown: still open when the stream ended' },
  task: { kind: 'where it comes from: the board, a todo list, or work in the background' },
  team: {
    status:
      'active: at work; cleaned_up: deleted; ended: the last turn has its result, and nobody cleaned up; unfinished: the stream stopped before that',
  },
  'team.members': { status: 'how it stands; unknown: still open when the stream ended' },
  'team.tasks': {
    pending: 'tasks nobody has begun',
    in_progress: 'tasks somebody is at',
    completed: 'tasks that are done',
    deleted: 'tasks that were removed',
  },
  usage: { subtype: 'success, or which error', is_error: 'whether its last result is an error' },
  'usage.reported': { subtype: 'success, or which error' },
  message: { type: 'message, broadcast, shutdown_request and so on; others as they are spelled' },
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
