import type { Writer } from './writer.js';

export function ndjson(): Writer {
  return {
    head: () => '',
    row: (row) => `${JSON.stringify(row)}\n`,
    tail: () => '',
  };
}
