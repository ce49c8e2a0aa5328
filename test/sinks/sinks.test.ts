// Every byte arrives, or the exit code is 2: the real process between all kinds of files. Runs dist, as the transcripts do.
import { createHash } from 'node:crypto';
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cct } from '../run.js';
import { type BigRun, bigRuns } from './big-runs.js';
import { connect, type SinkKind, type SourceKind, sinkKinds, sourceKinds } from './kinds.js';

interface Form {
  readonly name: string;
  readonly run: BigRun;
  /** `-` is stdin. */
  readonly words: (file: string) => readonly string[];
}

function rowsOf(run: BigRun, ...words: string[]): Form {
  return { name: words.join(' '), run, words: (file) => [...words, '-f', 'ndjson', file] };
}

function linesOf(run: BigRun, ...words: string[]): Form {
  return { name: words.join(' '), run, words: (file) => [...words, file] };
}

/** The ways in which output is written, and the commands that write so. */
const ways: readonly (readonly Form[])[] = [
  [linesOf('messages', 'normalize'), rowsOf('messages', 'messages'), linesOf('messages', 'log', '--full')],
  [
    rowsOf('agents', 'teams', '--members'),
    rowsOf('tasks', 'tasks'),
    rowsOf('messages', 'messages', '--settled'),
    rowsOf('usage', 'usage', '--by', 'message'),
    rowsOf('usage', 'trace', '-q'),
    linesOf('usage', 'trace', '-q', '-f', 'otlp'),
  ],
  [linesOf('messages', 'replay', '--no-wait')],
  [linesOf('messages', 'replay', '--no-wait', '--since', 'line:2'), linesOf('messages', 'replay', '--as-claude')],
  [linesOf('states', 'replay', '--no-wait', '--states')],
];

interface Case {
  readonly form: Form;
  readonly from: SourceKind;
  readonly to: SinkKind;
}

/** Each way and each source with each sink, and each way with each source. */
const cases = ways.flatMap((forms, way) =>
  sinkKinds.map((to, at): Case => ({ form: turnOf(forms, at), from: turnOf(sourceKinds, way + at), to })),
);

function turnOf<T>(list: readonly T[], turn: number): T {
  const one = list[turn % list.length];
  if (one === undefined) throw new Error('an empty list');
  return one;
}

const folder = mkdtempSync(join(tmpdir(), 'cct-sinks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// util-linux; that of other systems takes other words.
describe.skipIf(process.platform !== 'linux').each(ways.flat())('$name', (form) => {
  const { run, words } = form;
  const input = bigRuns[run]();
  let expected: Buffer;
  beforeAll(async () => {
    const { code, stdout } = await cct(words('-'), input);
    expected = Buffer.from(stdout);
    expect(code).toBe(0);
    expect(Math.min(expected.length, input.length)).toBeGreaterThan(2_000_000);
    writeFileSync(join(folder, run), input);
  });

  test.concurrent.each(cases.filter((one) => one.form === form))('from $from to $to', async ({ from, to }) => {
    const own = mkdtempSync(join(folder, 'own-'));
    linkSync(join(folder, run), join(own, 'in'));
    const { code, bytes, stderr } = await connect(words(from === 'null' ? 'in' : '-'), { from, to, folder: own });
    const isFull = to === 'full';
    expect({ code, arrived: sum(bytes), stderr: stderr.replace(/.* is waiting for records on stdin.*\n/, '') }).toEqual(
      {
        code: isFull ? 2 : 0,
        arrived: sum(isFull ? Buffer.alloc(0) : expected),
        stderr: isFull ? 'cct: stdout: no space left on device\n' : '',
      },
    );
  });
});

/** Enough to tell them apart without printing megabytes. */
function sum(bytes: Buffer): string {
  return `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
}
