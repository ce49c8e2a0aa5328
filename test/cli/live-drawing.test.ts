import { describe, expect, test } from 'vitest';
import { drawWhile, type Picture } from '../../src/cli/live-drawing.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { type Clock, outputStream } from '../../src/io/streams.js';
import { streamsOver } from '../run.js';
import { Terminal } from '../terminal.js';

/** Time that passes when told to. */
class TestClock implements Clock {
  time = 0;
  #waits: { at: number; end: () => void }[] = [];
  now = () => this.time;
  date = () => this.time;
  wait(milliseconds: number, signal: AbortSignal) {
    return new Promise<void>((resolve) => {
      const entry = { at: this.time + milliseconds, end: resolve };
      this.#waits.push(entry);
      signal.addEventListener('abort', () => {
        this.#waits = this.#waits.filter((one) => one !== entry);
        resolve();
      });
    });
  }
  async pass(milliseconds: number) {
    this.time += milliseconds;
    const due = this.#waits.filter(({ at }) => at <= this.time);
    this.#waits = this.#waits.filter(({ at }) => at > this.time);
    for (const { end } of due) end();
    // Whoever waited goes on before this does.
    await new Promise(setImmediate);
  }
  get waiting() {
    return this.#waits.length;
  }
}

function opened(columns = 40, rows = 10) {
  const terminal = new Terminal(columns, rows);
  const streams = streamsOver('', terminal, terminal, {});
  const output = outputStream(terminal, {});
  const clock = new TestClock();
  const context = {
    streams: { ...streams, stdout: output, stderr: output, clock },
    diagnostics: createDiagnostics(terminal, { verbosity: 'normal', sanitize: (text) => text }),
  };
  const draw = (reading: (show: (picture: Picture) => void) => Promise<void>) => drawWhile(context, reading);
  return { terminal, clock, draw, diagnostics: context.diagnostics };
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

  test('are taken away when reading fails too', async () => {
    const { terminal, clock, draw } = opened();
    const broken = draw(async (show) => {
      show(() => ['one']);
      show(() => ['two']);
      throw new Error('it broke');
    });
    await expect(broken).rejects.toThrow('it broke');
    await clock.pass(1000);
    expect(await terminal.text()).toBe('\n');
    expect(terminal.showsCursor).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test('make room for what is said on the same terminal', async () => {
    const { terminal, clock, draw, diagnostics } = opened();
    await draw(async (show) => {
      show(() => ['one', 'two']);
      diagnostics.warn('something');
      await clock.pass(100);
      expect(await terminal.text()).toBe('cct: something\none\ntwo\n');
    });
    diagnostics.warn('something else');
    expect(await terminal.text()).toBe('cct: something\ncct: something else\n');
  });

  test.each([
    ['narrower', 20],
    ['wider', 80],
  ])('are drawn for the new size when the terminal gets %s', async (_how, columns) => {
    const { terminal, clock, draw } = opened(40, 10);
    terminal.write('before\n');
    const picture: Picture = ({ width, height }) => ['-'.repeat(width), `${width} ${height}`];
    await draw(async (show) => {
      show(picture);
      expect(await terminal.text()).toBe(`before\n${'-'.repeat(40)}\n40 9\n`);
      await clock.pass(100);
      terminal.resize(columns);
      expect(await terminal.text()).toBe(`before\n${'-'.repeat(columns)}\n${columns} 9\n`);
      await clock.pass(100);
    });
    expect(await terminal.text()).toBe('before\n');
  });

  test('listen to the terminal only while they are shown', async () => {
    const { terminal, draw } = opened();
    await draw(async (show) => show(() => ['one']));
    expect(terminal.listenerCount('resize')).toBe(0);
  });
});
