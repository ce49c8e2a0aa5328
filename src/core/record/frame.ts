import { Document, opensDocument } from './document.js';
import { isObject, type JsonObject, parseJson } from './json.js';
import { byteLength, cleanLine, columnOf, type Line, skipBlanks, skipSeparators, unprefixed } from './line.js';
import { type Recovery, recordBehind, recover, standsAlone, trailingText } from './recover.js';

export interface Framer {
  push(text: string, line: number): void;
  end(): void;
  /** The next line may belong to what an earlier one began. */
  readonly isPending: boolean;
}

/** Lines in, records out: one a line, several a line, one over several lines, or behind a prefix. It never throws. */
export function createFramer(sink: FrameSink, mostHeld = 256 * 1024 * 1024): Framer {
  const target = { sink, mostHeld };
  let pending: Pending | null = null;
  return {
    push(text, number) {
      const value = pending === null && text.charCodeAt(0) === openBrace ? parseJson(text) : undefined;
      if (isObject(value)) return sink.record(value, number, null);
      pending = readLine(cleanLine(text, number), pending, target);
    },
    end() {
      if (pending?.kind === 'document') pending.document.giveUp('cut off at the end of input');
      if (pending?.kind === 'head') loseHead(pending, 'cut off at the end of input', sink);
      pending = null;
    },
    get isPending() {
      return pending !== null;
    },
  };
}

const openBrace = 0x7b;

type Pending = Unfinished | Ruins;

/** The lines of a document that was given up. */
interface Ruins {
  kind: 'ruins';
  column: number;
  isPrefixed: boolean;
}

function readLine(line: Line, pending: Pending | null, target: Target): Pending | null {
  if (line.clean === '') return pending;
  if (pending === null) return judge(line, target);
  const bare = pending.isPrefixed ? unprefixed(line) : line;
  if (bare.body === '') return pending;
  if (pending.kind === 'document') return continueDocument(pending, bare, line, target);
  if (pending.kind === 'ruins') return passRuins(pending, bare, line, target);
  const next = isObject(parseJson(bare.body)) ? undefined : completeHead(pending, bare, target);
  if (next !== undefined) return next;
  loseHead(pending, 'not JSON (unexpected end)', target.sink);
  return judge(line, target);
}

/** A line that stands for itself. */
function judge(line: Line, target: Target): Unfinished | null {
  if (isJson(line)) return readJson(line, target);
  const bare = unprefixed(line);
  if (bare.isPrefixed && isJson(bare)) return readJson(bare, target);
  const record = recordBehind(line.clean);
  if (record === null) target.sink.noise(line.number);
  else target.sink.record(record, line.number, bare.time);
  return null;
}

function continueDocument(open: OpenDocument, bare: Line, line: Line, target: Target): Pending | null {
  const { document, isPrefixed } = open;
  const { state, end } = document.read(bare.body, bare.number, bare.time);
  if (state === 'open') return open;
  const rest = bare.body.slice(skipSeparators(bare.body, end));
  if (state === 'closed') return readPieces(rest, bare, false, target);
  document.giveUp(state === 'refused' ? 'unfinished document' : 'document too long');
  const ruins: Ruins = { kind: 'ruins', column: document.column, isPrefixed };
  if (end === 0) return passRuins(ruins, bare, line, target);
  return readPieces(rest, bare, false, target) ?? ruins;
}

// Whatever stands further right than the objects of a broken document is the inside of one of them, and no record;
// unless a producer that was started again wrote behind the place where the old one had stopped.
function passRuins(ruins: Ruins, bare: Line, line: Line, target: Target): Pending | null {
  if (skipBlanks(bare.body, 0) <= ruins.column) return judge(line, target);
  const record = recordBehind(bare.body);
  if (record === null || !standsAlone(record)) {
    target.sink.noise(bare.number);
    return ruins;
  }
  target.sink.record(record, bare.number, bare.time);
  return null;
}

function loseHead(head: Head, reason: string, sink: FrameSink): void {
  sink.damaged(head.number, reason, byteLength(head.text), 'start of line skipped');
}

