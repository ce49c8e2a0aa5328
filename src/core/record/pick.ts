// Reads a few fields of a JSON object, and passes over the others without parsing them.
import { isObject, type JsonObject, parseJson } from './json.js';

/** The fields to read; of an object, those inside it. */
export interface Picked {
  readonly [name: string]: true | Picked;
}

/** The same of an object that is parsed. */
export function picked(value: JsonObject, wanted: Picked): JsonObject {
  const found: JsonObject = {};
  for (const [name, inside] of Object.entries(wanted)) {
    if (!Object.hasOwn(value, name)) continue;
    const field = value[name];
    found[name] = inside !== true && isObject(field) ? picked(field, inside) : field;
  }
  return found;
}

/** `json` has to be valid, and an object. */
export function pick(json: string, wanted: Picked): JsonObject {
  const found: JsonObject = {};
  let at = skipBlank(json, 1);
  while (json.charCodeAt(at) === quote) {
    const end = endOfString(json, at);
    const name = json.slice(at + 1, end - 1);
    const from = skipBlank(json, skipBlank(json, end) + 1);
    at = endOfValue(json, from);
    const key = name.includes('\\') ? String(parseJson(`"${name}"`)) : name;
    const inside = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (inside !== undefined) {
      const isInside = inside !== true && json.charCodeAt(from) === curly;
      found[key] = isInside ? pick(json.slice(from, at), inside) : parseJson(json.slice(from, at));
    }
    at = skipBlank(json, at);
    if (json.charCodeAt(at) === comma) at = skipBlank(json, at + 1);
  }
  return found;
}

/** Behind the value that begins here. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at) - 1;
    else if (code === curly || code === bracket) depth += 1;
    else if (code === endCurly || code === endBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth > 0 || code !== comma) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  return json.length;
}

/** Behind the string that begins here. */
function endOfString(json: string, from: number): number {
  let at = json.indexOf('"', from + 1);
  while (at !== -1 && isEscaped(json, at)) at = json.indexOf('"', at + 1);
  return at === -1 ? json.length : at + 1;
}

function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json.charCodeAt(start - 1) === backslash) start -= 1;
  return (at - start) % 2 === 1;
}

function skipBlank(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= space) at += 1;
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
