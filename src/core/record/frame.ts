// Turns lines into records. A line may hold one record or several, one record may span several lines, and either may be
// behind a log prefix or inside a container log.
import { isObject, type JsonObject, parseJson } from './json.js';
import {
  byteLength,
  cleanLine,
  columnOf,
  defaultMaxLineBytes,
  type Line,
  type Logged,
  skipBlanks,
  skipSeparators,
  unprefixed,
} from './line.js';
import { isOfStderr, LogLines, type LogPiece, logPiece, textPiece } from './log-line.js';
import { type Recovery, recordBehind, recover, standsAlone, trailingText } from './recover.js';
import { ValueScanner } from './value-scanner.js';

/** Receives the records, damage and noise of one source. */
export interface FrameSink {
  /** `log` is null if the line is not in a log. */
  record(record: JsonObject, line: number, log: Logged | null): void;
  /** `bytes` is the UTF-8 length of the lost text; `done` says what was done about it, such as `line skipped`. */
  damaged(line: number, reason: string, bytes: number, done: string): void;
  noise(line: number): void;
  /** The line belongs to a container log, which gives it this time. */
  logged?(line: number, time: string | null): void;
}

interface Framer {
  push(text: string, line: number, log?: Logged | null): void;
  /** This line could not be read. */
  lost(line: number): void;
  end(): void;
  /** Whether the next line may continue a record of an earlier one. */
  readonly isPending: boolean;
}

/** The framer never throws. `depth` is the number of logs the lines are wrapped in. */
export function createFramer(sink: FrameSink, mostHeld = defaultMaxLineBytes, depth = 0): Framer {
  const logs = new LogLines({ open: () => createFramer(sink, mostHeld, depth + 1), mostHeld, damaged: sink.damaged });
  const readPiece = (piece: LogPiece, number: number, outer: Logged | null) => {
    const { log } = piece;
    if (isOfStderr(piece)) sink.noise(number);
    else if (outer === null) logs.push(piece, number);
    else logs.push({ ...piece, log: { ...log, time: log.time ?? outer.time, outer } }, number);
    sink.logged?.(number, log.time);
  };
  const unwrapping: FrameSink = {
    ...sink,
    record(record, number, log) {
      const piece = depth < mostNestedLogs ? logPiece(record) : null;
      if (piece === null) sink.record(record, number, log);
      else readPiece(piece, number, log);
    },
    damaged(line, reason, bytes, done) {
      // The lost line may have been a piece of a log.
      if (done.endsWith('line skipped')) logs.cut(line);
      sink.damaged(line, reason, bytes, done);
    },
  };
  const target = { sink: unwrapping, mostHeld };
  let pending: Pending | null = null;
  return {
    push(text, number, log = null) {
      const first = text.charCodeAt(0);
      const value = pending === null && first === openBrace ? parseJson(text) : undefined;
      if (isObject(value)) return unwrapping.record(value, number, log);
      const piece = mayBeTime(first) && depth < mostNestedLogs ? textPiece(text) : null;
      if (piece === null) pending = readLine(cleanLine(text, number, log), pending, target);
      else readPiece(piece, number, log);
    },
    lost: (number) => logs.cut(number),
    end() {
      if (pending?.kind === 'document') pending.document.giveUp('cut off at the end of input');
      if (pending?.kind === 'head') loseHead(pending, 'cut off at the end of input', sink);
      pending = null;
      logs.end();
    },
    get isPending() {
      return pending !== null || logs.isPending;
    },
  };
}

/** Logs can be nested: a collector reads what the container runtime wrote. */
const mostNestedLogs = 3;
const openBrace = 0x7b;

/** A digit, or a byte order mark before one. */
function mayBeTime(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0xfeff;
}

/** Where records go, and how much text may be held while a record is incomplete. */
interface Target {
  sink: FrameSink;
  mostHeld: number;
}

/** What the next line may continue: a document, the beginning of a record, or a document that was abandoned. */
type Pending = OpenDocument | Head | BrokenDocument;

