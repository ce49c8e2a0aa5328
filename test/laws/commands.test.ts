import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTurn, sample } from '../effort.js';
import { isObject, parseJson } from '../json.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { checkLater } from './check.js';
import { familiesOf } from './families.js';
import { broken, bytesOf, homes, type Input, sessions, specimens } from './inputs.js';
import { holds } from './law.js';

/** The commands that read events, with the flags that choose what a row is. */
const ways = [
  ...['total', 'message', 'agent', 'session', 'session,team,model,turn,day', 'project,branch,version,month'].map(
    (keys) => `usage --by ${keys}`,
  ),
  ...['tool', 'call', 'agent,server,session,day'].map((keys) => `calls --by ${keys}`),
  'teams',
  'teams --members',
  'tasks --all',
  'messages',
  'messages --settled',
  'trace',
  'trace --by agent',
  'report -f md',
  ...['teams', 'tasks', 'messages', 'calls', 'run'].map((subject) => `audit --of ${subject}`),
  'audit',
];

/** Whatever a command is given: bytes on stdin, or files. */
interface Given {
  readonly stdin: Buffer;
  readonly files: readonly string[];
}

/** Specimens whose lines are records, by family; the others, and whatever is broken, each by itself. */
const inputs = [...sessions, ...broken, ...familiesOf(isWhole), ...specimens.filter((one) => !isWhole(one))];

describe.each(ways.map((way, place) => ({ way, place })))('cct $way', ({ way, place }) => {
  const given = inputs.map((input, index) => ({ name: input.name, input, turn: index + place }));
  // Every day each command has its third of the inputs, the same each time.
  test.each(given.filter(({ turn }) => isTurn(Math.floor(turn / 3), 4, 0)))('$name', (at) =>
    holds(at.input, async (input) => {
      const given = onStdin(bytesOf(input));
      const rows = await rowsOf(way, given);
      expect(await rowsOf(way, onStdin(await eventsOf(given))), 'normalize before it').toBe(rows);
      if (isTurn(at.turn, 3, 0)) expect(await rowsOf(`${way} --strict`, given), 'every line parsed').toBe(rows);
      if (isTurn(at.turn, 3, 1)) {
        const events = await eventsOf(given);
        expect(await rowsOf(way, onStdin(events, events)), 'the same events twice').toBe(rows);
        const ended = onStdin(given.stdin, '\n');
        const once = await rowsOf(way, ended);
        expect(await rowsOf(way, onStdin(ended.stdin, ended.stdin)), 'the same stream twice').toBe(once);
      }
      if (!isWhole(input)) return;
      if (!isTurn(at.turn, 3, 2)) return;
      const strange = await rowsOf(way, onStdin(amongStrangers(given.stdin)));
      expect(unplaced(strange), 'unknown records between').toBe(unplaced(rows));
    }),
  );

  const placed = homes.map((input, index) => ({ ...input, turn: index + place }));
  test.each(placed.filter((one) => isTurn(Math.floor(one.turn / 3), 2, 0)))('$name', async ({ turn, ...input }) => {
    const given = asFiles(input);
    const rows = await rowsOf(way, given);
    expect(await rowsOf(way, onStdin(await eventsOf(given))), 'normalize before it').toBe(rows);
    if (isTurn(turn, 3, 0)) expect(await rowsOf(`${way} --strict`, given), 'every line parsed').toBe(rows);
    const twice = ofFiles([...given.files, ...given.files]);
    if (isTurn(turn, 3, 1)) expect(await rowsOf(way, twice), 'the same files twice').toBe(rows);
    if (!isTurn(turn, 3, 2)) return;
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
      // Every day each stream has its third of the commands.
      for (const way of ways.filter((_, place) => isTurn(place + length, 3, 0))) {
        const rows = await rowsOf(way, given);
        expect(await rowsOf(way, onStdin(events)), `normalize before ${way}`).toBe(rows);
        expect(await rowsOf(`${way} --strict`, given), `every line parsed for ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(given.stdin, given.stdin)), `the same stream twice for ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(given.stdin, part)), `a part sent again for ${way}`).toBe(rows);
        expect(await rowsOf(way, onStdin(events, events)), `the same events twice for ${way}`).toBe(rows);
        const strange = await rowsOf(way, onStdin(amongStrangers(given.stdin)));
        expect(unplaced(strange), `unknown records between for ${way}`).toBe(unplaced(rows));
      }
    }),
    12,
    150,
  );
});

