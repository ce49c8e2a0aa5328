import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { firstDifference } from '../fuzz/differential.js';
import { type Answer, Build, type Order } from './build.js';
import { bareLines, commandLines } from './command-lines.js';
import { fixtures, type Given, givenIn } from './given.js';

/**
 * `node test/tool.js oracle --old DIR/bin/cct.js`: runs every command line over every input with an old build and with
 * this one, and compares stdout, stderr and exit code byte for byte. Returns the exit code.
 */
export async function main(words: readonly string[], scratch: string, print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const { old, new: current } = values;
  if (old === undefined || !existsSync(old)) throw new Error('--old names the bin/cct.js of another build');
  const inputs = [...(values['no-fixtures'] ? [] : fixtures(scratch)), ...(values.more ?? []).flatMap(givenIn)];
  const isMeant = (one: Case) => values.only === undefined || titleOf(one).includes(values.only);
  const every = Math.max(1, Number(values.every));
  const cases = casesOf(inputs).filter((one, index) => isMeant(one) && index % every === 0);
  const expected = values.expect === undefined ? [] : expectations(readFileSync(values.expect, 'utf8'));
  const tally = new Tally(expected, print);
  const started = performance.now();

  let next = 0;
  const work = async () => {
    const pair = [new Build(old), new Build(current)] as const;
    for (let one = cases[next++]; one !== undefined; one = cases[next++]) await compare(one, pair, tally);
    for (const build of pair) build.stop();
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs) >> 1) }, work));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`oracle: ${cases.length} comparisons in ${seconds} s, ${tally.summary()}\n`);
  return tally.differences > 0 ? 1 : 0;
}

const options = {
  old: { type: 'string' },
  /** The build to compare with it. */
  new: { type: 'string', default: 'bin/cct.js' },
  /** Folders with captures, or with files of any other origin. */
  more: { type: 'string', multiple: true },
  'no-fixtures': { type: 'boolean', default: false },
  /** Only comparisons whose command line or input contains this text. */
  only: { type: 'string' },
  /** Only every Nth comparison. */
  every: { type: 'string', default: '1' },
  /** How many processes run at once; each build needs one. */
  jobs: { type: 'string', default: '2' },
  /** Lines of `command pattern TAB input pattern TAB reason`: differences that are meant. */
  expect: { type: 'string' },
} as const;

/** One command line over one input. */
interface Case {
  readonly line: string;
  readonly given: Given;
}

function casesOf(inputs: readonly Given[]): Case[] {
  const nothing: Given = { name: 'nothing', files: [], stdin: null };
  return [
    ...bareLines.map((line) => ({ line, given: nothing })),
    // Inputs outside: both builds read a file while it is in memory.
    ...inputs.flatMap((given) =>
      commandLines.flatMap((line) => [line, `${line} --strict`].map((line) => ({ line, given }))),
    ),
  ];
}

function titleOf({ line, given }: Case): string {
  return `cct ${line}  (${given.name})`;
}

async function compare(one: Case, pair: readonly [Build, Build], tally: Tally): Promise<void> {
  const order = { words: [...one.line.split(' '), ...one.given.files], stdin: one.given.stdin };
  const [old, current] = await both(pair, { ...order, keep: false });
  if (isSame(old, current)) return;
  const said = tally.isShown(one) ? await both(pair, { ...order, keep: true }) : null;
  tally.differs(one, said);
}

async function both(pair: readonly [Build, Build], order: Order): Promise<readonly [Answer, Answer]> {
  return Promise.all([pair[0].run(order), pair[1].run(order)]);
}

function isSame(one: Answer, other: Answer): boolean {
  return one.code === other.code && one.stdout === other.stdout && one.stderr === other.stderr;
}

interface Expectation {
  readonly command: RegExp;
  readonly input: RegExp;
  readonly reason: string;
}

function expectations(text: string): Expectation[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [command = '', input = '', reason] = line.split('\t');
      if (reason === undefined) throw new Error(`--expect: not three fields with tabs between them: ${line}`);
      return { command: new RegExp(command), input: new RegExp(input), reason };
    });
}

/** Counts differences and tells the first few in full. */
class Tally {
  differences = 0;
  readonly #expected: readonly Expectation[];
  readonly #print: (text: string) => void;
  readonly #byCommand = new Map<string, number>();
  readonly #byReason = new Map<string, number>();

  constructor(expected: readonly Expectation[], print: (text: string) => void) {
    this.#expected = expected;
    this.#print = print;
  }

  isShown(one: Case): boolean {
    return this.#reasonOf(one) === null && this.differences < mostShown;
  }

  differs(one: Case, said: readonly [Answer, Answer] | null): void {
    const reason = this.#reasonOf(one);
    if (reason !== null) return count(this.#byReason, reason);
    this.differences++;
    count(this.#byCommand, one.line);
    if (said !== null) this.#print(`${titleOf(one)}\n${changeIn(...said)}\n`);
  }

  summary(): string {
    const told = [...this.#byReason].map(([reason, times]) => `\n  ${times} meant: ${reason}`);
    const others = [...this.#byCommand]
      .sort(([, a], [, b]) => b - a)
      .map(([line, times]) => `\n  ${times} cct ${line}`);
    return `${this.differences} differences${[...told, ...others].join('')}`;
  }

  #reasonOf({ line, given }: Case): string | null {
    return this.#expected.find(({ command, input }) => command.test(line) && input.test(given.name))?.reason ?? null;
  }
}

const mostShown = 5;

function changeIn(old: Answer, current: Answer): string {
  const changes = [
    ...(old.code === current.code ? [] : [`  exit code ${old.code}, now ${current.code}`]),
    ...(['stdout', 'stderr'] as const)
      .filter((name) => old[name] !== current[name])
      .map((name) => `  ${name}, ${firstDifference(old[name], current[name])}`),
  ];
  return changes.length === 0 ? '  not the second time: it depends on what ran before' : changes.join('\n');
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
