// The library for Node: everything in lib.ts, with an eventStream that works.
import type { Transform } from 'node:stream';
import { checkOptions, is } from './api/arguments.js';
import { type ParseStreamOptions, parseStream } from './api/event-stream.js';
import { createLineParser, type ParserOptions, parserOptions } from './api/parser.js';
import type { Event } from './core/event/event.js';

export * from './lib.js';

export type EventStreamOptions = ParseStreamOptions & Omit<ParserOptions, 'maxLineBytes'>;

export interface EventStream extends Transform {
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Event>;
}

/** A stream from bytes to events: `child.stdout.pipe(eventStream())`. */
export function eventStream(given: EventStreamOptions = {}): EventStream {
  checkOptions('eventStream', given, { ...parserOptions, signal: is.signal });
  const { maxLineBytes, signal, ...options } = given;
  return parseStream(createLineParser(options), {
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    ...(signal === undefined ? {} : { signal }),
  });
}
