// Reads a few fields of a JSON object, and passes over the others without parsing them.
import { type JsonObject, parseJson } from './json.js';
import type { IndexBytes } from './line-index.js';

/** The fields to read; of an object, those inside it. */
export interface Picked {
  readonly [name: string]: true | Picked;
}

/** Fields of the JSON at this place, which has to be a valid object. Only what is wanted is made text and parsed. */
export function pick(source: IndexBytes, from: number, wanted: Picked): JsonObject {
  const { bytes } = source;
  const found: JsonObject = {};
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] === quote) {
    const end = endOfString(bytes, at);
    const name = source.text(at, end);
    const start = skipBlank(bytes, skipBlank(bytes, end) + 1);
    at = endOfValue(bytes, start);
    const key = name.includes('\\') ? String(parseJson(name)) : name.slice(1, -1);
    const inside = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (inside !== undefined) {
      const isInside = inside !== true && bytes[start] === curly;
      found[key] = isInside ? pick(source, start, inside) : parseJson(source.text(start, at));
    }
    at = skipBlank(bytes, at);
    if (bytes[at] === comma) at = skipBlank(bytes, at + 1);
  }
  return found;
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
