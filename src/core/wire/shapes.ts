// What we read of the wire, field by field. Everything is optional, nothing else is looked at, and unknown fields stay in the record.
// By hand: a schema library would take longer to load than most files take to read.
import { isObject, type JsonObject } from '../record/json.js';

/** Says whether a value is what the field should hold; null always may be. */
type Field<T> = (value: unknown) => value is T;
export type Shape = Readonly<Record<string, Field<unknown>>>;
type Read<S extends Shape> = { [K in keyof S]?: (S[K] extends Field<infer T> ? T : never) | null | undefined };

/** Reads what fits: a field of the wrong type is left out and does not cost us the others; no object at all reads as an empty one. */
export function read<S extends Shape>(shape: S, value: unknown): Read<S> {
  const found: JsonObject = {};
  if (isObject(value)) for (const key in shape) if (fits(shape[key], value[key])) found[key] = value[key];
  return found as Read<S>;
}

function fits(field: Field<unknown> | undefined, value: unknown): boolean {
  return value === null || (value !== undefined && field?.(value) === true);
}

const text = (value: unknown): value is string => typeof value === 'string';
const count = (value: unknown): value is number => Number.isFinite(value);
const flag = (value: unknown): value is boolean => typeof value === 'boolean';
const id = (value: unknown): value is string | number => text(value) || count(value);
const list = (value: unknown): value is unknown[] => Array.isArray(value);
const texts = (value: unknown): value is string[] => list(value) && value.every(text);
const json = (_value: unknown): _value is unknown => true;
/** Of one piece: what does not fit in it takes all of it away. */
const object =
  <S extends Shape>(shape: S): Field<Read<S>> =>
  (value): value is Read<S> =>
    isObject(value) && Object.keys(shape).every((key) => value[key] === undefined || fits(shape[key], value[key]));

export const modelUsageWire = {
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  cacheCreationEphemeral5mInputTokens: count,
  cacheCreationEphemeral1hInputTokens: count,
  webSearchRequests: count,
  costUSD: count,
  canonicalModel: text,
  costBasis: text,
};

export const initWire = {
  model: text,
  cwd: text,
  claude_code_version: text,
  permissionMode: text,
  tools: texts,
  agents: texts,
  mcp_servers: list,
  apiKeySource: text,
  slash_commands: texts,
};

export const resultWire = {
  uuid: text,
  subtype: text,
  is_error: flag,
  terminal_reason: text,
  startup_failure_reason: text,
  stop_reason: text,
  api_error_status: json,
  duration_ms: count,
  duration_api_ms: count,
  num_turns: count,
  total_cost_usd: count,
  usage: json,
  modelUsage: json,
  model_usage_since_last_result: json,
  result: text,
  structured_output: json,
  errors: list,
  permission_denials: list,
  result_index: count,
  origin: json,
};

/** The row that ends a session file of 2.1.325: what the session has cost. */
export const costStateWire = { totalCostUSD: count, modelUsage: json, hasUnknownModelCost: flag };

/** `system` frames about work that has an id of its own: agents, shells, monitors, workflows. */
export const taskFrameWire = {
  task_id: text,
  tool_use_id: text,
  task_type: text,
  description: text,
  subagent_type: text,
  prompt: text,
  is_backgrounded: flag,
  run_id: text,
  parent_task_id: text,
  ambient: flag,
  skip_transcript: flag,
  last_tool_name: text,
  summary: text,
  status: text,
  output_file: text,
  usage: object({ total_tokens: count, tool_uses: count, duration_ms: count }),
  patch: object({ status: text, description: text, end_time: count, error: text, is_backgrounded: flag }),
};
export type TaskFrameWire = Read<typeof taskFrameWire>;

/** Input of a Task/Agent call. */
export const spawnCallWire = {
  description: text,
  prompt: text,
  subagent_type: text,
  model: text,
  name: text,
  team_name: text,
  mode: text,
  isolation: text,
  run_in_background: flag,
  resume: text,
};
export type SpawnCallWire = Read<typeof spawnCallWire>;

/** Result of a Task/Agent call, all generations and the documented shape of seed 004. */
export const spawnResultWire = {
  status: text,
  agentId: text,
  agent_id: text,
  teammate_id: text,
  taskId: text,
  name: text,
  team_name: text,
  agentType: text,
  agent_type: text,
  model: text,
  resolvedModel: text,
  color: text,
  prompt: text,
  description: text,
  isAsync: flag,
  content: json,
  totalTokens: count,
  totalToolUseCount: count,
  totalDurationMs: count,
  worktreePath: text,
  worktreeBranch: text,
  outputFile: text,
  tmux_pane_id: text,
  plan_mode_required: flag,
};
export type SpawnResultWire = Read<typeof spawnResultWire>;

export const taskWire = {
  id: id,
  taskId: id,
  task_id: id,
  subject: text,
  description: text,
  activeForm: text,
  active_form: text,
  status: text,
  owner: text,
  blockedBy: list,
  blocks: list,
  addBlockedBy: list,
  addBlocks: list,
  metadata: json,
  created_at: json,
  updated_at: json,
};
export type TaskWire = Read<typeof taskWire>;

export const configWire = {
  name: text,
  team_name: text,
  description: text,
  createdAt: json,
  created_at: json,
  leadAgentId: text,
  leadSessionId: text,
  members: list,
};

export const configMemberWire = {
  name: text,
  agentId: text,
  agentType: text,
  model: text,
  color: text,
  prompt: text,
  cwd: text,
  backendType: text,
  planModeRequired: flag,
  isActive: flag,
  joinedAt: json,
};

export const metaWire = {
  agentType: text,
  spawnedAgentType: text,
  name: text,
  description: text,
  toolUseId: text,
  model: text,
  color: text,
  teamName: text,
  taskKind: text,
  worktreePath: text,
};

export const hookWire = {
  hook_event_name: text,
  cwd: text,
  permission_mode: text,
  model: text,
  prompt: text,
  tool_name: text,
  tool_use_id: text,
  error: json,
  agent_id: text,
  agent_type: text,
  agent_transcript_path: text,
  last_assistant_message: json,
  teammate_name: text,
  team_name: text,
  task_id: id,
  task_subject: text,
  task_description: text,
};
