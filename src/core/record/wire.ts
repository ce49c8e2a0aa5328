// What we read of the wire, field by field. Everything is optional, nothing else is looked at, and unknown fields stay in the record.
import * as z from 'zod';
import { isObject, type JsonObject } from './json.js';
import { lazily } from './lazily.js';

/** Reads what fits: a field of the wrong type is left out and does not cost us the others; no object at all reads as an empty one. */
export function read<T>(shape: () => z.ZodType<T>, value: unknown): T {
  const schema = shape();
  const whole = schema.safeParse(value);
  if (whole.success) return whole.data;
  const rest: JsonObject = isObject(value) ? { ...value } : {};
  for (const issue of whole.error.issues) {
    const key = issue.path[0];
    if (typeof key === 'string') delete rest[key];
  }
  return schema.parse(rest);
}

const fields = lazily(() => ({
  text: z.string().nullish(),
  count: z.number().nullish(),
  flag: z.boolean().nullish(),
  texts: z.array(z.string()).nullish(),
  json: z.unknown().optional(),
}));

function wire<T>(define: (of: ReturnType<typeof fields>) => T): () => T {
  return lazily(() => define(fields()));
}

export const modelUsageWire = wire(({ text, count }) =>
  z.object({
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
  }),
);

export const initWire = wire(({ text, texts, json }) =>
  z.object({
    model: text,
    cwd: text,
    claude_code_version: text,
    permissionMode: text,
    tools: texts,
    agents: texts,
    mcp_servers: z.array(json).nullish(),
    apiKeySource: text,
    slash_commands: texts,
  }),
);

export const resultWire = wire(({ text, count, flag, json }) =>
  z.object({
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
    errors: z.array(json).nullish(),
    permission_denials: z.array(json).nullish(),
    result_index: count,
    origin: json,
  }),
);

/** `system` frames about work that has an id of its own: agents, shells, monitors, workflows. */
export const taskFrameWire = wire(({ text, count, flag }) =>
  z.object({
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
    usage: z.object({ total_tokens: count, tool_uses: count, duration_ms: count }).nullish(),
    patch: z.object({ status: text, description: text, end_time: count, error: text, is_backgrounded: flag }).nullish(),
  }),
);
export type TaskFrameWire = z.infer<ReturnType<typeof taskFrameWire>>;

/** Input of a Task/Agent call. */
export const spawnCallWire = wire(({ text, flag }) =>
  z.object({
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
  }),
);
export type SpawnCallWire = z.infer<ReturnType<typeof spawnCallWire>>;

/** Result of a Task/Agent call, all generations and the documented shape of seed 004. */
export const spawnResultWire = wire(({ text, count, flag, json }) =>
  z.object({
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
  }),
);
export type SpawnResultWire = z.infer<ReturnType<typeof spawnResultWire>>;

export const taskWire = wire(({ text, json }) =>
  z.object({
    id: z.union([z.string(), z.number()]).nullish(),
    taskId: z.union([z.string(), z.number()]).nullish(),
    task_id: z.union([z.string(), z.number()]).nullish(),
    subject: text,
    description: text,
    activeForm: text,
    active_form: text,
    status: text,
    owner: text,
    blockedBy: z.array(json).nullish(),
    blocks: z.array(json).nullish(),
    addBlockedBy: z.array(json).nullish(),
    addBlocks: z.array(json).nullish(),
    metadata: json,
    created_at: json,
    updated_at: json,
  }),
);
export type TaskWire = z.infer<ReturnType<typeof taskWire>>;

export const configWire = wire(({ text, json }) =>
  z.object({
    name: text,
    team_name: text,
    description: text,
    createdAt: json,
    created_at: json,
    leadAgentId: text,
    leadSessionId: text,
    members: z.array(json).nullish(),
  }),
);

export const configMemberWire = wire(({ text, flag, json }) =>
  z.object({
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
  }),
);

export const metaWire = wire(({ text }) =>
  z.object({
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
  }),
);

export const hookWire = wire(({ text, json }) =>
  z.object({
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
    task_id: z.union([z.string(), z.number()]).nullish(),
    task_subject: text,
    task_description: text,
  }),
);
