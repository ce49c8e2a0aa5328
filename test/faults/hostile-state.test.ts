// A state that somebody made up: whole, with a right digest, and full of what cct never saves. Never a bug (70), never a hang.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { digest } from '../../src/core/tables/order.js';
import { stateVersion } from '../../src/core/tables/saved-state.js';
import { runs, seed } from '../effort.js';
import { Random } from '../fuzz/random.js';
import { isObject } from '../json.js';
import { cct } from '../run.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-hostile-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'state');
const team = readFileSync('fixtures/sessions/team-2.1.39.ndjson', 'utf8');
const other = readFileSync('fixtures/sessions/team-2.1.140.ndjson', 'utf8');
const half = team.slice(0, team.indexOf('\n', team.length / 2) + 1);

/** The text of a state with these slices, as if cct had saved it. */
function stateText(slices: string): string {
  const sorted = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify(JSON.parse(slices), (_, value) => (isObject(value) ? sorted(value) : value));
  return `{"cct_state":${stateVersion},"digest":${JSON.stringify(digest(text))},"slices":${slices}}`;
}

async function goOn(words: readonly string[], text: string, input: string) {
  writeFileSync(path, text);
  return cct([...words, '--state', path], input);
}

const saved = await (async () => {
  await cct(['teams', '-q', '--state', path], half);
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
})();
const slices = JSON.stringify(JSON.parse(saved).slices);
const commands = [
  ['teams'],
  ['teams', '--members', '-f', 'table'],
  ['tasks', '--all'],
  ['usage', '--by', 'agent,model'],
  ['teams', '--live', 'always'],
];

test('as it was saved it is gone on from', async () => {
  expect(stateText(slices)).toBe(saved.trim());
  expect(await goOn(['teams'], stateText(slices), team)).toMatchObject({ code: 0 });
});

describe('what cannot be read is refused with a sentence, and left alone', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  test.each([
    ['a number that is none', slices.replace('"told":', '"told":{"$bigint":"x"},"other":'), 'the state is damaged'],
    ['no big integer', slices.replace(/"reading":\{/, '"reading":{"odd":{"$bigint":"x"},'), 'the state is damaged'],
    ['a slice of another kind', slices.replace(/"isStale":\w+/, '"isStale":[]'), 'different build of cct'],
    ['a __proto__', slices.replace('{', '{"__proto__":{"isStale":true},'), 'the state is damaged'],
  ])('%s', async (_what, changed, reason) => {
    const text = stateText(changed);
    const { code, stderr, stdout } = await goOn(['teams'], text, other);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^cct: --state: .*; the file is unchanged\n$/);
    expect(stderr).toContain(reason);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('deeper than the stack', async () => {
    const text = `{"cct_state":${stateVersion},"digest":"x","slices":{"facts":${deep}}}`;
    expect(await goOn(['teams'], text, other)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('what breaks later is the state, and not a bug', () => {
  const wild = ['null', '5', '"x"', '[]', '{}', 'true', '-1', '1e308', '{"$map":[[1,2]]}', '{"$set":[1]}', '[[1]]'];
  const more = ['{"$table":[["a",5]]}', '{"$bigint":"7"}', '{"$number":"NaN"}', '{"__proto__":null}', '"__proto__"'];

  test.each(Array.from({ length: runs(40, 400) }, (_, index) => seed + index))('seed %i', async (from) => {
    const random = new Random(from);
    const changed: unknown = JSON.parse(slices);
    for (let left = 1 + random.below(20); left > 0; left -= 1) {
      const place = random.one(placesIn(changed));
      if (place !== null) Reflect.set(place.holder, place.key, JSON.parse(random.one([...wild, ...more]) ?? ''));
    }
    const text = stateText(JSON.stringify(changed));
    const { code, stderr } = await goOn(random.one(commands) ?? [], text, random.below(2) === 0 ? team : other);
    expect(stderr).not.toContain('a bug, sorry');
    expect([0, 2]).toContain(code);
    if (code === 2)
      expect(stderr).toMatch(/cct: --state: \S+: .*(?:the file is unchanged|read the whole input again)\n/);
  });
});

/** Every place but the slices themselves. */
function placesIn(value: unknown, depth = 0): { readonly holder: object; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(depth > 0 ? [{ holder: value, key }] : []),
    ...placesIn(inner, depth + 1),
  ]);
}
