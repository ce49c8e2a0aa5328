import type { Writer } from './writer.js';

/** One array, a row a line. */
export function json(): Writer {
  let empty = true;
  return {
    head: () => '',
    row(row) {
      const before = empty ? '[\n' : ',\n';
      empty = false;
      return before + JSON.stringify(row);
    },
    tail: () => (empty ? '[]\n' : '\n]\n'),
  };
}
