// What passes the doors of privacy.ts; apart from it, because its patterns are loaded only when needed.
import type { Event } from '../event/event.js';

/** What is done to everything that is read. */
export interface Privacy {
  event(event: Event): Event;
  /** A line as it was read. null leaves it out, and so does `part`: it is a part of a line, in a log. */
  line(text: string): string | null | typeof part;
  /** A text for people, such as a line on stderr. */
  text(text: string): string;
  /** A slice of a state. */
  saved(json: unknown): unknown;
}

export const part = Symbol('part of a line');
