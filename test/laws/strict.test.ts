// Law 8: what is dropped unread changes no row, so a report is the same with --strict, which parses every line.
// One kind with other seeds: LAW_SEED=7 LAW_RUNS=60 npx vitest run --config test/vitest.config.ts test/laws/strict.test.ts -t 'keys escaped'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTurn, runs, seed } from '../effort.js';
import {
  bareRows,
  type Door,
  difference,
  doors,
  fewest,
  firstDifference,
  reports,
  shortest,
  shown,
} from '../fuzz/differential.js';
import { joined, type Line, linesOf } from '../fuzz/lines.js';
import { harmless, mutations } from '../fuzz/mutations.js';
import { Random } from '../fuzz/random.js';
import { parseJson } from '../json.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { everything, families } from './families.js';
import { bytesOf, homes, type Input, sessions } from './inputs.js';
import { runsOf, shareOf } from './laws.js';
import type { Part } from './reading.js';

describe('every fixture', () => {
  test.each(everything.map((input, index) => ({ name: input.name, input, index })))(
    '$name',
    async ({ input, index }) => {
      for (const report of shareOf('strict: fixtures', reports, index))
        expect(await difference(report, input.parts, doorOf(index)), report).toBe(null);
    },
  );
});

const generated: readonly Input[] = fc.sample(streams(), { seed, numRuns: 40 }).map((records, index) => ({
  name: `generated stream ${index + 1}`,
  parts: [{ path: null, bytes: Buffer.from(ndjson(records)) }],
}));

/** Whole sessions have the most to lose, and only files have paths. */
const kinds: readonly [readonly Input[], ...(readonly Input[])[]] = [sessions, sessions, families, homes, generated];

describe.each(Object.entries(mutations))('%s', (kind, mutate) => {
  /** How it differs from what is promised, told for one input; null if it does not. */
  async function broken(parts: readonly Changed[], report: string, door: Door): Promise<string | null> {
    const found = await difference(report, parts, door);
    if (found !== null) {
      const few = await shortest(report, parts, door);
      return `cct ${report}, and with --strict: ${found}\n  shortest input, ${way(door)}:\n${shown(few)}`;
    }
    const apart = async (some: readonly Changed[]): Promise<string | null> => {
      // A budget ends reading behind the line that passes it; without times a trace counts lines, also that of a report.
      const countsLines = /--max-usd|^trace|^report/.test(report);
      // Calls of one line have no order.
      const bare = /^(?:calls|audit)/.test(report) ? sortedLines : (rows: string) => rows;
      const lone = harmless.has(kind) && !countsLines ? partsApart(some) : null;
      if (lone === null) return null;
      const [together, alone] = [bare(await bareRows(report, some, door)), bare(await bareRows(report, lone, door))];
      return together === alone ? null : firstDifference(together, alone);
    };
    const other = await apart(parts);
    if (other === null) return null;
    const lines = parts.flatMap((part) => part.lines.map((line) => ({ path: part.path, line })));
    const few = await fewest(lines, async (fewer) => (await apart(regrouped(fewer))) !== null);
    return `cct ${report}, and with a line for each record: ${other}\n  shortest input, ${way(door)}:\n${shown(regrouped(few))}`;
  }

  test('changes nothing by being left unread', async () => {
    for (let run = 0; run < runsOf('strict: changed'); run++) {
      const random = new Random(seed + 7919 * run + hashOf(kind));
      const input = random.one(random.pick(kinds));
      const parts = (input?.parts ?? []).map(({ path, bytes }) => changed(path, mutate(linesOf(bytes), random)));
      const isLong = parts.some(({ bytes }) => bytes.length > 1e6);
      const turn = run + hashOf(kind);
      for (const [place, report] of shareOf('strict: changed, reports', reports, turn).entries()) {
        if (!isTurn(place, isLong ? 2 : 1, 0)) continue;
        const problem = await broken(parts, report, isLong ? 'file' : doorOf(turn + place));
        if (problem !== null) expect.fail(`${kind} of ${input?.name}, LAW_SEED=${seed}, run ${run}\n  ${problem}`);
        expect(problem).toBe(null);
      }
    }
  });
});

