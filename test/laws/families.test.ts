import { expect, test } from 'vitest';
import { families } from './families.js';
import { bytesOf, type Input, specimens } from './inputs.js';
import { holds } from './law.js';

test('every specimen is in one stream of its family', () => {
  const members = families.flatMap((family) => family.specimens.map(({ name }) => name));
  expect(members.sort()).toEqual(specimens.map(({ name }) => name).sort());
  expect(families.length).toBeLessThan(specimens.length / 4);
});

test('a law that fails for a family names the specimen', async () => {
  const family =
    families.find((one) => one.specimens.some(({ name }) => name.includes('task-update-claim.'))) ?? fail();
  const without = (word: string) => (input: Input) => expect(bytesOf(input).toString()).not.toContain(word);
  const { name, parts } = family.specimens.at(-1) ?? fail();
  const [last] = parts;
  const line = last?.bytes.toString().trimEnd() ?? fail();
  await expect(holds(family, without(line))).rejects.toThrow(`${name}: expected`);
  await holds(family, without('a word that no specimen has'));
  const short = (input: Input) => expect(bytesOf(input).length).toBeLessThan(bytesOf(family).length);
  await expect(holds(family, short)).rejects.toThrow(`${name}, behind others of ${family.name}: expected`);
});

function fail(): never {
  throw new Error('no such specimen');
}