interface OpenDocument {
  kind: 'document';
  document: Document;
  isPrefixed: boolean;
}

interface Head {
  kind: 'head';
  text: string;
  number: number;
  log: Logged | null;
  isPrefixed: boolean;
}

interface BrokenDocument {
  kind: 'broken';
  column: number;
  isPrefixed: boolean;
}

function readLine(line: Line, pending: Pending | null, target: Target): Pending | null {
  if (line.clean === '') return pending;
  if (pending === null) return readSingle(line, target);
  const bare = pending.isPrefixed ? unprefixed(line) : line;
  if (bare.body === '') return pending;
  if (pending.kind === 'document') return continueDocument(pending, bare, line, target);
  if (pending.kind === 'broken') return readAfterBroken(pending, bare, line, target);
  const next = isObject(parseJson(bare.body)) ? undefined : completeHead(pending, bare, target);
  if (next !== undefined) return next;
  loseHead(pending, 'not JSON (unexpected end)', target.sink);
  return readSingle(line, target);
}

/** Reads a line that does not continue anything. */
function readSingle(line: Line, target: Target): Pending | null {
  if (isJson(line)) return readJson(line, target);
  const bare = unprefixed(line);
  if (bare.isPrefixed && isJson(bare)) return readJson(bare, target);
  const record = recordBehind(line.clean);
  if (record === null) target.sink.noise(line.number);
  else target.sink.record(record, line.number, bare.log);
  return null;
}

function continueDocument(open: OpenDocument, bare: Line, line: Line, target: Target): Pending | null {
  const { document, isPrefixed } = open;
  const { state, end } = document.read(bare.body, bare.number, bare.log);
  if (state === 'open') return open;
  const rest = bare.body.slice(skipSeparators(bare.body, end));
  if (state === 'closed') return readPieces(rest, bare, false, target);
  document.giveUp(state === 'refused' ? 'unfinished document' : 'document too long');
  const broken: BrokenDocument = { kind: 'broken', column: document.column, isPrefixed };
  if (end === 0) return readAfterBroken(broken, bare, line, target);
  return readPieces(rest, bare, false, target) ?? broken;
}

/**
 * After a broken document, text indented deeper than its objects belongs to one of them and is not a record. Exception:
 * a restarted producer may have written a record right after the point where the old one stopped.
 */
function readAfterBroken(broken: BrokenDocument, bare: Line, line: Line, target: Target): Pending | null {
  if (skipBlanks(bare.body, 0) <= broken.column) return readSingle(line, target);
  const record = recordBehind(bare.body);
  if (record === null || !standsAlone(record)) {
    target.sink.noise(bare.number);
    return broken;
  }
  target.sink.record(record, bare.number, bare.log);
  return null;
}

function loseHead(head: Head, reason: string, sink: FrameSink): void {
  sink.damaged(head.number, reason, byteLength(head.text), 'start of line skipped');
}

/** Whether a line is JSON, whole or damaged. */
function isJson({ body, isPrefixed }: Line): boolean {
  const first = body[skipBlanks(body, 0)];
  // After a log prefix, a brace alone does not prove JSON: `INFO {user} logged in`.
  if (first === '{') return !isPrefixed || objectStart.test(body);
  return first === '[' && (opensDocument(body) || Array.isArray(parseJson(body)));
}

