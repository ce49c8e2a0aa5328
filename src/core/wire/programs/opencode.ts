// opencode run --format json. It says what each step cost, but not its model.
import { countOf, idOf, isObject, type JsonObject, objectOf } from '../../record/json.js';
import type { Program } from './programs.js';
import { called, ended, errorOf, init, returned, spoke, thought, used } from './shapes.js';

export const opencode: Program = {
  name: 'opencode',
  wrote: ({ sessionID, part, error }) => idOf(sessionID) !== null && (isObject(part) || isObject(error)),
  translate(record, type, { isStarted }) {
    const said = partOf(record, type, objectOf(record.part) ?? {});
    if (said === null) return null;
    const session_id = record.sessionID;
    const begin = isStarted ? [] : [init({ uuid: session_id })];
    return [...begin, ...said].map((one) => ({ ...one, session_id }));
  },
};

function partOf(record: JsonObject, type: string, part: JsonObject): readonly JsonObject[] | null {
  const id = idOf(part.messageID);
  switch (type) {
    case 'step_start':
      return [];
    case 'text':
      return [{ ...spoke(part.text, { id }), uuid: part.id }];
    case 'reasoning':
      return [{ ...thought(part.text, { id }), uuid: part.id }];
    case 'tool_use':
      return callOf(part, id);
    case 'step_finish': {
      const usage = usageOf(part);
      const isLast = part.reason !== 'tool-calls';
      return [used(`${id}`, null, usage), ...(isLast ? [ended(null, { stop_reason: part.reason })] : [])];
    }
    case 'error':
      return [ended(errorOf(record.error))];
  }
  return null;
}

/** A call is written when it has ended. */
function callOf({ callID, tool, state }: JsonObject, id: string | null): JsonObject[] {
  const { input, output, error, status, time } = objectOf(state) ?? {};
  const { start, end } = objectOf(time) ?? {};
  const isError = status === 'error';
  return [
    { ...called(callID, tool, input, { id }), ...(start != null && { timestamp: start }) },
    { ...returned(callID, isError ? errorOf(error) : output, isError), ...(end != null && { timestamp: end }) },
  ];
}

/** Reasoning is output that it counts apart, and charges like output. */
function usageOf({ tokens, cost }: JsonObject): JsonObject {
  const { input, output, reasoning, cache } = objectOf(tokens) ?? {};
  const { read, write } = objectOf(cache) ?? {};
  return {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: (countOf(output) ?? 0) + (countOf(reasoning) ?? 0),
    cost_usd: cost,
  };
}
