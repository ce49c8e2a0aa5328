// The words of claude's own protocol, for whoever plays its part: what a host writes, and what it expects to read.
import { idOf, objectOf, textOf } from '../record/fields.js';
import { isObject, type JsonObject, parseJson } from '../record/json.js';

/** What a host says on claude's stdin. */
export type HostWord =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string | null };

/** null for everything that needs no reaction. */
export function readHostLine(text: string): HostWord | null {
  const record = parseJson(text);
  if (!isObject(record)) return null;
  if (record.type === 'user') return { kind: 'prompt' };
  const id = idOf(record.request_id);
  if (record.type !== 'control_request' || id === null) return null;
  return { kind: 'request', id, subtype: textOf(objectOf(record.request)?.subtype) };
}

/** The answers of a recorded run, by what they were answers to. */
export interface RecordedAnswers {
  readonly initialize?: JsonObject;
  readonly interrupt?: JsonObject;
}

/** Which request a recorded line answers; null when it is no answer at all. The requests themselves are not in a recording. */
export function readAnswer(text: string): { subtype: keyof RecordedAnswers | null; response: JsonObject } | null {
  if (!text.includes('"control_response"')) return null;
  const record = parseJson(text);
  if (!isObject(record) || record.type !== 'control_response') return null;
  const response = objectOf(record.response) ?? {};
  const inner = objectOf(response.response);
  // Up to 2.1.140 the answer to an interrupt, and to no other request of a usual run, says nothing more.
  const isInterrupt = inner === null ? response.subtype === 'success' : 'still_queued' in inner;
  return { subtype: isInterrupt ? 'interrupt' : inner !== null && 'commands' in inner ? 'initialize' : null, response };
}

/** The answer to a request: as the recorded run gave it where it did, else plain success. */
export function answerTo(id: string, subtype: string | null, recorded: RecordedAnswers): string {
  const known = subtype === 'initialize' || subtype === 'interrupt' ? recorded[subtype] : undefined;
  const response = { subtype: 'success', ...known, request_id: id };
  return JSON.stringify({ type: 'control_response', response });
}

/** The result of a turn that was interrupted before it came to the one it has in the recording. */
export function interruptedResult(record: JsonObject): string {
  const { result: _result, structured_output: _output, ...rest } = record;
  const said = { type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
  return JSON.stringify({ ...rest, ...said, errors: [] });
}
