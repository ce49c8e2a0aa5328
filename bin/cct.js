#!/usr/bin/env node
const { existsSync, readFileSync } = require('node:fs');
const { codeFile, loader, unpack } = require('./load.js');

const folder = `${__dirname}/../dist/cli`;

try {
  const codes = codesOfBuild();
  if (codes === null) require('../dist/cli/main.cjs');
  else loader(folder, codes).load('main.cjs');
} catch (error) {
  if (existsSync(`${folder}/main.cjs`)) throw error;
  // A clone installed as it is: npm links to it but does not build it.
  process.stderr.write(`cct: not built yet; run npm ci in ${require('node:path').dirname(__dirname)}\n`);
  process.exitCode = 2;
}

/** null in a version of Node for which the build made none, and in Bun, which names a V8 but has none. */
function codesOfBuild() {
  try {
    return process.versions.bun === undefined ? unpack(readFileSync(`${folder}/${codeFile()}`)) : null;
  } catch {
    return null;
  }
}
