import { PassThrough, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Input, type InputOptions, openInput } from '../../src/cli/input.js';
import { createDiagnostics } from '../../src/io/diagnostics.js';
import { createOutput } from '../../src/io/output.js';
import type { Source } from '../../src/io/sources.js';
import type { Event } from '../../src/lib.js';
import { homes, sessions } from '../laws/inputs.js';
import { type Part, readAll } from '../laws/reading.js';
import { Collected, cct } from '../run.js';

const init = '{"type":"system","subtype":"init","session_id":"s1","uuid":"i1"}\n';
const done = '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"r1"}\n';
const prompt = '{"type":"user","message":{"content":"hello"}}\n';
const ping = '{"type":"stream_event","session_id":"s1","event":{"type":"ping"}}\n';

describe('bytes become the events the laws are about', () => {
  test.each([...sessions, ...homes])('$name', async ({ parts }) => {
    const { events, seen, stderr } = await run(parts.map(sourceOf));
    const expected = readAll(parts);
    expect(events).toEqual(expected.events);
    expect(seen.records).toBe(expected.records.length);
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(/^cct: [^:]*: (.*(?:no result|still open|unanswered).*)$/.exec(last)?.[1] ?? null).toBe(expected.missing);
  });
});

describe('lines', () => {
  test('are counted by what became of them', async () => {
    const text = `${init}\n{"type":"keep_alive","session_id":"s1"}\nnpm warn\n{"type":"user","mess\n${ping}${done}`;
    const { seen, stderr } = await run([sourceOf(partOf(text))], { interest: { events: ['usage:recorded'] } });
    expect(seen).toMatchObject({ lines: 7, records: 4, parsed: 2, noise: 1, unreadable: 0, idle: false });
    expect(stderr).toBe('cct: a.ndjson:5: not JSON (unexpected end); line skipped\n');
  });

  test('that are too long are skipped, and said so', async () => {
    const long = prompt.replace('hello', 'x'.repeat(500));
    const { events, stderr } = await run([sourceOf(partOf(init + long + done))], { maxLineBytes: 300 });
    expect(events.map(({ event }) => event)).toEqual([
      'session:started',
      'turn:started',
      'input:skipped',
      'session:ended',
    ]);
    expect(stderr).toBe(`cct: a.ndjson:2: line too long (${long.length - 1} bytes); line skipped\n`);
  });

  test('are all parsed with --strict', async () => {
    const { seen } = await run([sourceOf(partOf(init + ping + done))], {
      interest: { events: ['team:*'] },
      strict: true,
    });
    expect(seen).toMatchObject({ records: 3, parsed: 3 });
  });

  test('nested deeper than any program writes stop nothing', async () => {
    const deep = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"x","name":"X","input":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}}\n`;
    for (const flags of [[], ['--raw'], ['--redact'], ['--no-content', '--raw']]) {
      const { code, stdout, stderr } = await cct(['normalize', ...flags], init + deep + done);
      expect(stderr).not.toContain('a bug');
      expect(code).toBe(0);
      expect(stdout).toContain('"event":"session:ended"');
    }
  });
});

describe('files', () => {
  test('that cannot be read do not keep us from the others', async () => {
    const missing: Source = {
      name: 'b.ndjson',
      path: 'b.ndjson',
      open: async () => ({ ok: false, problem: 'no such file' }),
    };
    const { events, seen, stderr } = await run([missing, sourceOf(partOf(init + done))]);
    expect(seen.unreadable).toBe(1);
    expect(stderr).toBe('cct: b.ndjson: no such file\n');
    expect(events.map(({ event, source }) => [event, source])).toContainEqual(['session:ended', 'a.ndjson']);
  });

  test('that break off are read as far as they go', async () => {
    const broken = new Readable({ read() {} });
    broken.push(init);
    setImmediate(() => broken.destroy(Object.assign(new Error('x'), { code: 'EIO' })));
    const { events, seen, stderr } = await run([{ name: 'c', path: 'c', open: async () => opened(broken) }]);
    expect(events.map(({ event }) => event)).toEqual(['session:started', 'turn:started']);
    expect(seen.unreadable).toBe(1);
    expect(stderr).toMatch(/^cct: c: \S.*\ncct: c: no result\n$/);
  });

  test('one of them is not named in its events, several are', async () => {
    const one = await run([sourceOf(partOf(prompt))]);
    const two = await run([sourceOf(partOf(prompt)), sourceOf({ path: null, bytes: Buffer.from(prompt) })]);
    expect(one.events.map(({ source }) => source)).toEqual([undefined]);
    expect(two.events.map(({ source }) => source)).toEqual(['a.ndjson', 'stdin']);
  });
});

describe('what is missing', () => {
  test.each([
    ['of one file', [init], 'cct: a.ndjson: no result\n'],
    ['of several', [init, prompt], 'cct: 2 files: no result\n'],
    ['nothing', [init + done], ''],
  ])('%s', async (_what, texts, expected) => {
    const names = ['a.ndjson', 'b.ndjson'];
    const { stderr } = await run(texts.map((text, at) => sourceOf({ ...partOf(text), path: names[at] ?? null })));
    expect(stderr).toBe(expected);
  });

  test('is not said when nobody read to the end', async () => {
    const stopping = await run([sourceOf(partOf(init))], {}, (input) => input.stop());
    const aborted = new AbortController();
    const aborting = await run([sourceOf(partOf(init))], { signal: aborted.signal }, () => aborted.abort());
    expect([stopping.stderr, aborting.stderr]).toEqual(['', '']);
    expect(stopping.events).toHaveLength(2);
  });
});

describe('a slow producer', () => {
  test('is answered chunk by chunk', async () => {
    const slow = new PassThrough();
    const seen: string[] = [];
    const { input, stdout, out } = opening([{ name: 'stdin', path: null, open: async () => opened(slow) }]);
    const reading = input.each(
      ({ event }) => {
        seen.push(event);
        out.write(`${event}\n`);
      },
      () => seen.push('chunk'),
    );
    slow.write(init);
    await wait(30);
    expect(stdout.text()).toBe('session:started\nturn:started\n');
    expect(seen).toEqual(['session:started', 'turn:started', 'chunk']);
    slow.end(done);
    await reading;
    expect(stdout.text()).toContain('session:ended\n');
  });

  test('that falls silent is given up', async () => {
    const silent = new PassThrough();
    silent.write(init);
    const { seen, stderr } = await run([{ name: 'stdin', path: null, open: async () => opened(silent) }], {
      idleTimeoutMs: 60,
    });
    expect(seen.idle).toBe(true);
    expect(stderr).toBe('cct: stdin: no record for 0.06 s; no result; reading stopped\n');
  });

  test.each([25, 1e300])('is not given up at once when %d days are allowed', async (days) => {
    const slow = new PassThrough();
    slow.write(init);
    setTimeout(() => slow.end(done), 60);
    const idleTimeoutMs = days * 24 * 3600 * 1000;
    const { seen } = await run([{ name: 'stdin', path: null, open: async () => opened(slow) }], { idleTimeoutMs });
    expect(seen).toMatchObject({ idle: false, records: 2 });
  });

  test('is given up after 25 days, and not before, when so many are allowed', async () => {
    const day = 24 * 3600 * 1000;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const silent = new PassThrough();
    const sources = [{ name: 'stdin', path: null, open: async () => opened(silent) }];
    const running = run(sources, { idleTimeoutMs: 25 * day });
    await vi.advanceTimersByTimeAsync(25 * day - 1000);
    silent.write(init);
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(25 * day - 1000);
    silent.end(done);
    expect((await running).seen).toMatchObject({ idle: false, records: 2 });

    const waiting = run([{ name: 'stdin', path: null, open: async () => opened(new PassThrough()) }], {
      idleTimeoutMs: 25 * day,
    });
    await vi.advanceTimersByTimeAsync(25 * day + 1000);
    expect((await waiting).seen.idle).toBe(true);
  });

  test.each([
    ['asks for', ['*']],
    ['does not ask for', ['team:message:*']],
  ])('that writes records somebody %s is not silent', async (_what, interest) => {
    const busy = new PassThrough();
    busy.write(init);
    const running = run([{ name: 'stdin', path: null, open: async () => opened(busy) }], {
      idleTimeoutMs: 150,
      interest: { events: interest },
    });
    for (let count = 0; count < 10; count++) {
      await wait(30);
      busy.write(ping);
    }
    busy.end(done);
    expect((await running).seen.idle).toBe(false);
  });
});

async function run(sources: Source[], options: Partial<InputOptions> = {}, onEvent: (input: Input) => void = () => {}) {
  const events: Event[] = [];
  const { input, stderr } = opening(sources, options);
  await input.each((event) => {
    events.push(event);
    onEvent(input);
  });
  return { events, seen: input.seen, stderr: stderr.text() };
}

function opening(sources: Source[], options: Partial<InputOptions> = {}) {
  const stdout = new Collected();
  const stderr = new Collected();
  const out = createOutput(stdout);
  const diagnostics = createDiagnostics({ stream: stderr }, 'normal', (text) => text);
  const signal = new AbortController().signal;
  return {
    input: openInput({ sources, interest: { events: ['*'] }, out, diagnostics, signal, ...options }),
    out,
    stdout,
    stderr,
  };
}

function sourceOf({ path, bytes }: Part): Source {
  return { name: path ?? 'stdin', path, open: async () => opened(Readable.from([bytes])) };
}

function opened(stream: Readable) {
  return { ok: true as const, bytes: { kind: 'stream' as const, stream } };
}

function partOf(text: string): Part {
  return { path: 'a.ndjson', bytes: Buffer.from(text) };
}
