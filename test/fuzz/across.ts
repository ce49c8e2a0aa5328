// Damage across files: what is right in each file and wrong in all of them together.
import { isObject, type JsonObject, parseJson } from '../json.js';
import { homes } from '../laws/inputs.js';
import type { Part } from '../laws/reading.js';
import { among, firstDifference } from './differential.js';
import { Random } from './random.js';

/** One home whose files contradict each other. */
export interface Home {
  readonly title: string;
  readonly parts: readonly Part[];
  /** A command whose rows must not depend on the order of the files. */
  readonly report: string;
}

/** The commands of the order law. */
const reports: readonly [string, ...string[]] = [
  'teams',
  'tasks --all',
  'messages --settled',
  'usage --by session,model',
  'usage --by agent',
  'calls',
  'trace',
  'trace --by agent',
  'audit',
];

type File = { readonly path: string | null; readonly lines: string[] };
type Change = (files: readonly File[], random: Random) => void;

const changes: Readonly<Record<string, Change>> = {
  'records moved': (files, random) => {
    for (let left = 1 + random.below(5); left > 0; left--) {
      const [from, to] = [random.one(files), random.one(files)];
      const moved = from?.lines.splice(random.below(from.lines.length), 1) ?? [];
      to?.lines.splice(random.below(to.lines.length + 1), 0, ...moved);
    }
  },
  'records copied': (files, random) => {
    const [from, to] = [random.one(files), random.one(files)];
    to?.lines.push(...(from?.lines.slice(0, 1 + random.below(5)) ?? []));
  },
  'one id for two sessions': (files, random) => {
    const session = files.flatMap(({ lines }) => lines.map(sessionOf)).find((id) => id !== null) ?? 's';
    const file = random.one(files);
    file?.lines.forEach((line, at) => {
      const record = parseJson(line);
      if (isObject(record) && 'sessionId' in record) file.lines[at] = JSON.stringify({ ...record, sessionId: session });
    });
  },
  'clocks askew': (files, random) => {
    const file = random.one(files);
    const seconds = random.pick([-86_400, -61, -1, 1, 61, 86_400] as const);
    file?.lines.forEach((line, at) => {
      const record = parseJson(line);
      const time = isObject(record) ? Date.parse(String(record['timestamp'])) : Number.NaN;
      if (!isObject(record) || Number.isNaN(time)) return;
      file.lines[at] = JSON.stringify({ ...record, timestamp: new Date(time + seconds * 1000).toISOString() });
    });
  },
};

function sessionOf(line: string): string | null {
  const record: JsonObject | undefined = asObject(parseJson(line));
  const id = record?.['sessionId'];
  return typeof id === 'string' ? id : null;
}

function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function homeOf(seed: number): Home {
  const random = new Random(seed);
  const home = random.one(homes) ?? { name: 'nothing', parts: [] };
  const files = home.parts.map(({ path, bytes }) => ({ path, lines: bytes.toString().split('\n').filter(Boolean) }));
  const chosen = Array.from({ length: 1 + random.below(2) }, () => random.one(Object.keys(changes)) ?? '');
  // Files of a team are one document each; only transcripts have records to move.
  const transcripts = files.filter(({ path }) => path?.endsWith('.jsonl'));
  for (const name of chosen) changes[name]?.(transcripts, random);
  const parts = files.map(({ path, lines }) => ({
    path,
    bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')),
  }));
  return { title: `${home.name}: ${chosen.join(', ')}`, parts, report: random.pick(reports) };
}

/** What is wrong with what cct makes of these files; empty if it keeps its promises. */
export async function problemsAcross({ parts, report }: Home): Promise<string[]> {
  const words = report.split(' ');
  const [rows, other] = [await ran(parts, words), await ran([...parts].reverse(), words)];
  const problems = [rows, other].filter(({ code }) => code !== 0).map(({ code }) => `cct ${report}: exit code ${code}`);
  if (bare(rows.stdout) !== bare(other.stdout))
    problems.push(
      `cct ${report}: other rows in another order${firstDifference(bare(rows.stdout), bare(other.stdout))}`,
    );
  return [...problems, ...(await problemsOfReport(parts))];
}

/** A report and usage count the same tokens. */
async function problemsOfReport(parts: readonly Part[]): Promise<string[]> {
  const report = await ran(parts, ['report', '-f', 'md']);
  const usage = await ran(parts, ['usage', '--by', 'total']);
  const reported = [...report.stdout.matchAll(/^\*\*.*? · tokens ([0-9,]+)/gm)].map(([, said = '']) =>
    Number(said.replaceAll(',', '')),
  );
  const row = asObject(parseJson(usage.stdout.split('\n')[0] ?? ''));
  const used = Number(row?.['total_tokens'] ?? 0);
  const sum = reported.reduce((all, one) => all + one, 0);
  return sum === used ? [] : [`cct report says ${sum} tokens, cct usage ${used}`];
}

function ran(parts: readonly Part[], words: readonly string[]) {
  return among(parts, 'file', (run) => run(words));
}

/** The rows in any order, without what depends on where the files are. */
function bare(stdout: string): string {
  const rows = stdout.replaceAll(/"(?:line|source)":(?:\d+|null|"[^"]*")/g, '"line":0').split('\n');
  return rows.sort().join('\n');
}
