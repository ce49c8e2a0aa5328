// What a command asks of the reader. What nobody asks for is not made, and so not parsed.
import type { ContentWish, Detail } from './context.js';

export interface Interest {
  /** Names of events, as globs. */
  readonly events: readonly string[];
  /** How much of what was said, called and returned they have to repeat; by default all. */
  readonly content?: ContentWish;
  /** How much of what sessions do besides matters; by default all. */
  readonly detail?: Detail;
  /** Most of a record is not needed, even though texts are. */
  readonly sparing?: boolean;
}

/** Whether an interest names an event. */
export function asks({ events }: Interest, event: string): boolean {
  return events.some((glob) => matches(glob, event));
}

/** No regular expression: a glob with many stars would take exponential time. */
export function matches(glob: string, name: string): boolean {
  const [start = '', ...others] = glob.split('*');
  const end = others.pop();
  if (end === undefined) return glob === name;
  if (!name.startsWith(start)) return false;
  let at = start.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - end.length >= at && name.endsWith(end);
}
