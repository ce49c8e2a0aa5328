import { describe, expect, test } from 'vitest';
import { type Fact, factKey, factOf, joinFacts } from '../../../src/core/tables/facts.js';
import { homes } from '../../laws/inputs.js';
import { type Part, readAll } from '../../laws/reading.js';

const under = (folder: string, part: Part): Part => ({ ...part, path: `${folder}/${part.path}` });

describe('facts of copies are one fact', () => {
  test.each(homes.map((home) => [home.name, home] as const))('%s', (_, { parts }) => {
    const copies = ['a', 'b', 'c'].flatMap((folder) => parts.map((part) => under(folder, part)));
    const groups = new Map<string, Fact[]>();
    for (const event of readAll(copies).events) {
      const fact = factOf(event, null);
      if (fact === null) continue;
      const key = JSON.stringify(factKey(fact.event));
      groups.set(key, [...(groups.get(key) ?? []), fact]);
    }
    const several = [...groups.values()].filter((facts) => facts.length > 1);
    expect(several.length).toBeGreaterThan(0);
    for (const [x, y, z = x] of several) {
      if (x === undefined || y === undefined || z === undefined) continue;
      expect(joinFacts(x, x)).toEqual(x);
      expect(joinFacts(y, x)).toEqual(joinFacts(x, y));
      expect(joinFacts(joinFacts(x, y), z)).toEqual(joinFacts(x, joinFacts(y, z)));
    }
  });
});
