import { describe, expect, test } from 'vitest';
import { cct } from '../../run.js';
import { type Call, frame, recordsOf } from './recording-sink.js';

const record = { type: 'result', session_id: 's', note: 'é😀' };
const line = JSON.stringify(record);
const time = '2026-11-14T10:00:00.123456789Z';
const read = '2026-11-14T10:00:00.123Z';
const found: Call = ['record', record, 1, read];

const docker = (log: string, more: object = {}) => JSON.stringify({ log, stream: 'stdout', time, ...more });
const journal = (message: unknown, more: object = {}) =>
  JSON.stringify({ _PID: '7', MESSAGE: message, __REALTIME_TIMESTAMP: '1794650400123456', ...more });
const bytes = (text: string, from = 0, to?: number) => [...Buffer.from(text).subarray(from, to)];

describe('a line that a log holds is read as any line, with the time of the log', () => {
  test.each([
    ['docker', [docker(`${line}\n`)]],
    ['docker, CRLF', [docker(`${line}\r\n`)]],
    ['docker with attributes', [docker(`${line}\n`, { attrs: { tag: 'x' } })]],
    ['a collector that drops newlines', [docker(line)]],
    ['kubernetes', [`${time} stdout F ${line}`]],
    ['kubernetes, with another tag and an offset', [`2026-11-14T11:00:00.123456789+01:00 stdout F:x ${line}`]],
    ['journald', [journal(line)]],
    ['journald, as bytes', [journal(bytes(line))]],
    ['{"message","timestamp"}', [JSON.stringify({ timestamp: 1794650400123, message: line, ingestionTime: 1 })]],
    ['{"message","@timestamp"}', [JSON.stringify({ '@timestamp': time, host: 'x', message: `${line}\n` })]],
    ['{"line","timestamp"} in nanoseconds', [JSON.stringify({ line, timestamp: '1794650400123456789' })]],
    ['a log in a log', [JSON.stringify({ message: docker(`${line}\n`), timestamp: '2026-11-15T00:00:00Z' })]],
    ['a log in a kubernetes log', [`${time} stdout F ${journal(line)}`]],
    ['behind a prefix', [`web-1  | ${docker(`${line}\n`)}`]],
    ['behind a colour', [docker(`\u001b[36m${line}\u001b[0m\n`)]],
  ])('%s', (_name, lines) => {
    expect(frame(lines)).toEqual([found]);
  });

  test('its own prefix is nearer than the log', () => {
    expect(frame([docker(`2026-11-14T09:00:00Z ${line}\n`)])).toEqual([
      ['record', record, 1, '2026-11-14T09:00:00.000Z'],
    ]);
  });

  test('an object over several lines', () => {
    const pretty = JSON.stringify(record, null, 2).split('\n');
    expect(frame(pretty.map((text) => `${time} stdout F ${text}`))).toEqual([found]);
    expect(frame([docker(`${pretty.join('\n')}\n`)])).toEqual([found]);
  });

  test('a list of log lines, and two on one line', () => {
    expect(recordsOf(frame([`[${docker(`${line}\n`)},${docker(`${line}\n`)}]`]))).toEqual([record, record]);
    expect(recordsOf(frame([docker(`${line}\n`) + docker(`${line}\n`)]))).toEqual([record, record]);
  });

  test('a log line over several lines', () => {
    expect(frame(JSON.stringify(JSON.parse(journal(line)), null, 1).split('\n'))).toEqual([found]);
  });

  test('other lines are noise', () => {
    const noise = ['npm warn x', ''].flatMap((text) => [
      docker(`${text}\n`),
      journal(text),
      `${time} stdout F ${text}`,
    ]);
    expect(frame(noise).every(([kind]) => kind === 'noise')).toBe(true);
    expect(frame([JSON.stringify({ level: 'info', message: 'started', timestamp: time })])).toEqual([['noise', 1]]);
  });
});

