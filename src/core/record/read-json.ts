import { byteLength } from './byte-length.js';
import { Document, opensDocument } from './document.js';
import type { FrameSink } from './frame-sink.js';
import { isObject, parseJson } from './json.js';
import { columnOf, type Line } from './line.js';
import { type Recovery, recover, trailingText } from './recover.js';
import { skipBlanks, skipSeparators } from './trim.js';

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
