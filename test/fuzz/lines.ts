import { isObject, type JsonObject, parseJson } from '../json.js';
import type { Random } from './random.js';

/** A line of fuzzed input, without its end. */
export interface Line {
  readonly bytes: Buffer;
  /** The records that must be found in it, as JSON; null if damage makes that uncertain. */
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
  // In a document over many lines, no line is a record by itself.
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

/** The number of each line as a reader counts them: a line may contain line ends. */
export function numbersOf(lines: readonly Line[]): number[] {
  let next = 1;
  return lines.map(({ bytes }) => {
    const number = next;
    next += 1 + bytes.filter((byte) => byte === 0x0a).length;
    return number;
  });
}

/** The same lines, changed: damaged, joined, or written differently. */
export type Mutation = (lines: readonly Line[], random: Random) => Line[];

/** A change of one line. */
export function toLine(change: (line: Line, random: Random) => Line[]): Mutation {
  return (lines, random) => {
    const at = random.below(lines.length);
    const line = lines[at];
    return line === undefined ? [] : lines.toSpliced(at, 1, ...change(line, random));
  };
}

/** A change of one record, of some or of all. Each is parsed, and `change` makes its new line. */
export function toRecords(change: (record: JsonObject, random: Random) => Line): Mutation {
  return (lines, random) => {
    const isMeant = chooser(lines.length, random);
    return lines.map((line, index) => {
      const record = isBare(line) && isMeant(index) ? parseJson(line.bytes.toString()) : null;
      return isObject(record) ? unlessTooDeep(() => change(record, random), line) : line;
    });
  };
}

/** Chooses among this many: one, about a third, or all. */
export function chooser(count: number, random: Random): (index: number) => boolean {
  const one = random.below(count);
  return random.pick<(index: number) => boolean>([
    (index) => index === one,
    (index) => index === one || random.below(10) < 3,
    () => true,
  ]);
}

export function behind(prefix: string, { bytes, records }: Line): Line {
  return { bytes: Buffer.concat([Buffer.from(prefix), bytes]), records };
}

/** A record and nothing else. */
export function isBare({ bytes, records }: Line): boolean {
  return records?.length === 1 && records[0] === bytes.toString();
}

/** Earlier changes may have made it too deep to write again. */
function unlessTooDeep(make: () => Line, otherwise: Line): Line {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

const newline = Buffer.from('\n');

function isRecord(text: string): boolean {
  return isObject(parseJson(text));
}
