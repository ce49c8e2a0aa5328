// A look at a few; `npm run fuzz -- --seconds 600` looks for new ones. A seed that once failed for the right reason stays.
import { expect, test } from 'vitest';
import { runs } from '../effort.js';
import { homeOf, problemsAcross } from './across.js';
import { caseOf } from './case.js';
import { problemsOf } from './check.js';
import { leakOf, problemsOfLeak } from './secrets.js';

const seeds = Array.from({ length: runs(30, 60) }, (_, index) => 1 + index);

test.each(seeds)('seed %i', async (seed) => {
  const one = caseOf(seed);
  expect(await problemsOf(one), `${one.title}; npm run fuzz -- --cases 1 --seed ${seed}`).toEqual([]);
});

test.each(seeds.slice(0, runs(10, 20)))('files that contradict each other, seed %i', async (seed) => {
  const home = homeOf(seed);
  expect(await problemsAcross(home), `${home.title}; npm run fuzz -- --cases 1 --seed ${seed}`).toEqual([]);
});

test.each(seeds.slice(0, runs(10, 20)))('a secret in a session, seed %i', async (seed) => {
  const leak = leakOf(seed);
  expect(leak === null ? [] : await problemsOfLeak(leak), leak?.title).toEqual([]);
});

test('a broken promise is noticed', async () => {
  const good = caseOf(1);
  const lines = [...good.lines, { bytes: Buffer.from('npm warn'), records: ['{"type":"user"}'] }];
  const ways = good.ways.map((way) => ({ ...way, codes: [7] }));
  expect((await problemsOf({ ...good, lines, ways })).join('\n')).toMatch(
    /not found: \{"type":"user"\}[\s\S]*exit code 0/,
  );
});
