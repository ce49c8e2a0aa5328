import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { homeOf, problemsAcross } from './across.js';
import { caseOf } from './case.js';
import { problemsOf } from './check.js';
import { watchForHangs } from './hang.js';
import { leakOf, problemsOfLeak } from './secrets.js';

/** `npm run fuzz -- --seconds 60 --seed 1`: stops at the first case that breaks a promise; returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const first = Number(values.seed ?? Date.now() % 2 ** 31);
  const most = Number(values.cases ?? Number.POSITIVE_INFINITY);
  const seconds = values.cases === undefined ? Number(values.seconds) : Number.POSITIVE_INFINITY;
  const until = performance.now() + seconds * 1000;
  const watch = watchForHangs();
  let done = 0;
  let failed = 0;

  say(`seed ${first}`);
  for (; done < most && performance.now() < until && (failed === 0 || values.all); done++) {
    const seed = first + done;
    watch.started(seed);
    const one = caseOf(seed);
    const home = homeOf(seed);
    const leak = leakOf(seed);
    const problems = [
      ...(await problemsOf(one)),
      ...(await problemsAcross(home)).map((problem) => `${home.title}: ${problem}`),
      ...(leak === null ? [] : await problemsOfLeak(leak)).map((problem) => `${leak?.title}: ${problem}`),
    ];
    if (problems.length === 0) continue;
    failed++;
    const file = join(mkdtempSync(join(tmpdir(), 'cct-fuzz-')), `${seed}.ndjson`);
    writeFileSync(file, one.bytes);
    say(`seed ${seed} (${one.title}):\n${problems.map((problem) => `  ${problem}\n`).join('')}  input: ${file}`);
    say(`  again: npm run fuzz -- --cases 1 --seed ${seed}`);
  }
  watch.stop();
  say(`${done} inputs, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

const options = {
  seconds: { type: 'string', default: '10' },
  seed: { type: 'string' },
  /** Instead of seconds. */
  cases: { type: 'string' },
  /** Goes on after a failure. */
  all: { type: 'boolean', default: false },
} as const;

function say(text: string): void {
  process.stderr.write(`fuzz: ${text}\n`);
}
