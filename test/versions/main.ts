import { parseArgs } from 'node:util';
import { fetchRuntime } from './fetch.js';
import { type Answer, smoke } from './smoke.js';
import { runTests } from './tests.js';

/** Runs the built cct, and with --tests the tests, on each version of Node, Bun and Deno; returns the exit code. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const say = (line: string) => print(`${line}\n`);
  const every = values.all ? 1 : 12;
  let here: Answer[] | undefined;
  let failures = 0;
  for (const asked of values.versions.split(',')) {
    const runtime = fetchRuntime(asked, Number(values.seconds));
    if ('problem' in runtime) {
      say(`NOT TESTED on ${asked}: ${runtime.problem}`);
      continue;
    }
    const [program = ''] = runtime.words;
    if (program === process.execPath) say(`${runtime.name}: this one, to compare the others with`);
    else {
      here ??= smoke({ words: [process.execPath] }, every);
      const there = smoke(runtime, every);
      const different = here.filter(({ answer }, at) => there[at]?.answer !== answer);
      say(`${runtime.name}: ${here.length - different.length} of ${here.length} commands print the same`);
      for (const { name } of different) say(`  NOT the same: cct ${name}`);
      failures += different.length;
    }
    if (!values.tests || /bun|deno/.test(asked)) continue;
    const code = runTests(program, positionals);
    say(`${runtime.name}: the tests ${code === 0 ? 'pass' : 'FAIL'}`);
    if (code !== 0) failures++;
  }
  return failures === 0 ? 0 : 1;
}

const options = {
  versions: { type: 'string', default: '20,22,24,26' },
  /** Every command in every format and with every flag. */
  all: { type: 'boolean' },
  /** How long fetching a version may take. A version that takes longer is not tested. */
  seconds: { type: 'string', default: '120' },
  /** Run the tests too; the words that follow select some. */
  tests: { type: 'boolean' },
} as const;
