import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { laws } from './laws.js';

const readme = 'test/README.md';
const heading = '## Which laws there are\n';

test('test/README.md lists the laws, and how much each is tried', async () => {
  const text = readFileSync(readme, 'utf8');
  const [before, after = ''] = text.split(heading);
  const rest = after.slice(after.indexOf('\n## '));
  await expect(`${before}${heading}\n${table()}${rest}`).toMatchFileSnapshot(`../README.md`);
});

function table(): string {
  const rows = Object.values(laws).map(
    ({ says, file, inputs, everyday, all }) => `| ${says} | \`${file}\` | ${inputs} | ${everyday} | ${all} |\n`,
  );
  return `| law | file | tried with | every day | in full |\n|---|---|---|---|---|\n${rows.join('')}`;
}

test.each(Object.entries(laws))('%s is asked for by its file', (name, { file }) => {
  expect(existsSync(`test/${file}.test.ts`)).toBe(true);
  expect(readFileSync(`test/${file}.test.ts`, 'utf8')).toContain(`'${name}'`);
});

/** They try everything every day, or have no inputs. */
const whole = ['families', 'fields', 'laws', 'process'];

test('every law is listed', () => {
  const files = readdirSync('test/laws').filter((file) => file.endsWith('.test.ts'));
  const known = new Set(Object.values(laws).map(({ file }) => `${file.replace('laws/', '')}.test.ts`));
  expect(files.filter((file) => !known.has(file))).toEqual(whole.map((name) => `${name}.test.ts`));
});
