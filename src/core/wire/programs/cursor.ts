// cursor-agent --output-format stream-json. Older versions say nothing of tokens; no version says what they cost.
import { isObject, type JsonObject, objectOf, textOf } from '../../record/json.js';
import type { Program } from './programs.js';
import { callRecord, endFields, errorOf, isInit, returnRecord, usageRecord } from './shapes.js';

export const cursor: Program = {
  name: 'cursor',
  // Every init of Claude Code lists its tools.
  wrote: (record) =>
    isInit(record) && textOf(record.apiKeySource) !== null && !('tools' in record) && !('uuid' in record),
  translate(record, type, { session }) {
    const { usage, request_id } = record;
    switch (type) {
      case 'system':
      case 'user':
        return [record];
      case 'assistant':
        return [{ ...record, message: { ...objectOf(record.message), id: record.model_call_id } }];
      // A few letters at a time.
      case 'thinking':
        return [];
      case 'tool_call':
        return cursorCall(record, objectOf(record.tool_call) ?? {});
      case 'result': {
        const uses = isObject(usage) ? [cursorUsage(`usage of ${session} in ${request_id}`, usage)] : [];
        // Its text is all that was said, run together.
        const { result, ...others } = record;
        return [...uses, { ...others, usage: undefined, ...(record.is_error === true && endFields(errorOf(result))) }];
      }
    }
    return null;
  },
};

/** The only key of `tool_call` names the tool: `shellToolCall`. */
function cursorCall({ subtype, call_id, model_call_id }: JsonObject, call: JsonObject): JsonObject[] {
  const [key = 'tool'] = Object.keys(call);
  const { args, result } = objectOf(call[key]) ?? {};
  const request = callRecord(call_id, key.replace(/ToolCall$/, ''), args, { id: model_call_id });
  if (subtype === 'started') return [request];
  const { success, error, failure, rejected } = objectOf(result) ?? {};
  const { exitCode, stdout } = objectOf(success) ?? {};
  if (success !== undefined)
    return [
      request,
      returnRecord(call_id, textOf(stdout) ?? JSON.stringify(success), typeof exitCode === 'number' && exitCode !== 0),
    ];
  return [request, returnRecord(call_id, errorOf(error ?? failure ?? rejected ?? result), true)];
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
