#!/usr/bin/env node
try {
  require('../dist/cli/main.cjs');
} catch (error) {
  if (require('node:fs').existsSync(`${__dirname}/../dist/cli/main.cjs`)) throw error;
  // A clone installed as it is: npm links to it but does not build it.
  process.stderr.write(`cct: not built yet; run npm ci in ${require('node:path').dirname(__dirname)}\n`);
  process.exitCode = 2;
}
