// Cuts text into lines, cleans them and removes log prefixes.
import type { JsonObject } from './json.js';

/** A longer line is skipped, unless somebody asks for another limit. */
export const defaultMaxLineBytes = 256 * 1024 * 1024;

/** What a log says about a line of a program. */
export interface Logged {
  /** ISO 8601 UTC. */
  readonly time: string | null;
  /** The line with its prefix, or the object around it. log-line.ts reads its labels if somebody asks. */
  readonly said: string | JsonObject | null;
  /** The CI service that writes such logs. */
  readonly ci: string | null;
  /** The log that contains this log. */
  readonly outer: Logged | null;
}

export interface Line {
  number: number;
  raw: string;
  /** Without colours and without white space at the end, but with its indentation. */
  clean: string;
  /** The clean text after the log prefix. */
  body: string;
  isPrefixed: boolean;
  /** null if it is not in a log. */
  log: Logged | null;
}

export function cleanLine(raw: string, number: number, log: Logged | null = null): Line {
  const clean = trimLine(stripColour(raw));
  return { number, raw, clean, body: clean, isPrefixed: false, log };
}

/** The same line without its prefix, if it has one. */
export function unprefixed(line: Line): Line {
  const said = line.clean.trimStart();
  const bare = stripPrefix(said);
  if (bare === null) return line;
  const log = { time: bare.time ?? line.log?.time ?? null, said, ci: null, outer: line.log };
  return { ...line, body: bare.text, isPrefixed: true, log };
}

/** The column at which `text`, the end of the line, begins. */
export function columnOf(text: string, line: Line): number {
  return line.clean.length - text.length + 1;
}

/** A part of a prefix, with what it says by the name of the label. */
interface FoundPrefix {
  readonly end: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly ci: string | null;
}

/**
 * Removes the prefixes of a log line and keeps its indentation; null if it has none. There may be several prefixes:
 * `build\tRun claude\t2026-11-14T10:00:00.1234567Z web-1  | {"type":…`. `found` gets those that are not times.
 */
export function stripPrefix(text: string, found?: (prefix: FoundPrefix) => void) {
  let at = 0;
  /** ISO 8601 UTC, if the prefix has a date, a time and a zone. */
  let time: string | null = null;
  for (let count = 0; count < mostPrefixes; count += 1) {
    const from = text[at] === byteOrderMark ? at + 1 : at;
    stamp.lastIndex = from;
    const stamped = stamp.exec(text);
    if (stamped !== null) {
      time ??= utcTime(stamped);
      at = stamp.lastIndex;
      continue;
    }
    const prefix = prefixAt(text, from);
    if (prefix === null) break;
    found?.(prefix);
    at = prefix.end;
  }
  return at === 0 ? null : { text: text.slice(at), time };
}

/** Removes terminal escape sequences. JSON escapes control characters, so no record loses anything. */
export function stripColour(text: string): string {
  return text.includes(escapeCharacter) ? text.replace(escapeSequence, '') : text;
}

/** The index after white space, control characters and byte order marks. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** The index after blanks and commas, which may separate two values. */
export function skipSeparators(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text[at] === ',' || isBlank(text.charCodeAt(at)))) at += 1;
  return at;
}

/** The length of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code < 0xd800 || code > 0xdbff || !isLowSurrogate(text.charCodeAt(at + 1))) bytes += 2;
    else {
      bytes += 2; // four bytes for the two units of a surrogate pair
      at += 1;
    }
  }
  return bytes;
}

interface TextLineSink {
  line(text: string): void;
  tooLong(bytes: number): void;
}

/** Cuts text that comes in pieces into lines. LF ends a line; a CR before it and a BOM at the start are removed. */
export class TextLines {
  readonly #sink: TextLineSink;
  readonly #maxLineBytes: number;
  /** The pieces of an unfinished line. They are joined once, so a long line takes linear time. */
  #pieces: string[] = [];
  #bytes = 0;
  #isFirst = true;

  constructor(sink: TextLineSink, maxLineBytes: number) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  push(text: string): void {
    let start = 0;
    if (this.#isFirst && text !== '') {
      this.#isFirst = false;
      if (text.charCodeAt(0) === bom) start = 1;
    }
    for (let end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      this.#hold(text.slice(start, end));
      this.#deliver();
      start = end + 1;
    }
    this.#hold(text.slice(start));
  }

  /** How long the unfinished line is so far. */
  get held(): number {
    return this.#bytes;
  }

  drop(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }

  /** Delivers the last line. */
  end(): void {
    if (this.#bytes > 0) this.#deliver();
    this.#isFirst = true;
  }

  #hold(piece: string): void {
    if (piece === '') return;
    this.#bytes += byteLength(piece);
    // One byte more than the limit is allowed: it may be a CR, which is removed.
    if (this.#bytes <= this.#maxLineBytes + 1) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #deliver(): void {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    const bytes = this.#bytes;
    this.drop();
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (bytes - (text.length - line.length) > this.#maxLineBytes) this.#sink.tooLong(bytes);
    else this.#sink.line(line);
  }
}

/** Removes white space, control characters and byte order marks at both ends, but keeps the indentation. */
function trimLine(text: string): string {
  // No regular expression: anchored at the end, it takes quadratic time over long runs of blanks.
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  let start = Math.min(skipBlanks(text, 0), end);
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return text.slice(start, end);
}

function utcTime([, date, clock, fraction = '', zone]: RegExpExecArray): string | null {
  if (zone === undefined) return null;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const epoch = Date.parse(`${date}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  return Number.isNaN(epoch) ? null : new Date(epoch).toISOString();
}

function prefixAt(text: string, from: number): FoundPrefix | null {
  if (text[from] === '{') return null;
  for (const { pattern, ci = null } of prefixes) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match !== null)
      return { end: pattern.lastIndex, labels: hasLetter.test(match[0]) ? match.groups : undefined, ci };
  }
  return null;
}

const mostPrefixes = 8;
const byteOrderMark = '\ufeff';
const escapeCharacter = '\u001b';

// Colours and cursor movements, then titles, links and the time marks of some CI systems.
const escapeSequence =
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]P_^][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[()][0-9A-B]|[78=>cM])/g;

const stamp =
  /\[?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?\]?:?(?:[ \t]|$)/y;

/** A prefix without letters is the number of a line or a time. It gives no labels. */
const hasLetter = /\p{L}/u;

/** What else stands before a line. The named groups are labels of the program that wrote the line. */
const prefixes: readonly { readonly pattern: RegExp; readonly ci?: string }[] = [
  { pattern: /\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?:?(?:[ \t]|$)/y }, // 10:00:01, [10:00:01.250]
  { pattern: /\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?:?(?:[ \t]|$)/iy },
  { pattern: /(?<service>[\w.@/:-]{1,100}) {0,60}\|(?: |$)/y }, // compose and foreman: `web-1  | `
  { pattern: /\[[^\][{}"\t]{1,100}\]:?[ \t]/y }, // concurrently and others: `[web] `
  { pattern: /data:(?: |$)/y }, // server-sent events
  {
    // gh run view --log: job and step before the time
    pattern:
      /(?<job>[^\t]{1,200})\t(?:UNKNOWN STEP|(?<step>[^\t]{0,200}))\t(?=\ufeff?\d{4}-\d\d-\d\dT[\d:]{8}\.\d{7}Z)/y,
    ci: 'github-actions',
  },
  { pattern: /[^\t]{1,200}\t[^\t]{0,200}\t(?=\ufeff?\d{4}-\d\d-\d\dT)/y }, // the same with another time
];

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0x7f || code === 0xfeff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const bom = 0xfeff;
