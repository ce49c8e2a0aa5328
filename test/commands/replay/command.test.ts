import { readdirSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../src/cli.js';
import { isTurn } from '../../effort.js';
import { FakeClock } from '../../fake-clock.js';
import { sessions } from '../../laws/inputs.js';
import { Collected, cct, streamsOver } from '../../run.js';

const fixtures = new URL('../../../fixtures/', import.meta.url).pathname;
const files = readdirSync(fixtures, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`);

describe('byte for byte', () => {
  const ways: readonly [string, string[]][] = [
    ['unread', ['--no-wait']],
    ['in time', ['--speed', '3']],
    ['at an even step', ['--interval', '0.01']],
    ['looked at line by line', ['--no-wait', '--strict', '-e', '-q']],
    ['in pieces, when lines are too long', ['--max-line-bytes', '100', '--interval', '1']],
    ['from the first line on', ['--no-wait', '--since', 'line:1', '--until', 'line:999999']],
  ];
  test.each(ways.map(([name, flags], way) => ({ name, flags, way })))(
    'every fixture, $name',
    async ({ flags, way }) => {
      const some = files.filter((_, index) => isTurn(index, ways.length, way));
      const played = await bytesOfReplay([...flags, ...some]);
      let at = 0;
      for (const file of some) {
        const bytes = readFileSync(file);
        expect(played.subarray(at, at + bytes.length).equals(bytes), file).toBe(true);
        at += bytes.length;
      }
      expect(played).toHaveLength(at);
    },
  );

  test.each<[string, string]>([
    ['nothing', ''],
    ['no line end at the end', 'a\nb'],
    ['CRLF, blank lines, a BOM', '\ufeff{"a":1}\r\n\r\n\n{"b":1}\r\n'],
    ['NUL and bytes that are no UTF-8', '\0\n\xff\xfe{"a"\n'],
    ['a record over several lines', '{\n "type": "user",\n "timestamp": "2026-11-15T12:00:00Z"\n}\n'],
  ])('%s', async (_name, text) => {
    const bytes = Buffer.from(text, 'latin1');
    for (const flags of [['--no-wait'], [], ['--speed', '9'], ['-e']]) {
      expect(await bytesOfReplay(flags, bytes)).toEqual(bytes);
      expect(
        await bytesOfReplay(
          flags,
          [...bytes].map((byte) => Buffer.of(byte)),
        ),
      ).toEqual(bytes);
    }
  });

  test('several files, one after the other', async () => {
    const some = sessions.slice(0, 4).map(({ name }) => `${fixtures}${name}`);
    expect(await bytesOfReplay(some)).toEqual(Buffer.concat(some.map((file) => readFileSync(file))));
  });
});

describe('in time', () => {
  const at = (second: number, n: number) => line({ timestamp: new Date(second * 1000).toISOString(), n });
  const line = (fields: object) => `${JSON.stringify({ type: 'user', ...fields })}\n`;

  test.each<[string, string[], string[], number[]]>([
    ['as recorded', [], [at(50, 1), at(52, 2), at(60, 3)], [0, 2, 10]],
    [
      'spread evenly where nothing is known',
      [],
      [at(50, 1), line({}), 'noise\n', '{"broken\n', at(58, 2)],
      [0, 2, 4, 6, 8],
    ],
    ['sped up, gaps cut', ['--speed', '2', '--max-gap', '4'], [at(50, 1), at(52, 2), at(60, 3)], [0, 1, 3]],
    ['an even step, whatever was recorded', ['--interval', '2'], [at(50, 1), at(52, 2), at(60, 3)], [0, 2, 4]],
    ['no times: an even step', [], [line({}), line({}), line({})], [0, 0.1, 0.2]],
    ['a log', [], ['2026-11-14T10:00:00Z {"type":"x"}\n', '2026-11-14T10:00:07Z warn\n'], [0, 7]],
    [
      'events with the time they were read',
      [],
      [
        `{"cct":1,"event":"x","time":"2026-11-14T10:00:00Z","raw":{}}\n`,
        `{"cct":1,"event":"x","time":"2026-11-14T10:00:03Z"}\n`,
      ],
      [0, 3],
    ],
    ['from the middle', ['--since', '2s'], [at(50, 1), at(52, 2), at(60, 3)], [0, 8]],
    [
      'a point in time',
      ['--since', '1970-01-01T00:00:51Z', '--until', '1970-01-01T00:01:00Z'],
      [at(50, 1), at(52, 2), at(60, 3)],
      [0],
    ],
  ])('%s', async (_name, flags, lines, moments) => {
    const seen = await momentsOf(flags, lines.join(''));
    expect(seen.map((moment) => moment.second)).toEqual(moments.map((moment) => expect.closeTo(moment, 6)));
  });

  test('a slow reader delays what it has not read, and nothing behind it', async () => {
    const lines = [at(0, 1), at(1, 2), at(2, 3), at(3, 4), at(100, 5), at(101, 6)].join('');
    const seen = await momentsOf([], lines, { readerTakes: 3 });
    expect(seen.map(({ second, text }) => [second, text.split('\n').length - 1])).toEqual([
      [0, 1],
      // While the first was read two more became due; they leave together.
      [3, 3],
      [100, 1],
      [103, 1],
    ]);
  });

  test('an hour of 36,000 lines ends where it should, though every write takes a while', async () => {
    const lines = Array.from({ length: 36_001 }, (_, n) => at(n / 10, n)).join('');
    const seen = await momentsOf([], lines, { readerTakes: 0.05 });
    expect(seen).toHaveLength(36_001);
    expect(seen.at(-1)?.second).toBeCloseTo(3600, 6);
  });

  test('all that is held back is held back no longer than to the next time', async () => {
    const lines = [line({ n: 1 }), at(50, 2), line({ n: 3 }), at(52, 4), line({ n: 5 })];
    const seen = await momentsOf([], lines);
    expect(seen.map(({ second }) => second)).toEqual(
      [0, 0.1, 1.1, 2.1, 2.2].map((second) => expect.closeTo(second, 6)),
    );
  });
});

test('no more than 64 MiB wait for a time that does not come', async () => {
  const line = Buffer.from(`{"pad":"${'x'.repeat(2 ** 20)}"}\n`);
  const out = new Counted();
  const stderr = new Collected();
  const code = await cli(['replay', '-v'], streamsOver(Array<Buffer>(70).fill(line), out, stderr, {}));
  expect([code, out.bytes, stderr.text()]).toEqual([
    0,
    70 * line.length,
    'cct: stdin: 64 MiB without a time; these lines are played at an even pace\n',
  ]);
});

describe('parts', () => {
  const numbered = Array.from({ length: 9 }, (_, at) => `{"n":${at + 1}}\n`);
  test.each<[string[], number, number]>([
    [['--since', 'line:4'], 4, 9],
    [['--until', 'line:4'], 1, 4],
    [['--since', 'line:3', '--until', 'line:5'], 3, 5],
    [['--since', '200ms'], 3, 9],
    [['--until', '200ms'], 1, 2],
    [['--since', 'line:10'], 10, 9],
    [['--until', '1h'], 1, 9],
  ])('%s', async (flags, first, last) => {
    for (const pace of [[], ['--no-wait'], ['--interval', '5']])
      expect((await cct(['replay', ...pace, ...flags], numbered)).stdout).toBe(
        numbered.slice(first - 1, last).join(''),
      );
  });

  test('where no line has a time, no time can be found, and stderr says so', async () => {
    const { stdout, stderr, code } = await cct(['replay', '--since', '2026-11-15'], numbered.join(''));
    expect([stdout, stderr, code]).toEqual(['', 'cct: 9 lines have no time; treated as earlier than all others\n', 0]);
  });
});

test.each<[string[], string]>([
  [['--no-wait', '--speed', '2'], 'replay: --no-wait and --speed cannot be used together'],
  [['--interval', '1', '--max-gap', '2'], 'replay: --interval and --max-gap cannot be used together'],
  [['--at', '5s', '--since', '2s'], 'replay: --at and --since cannot be used together'],
  [['--states', '--as-claude', 'x'], 'replay: --as-claude and --states cannot be used together'],
  [['y', '--as-claude', 'x'], "--as-claude: expected one recording, but got 'y' too"],
  [['--session', 'x'], '--session works only with --states or --at; without them replay prints all lines'],
  [
    ['--since', 'noon'],
    "--since: 'noon' is not a point in a recording; use for example 2026-11-16T14:30:00Z, today, 90s, 1h30m or line:120",
  ],
  [['--speed', '0'], "--speed: '0' is not a number above 0"],
])('%s is a mistake', async (flags, problem) => {
  expect(await cct(['replay', ...flags])).toEqual({ code: 2, stdout: '', stderr: `cct: ${problem}\n` });
});

test('exit codes are those of every command', async () => {
  const failed = `${fixtures}sessions/api-error.ndjson`;
  const damaged = `${fixtures}broken/truncated-line.ndjson`;
  expect((await cct(['replay', '--no-wait', failed])).code).toBe(0);
  expect((await cct(['replay', '--no-wait', '-e', failed])).code).toBe(1);
  expect(await cct(['replay', '--no-wait', '--strict', damaged])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`${damaged}:3: not JSON (unexpected end); line skipped\n`),
  });
  const missing = await cct(['replay', '--no-wait', 'not-there', failed]);
  expect(missing).toMatchObject({ code: 2, stderr: 'cct: not-there: no such file\n' });
  expect(missing.stdout).toBe(readFileSync(failed, 'utf8'));
});

test('on a terminal no line can act on it', async () => {
  const { stdout } = await cct(['replay', '--no-wait'], '{"a":"\u202e"}\n\x1b[31mred\n', { tty: true });
  expect(stdout).toBe('{"a":"\\u202e"}\n\\x1b[31mred\n');
});

async function bytesOfReplay(words: readonly string[], stdin: Parameters<typeof cct>[1] = ''): Promise<Buffer> {
  const out = new Collected();
  const stderr = new Collected();
  const code = await cli(['replay', ...words], streamsOver(stdin, out, stderr, {}));
  expect([0, 1, 4], stderr.text()).toContain(code);
  return out.bytes();
}

/** When each write reached the reader, in seconds since the first. */
async function momentsOf(flags: readonly string[], stdin: string | readonly string[], { readerTakes = 0 } = {}) {
  const clock = new FakeClock();
  const start = clock.now();
  const seen: { second: number; text: string }[] = [];
  const reader = new Writable({
    write(chunk, _encoding, done) {
      seen.push({ second: (clock.now() - start) / 1000, text: String(chunk) });
      clock.pass(readerTakes * 1000);
      setImmediate(done);
    },
  });
  const code = await cli(['replay', ...flags], streamsOver(stdin, reader, new Collected(), { clock }));
  expect(code).toBe(0);
  return seen;
}

class Counted extends Writable {
  bytes = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytes += chunk.length;
    done();
  }
}
