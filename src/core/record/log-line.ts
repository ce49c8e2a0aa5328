// Reads logs of containers and of GitLab: each line holds a line that a program wrote, or a piece of one, the time, and
// labels that say where it comes from.
import { isObject, type JsonObject, parseJson, textOf, timeOf } from './json.js';
import { type Logged, stripPrefix, TextLines } from './line.js';
import { standsAlone } from './recover.js';

/** What one line of a log says. */
export interface LogPiece {
  /** null if the log left the text out. */
  text: string | Uint8Array | null;
  /** The key that held the text; null if the log is not JSON. */
  key: string | null;
  /** Whether the program's line ends here; `unknown` if only a newline in the text can tell. */
  ends: boolean | 'unknown';
  /** Whether a line of the program begins here, in a log that says only this. */
  begins?: boolean;
  /** Pieces of different streams belong to different lines. */
  stream: string;
  log: Logged;
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
      return { text, key, ends: true, stream: key, log: loggedIn(record, record[time ?? '']) };
  }
  return null;
}

/**
 * Kubernetes: `2026-11-14T10:00:00.123456789Z stdout F {"type":…`, with P instead of F if the next piece continues it.
 * GitLab with FF_TIMESTAMPS: `2026-11-14T10:00:00.123456Z 01O {"type":…`, with a plus sign instead of the blank if it
 * continues the piece before it.
 */
export function textPiece(line: string): LogPiece | null {
  const [head, at, stream, tag, gitlab, sign] = textHead.exec(line) ?? [];
  if (head === undefined) return null;
  const [text, time] = [line.slice(head.length), timeOf(at)];
  if (stream !== undefined)
    return { text, key: null, ends: tag === 'F', stream, log: { time, said: null, ci: null, outer: null } };
  const log = { time, said: null, ci: 'gitlab', outer: null };
  return { text, key: null, ends: 'unknown', begins: sign !== '+', stream: `gitlab ${gitlab}`, log };
}

const textHead =
  /^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (?:(stdout|stderr) ([FP])(?::[^ ]{0,100})?(?: |$)|([\da-f]{2}[OE])([ +]|$))/;

/**
 * Both cut lines even inside a character. Returns how many bytes of such a character are at each end of a piece.
 */
export function cutLetters(line: string, bytes: Uint8Array): { head: number; first: number; last: number } | null {
  const head = line.includes('\ufffd') ? textHead.exec(line)?.[0].length : undefined;
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

/** Docker cuts lines at 16 KB, and only a newline ends one. */
function dockerPiece(record: JsonObject, text: string): LogPiece {
  const stream = textOf(record['stream']) ?? 'stdout';
  return { text, key: 'log', ends: 'unknown', stream, log: loggedIn(record, record['time']) };
}

function loggedIn(record: JsonObject, time: unknown): Logged {
  return { time: logTime(time), said: record, ci: null, outer: null };
}

/** journald cuts lines at 48 KB. It writes text that is not UTF-8 as bytes, and without --all leaves out long text. */
function journalPiece(record: JsonObject, message: unknown): LogPiece | null {
  const text = typeof message === 'string' ? message : Array.isArray(message) ? bytesOf(message) : null;
  if (text === null && message !== null) return null;
  const stream = `journal ${record['_STREAM_ID'] ?? record['_PID'] ?? ''}`;
  const log = loggedIn(record, record['__REALTIME_TIMESTAMP']);
  return { text, key: 'MESSAGE', ends: record['_LINE_BREAK'] !== 'line-max', stream, log };
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
  return ({ text, ends, begins, stream }) => {
    if (begins === false) return open.has(stream);
    if (begins === true) open.delete(stream);
    const mayGoOn = begins === undefined ? ends === 'unknown' : typeof text === 'string' && text.startsWith('{');
    const isCut =
      typeof text !== 'string' || (mayGoOn ? !text.endsWith('\n') && parseJson(text) === undefined : ends === false);
    const isPart = isCut || open.has(stream);
    if (isCut && text !== null) open.add(stream);
    else open.delete(stream);
    return isPart;
  };
}

interface LineReader {
  push(text: string, line: number, log: Logged): void;
  end(): void;
  readonly isPending: boolean;
}

interface LogLinesOptions {
  open(): LineReader;
  /** A line longer than this many bytes is not held, only reported. */
  readonly mostHeld: number;
  damaged(line: number, reason: string, bytes: number, done: string): void;
}

/** Joins the pieces of each stream into lines. A line has the number of its first piece, and what the log says about that. */
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
      if (this.#streams.size >= mostStreams) this.#endOne();
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
    for (const name of this.#streams.keys()) this.#end(name);
  }

  /** Ends the first stream that holds nothing, else the first. */
  #endOne(): void {
    let oldest: string | undefined;
    for (const [name, stream] of this.#streams) {
      if (!this.#pending.has(stream)) return this.#end(name);
      oldest ??= name;
    }
    if (oldest !== undefined) this.#end(oldest);
  }

  #end(name: string): void {
    const stream = this.#streams.get(name);
    this.#streams.delete(name);
    if (stream === undefined) return;
    this.#pending.delete(stream);
    stream.end();
  }
}

