// Reads a few fields of a JSON object, and passes over the others without parsing them.
import { getOrCreate, type JsonObject, parseJson } from './json.js';
import type { LineIndex } from './line-index.js';

/** The fields to read; of an object, those inside it. */
export interface Picked {
  readonly [name: string]: true | Picked;
}

type Source = Pick<LineIndex, 'source' | 'values'>;

/** Fields of the object that begins here, in a line that is not odd. Only what is wanted is made text and parsed. */
export function pickFields(index: Source, from: number, wanted: Picked, parse = parseJson): JsonObject {
  const { source, values } = index;
  const { bytes } = source;
  const byBeginning = fieldsByBeginning(wanted);
  const found: JsonObject = {};
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] === quote) {
    const name = at;
    const end = values.endOf(at);
    const start = skipBlank(bytes, skipBlank(bytes, end) + 1);
    at = values.endOf(start);
    // Most names are not wanted, and no text is made of any. Wanted ones are ASCII.
    const alike = byBeginning.get(beginning(end - name - 2, bytes[name + 1] ?? 0));
    const plain = alike?.find((one) => isAt(bytes, name + 1, one.name));
    const field = plain ?? (hasEscape(bytes, name, end) ? fieldNamed(wanted, source.text(name, end)) : undefined);
    if (field !== undefined) {
      const { inside } = field;
      const isInside = inside !== true && bytes[start] === curly;
      found[field.name] = isInside ? pickFields(index, start, inside, parse) : parse(source.text(start, at));
    }
    at = skipBlank(bytes, at);
    if (bytes[at] === comma) at = skipBlank(bytes, at + 1);
  }
  return found;
}

interface Field {
  readonly name: string;
  readonly inside: true | Picked;
}

/** The wanted field whose name is written with escapes. */
function fieldNamed(wanted: Picked, json: string): Field | undefined {
  const name = String(parseJson(json));
  const inside = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
  return inside === undefined ? undefined : { name, inside };
}

/** The wanted fields by the lengths and first letters of their names. */
function fieldsByBeginning(wanted: Picked): ReadonlyMap<number, readonly Field[]> {
  const known = byWanted.get(wanted);
  if (known !== undefined) return known;
  const fields = new Map<number, Field[]>();
  for (const [name, inside] of Object.entries(wanted))
    getOrCreate(fields, beginning(name.length, name.charCodeAt(0)), () => []).push({ name, inside });
  byWanted.set(wanted, fields);
  return fields;
}
const byWanted = new WeakMap<Picked, ReadonlyMap<number, readonly Field[]>>();

function beginning(length: number, letter: number): number {
  return length * 256 + letter;
}

function hasEscape(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

function isAt(bytes: Uint8Array, from: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
  return true;
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
