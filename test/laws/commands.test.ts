import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAll, isTurn } from '../effort.js';
import { isObject, parseJson } from '../json.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { checkLater } from './check.js';
import { flags, ways } from './command-lines.js';
import { familiesOf } from './families.js';
import { broken, bytesOf, homes, type Input, sessions, specimens } from './inputs.js';
import { holds } from './law.js';
import { shareOf } from './laws.js';

/** Whatever a command is given: bytes on stdin, or files. */
interface Given {
  readonly stdin: Buffer;
  readonly files: readonly string[];
}

/** Specimens whose lines are records, by family; the others, and whatever is broken, each by itself. */
const inputs = [...sessions, ...broken, ...familiesOf(isWhole), ...specimens.filter((one) => !isWhole(one))];

describe.each(ways.map((way, place) => ({ way, place })))('cct $way', ({ way, place }) => {
  const given = shareOf('commands: streams', inputs, place).map((input, turn) => ({ name: input.name, input, turn }));
  test.each(given)('$name', (at) =>
    holds(at.input, async (input) => {
      const given = onStdin(bytesOf(input));
      const rows = await rowsOf(way, given);
      expect(await rowsOf(way, onStdin(await eventsOf(given))), 'normalize before it').toBe(rows);
      if (isTurn(at.turn, 2, 0)) {
        const events = await eventsOf(given);
        expect(await rowsOf(way, onStdin(events, events)), 'the same events twice').toBe(rows);
        // The results of 2025 had no id: the same again may be another one.
        if (/^(?=.*"type":"result")(?!.*"uuid":)/m.test(bytesOf(input).toString())) return;
        const ended = onStdin(knownAgain(way, given.stdin), '\n');
        const once = await rowsOf(way, ended);
        expect(await rowsOf(way, onStdin(ended.stdin, ended.stdin)), 'the same stream twice').toBe(once);
      }
      if (!isWhole(input)) return;
      if (!isTurn(at.turn, 2, 1)) return;
      const strange = await rowsOf(way, onStdin(amongStrangers(given.stdin)));
      expect(unplaced(strange), 'unknown records between').toBe(unplaced(rows));
    }),
  );

  const placed = shareOf('commands: homes', homes, place).map((input, turn) => ({ ...input, turn }));
  test.each(placed)('$name', async ({ turn, ...input }) => {
    const given = asFiles(input);
    const rows = await rowsOf(way, given);
    expect(await rowsOf(way, onStdin(await eventsOf(given))), 'normalize before it').toBe(rows);
    const twice = ofFiles([...given.files, ...given.files]);
    if (isTurn(turn, 2, 0)) expect(await rowsOf(way, twice), 'the same files twice').toBe(rows);
    if (!isTurn(turn, 2, 1) || hasStreams(input)) return;
    const backwards = await rowsOf(way, ofFiles([...given.files].reverse()));
    expect(sortedLines(backwards), 'the files in reverse').toEqual(sortedLines(rows));
  });
});

