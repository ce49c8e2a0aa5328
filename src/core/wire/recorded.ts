import { createFramer } from '../record/frame.js';
import {
  countOf,
  idOf,
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  parseJson,
  textOf,
  timeOf,
} from '../record/json.js';
import { cleanLine, unprefixed } from '../record/line.js';
import { readEnvelopes } from './dialects/deliveries.js';
import { firstOf } from './read.js';

/** The time of a record, ISO 8601 UTC: its own, else one inside it, else null. */
export function timeOfRecord(record: JsonObject): string | null {
  return (
    timeOf(record.timestamp) ??
    (record.cct === 1 ? timeOf(record.time) : null) ??
    timeOf(objectOf(record.patch)?.end_time) ??
    timeOf(objectOf(record.origin)?.timestamp) ??
    resultTime(record) ??
    deliveryTime(record) ??
    firstOf(timeOf, record.updated_at, record.created_at, record.createdAt)
  );
}

/** Finds the times in the lines of one source. */
export interface LineTimes {
  push(text: string, line: number): void;
  end(): void;
}

/**
 * Calls `known` for each line with a time, in milliseconds since 1970, or once a record over several lines is complete.
 */
export function createLineTimes(known: (line: number, time: number) => void): LineTimes {
  let lastLine = 0;
  const reportLine = (line: number, time: string | null) => {
    const epoch = time === null ? Number.NaN : Date.parse(time);
    // The first record of a line decides.
    if (Number.isNaN(epoch) || line <= lastLine) return;
    lastLine = line;
    known(line, epoch);
  };
  const framer = createFramer({
    record: (record, line, log) => reportLine(line, timeOfRecord(record) ?? log?.time ?? null),
    damaged() {},
    noise() {},
    logged: reportLine,
  });
  return {
    push(text, line) {
      framer.push(text, line);
      // Logs also put a time before lines that are not records.
      if (lastLine < line && !text.startsWith('{'))
        reportLine(line, unprefixed(cleanLine(text, line)).log?.time ?? null);
    },
    end: () => framer.end(),
  };
}

/** A line that a host writes to claude's stdin. */
export type HostWord =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string | null };

/** null for a line that needs no reaction. */
export function readHostLine(text: string): HostWord | null {
  const record = parseJson(text);
  if (!isObject(record)) return null;
  if (record.type === 'user') return { kind: 'prompt' };
  const id = idOf(record.request_id);
  if (record.type !== 'control_request' || id === null) return null;
  return { kind: 'request', id, subtype: textOf(objectOf(record.request)?.subtype) };
}

/** The answers in a recorded run, by request. */
export interface RecordedAnswers {
  readonly initialize?: JsonObject;
  readonly interrupt?: JsonObject;
}

/** Which request a recorded line answers; null if it is not an answer. The requests themselves are not recorded. */
export function readAnswer(text: string): { subtype: keyof RecordedAnswers | null; response: JsonObject } | null {
  if (!text.includes('"control_response"')) return null;
  const record = parseJson(text);
  if (!isObject(record) || record.type !== 'control_response') return null;
  const response = objectOf(record.response) ?? {};
  const inner = objectOf(response.response);
  // Up to 2.1.140, the only answer without content in a usual run is the one to an interrupt.
  const isInterrupt = inner === null ? response.subtype === 'success' : 'still_queued' in inner;
  return { subtype: isInterrupt ? 'interrupt' : inner !== null && 'commands' in inner ? 'initialize' : null, response };
}

/** The answer to a request: the recorded one if there is one, else plain success. */
export function answerTo(id: string, subtype: string | null, recorded: RecordedAnswers): string {
  const known = subtype === 'initialize' || subtype === 'interrupt' ? recorded[subtype] : undefined;
  const response = { subtype: 'success', ...known, request_id: id };
  return JSON.stringify({ type: 'control_response', response });
}

/** The result of a turn that was interrupted before the result in the recording. */
export function interruptedResult(record: JsonObject): string {
  const { result: _result, structured_output: _output, ...rest } = record;
  const own = { type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
  return JSON.stringify({ ...rest, ...own, errors: [] });
}

/** Some results contain the start time of their process. */
function resultTime(record: JsonObject): string | null {
  const origin = countOf(record.time_origin_ms);
  return origin === null ? null : timeOf(origin + (countOf(record.duration_ms) ?? 0));
}

/** The body of a teammate's notification contains its time. */
function deliveryTime(record: JsonObject): string | null {
  if (record.type !== 'user') return null;
  const content = objectOf(record.message)?.content;
  const texts = typeof content === 'string' ? [content] : (listOf(content) ?? []).map(blockText);
  for (const text of texts) {
    if (!text.includes('"timestamp"')) continue;
    const times = readEnvelopes(text, objectOf(record.origin)).map((envelope) =>
      envelope.kind === 'message' ? timeOf(envelope.body?.timestamp) : null,
    );
    const last = times
      .filter((time) => time !== null)
      .sort()
      .at(-1);
    if (last !== undefined) return last;
  }
  return null;
}

function blockText(block: unknown): string {
  return (isObject(block) ? textOf(block.text) : null) ?? '';
}
