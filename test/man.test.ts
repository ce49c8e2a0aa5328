import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadAll } from '../src/cli/registry.js';
import { describedRows, tables, views } from '../src/commands/schema/command.js';
import { version } from '../src/version.js';
import { commandPage, eventsPage, fleetPage, formatsPage, overviewPage } from './man/man.js';

const commands = await loadAll();
const pages = new Map([
  ['man/cct.1', overviewPage(commands, readFileSync('fixtures/library/watch-run.mjs', 'utf8'))],
  ['man/cct-events.7', eventsPage()],
  [
    'man/cct-fleet.7',
    fleetPage(
      tables.map(({ name }) => name),
      views.map(({ name, means }) => [name, means]),
    ),
  ],
  ['man/cct-formats.7', formatsPage(describedRows)],
  ...commands.map((command): [string, string] => [`man/cct-${command.name}.1`, commandPage(command)]),
]);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

test.each([...pages])('%s is what the commands say', async (file, page) => {
  await expect(page).toMatchFileSnapshot(`../${file}`);
});

test('package.json lists the pages, and there are no others', () => {
  const files = readdirSync('man')
    .filter((file) => file !== 'text')
    .map((file) => `./man/${file}`);
  expect([...pages.keys()].map((file) => `./${file}`).sort()).toEqual(files.sort());
  expect([...manifest.man].sort()).toEqual(files.sort());
});

test('the version is the one in package.json', () => {
  expect(version).toBe(manifest.version);
});

test.each([...pages])('%s has no line that roff would take for a request by accident', (_file, page) => {
  const requests = new Set(['.\\"', '.TH', '.SH', '.SS', '.TP', '.PP', '.EX', '.EE']);
  const unknown = page.split('\n').filter((line) => /^['.]/.test(line) && !requests.has(line.split(' ')[0] ?? ''));
  expect(unknown).toEqual([]);
});

const hasMandoc = spawnSync('mandoc', ['/dev/null']).error === undefined;
if (!hasMandoc) process.stderr.write('\nNOT RUN: mandoc over the man pages, because there is no mandoc here\n\n');

test.runIf(hasMandoc).each([...pages])('mandoc has nothing to say of %s', (file, page) => {
  const { stdout, stderr, status } = spawnSync('mandoc', ['-T', 'lint'], { input: page, encoding: 'utf8' });
  expect({ file, stdout, stderr, status }).toEqual({ file, stdout: '', stderr: '', status: 0 });
});

test.each([...pages])('%s is ASCII', (_file, page) => {
  expect(page.match(/[^\x20-\x7e\n]/g)).toBeNull();
});

test('every field of every event and row has a meaning', () => {
  const text = ['man/cct-events.7', 'man/cct-formats.7'].map((file) => pages.get(file) ?? '').join('');
  const entries = [...text.matchAll(/^\.TP\n(.*)\n(.*)$/gm)].map(([, field, meaning]) => [field, meaning]);
  expect(entries.length).toBeGreaterThan(300);
  expect(entries.filter(([, meaning]) => meaning === '' || meaning?.startsWith('.'))).toEqual([]);
});
