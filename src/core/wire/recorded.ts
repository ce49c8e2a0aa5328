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

/** A line that a host writes to claude's stdin: a prompt, or a request with the answer it gets; null for any other. */
export function readHostLine(text: string): { readonly isPrompt: boolean; readonly answer?: string } | null {
  const record = parseJson(text);
  if (!isObject(record)) return null;
  if (record.type === 'user') return { isPrompt: true };
  const request_id = idOf(record.request_id);
  if (record.type !== 'control_request' || request_id === null) return null;
  const response = { subtype: 'success', request_id };
  return { isPrompt: false, answer: JSON.stringify({ type: 'control_response', response }) };
}

/** Whether a recorded line answers a request of a host. The requests themselves are not recorded. */
export function isAnswer(text: string): boolean {
  return text.includes('"control_response"') && objectOf(parseJson(text))?.type === 'control_response';
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
