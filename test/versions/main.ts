import { parseArgs } from 'node:util';
import { fetchNode } from './fetch-node.js';
import { type Answer, smoke } from './smoke.js';
import { runTests } from './tests.js';

/** Runs the built cct, and with --tests the tests, on each version of Node; returns the exit code. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const say = (line: string) => print(`${line}\n`);
  let here: Answer[] | undefined;
  let failures = 0;
  for (const major of values.versions.split(',')) {
    const node = fetchNode(major, Number(values.seconds));
    if ('problem' in node) {
      say(`NOT TESTED on node ${major}: ${node.problem}`);
      continue;
    }
    if (node.path === process.execPath) say(`node ${node.version}: this one, to compare the others with`);
    else {
      here ??= smoke(process.execPath);
      const there = smoke(node.path);
      const different = here.filter(({ answer }, at) => there[at]?.answer !== answer);
      say(`node ${node.version}: ${here.length - different.length} of ${here.length} commands print the same`);
      for (const { name } of different) say(`  NOT the same: cct ${name}`);
      failures += different.length;
    }
    if (!values.tests) continue;
    const code = runTests(node.path, positionals);
    say(`node ${node.version}: the tests ${code === 0 ? 'pass' : 'FAIL'}`);
    if (code !== 0) failures++;
  }
  return failures === 0 ? 0 : 1;
}

const options = {
  versions: { type: 'string', default: '20,22,24' },
  /** How long fetching a version may take. A version that takes longer is not tested. */
  seconds: { type: 'string', default: '120' },
  /** Run the tests too; the words that follow select some. */
  tests: { type: 'boolean' },
} as const;
