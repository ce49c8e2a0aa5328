import { expect, test } from 'vitest';
import { isTurn } from '../effort.js';
import { commands, fewAtoms, functions, growthOf, textsOf, wordings } from './doubling.js';

const [, between] = textsOf(' ');
if (between === undefined) throw new Error('no text');

test('what is quadratic is noticed, what is linear is not', async () => {
  // The spaces of a name were once looked for like this.
  const quadratic = { name: 'quadratic', run: (text: string) => text.replace(/ +$/, '') };
  const linear = { name: 'linear', run: (text: string) => text.replace(/ +/g, '') };
  const found: boolean[] = [];
  // A busy machine may hide it once.
  while (found.length < 5 && !found.includes(true)) found.push((await growthOf(quadratic, between, 32_768)).isSteep);
  expect(found).toContain(true);
  expect((await growthOf(linear, between, 32_768)).isSteep).toBe(false);
});

// A part of what `npm run bench -- --only doubling` measures, each function with a few of the texts.
test.each([...functions, ...wordings].map((work, index) => ({ ...work, index })))('$name', async (work) => {
  for (const [at, atom] of fewAtoms.entries())
    if (isTurn(work.index + at, 6, 0))
      for (const text of textsOf(atom))
        expect(await growthOf(work, text, 32_768), JSON.stringify(atom)).toMatchObject({ isSteep: false });
});

test('commands get a text in all formats, and none of them is a bug', async () => {
  for (const work of commands) await expect(work.run('x ✅ =\x1b[31m| '.repeat(20))).resolves.toBeUndefined();
});
