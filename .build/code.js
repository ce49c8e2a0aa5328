// Runs what people type most, and keeps the code that V8 made of it for the version of Node that runs this (bin/load.js).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { codeFile, loader, pack, unpack } = createRequire(import.meta.url)('../bin/load.js');
const folder = resolve('dist/cli');
const file = `${folder}/${codeFile()}`;
const run = 'fixtures/sessions/team-2.1.325.ndjson';
const lines = [
  ...['usage', 'teams', 'tasks', 'messages', 'sessions'].flatMap((name) => [
    `${name} ${run}`,
    `${name} -f table ${run}`,
  ]),
  `log ${run}`,
];

const [, , ...words] = process.argv;
if (words.length > 0) record();
else
  for (const line of lines) {
    const asked = [fileURLToPath(import.meta.url), ...line.split(' ')];
    const { status, stderr } = spawnSync(process.execPath, asked, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`cct ${line}: ${stderr}`);
  }

/** Runs one command line. The code of the lines before it is loaded, and so it is kept. */
function record() {
  const codes = existsSync(file) ? unpack(readFileSync(file)) : new Map();
  const { load, scripts } = loader(folder, codes);
  process.on('exit', () => {
    for (const [name, script] of scripts) codes.set(name, script.createCachedData());
    writeFileSync(file, pack(codes));
  });
  load('main.cjs');
}
