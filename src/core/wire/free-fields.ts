import { textOf } from '../record/fields.js';
import { isObject, type JsonObject } from '../record/json.js';

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
  'uuid',
  'session_id',
  'sessionId',
  'timestamp',
  'parentUuid',
  'isSidechain',
  'userType',
  'cwd',
  'version',
  'gitBranch',
  'entrypoint',
  'slug',
  'parent_tool_use_id',
]);
const reserved = new Set(['cct', 'seq', 'event', 'time', 'session_id', 'team', 'agent', 'line', 'source', 'raw']);

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
