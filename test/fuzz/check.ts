import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as z from 'zod';
import { createFramer } from '../../src/core/record/frame.js';
import { isObject, parseJson } from '../json.js';
import { cct } from '../run.js';
import type { Case } from './case.js';
import { difference, firstDifference, shortest, shown as shownParts } from './differential.js';
import { type Line, numbersOf } from './lines.js';
import { stateFile, type Way } from './ways.js';

/** What is wrong with what cct makes of a damaged input; empty if it keeps its promises. */
export async function problemsOf(one: Case): Promise<string[]> {
  const { bytes, lines, ways } = one;
  const found = readBytes(bytes);
  const numbers = numbersOf(lines);
  const problems = lines.flatMap((line, index) => problemsOfLine(line, numbers[index] ?? 0, found));
  for (const way of ways) problems.push(...(await problemsOfWay(way, one, found.damaged.size > 0)));
  problems.push(...(await problemsOfSkipping(one)));
  return problems;
}

/** What the framer says, by line. */
interface Found {
  readonly records: Map<number, Set<string>>;
  readonly damaged: Set<number>;
}

function readBytes(bytes: Buffer): Found {
  const found: Found = { records: new Map(), damaged: new Set() };
  const framer = createFramer({
    record(record, line) {
      const here = found.records.get(line) ?? new Set();
      found.records.set(line, here.add(shown(record)));
    },
    damaged: (line) => found.damaged.add(line),
    noise: () => {},
  });
  for (const [index, line] of bytes.toString().split('\n').entries()) framer.push(line, index + 1);
  framer.end();
  return found;
}

/** An undamaged record is found where it is. A damaged one is found or reported. */
function problemsOfLine({ bytes, records }: Line, number: number, found: Found): string[] {
  const text = bytes.toString();
  // A piece of a log may be joined to what a damaged line before it left open.
  const isOfLog = ofLog.test(text);
  if (isOfLog && found.damaged.size > 0) return [];
  const here = found.records.get(number) ?? new Set();
  const lost = (records ?? []).map((text) => shown(parseJson(text))).filter((record) => !here.has(record));
  if (lost.length > 0) return [`line ${number}: not found: ${lost[0]?.slice(0, 200)}`];
  const isSilent = records === null && !isOfLog && /^\{"\w/.test(text) && here.size === 0 && !found.damaged.has(number);
  return isSilent ? [`line ${number}: neither found nor reported: ${text.slice(0, 200)}`] : [];
}

const ofLog = /"(?:log|MESSAGE|__CURSOR|@?timestamp)":|std(?:out|err) [PF] | 01O[ +]/;

function shown(record: unknown): string {
  try {
    return JSON.stringify(record);
  } catch {
    return 'too deep to be shown';
  }
}

async function problemsOfWay(way: Way, one: Case, isDamaged: boolean): Promise<string[]> {
  if (!way.words.includes(stateFile)) return problemsOfRun(way, one, isDamaged);
  const folder = mkdtempSync(join(tmpdir(), 'cct-fuzz-'));
  const words = way.words.map((word) => (word === stateFile ? join(folder, 'state') : word));
  const first = await problemsOfRun({ ...way, words }, one, isDamaged);
  const again = await problemsOfRun({ ...way, words }, one, isDamaged);
  rmSync(folder, { recursive: true });
  return [...first, ...again.map((problem) => `again: ${problem}`)];
}

async function problemsOfRun(way: Way, one: Case, isDamaged: boolean): Promise<string[]> {
  const ran = await cct(way.words, one.bytes);
  const problems: string[] = [];
  if (!way.codes.includes(ran.code)) problems.push(`exit code ${ran.code}`);
  if (way.words.includes('--strict') && (ran.code === 4) !== isDamaged)
    problems.push(`exit code ${ran.code} with --strict`);
  problems.push(...problemsOfStderr(ran.stderr));
  if (way.rows === null) problems.push(...problemsOfText(ran.stdout));
  else if (way.rows !== 'as it is') problems.push(...problemsOfRows(ran.stdout, way.rows));
  if (way.closed) problems.push(...(await problemsOfClosure(way, one)));
  return problems.map((problem) => `cct ${way.words.join(' ')}: ${problem}`);
}

/** The same rows from events. */
async function problemsOfClosure({ words }: Way, { bytes }: Case): Promise<string[]> {
  const { stdout: strict } = await cct([...words, '--strict'], bytes);
  const { stdout: events } = await cct(['normalize'], bytes);
  const { stdout: closed } = await cct([...words, '--strict'], events);
  return closed === strict ? [] : [`other rows with cct normalize before it${firstDifference(strict, closed)}`];
}

/** The same rows when every line is parsed. */
async function problemsOfSkipping({ bytes, report, door }: Case): Promise<string[]> {
  const parts = [{ path: null, bytes }];
  const found = await difference(report, parts, door);
  if (found === null) return [];
  const few = await shortest(report, parts, door);
  return [`cct ${report}: other rows with --strict: ${found}\n  shortest input:\n${shownParts(few)}`];
}

function problemsOfStderr(stderr: string): string[] {
  const lines = stderr.split('\n').slice(0, -1);
  const odd = lines.find((line) => !/^cct: [^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]+$/.test(line));
  const tooMany = lines.length > 60 ? [`${lines.length} lines on stderr`] : [];
  if (odd !== undefined) return [`stderr: ${JSON.stringify(odd.slice(0, 300))}`, ...tooMany];
  return /a bug, sorry/.test(stderr) ? [stderr.trim()] : tooMany;
}

function problemsOfText(stdout: string): string[] {
  const odd = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.exec(stdout);
  return odd === null
    ? []
    : [`unsafe text: ${JSON.stringify(stdout.slice(Math.max(0, odd.index - 40), odd.index + 40))}`];
}

function problemsOfRows(stdout: string, schema: z.ZodType): string[] {
  const lines = stdout.split('\n').slice(0, -1);
  for (const line of lines) {
    const row = parseJson(line);
    if (!isObject(row)) return [`no row: ${line.slice(0, 300)}`];
    const checked = schema.safeParse(row);
    if (checked.success === false)
      return [`wrong row: ${checked.error.message.slice(0, 300)} in ${line.slice(0, 600)}`];
  }
  return [];
}
