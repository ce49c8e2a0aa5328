// opencode run --format json. It says what each step cost, but not its model.
import { countOf, idOf, isObject, type JsonObject, objectOf, textOf } from '../../record/json.js';
import type { Program } from './programs.js';
import {
  callRecord,
  endRecord,
  errorOf,
  init,
  inputWithout,
  returnRecord,
  textRecord,
  thinkingRecord,
  usageRecord,
} from './shapes.js';

export const opencode: Program = {
  name: 'opencode',
  wrote: ({ sessionID, part, error }) => idOf(sessionID) !== null && (isObject(part) || isObject(error)),
  inOurShapes(record, type, known) {
    const said = partOf(record, type, objectOf(record.part) ?? {});
    if (said === null) return null;
    const session_id = record.sessionID;
    const begin = known.started ? [] : [init({ uuid: session_id })];
    return [...begin, ...said].map((one) => ({ ...one, session_id }));
  },
};

function partOf(record: JsonObject, type: string, part: JsonObject): readonly JsonObject[] | null {
  const id = idOf(part.messageID);
  switch (type) {
    case 'step_start':
      return [];
    case 'text':
      return [{ ...textRecord(part.text, { id }), uuid: part.id }];
    case 'reasoning':
      return [{ ...thinkingRecord(part.text, { id }), uuid: part.id }];
    case 'tool_use':
      return opencodeCall(part, id);
    case 'step_finish': {
      const usage = stepUsage(part);
      const isLast = part.reason !== 'tool-calls' && part.reason !== 'unknown';
      return [usageRecord(`${id}`, null, usage), ...(isLast ? [lastStep(textOf(part.reason))] : [])];
    }
    case 'error':
      return [failedBy(record.error)];
  }
  return null;
}

/** It ends with 0 too when the answer was cut or blocked. */
function lastStep(reason: string | null): JsonObject {
  const isCut = reason === 'length' || reason === 'content-filter' || reason === 'error';
  return endRecord(isCut ? `the last step ended with ${reason}` : null, { stop_reason: reason });
}

function failedBy(error: unknown): JsonObject {
  const { statusCode } = objectOf(objectOf(error)?.data) ?? {};
  const status = countOf(statusCode);
  return endRecord(`${status === null ? '' : `API Error: ${status} `}${errorOf(error)}`);
}

/** A call is written when it has ended. */
function opencodeCall({ callID, tool, state }: JsonObject, id: string | null): JsonObject[] {
  const { input, output, error, status, time, metadata } = objectOf(state) ?? {};
  const { start, end } = objectOf(time) ?? {};
  const { exit, sessionId, model } = objectOf(metadata) ?? {};
  // A tool that does not exist is called `invalid`, and a command that failed is completed.
  const isError = status === 'error' || tool === 'invalid' || (countOf(exit) ?? 0) > 0;
  const said = status === 'error' ? errorOf(error) : output;
  const agentId = tool === 'task' ? idOf(sessionId) : null;
  const handed = agentId === null || isError ? undefined : answerOf(agentId, said, objectOf(model)?.modelID);
  const named = tool === 'invalid' ? (objectOf(input)?.tool ?? tool) : tool;
  return [
    { ...callRecord(callID, named, input, { id }), ...(start != null && { timestamp: start }) },
    { ...returnRecord(callID, said, isError, handed), ...(end != null && { timestamp: end }) },
  ];
}

/** What an agent answered. What it did and spent is not in the stream. */
function answerOf(agentId: string, said: unknown, resolvedModel: unknown): JsonObject {
  const [, answer = textOf(said)] = /^[^\n]*\n<task_result>\n(.*)\n<\/task_result>/s.exec(textOf(said) ?? '') ?? [];
  return { status: 'completed', agentId, resolvedModel, content: [{ type: 'text', text: answer }] };
}

/** Reasoning is output. Up to 1.2 the output includes it, as the total shows; older versions name no total. */
function stepUsage({ tokens, cost }: JsonObject): JsonObject {
  const { total, input, output, reasoning, cache } = objectOf(tokens) ?? {};
  const { read, write } = objectOf(cache) ?? {};
  const all = (countOf(output) ?? 0) + (countOf(reasoning) ?? 0);
  return {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: total == null ? output : Math.min(all, inputWithout(total, input, read, write)),
    cost_usd: cost,
  };
}