describe('pieces are joined', () => {
  const pieces = line.match(/[\s\S]{1,7}/gu) ?? [];
  const isLast = (index: number) => index === pieces.length - 1;

  test.each([
    ['docker', [...pieces.map((piece) => docker(piece)), docker('\n')]],
    ['kubernetes', pieces.map((piece, index) => `${time} stdout ${isLast(index) ? 'F' : 'P'} ${piece}`)],
    ['GitLab', pieces.map((piece, index) => `${time} 01O${index === 0 ? ' ' : '+'}${piece}`)],
    ['journald', pieces.map((piece, index) => journal(piece, isLast(index) ? {} : { _LINE_BREAK: 'line-max' }))],
    [
      'journald, cut inside a letter',
      [
        journal(bytes(line, 0, line.indexOf('é') + 1), { _LINE_BREAK: 'line-max' }),
        journal(bytes(line, line.indexOf('é') + 1)),
      ],
    ],
  ])('%s, with the place of the first', (_name, lines) => {
    expect(frame(lines)).toEqual([found]);
  });

  test('what comes on stderr meanwhile is noise, and no piece', () => {
    const [one = '', two = ''] = [line.slice(0, 20), line.slice(20)];
    const error = JSON.stringify({ log: '{"type":"x', stream: 'stderr', time });
    expect(frame([docker(one), error, docker(`${two}\n`)])).toEqual([['noise', 2], found]);
    expect(frame([`${time} stdout P ${one}`, `${time} stderr P {"`, `${time} stdout F ${two}`])).toEqual([
      ['noise', 2],
      found,
    ]);
    expect(frame([JSON.stringify({ log: `${line}\n`, stream: 'stderr', time })])).toEqual([['noise', 1]]);
  });

  test('GitLab: lines begin where no plus sign is', () => {
    const [one, two] = [line.slice(0, 20), line.slice(20)];
    const log = [`00O Running on`, `01O ${one}`, `01E npm warn x`, `01O+${two}`, `00O+ build-7`, `01O ${line}`, '01O'];
    expect(frame(log.map((text) => `${time} ${text}`))).toEqual([
      ['record', record, 2, read],
      ['record', record, 6, read],
      ['noise', 1],
      ['noise', 3],
    ]);
    expect(frame([`${time} 01O ${one}`, `${time} 01O ${line}`])).toEqual([
      ['damaged', 1, 'not JSON (unexpected end)', 20, 'line skipped'],
      ['record', record, 2, read],
    ]);
  });

  test('records that are not in the log stand between', () => {
    const other = { type: 'user', session_id: 's' };
    expect(frame([docker(line.slice(0, 20)), JSON.stringify(other), docker(`${line.slice(20)}\n`)])).toEqual([
      ['record', other, 2, null],
      found,
    ]);
  });

  test('the last line needs no end', () => {
    expect(frame([docker(line.slice(0, 20)), docker(line.slice(20))])).toEqual([found]);
    expect(frame([`${time} stdout P ${line}`])).toEqual([found]);
  });

  test('several lines in one piece', () => {
    expect(
      frame([docker('{"type":"a'), docker(`"}\n${line}\n${line.slice(0, 9)}`), docker(`${line.slice(9)}\n`)]),
    ).toEqual([
      ['record', { type: 'a' }, 1, read],
      ['record', record, 2, read],
      ['record', record, 2, read],
    ]);
  });

  test('text without a newline before a record', () => {
    expect(frame([docker('starting'), docker('up'), docker(`${line}\n`)])).toEqual([
      ['noise', 1],
      ['record', record, 3, read],
    ]);
  });
});

