// cursor-agent --output-format stream-json. Older versions say nothing of tokens; no version says what they cost.
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf, toJson } from '../../record/json.js';
import type { Program } from './programs.js';
import { callRecord, endFields, errorOf, isInit, returnRecord, usageRecord } from './shapes.js';

export const cursor: Program = {
  name: 'cursor',
  // Every init of Claude Code lists its tools.
  wrote: (record) =>
    isInit(record) && textOf(record.apiKeySource) !== null && !('tools' in record) && !('uuid' in record),
  inOurShapes(record, type, known) {
    const { usage, request_id } = record;
    switch (type) {
      case 'system':
      case 'user':
        return [record];
      case 'assistant':
        // With --stream-partial-output a text comes in pieces first, which name a time but no call of the model.
        if ('timestamp_ms' in record && record.model_call_id == null) return [];
        return [{ ...record, message: { ...objectOf(record.message), id: record.model_call_id } }];
      // A few letters at a time.
      case 'thinking':
        return [];
      case 'tool_call':
        return cursorCall(record, objectOf(record.tool_call) ?? {});
      case 'result': {
        const uses = isObject(usage) ? [cursorUsage(`usage of ${known.session} in ${request_id}`, usage)] : [];
        // Its text is all that was said, run together.
        const { result, ...others } = record;
        return [...uses, { ...others, usage: undefined, ...(record.is_error === true && endFields(errorOf(result))) }];
      }
    }
    return null;
  },
};

/** A key of `tool_call` names the tool: `shellToolCall`. Tools without one are a `function`. */
function cursorCall({ subtype, call_id, model_call_id }: JsonObject, call: JsonObject): JsonObject[] {
  const [key = 'tool', told] = Object.entries(call).find(([, value]) => isObject(value)) ?? [];
  const { args, name, arguments: text, result } = objectOf(told) ?? {};
  const given = objectOf(args) ?? objectOf(parseJson(textOf(text) ?? '')) ?? {};
  const [tool, input] =
    key === 'mcpToolCall' ? serverCall(given) : [textOf(name) ?? key.replace(/ToolCall$/, ''), given];
  const request = callRecord(call_id, tool, input, { id: model_call_id });
  if (subtype === 'started') return [request];
  const { success, error, failure, rejected } = objectOf(result) ?? {};
  const { exitCode, isError } = objectOf(success) ?? {};
  if (success !== undefined)
    return [request, returnRecord(call_id, answerIn(success), Boolean(exitCode) || isError === true)];
  const problem = error ?? failure ?? rejected ?? result;
  const { reason, stderr } = objectOf(problem) ?? {};
  return [request, returnRecord(call_id, textOf(reason) || textOf(stderr) || errorOf(problem), true)];
}

/** What a shell wrote, a file has, or a server said as `[{"text":{"text":"…"}}]`. */
function answerIn(success: unknown): string {
  const { stdout, content } = objectOf(success) ?? {};
  const said = listOf(content)?.map((part) => textOf(objectOf(objectOf(part)?.text)?.text));
  return (
    textOf(stdout) ?? textOf(content) ?? (said?.every((text) => text !== null) ? said.join('\n') : toJson(success))
  );
}

function serverCall({ name, toolName, providerIdentifier, serverIdentifier, args }: JsonObject): [string, JsonObject] {
  const server = textOf(providerIdentifier) ?? textOf(serverIdentifier);
  const tool = textOf(toolName) ?? textOf(name) ?? 'tool';
  return [server === null ? tool : `mcp__${server}__${tool}`, objectOf(args) ?? {}];
}

function cursorUsage(
  id: string,
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: JsonObject,
): JsonObject {
  return usageRecord(id, null, {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  });
}
