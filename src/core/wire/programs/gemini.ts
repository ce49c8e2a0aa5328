// gemini --output-format stream-json. Only its result says what was used, by model.
import { countOf, idOf, type JsonObject, objectOf } from '../../record/json.js';
import type { Program } from './programs.js';
import {
  callRecord,
  endRecord,
  errorOf,
  frame,
  init,
  inputWithout,
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
        if (record.role !== 'user') return [textRecord(content)];
        return [{ type: 'user', message: { role: 'user', content } }];
      case 'tool_use':
        return [callRecord(tool_id, record.tool_name, record.parameters)];
      case 'tool_result': {
        const isError = record.status !== 'success';
        return [returnRecord(tool_id, record.output ?? (isError ? errorOf(record.error) : ''), isError)];
      }
      case 'error':
        return [frame('informational', { level: record.severity, content: errorOf(record) })];
      case 'result': {
        const stats = objectOf(record.stats) ?? {};
        const error = record.status === 'success' ? null : plainError(errorOf(record.error));
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