describe('damage is reported with its place', () => {
  test('a line of the program', () => {
    expect(frame([docker(`${line.slice(0, 20)}\n`), docker(`${line}\n`)])).toEqual([
      ['damaged', 1, 'not JSON (unexpected end)', 20, 'line skipped'],
      ['record', record, 2, read],
    ]);
  });

  test('a line of the log', () => {
    expect(frame([docker(`${line}\n`).slice(0, 40), docker(`${line}\n`)])).toEqual([
      ['damaged', 1, 'not JSON (unexpected end)', 40, 'line skipped'],
      ['record', record, 2, read],
    ]);
  });

  test('a piece: what comes before and behind is no record', () => {
    const [one, two, three] = [line.slice(0, 20), line.slice(20, 30), line.slice(30)];
    const calls = frame([docker(one), docker(two).slice(0, 12), docker(`${three}\n`), docker(`${line}\n`)]);
    expect(calls).toEqual([
      ['damaged', 1, 'line of a log cut off by damage', 20, 'line skipped'],
      ['damaged', 2, 'not JSON (unexpected end)', 12, 'line skipped'],
      ['noise', 3],
      ['record', record, 4, read],
    ]);
  });

  test('a line that is longer than allowed when it is joined', () => {
    const calls = frame([docker('x'.repeat(60)), docker('x'.repeat(60)), docker('\n'), docker(`${line}\n`)], 100);
    expect(calls).toEqual([
      ['damaged', 1, 'line too long (120 bytes)', 120, 'line skipped'],
      ['record', record, 4, read],
    ]);
  });

  test('a text that journalctl left out', () => {
    expect(frame([journal(null)])).toEqual([
      ['damaged', 1, 'text left out (journalctl needs --all)', 0, 'line skipped'],
    ]);
  });
});

test('many streams with an open line are not all held', () => {
  const lines = Array.from({ length: 300 }, (_, index) =>
    journal(line, { _STREAM_ID: index, _LINE_BREAK: 'line-max' }),
  );
  expect(recordsOf(frame(lines))).toHaveLength(300);
});

test('a line stays open while many other programs write', () => {
  const others = Array.from({ length: 300 }, (_, index) => journal(line, { _STREAM_ID: index }));
  const one = journal(line.slice(0, 20), { _STREAM_ID: 'a', _LINE_BREAK: 'line-max' });
  const two = journal(line.slice(20), { _STREAM_ID: 'a' });
  expect(recordsOf(frame([one, ...others, two]))).toEqual(Array.from({ length: 301 }, () => record));
});

describe('records of Claude Code are no log lines', () => {
  test.each([
    { type: 'user', message: line, timestamp: time },
    { type: 'unheard-of', message: line, timestamp: time },
    { type: 'system', log: line, stream: 'stdout', time },
    { hook_event_name: 'Notification', message: line, timestamp: time },
    { message: line, timestamp: time, sessionId: 's' },
    { message: { type: 'result' }, timestamp: time },
    { from: 'a', text: 'b', timestamp: time, message: line },
    { cct: 1, event: 'unknown', message: line, time },
    { message: 'hello' },
    { msg: '{"level":1}', time },
    { log: ['x'], time },
    { MESSAGE: 7, __REALTIME_TIMESTAMP: '1' },
  ])('%j', (value) => {
    expect(frame([JSON.stringify(value)])).toEqual([['record', value, 1, null]]);
  });
});

test.each([
  ['Kubernetes', ['stdout P ', 'stdout P ', 'stdout F ']],
  ['GitLab', ['01O ', '01O+', '01O+']],
])('%s cuts lines inside letters', async (_name, heads) => {
  const said = { type: 'unheard-of', text: 'é…😀💀 ü' };
  const whole = Buffer.from(JSON.stringify(said));
  for (const flag of [[], ['--strict']])
    for (let at = 1; at < whole.length - 1; at++) {
      const lines = [whole.subarray(0, at), whole.subarray(at, at + 1), whole.subarray(at + 1)].map((piece, index) =>
        Buffer.concat([Buffer.from(`${time} ${heads[index]}`), piece, Buffer.from('\n')]),
      );
      const { stdout } = await cct(['normalize', ...flag], Buffer.concat(lines));
      expect(JSON.parse(stdout).raw, `cut at ${at}`).toEqual(said);
    }
});

test('a letter that is never completed is replaced', async () => {
  const line = Buffer.concat([Buffer.from(`${time} stdout P {"type":"x","text":"`), Buffer.from([0xe2, 0x80])]);
  const rest = Buffer.from(`\n${time} stdout F "}\n`);
  const { stdout } = await cct(['normalize'], Buffer.concat([line, rest]));
  expect(JSON.parse(stdout).raw).toEqual({ type: 'x', text: '\ufffd' });
});
