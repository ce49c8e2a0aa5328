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
  const found: JsonObject = {};
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] === quote) {
    const name = at;
    const end = values.endOf(at);
    const start = skipBlank(bytes, skipBlank(bytes, end) + 1);
    at = values.endOf(start);
    const key = keyAt(source, name, end, wanted);
    const inside = key === null ? undefined : wanted[key];
    if (key !== null && inside !== undefined) {
      const isInside = inside !== true && bytes[start] === curly;
      found[key] = isInside ? pickFields(index, start, inside, parse) : parse(source.text(start, at));
    }
    at = skipBlank(bytes, at);
    if (bytes[at] === comma) at = skipBlank(bytes, at + 1);
  }
  return found;
}

/** The name between these quotes, if it is wanted. Most are not, and no text is made of them. Wanted ones are ASCII. */
function keyAt(source: IndexBytes, from: number, end: number, wanted: Picked): string | null {
  const { bytes } = source;
  let mayBe = false;
  for (const name in wanted) if (name.length === end - from - 2 && name.charCodeAt(0) === bytes[from + 1]) mayBe = true;
  for (let at = from; !mayBe && at < end; at++) mayBe = bytes[at] === backslash;
  if (!mayBe) return null;
  const text = source.text(from, end);
  const key = text.includes('\\') ? String(parseJson(text)) : text.slice(1, -1);
  return Object.hasOwn(wanted, key) ? key : null;
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
