// gemini --output-format stream-json. Only its result says what was used, by model.
import { countOf, idOf, type JsonObject, listOf, objectOf, textOf } from '../../record/json.js';
import type { Program } from './programs.js';
import {
  callRecord,
  endRecord,
  errorOf,
  frame,
  init,
  inputWithout,
  isFailedCommand,
  plainError,
  returnRecord,
  textRecord,
  usageRecord,
} from './shapes.js';

export const gemini: Program = {
  name: 'gemini',
  wrote: (record, type) => type === 'init' && idOf(record.session_id) !== null,
  inOurShapes(record, type, known) {
    const { content, tool_id, timestamp } = record;
    switch (type) {
      case 'init':
        return [{ ...init({ model: record.model }), session_id: record.session_id }];
      case 'message':
        if (record.role !== 'user') return [{ ...textRecord(content), delta: record.delta }];
        return [{ type: 'user', message: { role: 'user', content } }];
      case 'tool_use':
        return [callRecord(tool_id, ...geminiCall(textOf(record.tool_name) ?? '', objectOf(record.parameters) ?? {}))];
      case 'tool_result': {
        const { status, output, error } = record;
        const isError = status !== 'success' || isFailedCommand(output);
        const said = output ?? (isError ? errorOf(error) : '');
        const summary = agentFailure(output);
        if (summary === null) return [returnRecord(tool_id, said, isError)];
        return [
          returnRecord(tool_id, said, isError, { status: 'async_launched', agentId: tool_id }),
          frame('task_notification', { task_id: tool_id, status: 'failed', summary }),
        ];
      }
      case 'error':
        return [frame('informational', { level: record.severity, content: errorOf(record) })];
      case 'result': {
        const stats = objectOf(record.stats) ?? {};
        // Up to 0.11 a run that the API refused is a success without a token.
        const isRefused = record.status === 'success' && stats.total_tokens === 0;
        const failed = record.status === 'success' ? null : plainError(errorOf(record.error));
        const error = isRefused ? 'the API gave no answer' : failed;
        // Older versions say only what all models used together.
        const all = stats.total_tokens == null ? {} : { [known.started?.model ?? '']: stats };
        const models = objectOf(stats.models) ?? all;
        const uses = Object.entries(models).map(([model, usage]) =>
          geminiUsage(`usage of ${known.session} at ${timestamp} by ${model}`, model || null, objectOf(usage) ?? {}),
        );
        // A run that failed does not know how long it took.
        return [...uses, endRecord(error, { duration_ms: stats.duration_ms || null, ...limitIn(record) })];
      }
    }
    return null;
  },
};

function geminiCall(tool: string, parameters: JsonObject): [string, JsonObject] {
  // Since 0.34 the name has the server, which has no underscore in its own.
  const [, server, of] = /^mcp_([^_]+)_(.+)$/.exec(tool) ?? [];
  if (server !== undefined) return [`mcp__${server}__${of}`, parameters];
  if (tool === 'write_todos')
    return [
      tool,
      { todos: listOf(parameters.todos)?.map((todo) => ({ ...objectOf(todo), content: objectOf(todo)?.description })) },
    ];
  // Up to 0.39 each of its agents is a tool.
  if (!agents.has(tool)) return [tool, parameters];
  const { objective, request, question, task } = parameters;
  return ['invoke_agent', { ...parameters, agent_name: tool, prompt: objective ?? request ?? question ?? task }];
}
const agents: ReadonlySet<string> = new Set(['codebase_investigator', 'generalist', 'cli_help', 'browser_agent']);

/** `Subagent generalist Finished`, why and with what: any reason but GOAL is a failure. */
function agentFailure(output: unknown): string | null {
  const told = /^\s*Subagent \S+ Finished\s+Termination Reason:\s+(?!GOAL)(\S+)\s+Result:\s+(.*)/s;
  const [, reason, result] = told.exec(textOf(output) ?? '') ?? [];
  return reason === undefined ? null : result?.trim() || reason;
}

function limitIn({ error }: JsonObject): JsonObject {
  return objectOf(error)?.type === 'FatalTurnLimitedError' ? { terminal_reason: 'error_max_turns' } : {};
}

/** Thoughts are output, but only the total counts them. */
function geminiUsage(
  id: string,
  model: string | null,
  { total_tokens, input_tokens, output_tokens, cached }: JsonObject,
) {
  return usageRecord(id, model, {
    input_tokens: inputWithout(input_tokens, cached),
    cache_read_input_tokens: cached,
    output_tokens: Math.max(countOf(output_tokens) ?? 0, inputWithout(total_tokens, input_tokens)),
  });
}
