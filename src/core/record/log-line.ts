// Reads container logs: each line holds a line that a program wrote, or a piece of one, and the time.
import { isObject, type JsonObject, parseJson, timeOf } from './json.js';
import { TextLines } from './line.js';
import { standsAlone } from './recover.js';

/** What one line of a log says. */
export interface LogPiece {
  /** null if the log left the text out. */
  text: string | Uint8Array | null;
  /** The key that held the text; null if the log is not JSON. */
  key: string | null;
  /** Whether the program's line ends here; `unknown` if only a newline in the text can tell. */
  ends: boolean | 'unknown';
  /** Pieces of different streams belong to different lines. */
  stream: string;
  /** ISO 8601 UTC. */
  time: string | null;
}

/** A program never writes records to stderr. */
export function isOfStderr({ stream }: LogPiece): boolean {
  return stream === 'stderr';
}

/** The piece in an object written by a log; null if the object is something else, such as a record of Claude Code. */
export function logPiece(record: JsonObject): LogPiece | null {
  if (typeof record['type'] === 'string' || recordKeys.some((key) => key in record)) return null;
  const { log, MESSAGE: message } = record;
  if (typeof log === 'string' && ('time' in record || 'stream' in record)) return dockerPiece(record, log);
  if (message !== undefined && '__REALTIME_TIMESTAMP' in record) return journalPiece(record, message);
  for (const key of textKeys) {
    const text = record[key];
    const time = timeKeys.find((name) => name in record);
    if (typeof text === 'string' && ((key === 'message' && time !== undefined) || holdsRecord(text)))
      return { text, key, ends: true, stream: key, time: logTime(record[time ?? '']) };
  }
  return null;
}

/** Kubernetes: `2026-11-14T10:00:00.123456789Z stdout F {"type":…`, with P instead of F if the next piece continues it. */
export function kubernetesPiece(line: string): LogPiece | null {
  const [head, time, stream = '', tag] = kubernetesHead.exec(line) ?? [];
  if (head === undefined) return null;
  return { text: line.slice(head.length), key: null, ends: tag === 'F', stream, time: timeOf(time) };
}

const kubernetesHead =
  /^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP])(?::[^ ]{0,100})?(?: |$)/;

/**
 * Kubernetes cuts lines even inside a character. Returns how many bytes of such a character are at each end of a piece.
 */
