// qwen --output-format stream-json: the shapes of Claude Code with other names of tools, and cached tokens in the input.
import { countOf, idOf, isObject, type JsonObject, listOf, objectOf, textOf } from '../../record/json.js';
import type { Program } from './programs.js';
import { errorOf, inputWithout, isInit, toolNamed } from './shapes.js';

export const qwen: Program = {
  name: 'qwen',
  wrote: (record) => isInit(record) && idOf(record.qwen_code_version) !== null,
  translate(record, type) {
    const { error } = record;
    if (isInit(record))
      return [{ ...record, claude_code_version: record.qwen_code_version, permissionMode: record.permission_mode }];
    if (type === 'assistant') return [{ ...record, message: messageOf(objectOf(record.message) ?? {}) }];
    // Its usage is that of all messages together, agents included.
    if (type === 'result')
      return [{ ...record, usage: undefined, ...(error != null && { subtype: 'error', errors: [errorOf(error)] }) }];
    return type === 'user' || type === 'system' || type === 'stream_event' ? [record] : null;
  },
};

function messageOf(message: JsonObject): JsonObject {
  const { usage, content, ...others } = message;
  const used = usageOf(usage);
  const blocks = listOf(content)?.map((block) =>
    isObject(block) && block.type === 'tool_use' ? { ...block, name: toolNamed(textOf(block.name) ?? '') } : block,
  );
  // A text before a call is a record of its own, without usage.
  const isUsed = Object.values(used ?? {}).some((count) => (countOf(count) ?? 0) > 0);
  const stop_reason = others.stop_reason ?? (isUsed ? 'end_turn' : null);
  return { ...others, content: blocks ?? content, ...(isUsed && { usage: used, stop_reason }) };
}

function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return { ...usage, input_tokens: inputWithout(input_tokens, cache_read_input_tokens, cache_creation_input_tokens) };
}
