// The library for Node: everything in lib.ts, plus what works with Node's streams.
import type { Transform } from 'node:stream';
import { type ParseStreamOptions, parseStream } from './api/event-stream.js';
import { createLineParser, type ParserOptions } from './api/parser.js';
import type { Event } from './core/event/event.js';

export * from './lib.js';

export type EventStreamOptions = ParseStreamOptions & Omit<ParserOptions, 'maxLineBytes'>;

export interface EventStream extends Transform {
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Event>;
}

/** A stream from bytes to events: `child.stdout.pipe(eventStream())`. */
export function eventStream({ maxLineBytes, signal, ...options }: EventStreamOptions = {}): EventStream {
  return parseStream(createLineParser(options), {
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    ...(signal === undefined ? {} : { signal }),
  });
}
