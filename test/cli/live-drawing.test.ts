import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/cli/input.js';
import { openLiveView, type Picture } from '../../src/cli/live-drawing.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { createOutput } from '../../src/io/output.js';
import { outputStream } from '../../src/io/streams.js';
import { createParser } from '../../src/lib.js';
import { ManualClock } from '../fake-clock.js';
import { streamsOver } from '../run.js';
import { Terminal } from '../terminal.js';

const eventsOf = (text: string) => createParser().push(`${text}\n`);
const begun = eventsOf('{"type":"system","subtype":"init","session_id":"s"}');
const resultOf = (subtype: string, is_error: boolean) =>
  eventsOf(JSON.stringify({ type: 'result', subtype, is_error, session_id: 's' }));

interface World {
  readonly columns?: number;
  readonly rows?: number;
  /** Somebody still writes the input; else it is a recording, whose pictures have no clock. */
  readonly open?: boolean;
  readonly options?: Readonly<Record<string, string | number>>;
  readonly place?: 'whole' | 'below';
}

function opened({ columns = 40, rows = 10, open = false, options = {}, place = 'whole' }: World = {}) {
  const terminal = new Terminal(columns, rows);
  const clock = new ManualClock();
  const output = outputStream(terminal, {});
  const streams = { ...streamsOver('', terminal, terminal, { open, clock }), stdout: output, stderr: output };
  const diagnostics = createDiagnostics({ stream: terminal }, 'normal', (text) => text);
  const { signal } = new AbortController();
  const interest = { events: ['*'] };
  const input = openInput({ sources: [], interest, out: createOutput(terminal), diagnostics, signal });
  const view = () =>
    openLiveView({ streams, diagnostics, input, options: { color: 'never', ...options }, operands: [] }, place);
  const draw = async (reading: (show: (picture: Picture | null) => void) => Promise<void>) =>
    (await view()).drawWhile(reading);
  return { terminal, clock, draw, view, diagnostics, seen: input.seen };
}

