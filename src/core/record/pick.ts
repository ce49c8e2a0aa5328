// Reads a few fields of a JSON object, and passes over the others without parsing them.
import { type JsonObject, parseJson } from './json.js';
import type { IndexBytes, LineIndex } from './line-index.js';

/** The fields to read; of an object, those inside it. */
export interface Picked {
  readonly [name: string]: true | Picked;
}

type Source = Pick<LineIndex, 'source' | 'values'>;

/** Fields of the object that begins here, in a line that is not odd. Only what is wanted is made text and parsed. */
export function pickFields(index: Source, from: number, wanted: Picked, parse = parseJson): JsonObject {
  const { source, values } = index;
  const { bytes } = source;
  const beginnings = beginningsOf(wanted);
  const found: JsonObject = {};
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] === quote) {
    const name = at;
    const end = values.endOf(at);
    const start = skipBlank(bytes, skipBlank(bytes, end) + 1);
    at = values.endOf(start);
    // Most names are not wanted, and no text is made of them. Wanted ones are ASCII.
    const mayBe = beginnings.has(beginning(end - name - 2, bytes[name + 1] ?? 0)) || hasEscape(bytes, name, end);
    const key = mayBe ? keyAt(source, name, end) : '';
    const inside = mayBe && Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (inside !== undefined) {
      const isInside = inside !== true && bytes[start] === curly;
      found[key] = isInside ? pickFields(index, start, inside, parse) : parse(source.text(start, at));
    }
    at = skipBlank(bytes, at);
    if (bytes[at] === comma) at = skipBlank(bytes, at + 1);
  }
  return found;
}

/** The lengths and first letters of the wanted names. */
function beginningsOf(wanted: Picked): ReadonlySet<number> {
  let found = known.get(wanted);
  if (found === undefined) {
    found = new Set(Object.keys(wanted).map((name) => beginning(name.length, name.charCodeAt(0))));
    known.set(wanted, found);
  }
  return found;
}
const known = new WeakMap<Picked, ReadonlySet<number>>();

function beginning(length: number, letter: number): number {
  return length * 256 + letter;
}

function hasEscape(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

/** The name between these quotes. */
function keyAt(source: IndexBytes, from: number, end: number): string {
  const text = source.text(from, end);
  return text.includes('\\') ? String(parseJson(text)) : text.slice(1, -1);
}

function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? quote) <= space) at += 1;
  return at;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const curly = 0x7b;
const space = 0x20;
