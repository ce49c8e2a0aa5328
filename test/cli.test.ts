import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { cli } from '../src/cli.js';
import { version } from '../src/version.js';
import { Collected, cct, streamsOver } from './run.js';

const oneShot = readFileSync('fixtures/sessions/one-shot.ndjson', 'utf8');
const failed = readFileSync('fixtures/sessions/max-turns.ndjson', 'utf8');

describe('help', () => {
  test('cct alone is a mistake, answered with the help', async () => {
    const alone = await cct([]);
    const asked = await cct(['help']);
    expect(alone).toEqual({ code: 2, stdout: '', stderr: asked.stdout });
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(await cct(['--help'])).toEqual(asked);
    expect(await cct(['-h'])).toEqual(asked);
  });

  test('the version', async () => {
    expect(await cct(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await cct(['-V'])).toEqual(await cct(['--version']));
  });

  test('of a command is the same wherever it is asked for', async () => {
    const asked = await cct(['help', 'normalize']);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(await cct(['normalize', '--help'])).toEqual(asked);
    expect(await cct(['normalize', '-h', 'a-file-that-is-not-there'])).toEqual(asked);
  });

  test('has the examples before the options', async () => {
    const { stdout } = await cct(['help', 'normalize']);
    expect(stdout.indexOf('Examples:')).toBeLessThan(stdout.indexOf('Options:'));
  });

  test.each([60, 80, 100])('keeps to %i columns, where it is prose', async (columns) => {
    const { stdout } = await cct(['help', 'events'], '', { tty: true, columns });
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  });

  test.each([
    [['normalise'], "cct: 'normalise' is not a command; did you mean normalize?\n"],
    [['useage'], "cct: 'useage' is not a command; did you mean usage?\n"],
    [['Cost'], "cct: 'Cost' is not a command; try cct usage\n"],
    [['today'], "cct: 'today' is not a command; try cct usage --since today\n"],
    [['ls'], "cct: 'ls' is not a command; try cct sessions\n"],
    [['cat'], "cct: 'cat' is not a command; try cct log\n"],
    [['watch'], "cct: 'watch' is not a command; try cct teams --last --follow\n"],
    [['diff'], "cct: 'diff' is not a command; try cct report --compare A B -o diff.html\n"],
    [['logs'], "cct: 'logs' is not a command; try cct log\n"],
    [['task'], "cct: 'task' is not a command; try cct tasks\n"],
    [['usage', '--today'], "cct: usage: unknown option '--today'; use --since today\n"],
    [['calls', '--errors'], "cct: calls: unknown option '--errors'; use --failed\n"],
    [['log', '--errors'], "cct: log: unknown option '--errors'; use --only errors\n"],
    [['log', '--json'], "cct: log: unknown option '--json'; use --format ndjson\n"],
    [['usage', '--csv'], "cct: usage: unknown option '--csv'; use --format csv\n"],
    [['usage', '--weekly'], "cct: usage: unknown option '--weekly'; use --by week\n"],
    [['usage', '--model', 'opus'], "cct: usage: unknown option '--model'; use --by model\n"],
    [['sessions', '--cost'], "cct: sessions: unknown option '--cost'; use --sort cost\n"],
    [['sessions', '--size'], "cct: sessions: unknown option '--size'; see cct help sessions\n"],
    [['log', '--csv'], "cct: log: unknown option '--csv'; see cct help log\n"],
    [['log', '--markdown'], "cct: log: unknown option '--markdown'; use --format md\n"],
    [['report', '--html'], "cct: report: unknown option '--html'; use --format html\n"],
    [['log', '-n', '5'], "cct: log: unknown option '-n'; see cct help log\n"],
    [
      ['--quiet', 'normalize'],
      "cct: expected a command before '--quiet', for example: cct normalize --quiet; cct help lists them\n",
    ],
    [
      ['-f', 'table', 'tasks', 'run.ndjson'],
      "cct: expected a command before '-f', for example: cct tasks -f table run.ndjson; cct help lists them\n",
    ],
    [
      ['run.ndjson'],
      "cct: expected a command before 'run.ndjson', for example: cct teams run.ndjson; cct help lists them\n",
    ],
    [['--verison'], "cct: expected a command before '--verison'; did you mean --version?\n"],
    [['teams', '--by', 'agent'], "cct: teams: unknown option '--by'; cct usage, cct calls and cct trace have it\n"],
    [['usage', '--ready=yes'], "cct: usage: unknown option '--ready'; cct tasks has it\n"],
    [
      ['messages', '--watch'],
      "cct: messages: unknown option '--watch'; cct teams, cct tasks, cct usage and cct calls have it\n",
    ],
    [['teams', '--nothing'], "cct: teams: unknown option '--nothing'; see cct help teams\n"],
    [['constructor'], /^cct: 'constructor' is not a command; commands: sessions, /],
    [['__proto__'], /^cct: '__proto__' is not a command; commands: sessions, /],
    [['help', 'normalice'], /^cct: help: no command or topic 'normalice'; use one of .*; did you mean normalize\?\n$/],
    [['help', 'cost'], /^cct: help: no command or topic 'cost'; use one of .*; did you mean usage\?\n$/],
    [['help', 'events', 'input'], "cct: help: expected one command or topic, but got 'input' too\n"],
    [['\x1b[31mred'], /^cct: '\\x1b\[31mred' is not a command; /],
  ])('%s is a mistake', async (words, stderr) => {
    const ran = await cct(words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toEqual(typeof stderr === 'string' ? stderr : expect.stringMatching(stderr));
  });
});

describe('a terminal on stdin, which is read if - says so,', () => {
  const waits = /^cct: normalize is waiting for records on stdin, for example from: claude -p .* \| cct normalize\n$/;

  test('is told what is waited for, and then read', async () => {
    const piped = await cct(['normalize'], oneShot);
    const typed = await cct(['normalize', '-'], oneShot, { tty: { stdin: true, stdout: true, stderr: true } });
    expect(typed).toEqual({ ...piped, stderr: expect.stringMatching(waits) });
    expect(piped.stderr).toBe('');
  });

  test.each([
    ['--quiet', ['normalize', '--quiet', '-']],
    ['a file', ['normalize', 'fixtures/sessions/one-shot.ndjson']],
  ])('is told nothing with %s', async (_name, words) => {
    expect((await cct(words, '', { tty: true })).stderr).toBe('');
  });

  test('is told of a mistake at once', async () => {
    const { stderr, code } = await cct(['normalize', '--event', 'nothing', '-'], '', { tty: true });
    expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(/^cct: --event: /), code: 2 });
  });
});