test('any stream', async () => {
  await checkLater(
    fc.asyncProperty(streams(), fc.nat(60), fc.nat(60), async (records, from, length) => {
      const given = onStdin(ndjson(records));
      const part = ndjson(records.slice(from, from + length));
      const events = await eventsOf(given);
      for (const way of shareOf('commands: any stream, commands', ways, length)) {
        const rows = await rowsOf(way, given);
        expect(await rowsOf(way, onStdin(events)), `normalize before ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(given.stdin, given.stdin)), `the same stream twice for ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(given.stdin, part)), `a part sent again for ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(events, events)), `the same events twice for ${way}`).toBe(rows);
        const strange = await rowsOf(way, onStdin(amongStrangers(given.stdin)));
        expect(unplaced(strange), `unknown records between for ${way}`).toBe(unplaced(rows));
      }
    }),
    'commands: any stream',
  );
});

describe.each(Object.entries(flags))('normalize before %s, with', (command, some) => {
  test.each(some.map((flag, turn) => ({ flag, turn })))('$flag', async ({ flag, turn }) => {
    const shown = new Set<string>();
    const all = await withRows(command);
    const tried = shareOf('commands: flags', all, turn);
    for (const given of new Set([...tried, ...all])) {
      const isTried = tried.includes(given);
      if (!isTried && shown.size > 1) break;
      const rows = await textOf(`${command} ${flag}`, given);
      if (isTried)
        expect(await textOf(`${command} ${flag}`, onStdin(await eventsOf(given))), given.files.join(' ')).toBe(rows);
      shown.add(rows);
    }
    // It leaves something of some inputs, and not the same of all.
    expect(shown.size).toBeGreaterThan(1);
  });
});

/** Inputs of which the command has something to say; some everyday, all with EFFORT=all. */
async function withRows(command: string): Promise<readonly Given[]> {
  const known = rowed.get(command);
  if (known !== undefined) return known;
  const found: Given[] = [];
  for (const input of flagged) {
    const given = asFiles(input);
    if ((await textOf(command, given)).length > 0) found.push(given);
    if (found.length >= enough) break;
  }
  rowed.set(command, found);
  return found;
}
const enough = isAll ? Number.POSITIVE_INFINITY : 12;
/** First what the flags choose from: the team, sessions and times that they name, and tasks that no session has. */
const named =
  /sessions\/(?:team-2|replay|joined-late|refused)|(?:task-update-deleted|todo-write|started-ambient|file-task-internal)\.|files\/team-2\.1\.39/;
const flagged = [
  ...[...sessions, ...specimens, ...homes].filter(({ name }) => named.test(name)),
  ...sessions,
  ...homes,
];
const rowed = new Map<string, readonly Given[]>();

function asFiles({ name, parts }: Input): Given {
  return ofFiles(parts.map(({ path }) => `fixtures/${path === null ? name : `${name}/${path}`}`));
}

function ofFiles(files: readonly string[]): Given {
  return { stdin: Buffer.alloc(0), files };
}

function onStdin(...texts: readonly (string | Buffer)[]): Given {
  return { stdin: Buffer.concat(texts.map((text) => Buffer.from(text))), files: [] };
}

/**
 * The lines of a stream that are known when they come again. A record without an id, or of no session, may be another one;
 * and a message before the first prompt belongs to no turn until the stream comes again.
 */
function knownAgain(way: string, bytes: Buffer): Buffer {
  const isTold = /^(?:log|sessions)\b/.test(way);
  const hasTurns = /\b(?:message|turn)\b/.test(way);
  if (!isTold && !hasTurns) return bytes;
  const begun = new Set<unknown>();
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => {
      const record = parseJson(line);
      if (!isObject(record)) return !isTold;
      const session = record['session_id'] ?? record['sessionId'];
      if (record['type'] === 'system' && record['subtype'] === 'init') begun.add(session);
      const isNamed = typeof record['uuid'] === 'string' && typeof session === 'string';
      return (!isTold || isNamed) && (!hasTurns || begun.has(session));
    });
  return Buffer.from(lines.join('\n'));
}

/** Results have no times, so those of two streams of one session are in the order in which the files are given. */
function hasStreams({ parts }: Input): boolean {
  return parts.filter(({ bytes }) => bytes.includes('"type":"result"')).length > 1;
}

/** What normalize writes of it, kept for the next command. */
async function eventsOf({ stdin, files }: Given): Promise<string> {
  const key = files.length > 0 ? files.join() : stdin.toString('latin1');
  const known = normalized.get(key) ?? (await cct(['normalize', ...files], stdin)).stdout;
  normalized.set(key, known);
  return known;
}
const normalized = new Map<string, string>();

/** Every line is a record by itself, and the last one ends. */
function isWhole(input: Input): boolean {
  const text = bytesOf(input).toString();
  return (
    text.endsWith('\n') &&
    text
      .trimEnd()
      .split('\n')
      .every((line) => isObject(parseJson(line)))
  );
}

function amongStrangers(bytes: Buffer): Buffer {
  const lines = bytes.toString().trimEnd().split('\n');
  const strange = lines.flatMap((line, at) => [line, stranger(at)]);
  return Buffer.from(strange.join('\n'));
}

function stranger(at: number): string {
  const ids = { session_id: `elsewhere-${at}`, uuid: `strange-${at}` };
  return JSON.stringify(at % 2 ? { type: 'mystery', ...ids } : { type: 'system', subtype: 'mystery', ...ids });
}

function sortedLines(rows: string): string[] {
  return rows.split('\n').sort();
}

function unplaced(rows: string): string {
  return rows.replace(/"line":\d+/g, '');
}

function rowsOf(way: string, given: Given): Promise<string> {
  return textOf(/ -f /.test(way) ? way : `${way} --format ndjson`, given);
}

async function textOf(words: string, { stdin, files }: Given): Promise<string> {
  const { stdout, code, stderr } = await cct([...words.split(' '), ...files], stdin);
  if (code !== 0 && code !== 4) throw new Error(`cct ${words} exited with ${code}: ${stderr}`);
  return stdout;
}
