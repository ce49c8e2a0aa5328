// How records are read: a shape names the fields we look at, our names on the left. All other fields stay in the record.
// By hand: a schema library would take longer to load than most files take to read.
import { envelopeNames } from '../event/event.js';
import { isObject, type JsonObject, textOf } from '../record/json.js';

/** The value when it has the right type, else null: textOf, idOf, countOf and the like. */
type Reader<T> = (value: unknown) => T | null;

/** A field the record spells in another way than we do. Of several spellings the first that has a value counts. */
export interface Spelled<T> {
  readonly read: Reader<T>;
  readonly spellings: readonly string[];
}

export type Shape = Readonly<Record<string, Reader<unknown> | Spelled<unknown>>>;
export type Read<S extends Shape> = {
  -readonly [K in keyof S]: S[K] extends Reader<infer T> | Spelled<infer T> ? T | null : never;
};

export function spelled<T>(read: Reader<T>, ...spellings: string[]): Spelled<T> {
  return { read, spellings };
}

/** Reads what fits: a field of the wrong type is null and does not cost us the others; what is no object reads as an empty one. */
export function read<S extends Shape>(shape: S, value: unknown): Read<S> {
  const record = isObject(value) ? value : {};
  const found: JsonObject = {};
  for (const name in shape) {
    const field = shape[name];
    if (typeof field === 'function') found[name] = field(record[name]);
    else if (field !== undefined) found[name] = firstOf(field.read, ...field.spellings.map((key) => record[key]));
  }
  return found as Read<S>;
}

/** A piece that is read whole or not at all: a field of the wrong type takes all of it away. */
export function whole<S extends Readonly<Record<string, Reader<unknown>>>>(shape: S): Reader<Read<S>> {
  return (value) =>
    isObject(value) && Object.entries(shape).every(([name, read]) => value[name] == null || read(value[name]) !== null)
      ? read(shape, value)
      : null;
}

/** Each field of an event's description as null, which is "not said". */
export function unsaid<S extends object>(fields: S): { [K in keyof S]: null } {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null])) as { [K in keyof S]: null };
}

/** The first of several values that can be read. */
export function firstOf<T>(read: Reader<T>, ...values: unknown[]): T | null {
  for (const value of values) {
    const found = read(value);
    if (found !== null) return found;
  }
  return null;
}

/** A name or id that is always written as text. */
export function filledOf(value: unknown): string | null {
  return textOf(value) || null;
}

/** A list of texts and of nothing else. */
export function onlyTextsOf(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

export function jsonOf(value: unknown): unknown {
  return value ?? null;
}

/** The own fields of a frame nobody needs to understand: all of the record but its envelope, in our spelling. */
export function fieldsOf(record: JsonObject): JsonObject & { type: string | null; subtype: string | null } {
  const fields: JsonObject = {};
  for (const [key, value] of Object.entries(record)) {
    if (!envelope.has(key)) define(fields, ours(key), spell(value));
  }
  const own = { type: textOf(record.type), subtype: textOf(record.subtype) };
  return { ...own, ...fields, ...own };
}

const envelope = new Set([
  ...['uuid', 'session_id', 'sessionId', 'timestamp', 'parentUuid', 'isSidechain', 'userType', 'cwd', 'version'],
  ...['gitBranch', 'entrypoint', 'slug', 'parent_tool_use_id'],
]);
const reserved: ReadonlySet<string> = new Set(envelopeNames);

/** snake_case; a name that our envelope uses is marked as the record's own, and so is a number, which would come before it. */
function ours(key: string): string {
  const name = snake(key);
  return reserved.has(name) || /^\d+$/.test(name) ? `own_${name}` : name;
}

/** One level down, where the program writes settings-like objects: {trigger, preTokens}. Deeper keys may be data. */
function spell(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) define(copy, snake(key), inner);
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

/** Plain assignment would let a key named __proto__ act. */
function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
