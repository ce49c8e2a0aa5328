import { isObject, parseJson } from '../json.js';

/** A line of fuzzed input, without its end. */
export interface Line {
  readonly bytes: Buffer;
  /** The records that have to be found in it, as JSON; null where damage makes that an open question. */
  readonly records: readonly string[] | null;
}

export function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    lines.push({ bytes: line, records: null });
    start += line.length + 1;
  }
  // In a document that goes over many lines no line is a record by itself.
  const isByLine = lines.every(({ bytes: line }) => line.length === 0 || isRecord(line.toString()));
  return isByLine ? lines.map(({ bytes: line }) => lineOf(line.toString())) : lines;
}

export function lineOf(text: string): Line {
  return { bytes: Buffer.from(text), records: isRecord(text) ? [text] : [] };
}

export function damaged(bytes: Buffer | string): Line {
  return { bytes: Buffer.from(bytes), records: null };
}

export function joined(lines: readonly Line[]): Buffer {
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, newline]));
}

/** Where each line begins, counted as a reader does: a line may hold ends of its own. */
export function numbersOf(lines: readonly Line[]): number[] {
  let next = 1;
  return lines.map(({ bytes }) => {
    const number = next;
    next += 1 + bytes.filter((byte) => byte === 0x0a).length;
    return number;
  });
}

const newline = Buffer.from('\n');

function isRecord(text: string): boolean {
  return isObject(parseJson(text));
}
