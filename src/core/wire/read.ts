// Reads the fields of a record that a shape names, and gives them our names. All other fields stay in the record. It
// does not use a schema library, which would take longer to load than most files take to read. Records of which a stream
// has many are read by a function that names each field itself, in the same way, which is faster.
import { envelopeNames } from '../event/event.js';
import { isObject, type JsonObject, textOf } from '../record/json.js';
import type { Picked } from '../record/pick.js';

/** Returns the value if it has the right type, else null, like textOf, idOf and countOf. */
type Reader<T> = (value: unknown) => T | null;

/** The fields of a record that a shape reads, to be picked from it. */
export function picked(shape: Fieldset): Picked {
  const names = Object.entries(shape).flatMap(([name, field]) =>
    typeof field === 'function' ? name : field.spellings,
  );
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** A field that the record spells differently. If there are several spellings, the first with a value is used. */
export interface Spelled<T> {
  readonly read: Reader<T>;
  readonly spellings: readonly string[];
}

export type Fieldset = Readonly<Record<string, Reader<unknown> | Spelled<unknown>>>;
export type Read<S extends Fieldset> = {
  -readonly [K in keyof S]: S[K] extends Reader<infer T> | Spelled<infer T> ? T | null : never;
};

export function spelled<T>(read: Reader<T>, ...spellings: string[]): Spelled<T> {
  return { read, spellings };
}

/** A field of the wrong type is null and does not affect the others. A value that is not an object is read as empty. */
export function read<S extends Fieldset>(shape: S, value: unknown): Read<S> {
  const record = isObject(value) ? value : {};
  const found: JsonObject = {};
  for (const name in shape) {
    const field = shape[name];
    if (typeof field === 'function') found[name] = field(record[name]);
    else if (field !== undefined) found[name] = firstSpelled(field, record);
  }
  return found as Read<S>;
}

function firstSpelled({ read, spellings }: Spelled<unknown>, record: JsonObject): unknown {
  for (const key of spellings) {
    const value = read(record[key]);
    if (value !== null) return value;
  }
  return null;
}

/** Reads an object completely or not at all: if one field has the wrong type, the result is null. */
export function whole<S extends Readonly<Record<string, Reader<unknown>>>>(shape: S): Reader<Read<S>> {
  const fields = Object.entries(shape);
  return (value) =>
    isObject(value) && fields.every(([name, read]) => value[name] == null || read(value[name]) !== null)
      ? read(shape, value)
      : null;
}

/** The first of several values that can be read. */
export function firstOf<T>(read: Reader<T>, ...values: unknown[]): T | null {
  for (const value of values) {
    const found = read(value);
    if (found !== null) return found;
  }
  return null;
}

export function filledOf(value: unknown): string | null {
  return textOf(value) || null;
}

/** A list that contains only texts. */
export function onlyTextsOf(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

export function jsonOf(value: unknown): unknown {
  return value ?? null;
}

/** All fields of a record except its envelope, with our names, for frames that are passed on uninterpreted. */
export function fieldsOf(record: JsonObject): JsonObject & { type: string | null; subtype: string | null } {
  const fields = { type: textOf(record.type), subtype: textOf(record.subtype) };
  for (const key of Object.keys(record)) {
    const name = envelope.has(key) ? null : ourName(key);
    if (name !== null && name !== 'type' && name !== 'subtype') define(fields, name, respell(record[key]));
  }
  return fields;
}

const envelope = new Set([
  ...['uuid', 'session_id', 'sessionId', 'timestamp', 'parentUuid', 'isSidechain', 'userType', 'cwd', 'version'],
  ...['gitBranch', 'entrypoint', 'slug', 'parent_tool_use_id'],
]);

/** snake_case. A name that our envelope uses gets a prefix. So does a number, which would sort before the envelope. */
function ourName(key: string): string {
  const name = snake(key);
  return envelopeNames.includes(name) || /^\d+$/.test(name) ? `own_${name}` : name;
}

/** Renames one level of keys, as in {trigger, preTokens}. Deeper keys may be data. */
function respell(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) define(copy, snake(key), value[key]);
  return copy;
}

function snake(key: string): string {
  if (!camel.test(key)) return key;
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
const camel = /^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/;

/** Assigning to a key named __proto__ would change the prototype. */
export function define(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