describe('records in one line, and others that were read for what they are not', () => {
  test.each([
    ['send-with-id-first', 'messages', ['"to":"bob"']],
    ['result-inside-partial', 'usage', ['"cost_usd":5']],
    ['type-twice', 'usage', ['"cost_usd":5']],
    ['answer-with-escaped-id', 'tasks --all', ['"subject":"A"']],
    ['result-with-escaped-type', 'usage', ['"cost_usd":5']],
    ['text-glued-to-send', 'messages', ['"to":"bob"']],
    ['text-glued-to-new-task', 'tasks --all', ['"subject":"A"']],
    ['repeat-glued-to-usage', 'usage', ['"input_tokens":2000', '"output_tokens":2000']],
    ['prompt-glued-to-usage', 'usage', ['"input_tokens":1000', '"output_tokens":1000']],
    ['two-answers-in-one-record', 'tasks --all', ['"subject":"A"']],
    ['limit-space-result', 'usage', ['"cost_usd":5']],
    ['answer-space-result', 'usage', ['"cost_usd":5']],
    ['copy-of-a-poorer-record', 'usage', ['"cache_write_1h_tokens":1262']],
    ['copy-in-another-folder', 'usage --by project', ['"project":"/home/dev/b"']],
    ['row-and-frame-of-one-message', 'usage --by message', ['"transcript":false', '"in_transcript":true']],
  ])('%s: %s', async (name, words, expected) => {
    const bytes = readFileSync(`fixtures/broken/joined/${name}.ndjson`);
    const { stdout } = await cct(words.split(' '), bytes);
    for (const text of expected) expect(stdout).toContain(text);
    for (const report of shareOf('strict: joined', reports, bytes.length))
      expect(await difference(report, [{ path: null, bytes }], 65536), report).toBe(null);
  });

  test.each([
    'result-inside-partial',
    'type-twice',
    'result-with-escaped-type',
    'limit-space-result',
    'answer-space-result',
  ])('%s: a budget of one dollar is passed at five', async (name) => {
    expect((await cct(['usage', '--max-usd', '1', `fixtures/broken/joined/${name}.ndjson`])).code).toBe(3);
  });
});

describe('the built program, by a real pipe', () => {
  const program = new URL('../../bin/cct.js', import.meta.url).pathname;

  test.each([1, 7, 63, 64, 65, 4096, 65536])('in pieces of %i bytes', async (length) => {
    const random = new Random(seed + length);
    const team = sessions.find(({ name }) => name.includes('team-2.1.39'));
    if (team === undefined) throw new Error('no team');
    const lines = mutations['joined by anything']?.(linesOf(bytesOf(team)), random) ?? [];
    // Byte by byte takes long: a tenth of a second for 10 KB.
    const bytes = joined(lines).subarray(0, runs(5_000, 20_000) * length);
    for (const report of shareOf('strict: pipes', ['teams --members', 'messages', 'usage --by agent'], length)) {
      const [fast, full] = [await piped(report, bytes, length), await piped(`${report} --strict`, bytes, length)];
      expect(fast, report).toBe(full);
      expect(fast, report).toBe((await cct(report.split(' '), bytes)).stdout);
    }
  });

  async function piped(words: string, bytes: Buffer, length: number): Promise<string> {
    const child = spawn(process.execPath, [program, ...words.split(' ')], { stdio: ['pipe', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    for (let at = 0; at < bytes.length; at += length)
      await new Promise((written) => child.stdin.write(bytes.subarray(at, at + length), written));
    child.stdin.end();
    await once(child, 'close');
    return out;
  }
});

interface Changed extends Part {
  readonly lines: readonly Line[];
}

function changed(path: string | null, lines: readonly Line[]): Changed {
  return { path, lines, bytes: joined(lines) };
}

function regrouped(lines: readonly { path: string | null; line: Line }[]): Changed[] {
  const paths = [...new Set(lines.map(({ path }) => path))];
  return paths.map((path) =>
    changed(
      path,
      lines.filter((one) => one.path === path).map(({ line }) => line),
    ),
  );
}

/** The same records, as JSON.stringify writes them, a line each; null where damage makes it an open question which there are. */
function partsApart(parts: readonly Changed[]): Part[] | null {
  const apart = parts.map(({ path, lines }) => {
    const records = lines.map((line) => line.records);
    const isKnown = records.every((list) => list !== null);
    return isKnown
      ? {
          path,
          bytes: Buffer.from(
            records
              .flat()
              .map((text) => `${plain(text)}\n`)
              .join(''),
          ),
        }
      : null;
  });
  return apart.every((part) => part !== null) ? apart : null;
}

function plain(text: string | null): string {
  const record = parseJson(text ?? '');
  try {
    const written = JSON.stringify(record);
    return isDeepStrictEqual(parseJson(written), record) ? written : (text ?? '');
  } catch {
    return text ?? '';
  }
}

function hashOf(text: string): number {
  return [...text].reduce((hash, character) => Math.imul(hash ^ character.charCodeAt(0), 16777619) >>> 0, 2166136261);
}

function doorOf(turn: number): Door {
  return doors[turn % doors.length] ?? 'file';
}

function way(door: Door): string {
  return door === 'file' ? 'from a file' : `in chunks of ${door}`;
}

function sortedLines(rows: string): string {
  return rows.split('\n').sort().join('\n');
}
