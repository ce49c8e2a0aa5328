import { digest } from '../core/state/digest.js';
import type { Row } from '../view/writer.js';
import type { OptionSpec } from './command.js';

export const watchOption: OptionSpec = {
  flags: '--watch',
  summary: 'write each row again whenever it changed, while the stream goes on',
};

/** Passes on the rows that are new or not what they were when they were passed on last. */
export function createWatch<R extends Row>(keyOf: (row: R) => string): (rows: readonly R[]) => R[] {
  // Of rows by the thousands only what tells whether they changed is kept.
  const shown = new Map<string, string>();
  return (rows) =>
    rows.filter((row) => {
      const key = keyOf(row);
      const text = digest(JSON.stringify(row));
      if (shown.get(key) === text) return false;
      shown.set(key, text);
      return true;
    });
}
