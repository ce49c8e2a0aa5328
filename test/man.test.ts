import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandPage, overviewPage } from '../src/docs/man.js';
import { loadAll } from '../src/run/registry.js';
import { version } from '../src/version.js';

const commands = await loadAll();
const pages = new Map([
  ['man/cct.1', overviewPage(commands)],
  ...commands.map((command): [string, string] => [`man/cct-${command.name}.1`, commandPage(command, commands)]),
]);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

test.each([...pages])('%s is what the commands say', async (file, page) => {
  await expect(page).toMatchFileSnapshot(`../${file}`);
});

test('package.json lists the pages, and there are no others', () => {
  const files = readdirSync('man').map((file) => `./man/${file}`);
  expect([...pages.keys()].map((file) => `./${file}`).sort()).toEqual(files.sort());
  expect([...manifest.man].sort()).toEqual(files.sort());
});

test('the version is the one in package.json', () => {
  expect(version).toBe(manifest.version);
});

test.each([...pages])('%s has no line that roff would take for a request by accident', (_file, page) => {
  const requests = new Set(['.\\"', '.TH', '.SH', '.TP', '.PP', '.EX', '.EE']);
  const unknown = page.split('\n').filter((line) => /^['.]/.test(line) && !requests.has(line.split(' ')[0] ?? ''));
  expect(unknown).toEqual([]);
});