/** Receives what the lines of one source turn out to be. */
export interface FrameSink {
  /** `time` is ISO 8601 UTC, from the prefix that a log put before the line. */
  record(record: JsonObject, line: number, time: string | null): void;
  /** The text of the line that was lost, in bytes of UTF-8, and what was done about it: `line skipped`. */
  damaged(line: number, reason: string, bytes: number, done: string): void;
  noise(line: number): void;
}

/** Where records go, and how much text may be held until one is whole. */
export interface Target {
  sink: FrameSink;
  mostHeld: number;
}

/** What a line leaves for the next one to go on with: a document, or the beginning of a record. */
export type Unfinished = OpenDocument | Head;

export interface OpenDocument {
  kind: 'document';
  document: Document;
  isPrefixed: boolean;
}

export interface Head {
  kind: 'head';
  text: string;
  number: number;
  time: string | null;
  isPrefixed: boolean;
}

/** Whether a line is JSON, whole or damaged. */
export function isJson({ body, isPrefixed }: Line): boolean {
  const first = body[skipBlanks(body, 0)];
  // Behind a prefix a brace alone proves little: `INFO {user} logged in`.
  if (first === '{') return !isPrefixed || objectStart.test(body);
  return first === '[' && (opensDocument(body) || Array.isArray(parseJson(body)));
}

export function readJson(line: Line, target: Target): Unfinished | null {
  const value = parseJson(line.body);
  if (isObject(value)) target.sink.record(value, line.number, line.time);
  else if (Array.isArray(value)) handOut(value, line, target.sink);
  else return readPieces(line.body, line, true, target);
  return null;
}

/** Reads values in a row, the last of which may go on in the next line. The text is what the line ends with. */
export function readPieces(text: string, line: Line, isFirst: boolean, target: Target): Unfinished | null {
  let rest = text;
  let isWhole = isFirst;
  while (rest !== '') {
    if (opensDocument(rest)) {
      const document = new Document(target.sink, rest, line.number, target.mostHeld);
      const { state, end } = document.read(rest, line.number, line.time);
      if (state === 'open') return { kind: 'document', document, isPrefixed: line.isPrefixed };
      if (state === 'too long') document.giveUp('document too long');
      // Of a damaged list, what comes after its last good element is read as records in a row.
      rest = rest.slice(skipSeparators(rest, end > 0 ? end : rest.indexOf('[') + 1));
    } else {
      rest = rest.slice(skipBlanks(rest, 0));
      const column = columnOf(rest, line);
      if (!rest.startsWith('{')) {
        target.sink.damaged(line.number, trailingText(rest, column), byteLength(rest), 'rest of line skipped');
        return null;
      }
      const recovery = recover(rest, column);
      report(recovery, rest, line, isWhole, target.sink);
      if (recovery.head !== null) return headOf(recovery.head, line);
      rest = rest.slice(recovery.rest);
    }
    isWhole = false;
  }
  return null;
}

/** Finishes a record that an earlier line began. Undefined, and nothing is reported, when this line does not do it. */
export function completeHead(head: Head, line: Line, target: Target): Unfinished | null | undefined {
  const text = head.text + line.body;
  const recovery = recover(text, columnOf(text, line));
  if (!recovery.parts.some((part) => part.kind === 'record' && part.at === 0)) return undefined;
  report(recovery, text, line, false, target.sink, head);
  if (recovery.head !== null) return headOf(recovery.head, line);
  return readPieces(text.slice(recovery.rest), line, false, target);
}

function report(
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
      const { number, time } = part.at === 0 && completed !== null ? completed : line;
      sink.record(part.record, number, time);
    } else if (isAllLost) sink.damaged(line.number, part.reason, byteLength(line.raw), 'line skipped');
    else {
      const where = part.end === text.length ? 'rest' : isWhole && part.at === 0 ? 'start' : 'part';
      sink.damaged(line.number, part.reason, byteLength(part.text), `${where} of line skipped`);
    }
  }
}

function headOf(head: { text: string }, { number, time, isPrefixed }: Line): Head {
  return { kind: 'head', text: head.text, number, time, isPrefixed };
}

function handOut(values: unknown[], line: Line, sink: FrameSink): void {
  for (const value of values) if (isObject(value)) sink.record(value, line.number, line.time);
  if (!values.every(isObject)) sink.noise(line.number);
}

const objectStart = /^\s*\{\s*(?:"|$)/;
