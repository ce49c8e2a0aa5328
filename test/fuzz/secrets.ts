// Secrets in any text of a record: names times ways of writing "is" times values.
import { names, places, values, ways } from '../core/privacy/secrets/contexts.js';
import { isObject, parseJson } from '../json.js';
import { bytesOf, sessions } from '../laws/inputs.js';
import { cct } from '../run.js';
import { Random } from './random.js';

/** A session with a secret in one of its texts. */
export interface Leak {
  readonly title: string;
  readonly bytes: Buffer;
  readonly secret: string;
}

const contexts = [...places.values()].flat();

export function leakOf(seed: number): Leak | null {
  const random = new Random(seed);
  const session = random.one(sessions);
  const secret = random.one(values) ?? '';
  const context =
    random.below(2) === 0 ? random.one(contexts) : random.one(ways)?.replaceAll('¤', random.one(names) ?? '');
  const text = (context ?? '').replaceAll('§', secret);
  const lines = session === null ? [] : bytesOf(session).toString().split('\n');
  const places = lines.flatMap((line, at) => textsIn(parseJson(line), []).map((path) => ({ at, path })));
  const place = random.one(places);
  if (place === null) return null;
  const record = parseJson(lines[place.at] ?? '');
  put(record, place.path, text);
  lines[place.at] = JSON.stringify(record);
  return {
    title: `${session?.name}:${place.at + 1}: ${JSON.stringify(text)}`,
    bytes: Buffer.from(lines.join('\n')),
    secret,
  };
}

type Path = readonly (string | number)[];
/** Where people and tools write: not in ids, types and other words of the wire. */
const written = /^(?:text|content|command|prompt|description|result|stdout|stderr|message|subject|summary|error)$/;

function textsIn(value: unknown, path: Path): Path[] {
  if (typeof value === 'string')
    return written.test(String(path.findLast((key) => typeof key === 'string'))) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key])) : [];
}

function put(record: unknown, path: Path, text: string): void {
  const inner = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, key) : null), record);
  const key = path.at(-1);
  if (key !== undefined && (isObject(inner) || Array.isArray(inner))) Reflect.set(inner, key, text);
}

/** Every door: events with what was read, replayed lines, rows, a page, and what is said on stderr. */
const commands = [
  'normalize --raw --redact',
  'replay --no-wait --redact',
  'messages --redact',
  'tasks --all --redact',
  'teams --members --redact',
  'calls --by call --redact',
  'trace --redact',
  'audit --redact',
  'report --redact',
  'report -f md --redact',
];

export async function problemsOfLeak({ bytes, secret }: Leak): Promise<string[]> {
  const problems: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await cct(command.split(' '), bytes);
    if (stdout.includes(secret) || stderr.includes(secret))
      problems.push(`cct ${command}: the secret ${secret} is in it`);
  }
  return problems;
}
