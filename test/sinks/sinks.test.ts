import { createHash } from 'node:crypto';
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cct } from '../run.js';
import { type BigRun, bigRuns } from './big-runs.js';
import { connect, type SinkKind, type SourceKind, sinkKinds, sourceKinds } from './kinds.js';

// Every byte arrives, or the exit code is 2: the real process between all kinds of files. Runs dist, as the transcripts do.

interface Form {
  readonly run: BigRun;
  /** `-` is stdin. */
  readonly words: (file: string) => readonly string[];
}

const rowsOf = (run: BigRun, ...words: string[]): Form => ({ run, words: (file) => [...words, '-f', 'ndjson', file] });
const linesOf = (run: BigRun, ...words: string[]): Form => ({ run, words: (file) => [...words, file] });

const forms: Readonly<Record<string, Form>> = {
  normalize: linesOf('messages', 'normalize'),
  'teams --members': rowsOf('agents', 'teams', '--members'),
  tasks: rowsOf('tasks', 'tasks'),
  messages: rowsOf('messages', 'messages'),
  'messages --settled': rowsOf('messages', 'messages', '--settled'),
  'usage --by message': rowsOf('usage', 'usage', '--by', 'message'),
  replay: linesOf('messages', 'replay', '--no-wait'),
  'replay --since': linesOf('messages', 'replay', '--no-wait', '--since', 'line:2'),
  'replay --states': linesOf('states', 'replay', '--no-wait', '--states'),
  'replay --as-claude': linesOf('messages', 'replay', '--as-claude'),
};

/** Each form with each sink and each source, each source with each sink. */
const pairs = Object.keys(forms).flatMap((name, at) =>
  sinkKinds.map((to, place): [string, SourceKind, SinkKind] => [
    name,
    sourceKinds[(at + place) % sourceKinds.length] ?? 'file',
    to,
  ]),
);

const folder = mkdtempSync(join(tmpdir(), 'cct-sinks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// util-linux; that of other systems takes other words.
describe.skipIf(process.platform !== 'linux').each(Object.entries(forms))('%s', (name, { run, words }) => {
  const input = bigRuns[run]();
  let expected: Buffer;
  beforeAll(async () => {
    const { code, stdout } = await cct(words('-'), input);
    expected = Buffer.from(stdout);
    expect(code).toBe(0);
    expect(Math.min(expected.length, input.length)).toBeGreaterThan(2_000_000);
    writeFileSync(join(folder, run), input);
  });

  test.concurrent.each(pairs.filter(([of]) => of === name))('%s: from %s to %s', async (_name, from, to) => {
    const own = mkdtempSync(join(folder, 'own-'));
    linkSync(join(folder, run), join(own, 'in'));
    const { code, bytes, stderr } = await connect(words(from === 'null' ? 'in' : '-'), { from, to, folder: own });
    const isFull = to === 'full';
    expect({ code, arrived: sum(bytes), stderr: stderr.replace(/.* waits for records on stdin.*\n/, '') }).toEqual({
      code: isFull ? 2 : 0,
      arrived: sum(isFull ? Buffer.alloc(0) : expected),
      stderr: isFull ? 'cct: stdout: no space left on device\n' : '',
    });
  });
});

/** Enough to tell them apart without printing megabytes. */
function sum(bytes: Buffer): string {
  return `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
}
