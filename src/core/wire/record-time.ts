import { countOf, listOf, objectOf, textOf, timeOf } from '../record/fields.js';
import { createFramer } from '../record/frame.js';
import { isObject, type JsonObject } from '../record/json.js';
import { cleanLine, unprefixed } from '../record/line.js';
import { readEnvelopes } from './dialects/deliveries.js';
import { firstOf } from './read.js';

/** When a record says it was written: its own time, else one found inside it; null where it has none. ISO 8601 UTC. */
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

/** Some results name the moment at which their process began. */
function resultTime(record: JsonObject): string | null {
  const origin = countOf(record.time_origin_ms);
  return origin === null ? null : timeOf(origin + (countOf(record.duration_ms) ?? 0));
}

/** Teammates write into the body of a notification when it was made. */
function deliveryTime(record: JsonObject): string | null {
  if (record.type !== 'user') return null;
  const content = objectOf(record.message)?.content;
  const texts = typeof content === 'string' ? [content] : (listOf(content) ?? []).map(textIn);
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

function textIn(block: unknown): string {
  return (isObject(block) ? textOf(block.text) : null) ?? '';
}

/** Reads the lines of one source for the times they name. */
export interface LineTimes {
  push(text: string, line: number): void;
  end(): void;
}

/** Says of each line that has a time, in milliseconds since 1970; of a record over several lines, when it is complete. */
export function createLineTimes(known: (line: number, time: number) => void): LineTimes {
  let told = 0;
  const tell = (line: number, time: string | null) => {
    const epoch = time === null ? Number.NaN : Date.parse(time);
    // The first record of a line speaks for it.
    if (Number.isNaN(epoch) || line <= told) return;
    told = line;
    known(line, epoch);
  };
  const framer = createFramer({
    record: (record, line, prefix) => tell(line, timeOfRecord(record) ?? prefix),
    damaged() {},
    noise() {},
  });
  return {
    push(text, line) {
      framer.push(text, line);
      // Logs stamp also what is no record.
      if (told < line && !text.startsWith('{')) tell(line, unprefixed(cleanLine(text, line)).time);
    },
    end: () => framer.end(),
  };
}
