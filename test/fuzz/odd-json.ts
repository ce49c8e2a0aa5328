import { isObject, parseJson } from '../json.js';
import { nasty } from '../view/hostile.js';
import type { Random } from './random.js';

/** The record with something in it that nobody would write. It is still JSON. */
export function oddly(text: string, random: Random): string {
  try {
    return changed(text, random);
  } catch {
    // Already too deep to be written again.
    return text;
  }
}

function changed(text: string, random: Random): string {
  const record = parseJson(text);
  const places = [...placesIn(record)];
  const place = random.one(places);
  if (place === null) return text;
  const { holder, key } = place;
  switch (random.below(5)) {
    case 0:
      Reflect.deleteProperty(holder, key);
      return JSON.stringify(record);
    case 1:
      return withRaw(record, holder, random.pick(oddKeys), odd(random));
    case 2: {
      // The same key twice: the last one counts.
      const again = JSON.stringify(isObject(record) ? Object.keys(record)[random.below(4)] : 'type') ?? '"type"';
      return `${text.slice(0, text.lastIndexOf('}'))},${again}:${odd(random)}}`;
    }
    default:
      return withRaw(record, holder, key, odd(random));
  }
}

/** The record with other numbers: in some places, or in all of them. */
export function oddlyCounted(text: string, random: Random): string {
  const all = random.below(4) === 0;
  const one = random.pick(oddNumbers);
  // Inside strings too: there it only changes the text, and the result is still JSON.
  return text.replace(/(?<=[:[,])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=[,\]}])/gi, (number) => {
    if (all) return one;
    return random.below(3) === 0 ? random.pick(oddNumbers) : number;
  });
}

/** Numbers that are not a count, price, time or id, but may be taken for one. */
const oddNumbers = [
  ...['1e999', '-1e999', '1e308', '-1e308', '1e296', '9e15', '9007199254740993', '8640000000000001', '253402300800000'],
  ...['1e21', '-1', '-0', '0', '1e-7', '1e-320', '0.1', '2147483648', '4294967296.5', '"1e999"', '"NaN"', '"Infinity"'],
] as const;

const oddKeys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'cct', 'type'] as const;

function odd(random: Random): string {
  const depth = random.pick([10, 10, 10, 1000, 8000, 100_000] as const);
  return random.pick<() => string>([
    () => JSON.stringify(random.pick(nasty)),
    () => '1e999',
    () => '-1e999',
    () => '9'.repeat(400),
    () => '-0.0000001',
    () => random.pick(['null', 'true', '0', '""', '[]', '{}', '-1', '[null]', '{"a":null}', '"x"', '[[]]'] as const),
    () => random.pick(['"\\ud800"', '"\\udc00x"', '"\\u0000"', '"\\u2028"'] as const),
    () =>
      random.pick([
        '{"__proto__":{"a":1}}',
        '{"constructor":{"prototype":{"a":1}}}',
        '"__proto__"',
        '"constructor"',
      ] as const),
    () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    () => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    () => `"${'x'.repeat(depth)}"`,
    () => '"1970-01-01T00:00:00Z"',
    () => '"+275760-09-13T00:00:00.001Z"',
  ])();
}

/** The JSON of a record, with `raw` inserted as it is: 1e999 and deep nesting are not values we could write. */
export function withRaw(record: unknown, holder: object, key: string, raw: string): string {
  const mark = '@@raw@@';
  Object.defineProperty(holder, key, { value: mark, enumerable: true, configurable: true, writable: true });
  return JSON.stringify(record).replace(JSON.stringify(mark), () => raw);
}

export interface Place {
  readonly holder: object;
  readonly key: string;
}

export function* placesIn(value: unknown, depth = 0): Generator<Place> {
  if (typeof value !== 'object' || value === null || depth > 50) return;
  for (const [key, inner] of Object.entries(value)) {
    yield { holder: value, key };
    yield* placesIn(inner, depth + 1);
  }
}