const mostStreams = 100;

/** The log line in which a line of the program begins. */
interface Start {
  readonly number: number;
  readonly log: Logged;
}

const noStart: Start = { number: 0, log: { time: null, said: null, ci: null, outer: null } };

class LogStream {
  readonly #options: LogLinesOptions;
  readonly #reader: LineReader;
  readonly #lines: TextLines;
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  #start = noStart;
  #now = noStart;
  /** Whether the line being joined begins like JSON. */
  #isJson = false;

  constructor(options: LogLinesOptions) {
    this.#options = options;
    this.#reader = options.open();
    this.#lines = new TextLines(
      {
        line: (text) => {
          const { number, log } = this.#begin();
          this.#reader.push(text, number, log);
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
    this.#now = { number, log: piece.log };
    if (piece.begins === true) {
      if (this.#decoder !== null) this.#lines.push(this.#decoder.decode());
      this.#endLine();
    }
    const text = this.#textOfPiece(piece);
    if (text === null) {
      this.cut(number);
      return this.#options.damaged(number, 'text left out (journalctl needs --all)', 0, 'line skipped');
    }
    // Not every collector keeps newlines. So a whole record counts as a line, and other text ends before a record.
    const mayBeRecord = piece.ends === 'unknown' && text.startsWith('{"');
    if (mayBeRecord && piece.begins !== false && !this.#isJson) this.#endLine();
    const isFirst = this.#lines.held === 0;
    const last = text.lastIndexOf('\n') + 1;
    if (isFirst) this.#start = this.#now;
    if (isFirst || last > 0) this.#isJson = /^\s*[[{]/.test(text.slice(last));
    this.#lines.push(text);
    const isWhole = piece.ends === true || (mayBeRecord && isFirst && last === 0 && parseJson(text) !== undefined);
    if (isWhole) this.#endLine();
  }

  #endLine(): void {
    if (this.#lines.held > 0) this.#lines.push('\n');
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

  #textOfPiece({ text, ends, key }: LogPiece): string | null {
    const isCut = ends !== true;
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

/** Whether the mark of UTF-8 is here, which some programs put at the start of a file. */
export function startsWithBom(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

/** Where the lines of a log come from. */
interface Labels {
  /** The CI service. */
  readonly ci: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the manual says about labels. Those of text are the named groups of `prefixes` in line.ts. */
export const logLabels = [
  ['host, unit', 'the machine and the systemd unit, from journald'],
  ['service', 'the name before the bar, in lines of docker compose or foreman'],
  ['job, step', 'of GitHub Actions, in the output of gh run view --log'],
  ['tag', 'of docker (--log-opt tag) or journald'],
  ['others', 'labels of docker (--log-opt labels) keep their names'],
] as const;

/** What journald calls them. The first that has a text counts. */
const places: Readonly<Record<string, readonly string[]>> = {
  host: ['_HOSTNAME'],
  unit: ['_SYSTEMD_USER_UNIT', '_SYSTEMD_UNIT'],
  tag: ['SYSLOG_IDENTIFIER'],
};

/** What the logs around a line say together. The log nearest to the line counts, and a short name before others. */
export function labelsOf(log: Logged): Labels {
  const found = new Map<string, string>();
  let ci: string | null = null;
  for (let at: Logged | null = log; at !== null; at = at.outer) {
    ci ??= at.ci;
    if (typeof at.said === 'string')
      stripPrefix(at.said, (prefix) => {
        ci ??= prefix.ci;
        for (const [name, value] of Object.entries(prefix.labels ?? {})) keepLabel(found, name, value);
      });
    else if (at.said !== null) noteAll(found, at.said);
  }
  return { ci, labels: Object.fromEntries(found) };
}

function noteAll(found: Map<string, string>, record: JsonObject): void {
  for (const [name, keys] of Object.entries(places)) for (const key of keys) keepLabel(found, name, record[key]);
  // docker run --log-opt labels, env, tag
  const { attrs } = record;
  if (isObject(attrs)) for (const [name, value] of Object.entries(attrs)) keepLabel(found, name, value);
}

function keepLabel(found: Map<string, string>, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || found.has(name) || found.size >= mostLabels) return;
  if (name.length <= longestLabel && value.length <= longestLabel) found.set(name, value);
}

/** Only made-up input has more, or longer ones. */
const mostLabels = 100;
const longestLabel = 300;