export function cutLetters(line: string, bytes: Uint8Array): { head: number; first: number; last: number } | null {
  const head = line.includes('\ufffd') ? kubernetesHead.exec(line)?.[0].length : undefined;
  if (head === undefined) return null;
  let first = 0;
  while (first < 3 && isContinuation(bytes[head + first])) first++;
  let last = 1;
  while (last < 4 && isContinuation(bytes[bytes.length - last])) last++;
  const start = bytes[bytes.length - last] ?? 0;
  const length = start >= 0xf0 ? 4 : start >= 0xe0 ? 3 : start >= 0xc0 ? 2 : 0;
  return { head, first, last: length > last ? last : 0 };
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Keeps a byte of a cut character in a text, as an unpaired surrogate, which decoded text never contains. */
export function keptByte(byte: number): string {
  return String.fromCharCode(0xdc00 + byte);
}

/** Such bytes at the start and at the end of a text. */
const keptAtStart = /^[\udc80-\udcff]{1,3}/;
const keptAtEnd = /(?<![\ud800-\udbff])[\udc80-\udcff]{1,3}$/;

function bytesKept(text: string): Uint8Array {
  return Uint8Array.from(text, (unit) => unit.charCodeAt(0) - 0xdc00);
}

/** Docker cuts lines at 16 KB, and only a newline ends one. Collectors that read Kubernetes logs give the tag instead. */
function dockerPiece(record: JsonObject, text: string): LogPiece {
  const { stream, time, logtag: tag = record['_p'] } = record;
  const ends = tag === 'F' ? true : tag === 'P' ? false : 'unknown';
  return { text, key: 'log', ends, stream: typeof stream === 'string' ? stream : 'stdout', time: logTime(time) };
}

/** journald cuts lines at 48 KB. It writes text that is not UTF-8 as bytes, and without --all leaves out long text. */
function journalPiece(record: JsonObject, message: unknown): LogPiece | null {
  const text = typeof message === 'string' ? message : Array.isArray(message) ? bytesOf(message) : null;
  if (text === null && message !== null) return null;
  const stream = `journal ${record['_STREAM_ID'] ?? record['_PID'] ?? ''}`;
  const time = logTime(record['__REALTIME_TIMESTAMP']);
  return { text, key: 'MESSAGE', ends: record['_LINE_BREAK'] !== 'line-max', stream, time };
}

function bytesOf(list: readonly unknown[]): Uint8Array | null {
  const bytes = new Uint8Array(list.length);
  for (const [at, byte] of list.entries()) {
    if (typeof byte !== 'number' || !(byte >= 0 && byte <= 255)) return null;
    bytes[at] = byte;
  }
  return bytes;
}

/** An epoch may be text, in seconds or in smaller units. */
function logTime(value: unknown): string | null {
  const isEpoch = typeof value === 'string' && /^\d{10,19}$/.test(value);
  return timeOf(isEpoch ? Number(value.slice(0, 13).padEnd(13, '0')) : value);
}

function holdsRecord(text: string): boolean {
  if (text.charCodeAt(0) !== openBrace) return false;
  const value = parseJson(text);
  return isObject(value) && standsAlone(value);
}

const openBrace = 0x7b;
const textKeys = ['message', 'msg', 'line', 'log'];
const timeKeys = ['timestamp', '@timestamp', 'time', 'ts'];

/** Keys that Claude Code and cct write: an object with one of them is not a log line. */
const recordKeys = [
  ...['type', 'cct', 'hook_event_name', 'session_id', 'sessionId', 'spawn_id', 'uuid'],
  ...['from', 'members', 'subject', 'agentType'],
];

/** Returns a function that says, piece by piece, whether the piece is only a part of a line, and so cannot be judged. */
export function createPartFinder(): (piece: LogPiece) => boolean {
  const open = new Set<string>();
  return ({ text, ends, stream }) => {
    const isCut =
      typeof text !== 'string' || (ends === 'unknown' ? !text.endsWith('\n') && parseJson(text) === undefined : !ends);
    const isPart = isCut || open.has(stream);
    if (isCut && text !== null) open.add(stream);
    else open.delete(stream);
    return isPart;
  };
}

interface LineReader {
  push(text: string, line: number, time: string | null): void;
  end(): void;
  readonly isPending: boolean;
}

interface LogLinesOptions {
  open(): LineReader;
  /** A line longer than this many bytes is not held, only reported. */
  readonly mostHeld: number;
  damaged(line: number, reason: string, bytes: number, done: string): void;
}

/** Joins the pieces of each stream into lines. A line has the number and the time of its first piece. */
export class LogLines {
  readonly #options: LogLinesOptions;
  readonly #streams = new Map<string, LogStream>();
  /** Streams with a line or record that the next piece may continue. */
  readonly #pending = new Set<LogStream>();

  constructor(options: LogLinesOptions) {
    this.#options = options;
  }

  push(piece: LogPiece, number: number): void {
    let stream = this.#streams.get(piece.stream);
    if (stream === undefined) {
      if (this.#streams.size >= mostStreams) this.#endFirst();
      stream = new LogStream(this.#options);
      this.#streams.set(piece.stream, stream);
    }
    stream.push(piece, number);
    if (stream.isPending) this.#pending.add(stream);
    else this.#pending.delete(stream);
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** A line of the log is lost, so the lines it may have continued cannot be completed. */
  cut(number: number): void {
    for (const stream of this.#pending) stream.cut(number);
  }

  end(): void {
    while (this.#streams.size > 0) this.#endFirst();
  }

  #endFirst(): void {
    for (const [name, stream] of this.#streams) {
      this.#streams.delete(name);
      this.#pending.delete(stream);
      return stream.end();
    }
  }
}

const mostStreams = 100;

/** The log line in which a line of the program begins. */
interface Start {
  readonly number: number;
  readonly time: string | null;
}

class LogStream {
  readonly #options: LogLinesOptions;
  readonly #reader: LineReader;
  readonly #lines: TextLines;
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  #start: Start = { number: 0, time: null };
  #now: Start = this.#start;
  /** Whether the line being joined begins like JSON. */
  #isJson = false;

  constructor(options: LogLinesOptions) {
    this.#options = options;
    this.#reader = options.open();
    this.#lines = new TextLines(
      {
        line: (text) => {
          const { number, time } = this.#begin();
          this.#reader.push(text, number, time);
        },
        tooLong: (bytes) => {
          options.damaged(this.#begin().number, `line too long (${bytes} bytes)`, bytes, 'line skipped');
        },
      },
      options.mostHeld,
    );
  }

  get isPending(): boolean {
    return this.#lines.held > 0 || this.#reader.isPending;
  }

  push(piece: LogPiece, number: number): void {
    this.#now = { number, time: piece.time };
    const text = this.#textOf(piece);
    if (text === null) {
      this.cut(number);
      return this.#options.damaged(number, 'text left out (journalctl needs --all)', 0, 'line skipped');
    }
    // Not every collector keeps newlines. So a whole record counts as a line, and other text ends before a record.
    const mayBeRecord = piece.ends === 'unknown' && text.startsWith('{"');
    if (mayBeRecord && this.#lines.held > 0 && !this.#isJson) this.#lines.push('\n');
    const isFirst = this.#lines.held === 0;
    const last = text.lastIndexOf('\n') + 1;
    if (isFirst) this.#start = this.#now;
    if (isFirst || last > 0) this.#isJson = /^\s*[[{]/.test(text.slice(last));
    this.#lines.push(text);
    const isWhole = piece.ends === true || (mayBeRecord && isFirst && last === 0 && parseJson(text) !== undefined);
    if (isWhole && this.#lines.held > 0) this.#lines.push('\n');
  }

  /** Drops the line being joined if it began before the given log line. */
  cut(number: number): void {
    const bytes = this.#lines.held;
    if (bytes === 0 || this.#start.number > number) return;
    this.#lines.drop();
    this.#options.damaged(this.#start.number, 'line of a log cut off by damage', bytes, 'line skipped');
  }

  end(): void {
    if (this.#decoder !== null) this.#lines.push(this.#decoder.decode());
    this.#lines.end();
    this.#reader.end();
  }

  /** Returns where the line that ends now began. */
  #begin(): Start {
    const start = this.#start;
    this.#start = this.#now;
    return start;
  }

  #textOf({ text, ends, key }: LogPiece): string | null {
    const isCut = ends === false;
    if (text === null) return null;
    if (typeof text !== 'string') return this.#decode(text, isCut);
    if (key !== null) return text;
    const [first = ''] = keptAtStart.exec(text) ?? [];
    const rest = text.slice(first.length);
    const [last = ''] = keptAtEnd.exec(rest.slice(-4)) ?? [];
    if (first === '' && last === '' && this.#decoder === null) return text;
    const before = this.#decode(bytesKept(first), isCut && rest === '');
    return (
      before + rest.slice(0, rest.length - last.length) + (rest === '' ? '' : this.#decode(bytesKept(last), isCut))
    );
  }

  /** `isCut`: the last character may continue in the next piece. */
  #decode(bytes: Uint8Array, isCut: boolean): string {
    this.#decoder ??= new TextDecoder();
    return this.#decoder.decode(bytes, { stream: isCut });
  }
}
