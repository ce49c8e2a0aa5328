// qwen --output-format stream-json: the shapes of Claude Code with other names of tools, and cached tokens in the input.
import { countOf, idOf, isObject, type JsonObject, listOf, objectOf, textOf } from '../../record/json.js';
import type { Program } from './programs.js';
import { endFields, errorOf, inOurWords, inputWithout, isFailedCommand, isInit, plainError } from './shapes.js';

export const qwen: Program = {
  name: 'qwen',
  wrote: (record) => isInit(record) && idOf(record.qwen_code_version) !== null,
  inOurShapes(record, type, known) {
    if (isInit(record))
      return [{ ...record, claude_code_version: record.qwen_code_version, permissionMode: record.permission_mode }];
    if (type === 'assistant') return [{ ...record, message: qwenMessage(objectOf(record.message) ?? {}) }];
    if (type === 'result') return [{ ...record, ...qwenResult(record, known.started?.model ?? null) }];
    // 0.24 says in `data` what Claude Code says in the record.
    if (type === 'system') return [{ ...record, ...objectOf(record.data) }];
    if (type === 'user') return [{ ...record, ...qwenReturn(objectOf(record.message) ?? {}) }];
    return type === 'stream_event' ? [record] : null;
  },
};

/** Its usage is that of the process so far, with agents and helpers, whose messages say nothing of it. */
function qwenResult({ error, usage, result }: JsonObject, model: string | null): JsonObject {
  const { output_tokens, cache_read_input_tokens } = objectOf(usage) ?? {};
  const modelUsage = model !== null &&
    isObject(usage) && {
      [model]: {
        inputTokens: qwenUsage(usage)?.input_tokens,
        outputTokens: output_tokens,
        cacheReadInputTokens: cache_read_input_tokens,
      },
    };
  // Up to 0.15 a run that the API refused is a success with this text.
  const said = textOf(result);
  const failed = error != null ? errorOf(error) : said?.startsWith('[API Error: ') ? said : null;
  const ending = failed === null ? {} : endFields(plainError(failed));
  return { usage: undefined, ...(modelUsage && { modelUsage }), ...ending };
}

/** Up to 0.12 a command that failed is no error. That a background agent has ended is no prompt. */
function qwenReturn(message: JsonObject): JsonObject {
  const blocks = listOf(message.content)?.map((block) =>
    isObject(block) && isFailedCommand(block.content) ? { ...block, is_error: true } : block,
  );
  const [first] = blocks ?? [];
  const isSynthetic = /^Background agent ".*" [a-z ]+\.$/s.test(textOf(objectOf(first)?.text) ?? '');
  return { message: { ...message, ...(blocks && { content: blocks }) }, ...(isSynthetic && { isSynthetic }) };
}

function qwenMessage(message: JsonObject): JsonObject {
  const { usage, content, ...others } = message;
  const used = qwenUsage(usage);
  const blocks = listOf(content)?.map((block) =>
    isObject(block) && block.type === 'tool_use' ? inOurWords(block) : block,
  );
  // A text before a call is a record of its own, without usage.
  const isUsed = Object.values(used ?? {}).some((count) => (countOf(count) ?? 0) > 0);
  const stop_reason = others.stop_reason ?? (isUsed ? 'end_turn' : null);
  return { ...others, content: blocks ?? content, ...(isUsed && { usage: used, stop_reason }) };
}

function qwenUsage(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return { ...usage, input_tokens: inputWithout(input_tokens, cache_read_input_tokens, cache_creation_input_tokens) };
}
