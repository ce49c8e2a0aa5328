import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createDiagnostics, type Problem, type Verbosity } from '../../src/io/diagnostics.js';

const notJson = (line: number, source = 'stdin'): Problem => ({
  what: 'not JSON',
  detail: 'Unexpected end',
  source,
  line,
  done: 'line skipped',
});

describe('problems', () => {
  test('say place, what and what was done', () => {
    const { diagnostics, text } = setUp();
    diagnostics.damage(notJson(12));
    diagnostics.damage({ what: 'longer than 10 bytes', source: 'a.ndjson', done: 'line skipped' });
    expect(text()).toBe(
      'cct: stdin:12: not JSON (Unexpected end); line skipped\ncct: a.ndjson: longer than 10 bytes; line skipped\n',
    );
  });

  test('ten of a kind are shown, the rest counted', () => {
    const { diagnostics, text } = setUp();
    for (let line = 1; line <= 50; line += 1) diagnostics.damage(notJson(line));
    diagnostics.damage({ ...notJson(51), what: 'no object' });
    expect(text().split('\n').slice(9, -1)).toEqual([
      'cct: stdin:10: not JSON (Unexpected end); line skipped',
      'cct: stdin:51: no object (Unexpected end); line skipped',
    ]);
    diagnostics.finish();
    diagnostics.finish();
    expect(text().split('\n').slice(11)).toEqual(['cct: stdin: 40 more like this: not JSON; line skipped', '']);
    expect(diagnostics.damaged).toBe(51);
  });

  test('exactly ten need no count', () => {
    const { diagnostics, text } = setUp();
    for (let line = 1; line <= 10; line += 1) diagnostics.damage(notJson(line));
    const before = text();
    diagnostics.finish();
    expect(text()).toBe(before);
  });

  test('the count names the file, or how many there are', () => {
    const { diagnostics, text } = setUp();
    for (let line = 1; line <= 11; line += 1) diagnostics.damage(notJson(line, 'a'));
    diagnostics.damage(notJson(1, 'b'));
    diagnostics.finish();
    expect(text()).toContain('cct: 2 files: 2 more like this: not JSON; line skipped\n');
  });
});

test.each<[Verbosity, string]>([
  ['quiet', 'cct: e\n'],
  ['normal', 'cct: e\ncct: w\ncct: stdin:1: not JSON (Unexpected end); line skipped\n'],
  ['verbose', 'cct: e\ncct: w\ncct: i\ncct: stdin:1: not JSON (Unexpected end); line skipped\n'],
])('%s', (verbosity, expected) => {
  const { diagnostics, text } = setUp(verbosity);
  diagnostics.error('e');
  diagnostics.warn('w');
  diagnostics.info('i');
  diagnostics.damage(notJson(1));
  expect(text()).toBe(expected);
  expect(diagnostics.damaged).toBe(1);
});

test('quiet also leaves out the count, verbose leaves out nothing', () => {
  for (const [verbosity, lines] of [
    ['quiet', 0],
    ['verbose', 30],
  ] as const) {
    const { diagnostics, text } = setUp(verbosity);
    for (let line = 1; line <= 30; line += 1) diagnostics.damage(notJson(line));
    diagnostics.finish();
    expect(text().split('\n')).toHaveLength(lines + 1);
  }
});

test('everything that could come from the input is made safe', () => {
  const { diagnostics, text } = setUp('verbose');
  const nasty = '\x1b[31mx\n';
  diagnostics.error(nasty);
  diagnostics.warn(nasty);
  diagnostics.info(nasty);
  diagnostics.damage({ what: nasty, detail: nasty, source: nasty, done: nasty });
  diagnostics.finish();
  expect(text()).not.toContain('\x1b');
  expect(text().split('\n')).toHaveLength(5);
});

test('a full disk under stderr is no reason to crash', () => {
  const stderr = new Writable({
    write() {
      throw new Error('ENOSPC');
    },
  });
  expect(() => createDiagnostics({ stream: stderr }, 'normal', String).error('a')).not.toThrow();
});

test('a closed stderr is no reason to crash', () => {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const diagnostics = createDiagnostics({ stream: stderr }, 'normal', String);
  diagnostics.error('a');
  diagnostics.error('b');
  expect(stderr.listenerCount('error')).toBe(1);
});

function setUp(verbosity: Verbosity = 'normal') {
  const written: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      written.push(text);
      done();
    },
  });
  const sanitize = (text: string) => text.replace(/\p{Cc}/gu, '?');
  return { diagnostics: createDiagnostics({ stream: stderr }, verbosity, sanitize), text: () => written.join('') };
}