/** Every flag that chooses rows or how they look, with values that choose some and leave some. */
const flags: Readonly<Record<string, readonly string[]>> = {
  report: ['--format html', '--format md --team report-crew', '--format md --no-content'],
  trace: [
    '--by agent',
    '--team report-crew',
    '--by agent --session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--since 2026-11-15T23:29:17Z --until 2026-11-16',
    '--fields kind,label,duration_ms,critical_ms',
    '--by agent --sort critical_ms --limit 2',
    '--no-content',
    '--format table',
    '--format otlp',
    '--format perfetto',
  ],
  teams: [
    '--members --fields name,status,team',
    '--members --sort total_tokens,name --limit 2',
    '--sort messages --reverse',
    '--team report-crew',
    '--since 2026-11-15T23:29:18Z',
    '--since 23:36',
    '--json',
  ],
  calls: [
    '--by total',
    '--by session,server',
    '--by day --timezone Asia/Tokyo',
    '--by call --team report-crew',
    '--by agent --session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--by call --since 2026-11-15T23:29:19Z --until 2026-11-16',
    '--by call --no-content',
    '--fields calls,errors,tool',
  ],
  messages: [
    '--from team-lead',
    '--from researcher,writer',
    '--to researcher',
    '--with writer',
    '--type message',
    '--type idle_notification,shutdown_request',
    '--team report-crew',
    '--session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--session 314aac',
    '--failed',
    '--settled --with writer --type shutdown_response',
    '--since 2026-11-15T23:29:19Z --until 2026-11-16',
    '--no-content',
    '--fields from,to,status,line',
    '--sort from,time --limit 3',
    '--until 23:30 --timezone +00:30',
  ],
  tasks: [
    '--kind board',
    '--kind background,todo',
    '--status pending,completed',
    '--status deleted',
    '--owner writer,main',
    '--team report-crew',
    '--session 314aac79-5f04-44e3-99f3-66f4f5a982a7',
    '--open',
    '--ready',
    '--blocked',
    '--open --kind board --owner writer',
    '--since 2026-11-15T23:29:19Z --until 2026-11-16',
    '--fields id,status,updated_at',
    '--sort status,subject',
    '--reverse --limit 3 -f markdown',
    '--board',
    '--format mermaid',
    '--format dot',
    '--format csv',
  ],
  'audit --of teams': auditFlags(),
  'audit --of tasks': auditFlags(),
  'audit --of messages': auditFlags(),
  audit: [...auditFlags(), '--sort rule,line --limit 2', '--since 23:36:20 --format csv'],
};

function auditFlags(): string[] {
  return ['--team report-crew', '--session 7b678677-a59d-447f-b357-c04038b33045', '--since 2026-11-15T23:36:20Z'];
}

describe.each(Object.entries(flags))('normalize before %s, with', (command, some) => {
  test.each(some)('%s', async (flag) => {
    const shown = new Set<string>();
    for (const given of await withRows(command)) {
      const rows = await textOf(`${command} ${flag}`, given);
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
  for (const input of [...sessions, ...homes, ...specimens.filter(({ name }) => withTasks.test(name))]) {
    const given = asFiles(input);
    if ((await textOf(command, given)).length > 0) found.push(given);
  }
  const chosen = sample(found, 25);
  rowed.set(command, chosen);
  return chosen;
}
/** Tasks of kinds and states that no session has. */
const withTasks = /(?:task-update-deleted|todo-write|started-ambient|file-task-internal)\.ndjson$/;
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
