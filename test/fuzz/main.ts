import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { caseOf } from './case.js';
import { problemsOf } from './check.js';
import { watchForHangs } from './hang.js';

// npm run fuzz -- --seconds 60 --seed 1; ends with the first case that breaks a promise.
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Instead of seconds. */
    cases: { type: 'string' },
    /** Goes on after a failure. */
    all: { type: 'boolean', default: false },
  },
});

const first = Number(values.seed);
const most = values.cases === undefined ? Number.POSITIVE_INFINITY : Number(values.cases);
const until = values.cases === undefined ? performance.now() + Number(values.seconds) * 1000 : Number.POSITIVE_INFINITY;
const watch = watchForHangs();
let done = 0;
let failed = 0;

say(`seed ${first}`);
for (; done < most && performance.now() < until && (failed === 0 || values.all); done++) {
  const seed = first + done;
  watch.started(seed);
  const one = caseOf(seed);
  const problems = await problemsOf(one);
  if (problems.length === 0) continue;
  failed++;
  const file = join(mkdtempSync(join(tmpdir(), 'cct-fuzz-')), `${seed}.ndjson`);
  writeFileSync(file, one.bytes);
  say(`seed ${seed} (${one.title}):\n${problems.map((problem) => `  ${problem}\n`).join('')}  input: ${file}`);
  say(`  again: npm run fuzz -- --cases 1 --seed ${seed}`);
}
watch.stop();
say(`${done} inputs, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function say(text: string): void {
  process.stderr.write(`fuzz: ${text}\n`);
}
