import type { JsonObject } from './json.js';

/** Receives what the lines of one source turn out to be. */
export interface FrameSink {
  /** `time` is ISO 8601 UTC, from the prefix that a log put before the line. */
  record(record: JsonObject, line: number, time: string | null): void;
  /** The text of the line that was lost, in bytes of UTF-8, and what was done about it: `line skipped`. */
  damaged(line: number, reason: string, bytes: number, done: string): void;
  noise(line: number): void;
}
