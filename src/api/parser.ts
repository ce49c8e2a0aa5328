// Parses text, bytes or records into events.

import { type Event, type EventMap, envelopeNames, type Own } from '../core/event/event.js';
import { isObject, type JsonObject } from '../core/record/json.js';
import { defaultMaxLineBytes, TextLines } from '../core/record/line.js';
import type { State } from '../core/tables/reduce.js';
import { labelledKey, type Memory, sessionOf } from '../core/wire/context.js';
import { recall } from '../core/wire/dialects/recall.js';
import { createReader } from '../core/wire/reader.js';
import { calledKey, returnedKey } from '../core/wire/seen.js';
import { placeOf } from '../core/wire/sessions.js';
import { ParsedRecord } from '../core/wire/view.js';
import { checkOptions, is, refuse } from './arguments.js';

export interface ParserOptions {
  /** Add its record to each event. */
  raw?: boolean;
  /** The time at which records without a time are read. */
  stamp?: () => string;
  /** Continues after the events of this state. Records that come again may produce their events again. */
  state?: State;
  /** Reports protocol drift and similar, which is not an error. */
  onWarning?(text: string): void;
  /** A longer line is skipped without being held in memory; 256 MiB by default. */
  maxLineBytes?: number;
}

export const parserOptions = {
  state: is.state,
  onWarning: is.function,
  maxLineBytes: is.amount,
  raw: is.flag,
  stamp: is.function,
};

/** Text or UTF-8 in pieces of any size, a record, or a list of records. */
export type ParserInput = string | Uint8Array | object;

export interface Parser {
  /** Returns the events that this input completes. Damaged lines produce events too: input:skipped. */
  push(input: ParserInput): Event[];
  /** The input has ended; returns the events that were held back. */
  end(): Event[];
  /** The previous file has ended and another one begins, which is the `source` of its events. */
  begin(path: string): Event[];
}

/** Makes the same events as `cct normalize`. It never throws, whatever the input. */
export function createParser(given: ParserOptions = {}): Parser {
  checkOptions('createParser', given, parserOptions);
  const { maxLineBytes = defaultMaxLineBytes, ...options } = given;
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
      if (typeof path !== 'string') refuse('begin: the path has to be a text', path);
      const events = end();
      parser.begin(path);
      return events;
    },
  };
}

export type LineParser = ReturnType<typeof createLineParser>;

/** A parser for callers that cut lines themselves. Lines are numbered as they come. */
export function createLineParser({ onWarning, state, ...options }: Omit<ParserOptions, 'maxLineBytes'> = {}) {
  let events: Event[] = [];
  let number = 0;
  let source: string | null = null;
  const reader = createReader({
    ...options,
    // Events that are read back keep the source they have.
    emit: (event) => events.push(source === null ? event : { ...event, source: event.source ?? source }),
    warn: (text) => onWarning?.(text),
    ...(state === undefined ? {} : { memory: memoryOfState(state) }),
  });
  return {
    line: (text: string) => reader.line(text, ++number),
    tooLong: (bytes: number) => reader.tooLong(++number, bytes),
    record: (record: JsonObject) => reader.record(new ParsedRecord(record), ++number),
    end() {
      reader.end();
      number = 0;
    },
    begin(path: string) {
      const place = placeOf(path);
      source = place.source;
      reader.begin(place);
    },
    /** The events since the last call. */
    take(): Event[] {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

/** Not instanceof: the bytes may come from another window. */
function isBytes(input: object): input is Uint8Array {
  return ArrayBuffer.isView(input);
}

/** What a parser needs to continue from a state: what a reader remembers that hears its facts again. */
function memoryOfState({ facts, reading, clocks, calls, usage }: State): Memory {
  const { context, memory } = createReader({ emit() {} });
  // Each file is read separately, but turns are counted and calls return across files.
  const isNeeded = (event: Event) => (event.source ?? '') === clocks.source || event.event === 'turn:started';
  const told: Event[] = facts.values().map(({ event }) => event);
  const open = reading.calls.entries().map(([tool_use_id, call]): EventMap['tool:called'] => ({
    ...{ cct: 1, event: 'tool:called', team: null, line: null, message_id: null, message: null },
    ...{ ...call, tool_use_id },
  }));
  for (const event of [...told.filter(isNeeded), ...open].sort((a, b) => a.seq - b.seq)) recall(context, event);
  for (const { id, session_id, from } of reading.requests.values())
    sessionOf(context, session_id).requests.set(id, from);
  for (const [id, { source, reported, ...read }] of reading.rows.entries())
    if (source === clocks.source)
      Object.assign(sessionOf(context, id || null), { ...read, reported: reported && reportFields(reported) });
  for (const { id, called, returned } of calls.known()) {
    if (called) context.seen.add(calledKey(id));
    if (returned) context.seen.add(returnedKey(id));
  }
  for (const { session_id, files } of usage.sessions.values())
    if ((files.get(clocks.source)?.log ?? null) !== null) context.seen.add(labelledKey(session_id));
  return { ...memory(), seq: reading.seq, current: reading.session_id };
}

/** The fields of a report without its envelope. */
function reportFields(event: EventMap['usage:reported']): Own<'usage:reported'> {
  const { total_cost_usd, model_usage } = event;
  const others = Object.entries(event).filter(([name]) => !envelopeNames.includes(name));
  return { ...Object.fromEntries(others), total_cost_usd, model_usage };
}
