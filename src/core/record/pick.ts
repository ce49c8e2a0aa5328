// Reads a few fields of a JSON object, and passes over the others without parsing them.
import { type JsonObject, parseJson } from './json.js';
import type { IndexBytes } from './line-index.js';

/** The fields to read; of an object, those inside it. */
export interface Picked {
  readonly [name: string]: true | Picked;
}

/** Fields of the JSON at this place, which has to be a valid object. Only what is wanted is made text and parsed. */
export function pickFields(source: IndexBytes, from: number, wanted: Picked): JsonObject {
  const { bytes } = source;
  const found: JsonObject = {};
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] === quote) {
    const name = at;
    const end = endOfString(bytes, at);
    const start = skipBlank(bytes, skipBlank(bytes, end) + 1);
    at = endOfValue(bytes, start);
    const key = keyAt(source, name, end, wanted);
    const inside = key === null ? undefined : wanted[key];
    if (key !== null && inside !== undefined) {
      const isInside = inside !== true && bytes[start] === curly;
      found[key] = isInside ? pickFields(source, start, inside) : parseJson(source.text(start, at));
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

/** Behind the value that begins here. */
function endOfValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === curly || byte === bracket) depth += 1;
    else if (byte === endCurly || byte === endBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth > 0 || byte !== comma) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

/** Behind the string that begins here. */
function endOfString(bytes: Uint8Array, from: number): number {
  // Most strings are short, and `indexOf` is only fast over long ones.
  for (let at = from + 1; at < from + 24; at++) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at += 1;
  }
  let at = bytes.indexOf(quote, from + 1);
  while (at !== -1 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1);
  return at === -1 ? bytes.length : at + 1;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let start = at;
  while (bytes[start - 1] === backslash) start -= 1;
  return (at - start) % 2 === 1;
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
const endCurly = 0x7d;
const bracket = 0x5b;
const endBracket = 0x5d;
const space = 0x20;
