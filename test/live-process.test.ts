// The real process on a real pseudo-terminal. Runs dist, as the transcripts do.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Terminal, withoutOwnSequences } from './terminal.js';

const fixture = 'fixtures/sessions/team-2.1.325.ndjson';

const lines = readFileSync(fixture, 'utf8').split(/(?<=\n)/);

/** A producer that takes its time. */
const producer = `node bin/cct.js replay --speed 20 --max-gap 1 ${fixture}`;

// util-linux; that of other systems takes other words.
describe.skipIf(process.platform !== 'linux')('on a pseudo-terminal', () => {
  test.each([60, 100, 160])('the last frame is left, %i columns wide, with our own sequences only', async (columns) => {
    const terminal = onTerminal(columns, `(${producer}) | node bin/cct.js teams`);
    const raw = await terminal.ended;
    const frame = readFileSync(`test/commands/teams/live/live-${columns}.txt`, 'utf8');
    expect(withoutClock(await shown(raw, columns))).toBe(withoutClock(frame));
    expect(withoutOwnSequences(raw)).not.toMatch(/(?!\r\n|\n)\p{Cc}/u);
    expect(raw).toContain('\x1b[?2026h');
    expect(cursorIsShown(raw)).toBe(true);
  });

  test.each<[NodeJS.Signals, number, RegExp]>([
    ['SIGINT', 130, /\ninterrupted after \d+s\n/],
    ['SIGTERM', 143, /\nstopped by SIGTERM after \d+s\n/],
    ['SIGHUP', 129, /\nstopped by SIGHUP after \d+s\n/],
    // Which stands for a bug here.
    ['SIGUSR2', 70, /\nstopped by a bug in cct after \d+s\ncct: a bug, sorry: /],
  ])('the last frame stays and the cursor comes back after %s', async (signal, code, ending) => {
    const pipe = join(scratch, signal);
    spawnSync('mkfifo', [pipe]);
    const node = `node --import 'data:text/javascript,process.on("SIGUSR2",()=>{throw(1)})'`;
    const terminal = onTerminal(100, `(echo "pid $BASHPID;"; exec ${node} bin/cct.js teams ${pipe}); echo "code $?"`);
    const feed = createWriteStream(pipe);
    feed.on('error', () => {});
    feed.write(lines.slice(0, 30).join(''));
    await terminal.saw('researcher');
    expect(cursorIsShown(terminal.raw())).toBe(false);
    const pid = Number(/pid (\d+);/.exec(terminal.raw())?.[1]);
    process.kill(pid, signal);
    if (signal === 'SIGINT') {
      // The first is for the producer: what it still says is shown.
      feed.write(lines.slice(30).join(''));
      await terminal.saw('Task 2 finished');
      process.kill(pid, signal);
    }
    expect(await terminal.ended).toContain(`code ${code}`);
    expect(cursorIsShown(terminal.raw())).toBe(true);
    // The last frame stays, and says how it ended.
    const text = await shown(terminal.raw(), 100);
    expect(text).toContain('● writer');
    expect(text).toMatch(ending);
    expect(text.match(/session-97a98319/g)).toHaveLength(1);
    feed.destroy();
  });

  test('Ctrl-Z gives the screen back, and fg takes it again', async () => {
    const pipe = join(scratch, 'stopped');
    spawnSync('mkfifo', [pipe]);
    const suspended = `set -m; node bin/cct.js teams ${pipe}; echo in the shell; read -r; fg; echo "code $?"`;
    const terminal = onTerminal(100, suspended);
    const feed = createWriteStream(pipe);
    feed.on('error', () => {});
    feed.write(lines.slice(0, 30).join(''));
    await terminal.saw('researcher');
    terminal.type('\x1a');
    await terminal.saw('in the shell');
    expect(cursorIsShown(terminal.raw())).toBe(true);
    expect(await shown(terminal.raw(), 100)).not.toContain('researcher');
    const before = terminal.raw().length;
    terminal.type('\n');
    await terminal.saw('researcher', before);
    feed.end(lines.slice(30).join(''));
    expect(await terminal.ended).toContain('code 0');
    expect((await shown(terminal.raw(), 100)).match(/session-97a98319/g)).toHaveLength(1);
    expect(cursorIsShown(terminal.raw())).toBe(true);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a file that is followed is drawn until Ctrl-C, and its last frame stays',
  async () => {
    const path = join(scratch, 'growing.ndjson');
    writeFileSync(path, lines.slice(0, 30).join(''));
    const run = `(echo "pid $BASHPID;"; exec node bin/cct.js teams --follow ${path}); echo "code $?"`;
    const terminal = onTerminal(100, run);
    await terminal.saw('researcher');
    appendFileSync(path, lines.slice(30).join(''));
    await terminal.saw('Task 2 finished');
    // Its last record is old, so nothing goes on although the file might grow.
    await terminal.saw('session-97a98319  ended');
    process.kill(Number(/pid (\d+);/.exec(terminal.raw())?.[1]), 'SIGINT');
    expect(await terminal.ended).toContain('code 0');
    expect(cursorIsShown(terminal.raw())).toBe(true);
  },
);
/** Without what depends on how long it took: the clock in the first line, and in the last. */
function withoutClock(frame: string): string {
  return frame.replace(/ *\d+s\n/, '\n').replace(/after \d+s/, 'after');
}

test('nothing that draws is loaded where there is nothing to draw on', () => {
  expect(loadedBy('teams', fixture)).not.toContain('cli/live.cjs');
  expect(loadedBy('messages', fixture)).not.toContain('cli/live.cjs');
  // The name is what it is thought to be.
  expect(loadedBy('teams', '--live', 'always', fixture)).toContain('cli/live.cjs');
});

const scratch = mkdtempSync(join(tmpdir(), 'cct-live-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Commands on a terminal of that many columns. */
function onTerminal(columns: number, commands: string) {
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 60; ${commands}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/bash', LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 30_000,
  });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    raw += text;
  });
  const ended = once(child, 'close').then(() => raw);
  return {
    /** What was written so far. */
    raw: () => raw,
    async saw(text: string, from = 0) {
      while (!raw.includes(text, from)) {
        if (child.exitCode !== null) throw new Error(`it ended without '${text}': ${raw}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
    type: (keys: string) => child.stdin.write(keys),
    ended,
  };
}

async function shown(raw: string, columns: number): Promise<string> {
  const terminal = new Terminal(columns, 60);
  terminal.write(raw);
  return terminal.text();
}

function cursorIsShown(raw: string): boolean {
  return raw.lastIndexOf('\x1b[?25h') > raw.lastIndexOf('\x1b[?25l');
}

/** The chunks of cct that a run loads, as the engine counts them: without bin/load.js, which names them otherwise. */
function loadedBy(...words: string[]): string[] {
  const folder = mkdtempSync(join(scratch, 'loaded-'));
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  const { status, stderr } = spawnSync(process.execPath, ['dist/cli/main.cjs', ...words], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [file = ''] = readdirSync(folder);
  const urls: unknown[] = JSON.parse(readFileSync(join(folder, file), 'utf8')).result.map(
    ({ url }: { url: unknown }) => url,
  );
  return urls.map(String).flatMap((url) => url.split('/dist/').slice(1));
}
