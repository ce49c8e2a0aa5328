import type { Event } from '../event/event.js';
import { createNormalizer, type NormalizerOptions } from '../event/normalize.js';
import { createFramer } from '../record/frame.js';
import { isObject, type JsonObject } from '../record/json.js';
import { placeOf } from '../record/place.js';
import { TextLines } from '../record/text-lines.js';
import type { State } from './reduce.js';
import { memoryOfState } from './resume.js';

export interface ParserOptions extends Omit<NormalizerOptions, 'emit' | 'warn' | 'memory'> {
  /** Goes on where the events stopped that this state was reduced from. Records that were read before and come again may be told again. */
  state?: State;
  /** Protocol drift and the like: worth knowing, not an error. */
  onWarning?(text: string): void;
  /** A longer line is skipped without being held in memory; 256 MiB if nothing is said. */
  maxLineBytes?: number;
}

/** What goes into a parser: text or UTF-8 in pieces of any size, a record, or a list of records. */
export type ParserInput = string | Uint8Array | object;

export interface Parser {
  /** The events that are complete with this. Damaged lines are events too: input:skipped. */
  push(input: ParserInput): Event[];
  /** The input has ended; what was still held back comes out. */
  end(): Event[];
  /** Another file begins and the one before it has ended. Its path may say whose records these are. */
  begin(path: string): Event[];
}

/** Text, bytes or records in, events out; the same as `cct normalize`. It never throws, whatever the input. */
export function createParser({ maxLineBytes = 256 * 1024 * 1024, ...options }: ParserOptions = {}): Parser {
  const parser = createLineParser(options);
  const lines = new TextLines(parser, maxLineBytes);
  let decoder = new TextDecoder();

  function end(): Event[] {
    lines.push(decoder.decode());
    decoder = new TextDecoder();
    lines.end();
    parser.end();
    return parser.take();
  }

  return {
    push(input) {
      if (typeof input === 'string') lines.push(input);
      else if (isBytes(input)) lines.push(decoder.decode(input, { stream: true }));
      else for (const record of Array.isArray(input) ? input : [input]) if (isObject(record)) parser.record(record);
      return parser.take();
    },
    end,
    begin(path) {
      const events = end();
      parser.begin(path);
      return events;
    },
  };
}

/** Not instanceof: they may come from another window. */
function isBytes(input: object): input is Uint8Array {
  return ArrayBuffer.isView(input);
}

export interface LineParser {
  line(text: string): void;
  tooLong(bytes: number): void;
  record(record: JsonObject): void;
  end(): void;
  begin(path: string): void;
  /** The events since it was last asked. */
  take(): Event[];
}

/** The same for whoever cuts lines itself. Lines are numbered as they come. */
export function createLineParser({
  onWarning,
  state,
  ...options
}: Omit<ParserOptions, 'maxLineBytes'> = {}): LineParser {
  let events: Event[] = [];
  let number = 0;
  const normalizer = createNormalizer({
    ...options,
    emit: (event) => events.push(event),
    warn: (text) => onWarning?.(text),
    ...(state === undefined ? {} : { memory: memoryOfState(state) }),
  });
  const framer = createFramer({
    record: (record, line, time) => normalizer.record(record, line, time),
    damaged: (line, reason, bytes) => normalizer.skipped(line, reason, bytes),
    noise() {},
  });
  return {
    line: (text) => framer.push(text, ++number),
    tooLong: (bytes) => normalizer.skipped(++number, 'line too long', bytes),
    record: (record) => normalizer.record(record, ++number, null),
    end() {
      framer.end();
      number = 0;
    },
    begin: (path) => normalizer.begin(placeOf(path)),
    take() {
      const taken = events;
      events = [];
      return taken;
    },
  };
}
