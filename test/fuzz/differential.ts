import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Part } from '../laws/reading.js';
import { cct, type Ran } from '../run.js';

/** Every report that may leave lines unparsed, and every selection of rows that changes which lines it parses. */
export const reports: readonly [string, ...string[]] = [
  'teams',
  'teams --members',
  'audit --of teams',
  'tasks --all',
  'audit --of tasks',
  'log',
  'log -f ndjson --thinking',
  'messages',
  'messages --settled',
  'audit --of messages',
  'audit',
  ...['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'week,project,branch,version', 'message'].map(
    (keys) => `usage --by ${keys}`,
  ),
  'usage --by agent,model',
  ...['tool', 'agent,server,session,day', 'call'].map((keys) => `calls --by ${keys}`),
  'usage --max-usd 0.01',
  'trace',
  'report -f md',
];

/** How the bytes come in: from files, or through stdin in chunks of this length. */
export type Door = 'file' | number;
export const doors: readonly [Door, ...Door[]] = ['file', 65536, 65536, 4096, 65, 64, 63, 7, 1];

/** What differs when every line is parsed; null if nothing does. */
export async function difference(report: string, parts: readonly Part[], door: Door): Promise<string | null> {
  return among(parts, door, async (run) => {
    const words = report.split(' ');
    const [fast, full] = [await run(words), await run([...words, '--strict'])];
    const codes = `exit code ${fast.code}, with --strict ${full.code}`;
    if (fast.code !== full.code && !(fast.code === 0 && full.code === 4)) return codes;
    return fast.stdout === full.stdout ? null : firstDifference(fast.stdout, full.stdout);
  });
}

/** The rows, without their origin. */
export async function bareRows(report: string, parts: readonly Part[], door: Door): Promise<string> {
  return among(parts, door, async (run) => {
    const { stdout } = await run(report.split(' '));
    return stdout.replaceAll(/"(?:line|source)":(?:\d+|null|"[^"]*")/g, '"line":0');
  });
}

/** As few lines as possible for which it still differs. */
export async function shortest(report: string, parts: readonly Part[], door: Door): Promise<Part[]> {
  const lines = parts.flatMap(({ path, bytes }) => linesOf(bytes).map((line) => ({ path, line })));
  const few = await fewest(lines, async (fewer) => (await difference(report, partsOf(fewer), door)) !== null);
  return partsOf(few);
}

/** As few items as possible that are still wrong together, found by leaving out smaller and smaller pieces. */
export async function fewest<T>(items: readonly T[], isWrong: (items: readonly T[]) => Promise<boolean>): Promise<T[]> {
  let kept = [...items];
  for (let size = kept.length >> 1, tries = 400; size >= 1; size >>= 1)
    for (let at = 0; at < kept.length && tries > 0; tries--) {
      const fewer = kept.toSpliced(at, size);
      if (await isWrong(fewer)) kept = fewer;
      else at += size;
    }
  return kept;
}

export function shown(parts: readonly Part[]): string {
  const text = parts.map(({ path, bytes }) => `${path === null ? '' : `  ${path}:\n`}${bytes.toString()}`).join('');
  return text.length < 4000 ? text : `${text.slice(0, 4000)}… (${text.length} characters)`;
}

/** The first lines that differ, and a few before them. */
export function firstDifference(one: string, other: string): string {
  const [lines, others] = [one.split('\n'), other.split('\n')];
  const at = lines.findIndex((line, index) => line !== others[index]);
  const [mine = '', theirs = ''] = [lines[at], others[at]];
  let same = 0;
  while (same < mine.length && mine[same] === theirs[same]) same++;
  const cut = (line: string) => (same > 100 ? `…${line.slice(same - 60, same + 300)}` : line.slice(0, 400));
  return `row ${at + 1}\n    ${cut(mine)}\n    ${cut(theirs)}`;
}

type Run = (words: readonly string[]) => Promise<Ran>;

export async function among<T>(parts: readonly Part[], door: Door, use: (run: Run) => Promise<T>): Promise<T> {
  if (door !== 'file' && parts.every(({ path }) => path === null)) {
    const bytes = Buffer.concat(parts.map((part) => part.bytes));
    // Byte by byte would take long.
    const length = Math.max(door, Math.ceil(bytes.length / 20_000));
    return use((words) => cct(words, chunksOf(bytes, length)));
  }
  const folder = mkdtempSync(join(tmpdir(), 'cct-differential-'));
  try {
    const files = parts.map(({ path, bytes }, index) => {
      const file = join(folder, path ?? `${index}.ndjson`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
      return file;
    });
    return await use((words) => cct([...words, ...files]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* chunksOf(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** With line ends; the last line may have none. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end + 1));
    start += lines.at(-1)?.length ?? 1;
  }
  return lines;
}

function partsOf(lines: readonly { path: string | null; line: Buffer }[]): Part[] {
  const paths = [...new Set(lines.map(({ path }) => path))];
  return paths.map((path) => ({
    path,
    bytes: Buffer.concat(lines.filter((one) => one.path === path).map(({ line }) => line)),
  }));
}
