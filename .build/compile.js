// Runs what people type most with the built command, and keeps the code that V8 made of it (bin/load.js) for the Node that
// runs this.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { compiledFile, loader, pack, unpack } = createRequire(import.meta.url)('../bin/load.js');
const folder = resolve('dist/cli');
const file = join(folder, compiledFile());
const run = 'fixtures/sessions/team-2.1.325.ndjson';
const lines = [
  ...['usage', 'teams', 'tasks', 'messages', 'calls', 'audit', 'sessions'].flatMap((name) => [
    `${name} ${run}`,
    `${name} -f table ${run}`,
  ]),
  `usage --by agent ${run}`,
  `log ${run}`,
  `log --color always ${run}`,
  `normalize ${run}`,
];

/** Runs one command line. What earlier ones needed is in the file, so it stays. */
function record(words) {
  const known = existsSync(file) ? unpack(readFileSync(file)) : () => undefined;
  const { load, scripts } = loader(folder, known);
  process.argv.splice(2, Infinity, ...words);
  process.on('exit', () => {
    const codes = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
    for (const name of Object.keys(known.places ?? {})) if (!codes.has(name)) codes.set(name, known(name));
    writeFileSync(file, pack(codes));
  });
  load('main.cjs');
}

const [, , ...words] = process.argv;
if (words.length > 0) record(words);
else
  for (const line of lines) {
    const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...line.split(' ')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`cct ${line}: ${stderr}`);
  }