describe('pictures', () => {
  test('are drawn at once, then at most ten times a second, the last one always', async () => {
    const { terminal, clock, draw } = opened();
    const drawn: number[] = [];
    await draw(async (show) => {
      for (let at = 0; at < 1000; at++) {
        show(() => {
          drawn.push(at);
          return [`picture ${at}`];
        });
        await clock.pass(1);
      }
      await clock.pass(100);
      expect(await terminal.text()).toBe('picture 999\n');
    });
    expect(drawn[0]).toBe(0);
    expect(drawn.at(-1)).toBe(999);
    expect(drawn.length).toBeLessThanOrEqual(12);
    expect(drawn.length).toBeGreaterThanOrEqual(10);
    expect(clock.waiting).toBe(0);
  });

  test('that take long to make are made less often', async () => {
    const { clock, draw } = opened();
    let drawn = 0;
    await draw(async (show) => {
      for (let at = 0; at < 100; at++) {
        show(() => {
          drawn++;
          clock.time += 500;
          return [String(at)];
        });
        await clock.pass(100);
      }
    });
    // Of every two seconds half a second is for drawing.
    expect(drawn).toBeLessThanOrEqual(8);
    expect(drawn).toBeGreaterThan(3);
  });

  test('change only the lines that changed', async () => {
    const { terminal, clock, draw } = opened();
    await draw(async (show) => {
      show(() => ['one', 'two', 'three']);
      await clock.pass(100);
      show(() => ['one', '2', 'three']);
      expect(terminal.writes.at(-1)).toContain('2');
      expect(terminal.writes.at(-1)).not.toMatch(/one|three/);
      expect(await terminal.text()).toBe('one\n2\nthree\n');
      const before = terminal.writes.length;
      await clock.pass(100);
      show(() => ['one', '2', 'three']);
      expect(terminal.writes.length).toBe(before);
    });
  });

  test('may grow and shrink above their end', async () => {
    const { terminal, clock, draw } = opened();
    const pictures = ['abz', 'acbz', 'az', 'xyz', 'z', 'aabbz', ''].map((letters) => [...letters]);
    await draw(async (show) => {
      for (const lines of pictures) {
        show(() => lines);
        await clock.pass(100);
        expect(await terminal.text()).toBe(`${lines.join('\n')}\n`);
      }
    });
  });

  test('are taken away at the end, and the cursor is shown again', async () => {
    const { terminal, draw } = opened();
    terminal.write('before\n');
    await draw(async (show) => {
      show(() => ['one', 'two']);
      expect(terminal.showsCursor).toBe(false);
    });
    expect(await terminal.text()).toBe('before\n');
    expect(terminal.showsCursor).toBe(true);
  });

  test('stay when reading fails, and say so', async () => {
    const { terminal, clock, draw } = opened({ open: true, rows: 4 });
    const broken = draw(async (show) => {
      show(({ height }) => ['one', 'two', 'three'].slice(0, height));
      await clock.pass(65_000);
      throw new Error('it broke');
    });
    await expect(broken).rejects.toThrow('it broke');
    await clock.pass(1000);
    expect(await terminal.text()).toBe('one\ntwo\nstopped by an error after 1m 05s\n');
    expect(terminal.showsCursor).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test('are taken away when nothing was read', async () => {
    const { terminal, draw } = opened({ open: true });
    await expect(draw(() => Promise.reject(new Error('a wrong flag')))).rejects.toThrow('a wrong flag');
    expect(await terminal.text()).toBe('\n');
  });

  test('make room for what is said on the same terminal', async () => {
    const { terminal, clock, draw, diagnostics } = opened();
    await draw(async (show) => {
      show(() => ['one', 'two']);
      diagnostics.warn('something');
      await clock.pass(100);
      expect(await terminal.text()).toBe('one\ntwo\n');
    });
    diagnostics.warn('something else');
    expect(await terminal.text()).toBe('cct: something\ncct: something else\n');
  });

  test.each([
    ['narrower', 20, 10],
    ['wider', 80, 10],
    ['smaller', 20, 5],
    ['larger', 80, 30],
  ])('are drawn for the new size when the terminal gets %s, and nothing is left over', async (_how, columns, rows) => {
    const { terminal, clock, draw } = opened();
    terminal.write('before\n');
    const picture: Picture = ({ width, height }) => ['-'.repeat(width), `${width} ${height}`];
    await draw(async (show) => {
      show(picture);
      expect(await terminal.text()).toBe(`${'-'.repeat(40)}\n40 9\n`);
      await clock.pass(100);
      terminal.resize(columns, rows);
      expect(await terminal.text()).toBe(`${'-'.repeat(columns)}\n${columns} ${rows - 1}\n`);
      await clock.pass(100);
    });
    expect(await terminal.text()).toBe('before\n');
  });

  test('of one line stand below what others wrote, until there is more to show', async () => {
    const { terminal, clock, draw } = opened();
    terminal.write('claude: a warning\n');
    await draw(async (show) => {
      show(() => ['waiting']);
      expect(await terminal.text()).toBe('claude: a warning\nwaiting\n');
      await clock.pass(100);
      show(({ width }) => ['-'.repeat(width - 1)]);
      await clock.pass(100);
      terminal.resize(15);
      expect(await terminal.text()).toBe('claude: a warni\nng\n--------------\n');
      terminal.resize(40);
      await clock.pass(200);
      show(() => ['one', 'two']);
      expect(await terminal.text()).toBe('one\ntwo\n');
      await clock.pass(100);
      show(() => ['less']);
      expect(await terminal.text()).toBe('less\n');
    });
    expect(await terminal.text()).toBe('claude: a warning\n');
  });

  test('below what is written meanwhile grow, shrink and are wrapped, and leave nothing', async () => {
    const { terminal, clock, draw } = opened({ place: 'below' });
    terminal.write('before\n');
    await draw(async (show) => {
      for (const lines of [['one'], ['one', 'two', 'three'], ['four', 'five']]) {
        show(() => lines);
        await clock.pass(100);
        expect(await terminal.text()).toBe(`before\n${lines.join('\n')}\n`);
      }
      show(({ width }) => ['-'.repeat(width - 1), 'last']);
      await clock.pass(100);
      terminal.resize(15);
      expect(await terminal.text()).toBe('before\n--------------\nlast\n');
      await clock.pass(100);
    });
    expect(await terminal.text()).toBe('before\n');
  });

  test('listen to the terminal only while they are shown', async () => {
    const { terminal, draw } = opened();
    await draw(async (show) => show(() => ['one']));
    expect(terminal.listenerCount('resize')).toBe(0);
  });

  test('give way to what is written, and may come back', async () => {
    const { terminal, clock, draw } = opened({ open: true });
    await draw(async (show) => {
      show(() => ['one', 'two']);
      show(null);
      await clock.pass(5000);
      expect(await terminal.text()).toBe('\n');
      show(() => ['three']);
      expect(await terminal.text()).toBe('three\n');
    });
  });
});

describe('a live view', () => {
  test('ticks: one picture a second while nothing comes', async () => {
    const { terminal, clock, draw } = opened({ open: true });
    const drawn: number[] = [];
    await draw(async (show) => {
      expect(await terminal.text()).toBe('waiting for the first record · 0s\n');
      await clock.pass(75_500);
      expect(await terminal.text()).toBe('waiting for the first record · 1m 15s\n');
      show(() => {
        drawn.push(clock.time);
        return [String(clock.time)];
      });
      await clock.pass(10_000);
    });
    expect(drawn.length).toBeGreaterThanOrEqual(10);
    expect(drawn.length).toBeLessThanOrEqual(12);
    expect(clock.waiting).toBe(0);
  });

  test('draws at most ten pictures a second while records come', async () => {
    const { clock, draw } = opened({ open: true });
    let drawn = 0;
    await draw(async (show) => {
      for (let at = 0; at < 1000; at++) {
        show(() => [String(drawn++)]);
        await clock.pass(5);
      }
    });
    expect(drawn).toBeGreaterThan(45);
    expect(drawn).toBeLessThanOrEqual(51);
  });

  test('of a recording has no clock', async () => {
    const { terminal, clock, draw, view } = opened();
    await draw(async (show) => {
      expect(await terminal.text()).toBe('\n');
      let drawn = 0;
      show(() => [String(drawn++)]);
      await clock.pass(60_000);
      expect(drawn).toBe(1);
    });
    const { elapsed, headline, ending } = await view();
    expect([elapsed, headline('usage so far', 80), ending()]).toEqual([null, 'usage so far', '']);
  });

  test.each([
    [1000, null, ''],
    [2000, null, '\\e[2msilent 2s\\e[22m'],
    [60_000, null, '\\e[2msilent 1m 00s\\e[22m'],
    [61_000, null, '\\e[33msilent 1m 01s\\e[39m'],
    [301_000, null, '\\e[31msilent 5m 01s\\e[39m'],
    [31_000, 30, '\\e[31msilent 31s\\e[39m'],
    [4_000_000, null, '\\e[31msilent 1h 06m\\e[39m'],
    [400_000_000, null, '\\e[31msilent 4d 15h\\e[39m'],
  ])('says how long nothing came: %i ms with --idle-timeout %s', async (silence, idleTimeout, expected) => {
    const options = { color: 'always', ...(idleTimeout !== null && { idleTimeout }) };
    const { clock, view } = opened({ open: true, options });
    const live = await view();
    await live.drawWhile(async (show) => show(() => []));
    clock.time += silence;
    const [, said = ''] = /(\x1b\[\d+msilent.*)$/.exec(live.headline('x', 80)) ?? [];
    expect(said.replaceAll('\x1b', '\\e')).toBe(expected);
  });

  test('says what is read until there are rows', async () => {
    const { view, seen } = opened({ open: true });
    const { nothingYet } = await view();
    seen.records = 1;
    expect(nothingYet('tasks', 80)).toBe('no tasks yet, 1 record read · 0s');
    seen.records = 1234;
    expect(nothingYet('tasks', 80)).toBe('no tasks yet, 1,234 records read · 0s');
  });
});

describe('how it ended', () => {
  const paint = new Chalk({ level: 1 });
  test.each([
    ['with a result', [...begun, ...resultOf('success', false)], {}, paint.green('finished after 1m 05s')],
    [
      'with an error',
      [...begun, ...resultOf('error_max_turns', true)],
      {},
      `${paint.red('failed after 1m 05s')}: max turns`,
    ],
    ['without a result', begun, {}, `${paint.yellow('cut after 1m 05s')}: the input ended without a result`],
    ['without records', [], {}, paint.dim('ended after 1m 05s')],
    [
      'by silence',
      begun,
      { idle: true },
      `${paint.yellow('stopped after 1m 05s')}: no record for 60 s (--idle-timeout)`,
    ],
    [
      'unreadable',
      begun,
      { unreadable: 1 },
      `${paint.red('stopped after 1m 05s')}: the input could not be read to its end`,
    ],
  ])('%s', async (_how, events, seen, expected) => {
    const {
      view,
      clock,
      seen: counted,
    } = opened({ open: true, columns: 80, options: { color: 'always', idleTimeout: 60 } });
    const live = await view();
    for (const event of events) counted.account.note(event);
    clock.time = 65_000;
    Object.assign(counted, seen);
    expect(live.ending()).toBe(`${expected}\n`);
  });

  test('by what the command stopped for, and never wider than the terminal', async () => {
    const { view } = opened({ open: true, columns: 30 });
    expect((await view()).ending('passed --max-usd 5\x1b[2J with at least $5.01')).toBe(
      'stopped after 0s: passed --ma…\n',
    );
  });

  test.each<[string, NodeJS.Signals | 'exit', string]>([
    ['Ctrl-C that ends the process', 'exit', 'interrupted after 3s'],
    ['an error nobody caught', 'uncaughtExceptionMonitor' as 'exit', 'stopped by a bug in cct after 3s'],
  ])('by %s', async (_how, signal, expected) => {
    const { terminal, clock, draw } = opened({ open: true });
    const before = process.listenerCount(signal);
    await draw(async (show) => {
      show(() => ['one']);
      await clock.pass(3000);
      const [last] = process.listeners(signal as 'exit').slice(-1);
      last?.(0);
      expect(await terminal.text()).toBe(`one\n${expected}\n`);
      expect(terminal.showsCursor).toBe(true);
    });
    expect(process.listenerCount(signal)).toBe(before);
    expect(clock.waiting).toBe(0);
  });

  test('by Ctrl-C in a pipe: first it waits for the end of the input', async () => {
    const { terminal, clock, view, seen } = opened({ open: true, columns: 80 });
    const live = await view();
    const before = process.listenerCount('SIGINT');
    await live.drawWhile(async (show) => {
      show(() => ['one']);
      const [noted] = process.listeners('SIGINT');
      noted?.('SIGINT');
      await clock.pass(100);
      expect(await terminal.text()).toBe(
        'one\ninterrupted, waiting for the input to end; press Ctrl-C again to stop now\n',
      );
    });
    expect(process.listenerCount('SIGINT')).toBe(before);
    for (const event of begun) seen.account.note(event);
    expect(live.ending()).toBe('interrupted after 0s: unfinished: no result\n');
  });
});
