// The library as Node gets it: everything of lib.ts, and what works on Node's streams.
import type { Transform } from 'node:stream';
import { createLineParser, type ParserOptions } from './core/event/parser.js';
import { type ParseStreamOptions, parseStream } from './io/parse-stream.js';

export * from './lib.js';

export type EventStreamOptions = ParseStreamOptions & Omit<ParserOptions, 'maxLineBytes'>;

/** A stream from bytes to events: `child.stdout.pipe(eventStream())`. */
export function eventStream({ maxLineBytes, signal, ...options }: EventStreamOptions = {}): Transform {
  return parseStream(createLineParser(options), {
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    ...(signal === undefined ? {} : { signal }),
  });
}
