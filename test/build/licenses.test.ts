import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { licenses } from '../../.build/licenses.js';

const home = mkdtempSync(join(tmpdir(), 'cct-licenses-'));
afterAll(() => rmSync(home, { recursive: true }));

const text = join(home, 'licenses.txt');
const files = {
  'node_modules/a/package.json': '{"name":"a","version":"1.0.0"}',
  'node_modules/a/index.js': "import { b } from '@scope/b'; export const a = Math.random() + b;",
  'node_modules/a/LICENSE': 'for a\n',
  'node_modules/@scope/b/package.json': '{"name":"@scope/b","version":"2.0.0"}',
  'node_modules/@scope/b/index.js': 'export const b = Math.random();',
  'node_modules/@scope/b/licence.md': 'for b\n',
  'node_modules/unused/package.json': '{"name":"unused","version":"3.0.0"}',
  'node_modules/unused/index.js': 'export const unused = 1;',
  'node_modules/bare/package.json': '{"name":"bare","version":"4.0.0"}',
  'node_modules/bare/index.js': 'export const bare = Math.random();',
  'a.js': "import { a } from 'a'; import { unused } from 'unused'; console.log(a);",
  'bare.js': "import { bare } from 'bare'; console.log(bare);",
};
for (const [path, content] of Object.entries(files)) {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), content);
}

async function bundle(entry: string): Promise<void> {
  const build = await rolldown({ input: join(home, entry), plugins: [licenses(text)] });
  await build.write({ dir: join(home, 'out') });
}

test('the licences of what is in the bundle are written, and no others', async () => {
  await bundle('a.js');
  expect(readFileSync(text, 'utf8')).toBe('@scope/b 2.0.0\n\nfor b\n\na 1.0.0\n\nfor a\n');
});

test('a package without one fails the build', async () => {
  await expect(bundle('bare.js')).rejects.toThrow('bare is in the bundle, but');
});