describe('the exit code', () => {
  test.each<[number, string, string[], string]>([
    [0, 'a good run', ['-e'], oneShot],
    [0, 'a failed run, not asked', [], failed],
    [1, 'a failed run', ['-e'], failed],
    [1, 'no result', ['-e'], oneShot.split('\n').slice(0, -2).join('\n')],
    [1, 'nothing', ['--exit-status'], ''],
    [0, 'nothing, not asked', [], ''],
    [1, 'nothing that was asked for', ['-e', '--event', 'team:*'], oneShot],
    [0, 'damage', [], `${oneShot}{"type":"assistant",\n`],
    [4, 'damage, strict', ['--strict'], `${oneShot}{"type":"assistant",\n`],
    [0, 'noise, strict', ['--strict'], `npm warn something\n${oneShot}`],
    [2, 'a file that is not there', ['fixtures/not-there.ndjson', '-'], oneShot],
    [0, 'a folder', ['fixtures/files'], ''],
  ])('%i: %s', async (code, _name, words, stdin) => {
    expect((await cct(['normalize', ...words], stdin)).code).toBe(code);
  });

  test('a file that is not there does not keep the others from being read', async () => {
    const { stdout, stderr } = await cct(['normalize', 'fixtures/not-there.ndjson', '-'], oneShot);
    expect(stdout.split('\n').length).toBeGreaterThan(5);
    expect(stderr).toBe('cct: fixtures/not-there.ndjson: no such file\n');
  });
});

describe('when the world breaks', () => {
  test('a reader who leaves ends the reading, quietly', async () => {
    let read = 0;
    const endless = (async function* () {
      for (;;) {
        read += 1;
        yield '{"type":"news"}\n';
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const stderr = new Collected();
    const code = await cli(['normalize'], streamsOver(endless, failingAfter(2, 'EPIPE'), stderr, {}));
    expect({ code, stderr: stderr.text() }).toEqual({ code: 0, stderr: '' });
    expect(read).toBeLessThan(10);
  });

  test('a full disk is an error', async () => {
    const stderr = new Collected();
    const code = await cli(['normalize'], streamsOver(oneShot, failingAfter(0, 'ENOSPC'), stderr, {}));
    expect({ code, stderr: stderr.text() }).toEqual({ code: 2, stderr: 'cct: stdout: no space left on device\n' });
  });

  test.each([
    ['one line', {}, /^cct: a bug, sorry: it broke; set CCT_DEBUG=1 to see where\n$/],
    ['a stack with CCT_DEBUG=1', { CCT_DEBUG: '1' }, /^cct: a bug, sorry: it broke; .*\nError: it broke\n +at /],
  ])('a bug is 70, and %s', async (_name, env, text) => {
    const stderr = new Collected();
    const streams = streamsOver('', new Collected(), stderr, { env });
    const breaking = {
      isTTY: false,
      isFile: false,
      open: () => {
        throw new Error('it broke');
      },
    };
    const code = await cli(['normalize'], { ...streams, stdin: breaking });
    expect({ code, stderr: stderr.text() }).toEqual({ code: 70, stderr: expect.stringMatching(text) });
  });
});

test('--idle-timeout ends the waiting', async () => {
  const silent = (async function* () {
    yield oneShot.slice(0, oneShot.indexOf('\n') + 1);
    await new Promise((resolve) => setTimeout(resolve, 20_000).unref());
  })();
  const { code, stderr } = await cct(['normalize', '--idle-timeout', '0.1'], silent);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'cct: stdin: no record for 0.1 s; no result; reading stopped\n',
  });
});

/** A stream that breaks after so many writes. */
function failingAfter(writes: number, code: string): Writable {
  let left = writes;
  return new Writable({
    write(_chunk, _encoding, done) {
      left -= 1;
      done(left < 0 ? Object.assign(new Error(code), { code }) : null);
    },
  });
}