const objectStart = /^\s*\{\s*(?:"|$)/;

function readJson(line: Line, target: Target): Pending | null {
  const value = parseJson(line.body);
  if (isObject(value)) target.sink.record(value, line.number, line.log);
  else if (Array.isArray(value)) handOut(value, line, target.sink);
  else return readPieces(line.body, line, true, target);
  return null;
}

/** Reads consecutive values; the last may continue in the next line. `text` is the rest of the line. */
function readPieces(text: string, line: Line, isFirst: boolean, target: Target): Pending | null {
  let rest = text;
  let isWhole = isFirst;
  while (rest !== '') {
    if (opensDocument(rest)) {
      const document = new Document(target.sink, rest, line.number, target.mostHeld);
      const { state, end } = document.read(rest, line.number, line.log);
      if (state === 'open') return { kind: 'document', document, isPrefixed: line.isPrefixed };
      if (state === 'too long') document.giveUp('document too long');
      // In a damaged list, the text after the last good element is read as consecutive records.
      rest = rest.slice(skipSeparators(rest, end > 0 ? end : rest.indexOf('[') + 1));
    } else {
      rest = rest.slice(skipBlanks(rest, 0));
      const column = columnOf(rest, line);
      if (!rest.startsWith('{')) {
        target.sink.damaged(line.number, trailingText(rest, column), byteLength(rest), 'rest of line skipped');
        return null;
      }
      const recovery = recover(rest, column);
      reportRecovery(recovery, rest, line, isWhole, target.sink);
      if (recovery.head !== null) return headOf(recovery.head, line);
      rest = rest.slice(recovery.rest);
    }
    isWhole = false;
  }
  return null;
}

/** Finishes a record that an earlier line began. If this line does not finish it, returns undefined, reports nothing. */
function completeHead(head: Head, line: Line, target: Target): Pending | null | undefined {
  const text = head.text + line.body;
  const recovery = recover(text, columnOf(text, line));
  if (!recovery.parts.some((part) => part.kind === 'record' && part.at === 0)) return undefined;
  reportRecovery(recovery, text, line, false, target.sink, head);
  if (recovery.head !== null) return headOf(recovery.head, line);
  return readPieces(text.slice(recovery.rest), line, false, target);
}

function reportRecovery(
  { parts, head, rest }: Recovery,
  text: string,
  line: Line,
  isWhole: boolean,
  sink: FrameSink,
  completed: Head | null = null,
): void {
  const isAllLost = isWhole && parts.length === 1 && head === null && rest === text.length;
  for (const part of parts) {
    if (part.kind === 'record') {
      const { number, log } = part.at === 0 && completed !== null ? completed : line;
      sink.record(part.record, number, log);
    } else if (isAllLost) sink.damaged(line.number, part.reason, byteLength(line.raw), 'line skipped');
    else {
      const where = part.end === text.length ? 'rest' : isWhole && part.at === 0 ? 'start' : 'part';
      sink.damaged(line.number, part.reason, byteLength(part.text), `${where} of line skipped`);
    }
  }
}

function headOf(head: { text: string }, { number, log, isPrefixed }: Line): Head {
  return { kind: 'head', text: head.text, number, log, isPrefixed };
}

function handOut(values: unknown[], line: Line, sink: FrameSink): void {
  for (const value of values) if (isObject(value)) sink.record(value, line.number, line.log);
  if (!values.every(isObject)) sink.noise(line.number);
}

/** Whether a line that is not JSON by itself may be the first of a document. */
function opensDocument(text: string): boolean {
  return opener.test(text);
}

// An opening bracket alone, `[{` alone, a list of objects in one line that is cut off or followed by more text,
// or an empty list between others (`cat` of files that do not end in a newline).
const opener = /^[ \t]*(?:\{$|\[\s*(?:$|\{\s*(?:"|\}|$)|\]\s*(?:[[{]|$)))/;

/** The state of a document after a line, and where in the line reading stopped. `too long`: too long to hold. */
interface Reading {
  state: 'open' | 'closed' | 'refused' | 'too long';
  end: number;
}

/**
 * One JSON value over several lines. An object is reported when it closes, the elements of an array as each one closes.
 * A line that cannot belong to the value is refused, so that damage does not swallow the records after it.
 */
class Document {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #line: number;
  readonly #isArray: boolean;
  #isAtStart = true;
  #value: HeldValue | null = null;
  #column = 0;
  #needsComma = false;
  #handedOut = 0;
  #hadOthers = false;

  /** `text` is the first line, not yet read; `limit` is how much of a value may be held. */
  constructor(sink: FrameSink, text: string, line: number, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
    this.#line = line;
    this.#isArray = text.trimStart().startsWith('[');
  }

  /** The column in which its objects begin. */
  get column(): number {
    return this.#column;
  }

  read(text: string, line: number, log: Logged | null): Reading {
    const column = skipBlanks(text, 0);
    let at = this.#value === null ? column : 0;
    let end = 0;
    if (this.#isAtStart) {
      this.#isAtStart = false;
      this.#column = column;
      if (this.#isArray) at += 1;
    }
    if (this.#value?.isLeftBy(text, column)) return { state: column === text.length ? 'open' : 'refused', end };
    for (;;) {
      if (this.#value === null) {
        at = skipBlanks(text, at);
        if (at === text.length) return { state: 'open', end: at };
        if (this.#isArray && text[at] === ']') return { state: 'closed', end: at + 1 };
        if (this.#needsComma) {
          if (text[at] !== ',') return { state: 'refused', end };
          this.#needsComma = false;
          at += 1;
          continue;
        }
        this.#value = new HeldValue(line, log, column);
        this.#column = column;
      }
      at = this.#value.read(text, at);
      if (this.#value.status === 'open') {
        if (this.#value.length <= this.#limit) return { state: 'open', end: at };
        return { state: 'too long', end: at };
      }
      if (this.#value.status === 'wrong') {
        if (this.#value.length === 0) this.#value = null;
        return { state: 'refused', end };
      }
      this.#handOut(this.#value);
      end = at;
      if (!this.#isArray) return { state: 'closed', end };
    }
  }

  /** Reports what is lost when the document cannot be finished. */
  giveUp(reason: string): void {
    const bracket = this.#isArray && this.#handedOut === 0 ? 1 : 0;
    const bytes = byteLength(this.#value?.text ?? '') + bracket;
    const done =
      this.#handedOut === 0 ? 'document skipped' : this.#value === null ? 'nothing skipped' : 'element skipped';
    this.#sink.damaged(this.#value?.line ?? this.#line, reason, bytes, done);
  }

  #handOut(held: HeldValue): void {
    const value = held.parse();
    if (isObject(value)) this.#sink.record(value, held.line, held.log);
    else if (!this.#hadOthers) {
      this.#hadOthers = true;
      this.#sink.noise(held.line);
    }
    this.#handedOut += 1;
    this.#value = null;
    this.#needsComma = true;
  }
}

/** A JSON value that is being read line by line. */
class HeldValue {
  readonly line: number;
  readonly log: Logged | null;
  readonly column: number;
  /** In UTF-16 units, line ends included. */
  length = 0;
  readonly #scanner = new ValueScanner();
  readonly #pieces: string[] = [];
  #isFlat = false;

  constructor(line: number, log: Logged | null, column: number) {
    this.line = line;
    this.log = log;
    this.column = column;
  }

  get status(): ValueScanner['status'] {
    return this.#scanner.status;
  }

  get text(): string {
    return this.#pieces.join('\n');
  }

  parse(): unknown {
    return parseJson(this.text);
  }

  /**
   * Whether a line is indented too little to be part of this value; only the closing bracket may be in the value's own
   * column. Without this check, a record after a cut-off `"content": [` would be read as an element of that list.
   */
  isLeftBy(text: string, column: number): boolean {
    if (column > this.column || this.#isFlat || text[column] === '}' || text[column] === ']') return false;
    // python's json.dumps(…, indent=0) writes everything in the first column.
    this.#isFlat = this.#pieces.length === 1 && text[column] === '"';
    return !this.#isFlat;
  }

  /** Reads a line from an index on, and returns where the value stopped. An invalid line is not kept. */
  read(text: string, from: number): number {
    const stop = this.#scanner.read(text, from);
    if (this.#scanner.status === 'open') this.#scanner.endLine();
    if (this.#scanner.status !== 'wrong') {
      this.#pieces.push(text.slice(from, stop));
      this.length += stop - from + 1;
    }
    return stop;
  }
}
