// Finds the records in a damaged line.
import { isObject, type JsonObject, parseJson } from './json.js';
import { skipBlanks, skipSeparators } from './line.js';
import { ValueScanner } from './value-scanner.js';

/** A part of a line from `at` to `end`: a record, or lost text. */
type Part =
  | { kind: 'record'; at: number; end: number; record: JsonObject }
  | { kind: 'lost'; at: number; end: number; text: string; reason: string };

export interface Recovery {
  /** Ordered by where they end: a record inside another comes before it. */
  parts: Part[];
  /** The beginning of a record, then only complete records up to the end of the line. The next line may continue it. */
  head: { at: number; text: string } | null;
  /** The index of an array, or of the opening brace of a document, after the records; else the length of the text. */
  rest: number;
}

/**
 * Reads a line that begins with a brace but is not one JSON object. Every byte ends up in a record or is reported as
 * lost, and is read a bounded number of times. `column` is the column of the first character.
 */
export function recover(text: string, column: number): Recovery {
  const parts: Part[] = [];
  let at = 0;
  let guessed = false;
  while (at < text.length) {
    const outer = readOuter(text, at);
    for (const part of outer.inner) parts.push(part);
    if (outer.record !== null && (!guessed || standsAlone(outer.record))) {
      parts.push({ kind: 'record', at, end: outer.stop, record: outer.record });
      at = skipSeparators(text, outer.stop);
      guessed = false;
      if (text[at] === '[' || (text[at] === '{' && at === text.length - 1)) return { parts, head: null, rest: at };
      if (text[at] === '{') continue;
      const next = nextRecordStart(text, at);
      if (next > at) lose(parts, at, next, text.slice(at, next), trailingText(text.slice(at, next), at + column));
      at = next;
    } else {
      if (outer.isHead) return { parts, head: { at, text: outer.before }, rest: text.length };
      const next = nextRecordStart(text, Math.max(at + 1, outer.stop - 2));
      const reason = outer.isCut ? 'unexpected end' : `unexpected character at column ${outer.stop + column}`;
      lose(parts, at, next, outer.before + text.slice(outer.from, next), `not JSON (${reason})`);
      at = next;
    }
    guessed = true;
  }
  return { parts, head: null, rest: text.length };
}

/** The reason given for text after a complete value. It does not quote the text, which may be private. */
export function trailingText(text: string, column: number): string {
  return /^[\]}]{1,8}$/.test(text) ? `trailing text (${text})` : `trailing text (at column ${column})`;
}

/** Whether an object is certainly a record. An object inside damaged text may be only a part of one. */
export function standsAlone(record: JsonObject): boolean {
  return (
    typeof record['session_id'] === 'string' ||
    typeof record['sessionId'] === 'string' ||
    'cct' in record ||
    (typeof record['type'] === 'string' && recordTypes.has(record['type']))
  );
}

/** The record at the end of a line that begins with other text: `claude> {"type":…}`. */
export function recordBehind(text: string): JsonObject | null {
  let at = text.indexOf('{"');
  for (let tries = 0; tries < mostTries && at >= 0 && at <= farthestStart; tries += 1) {
    const value = parseJson(text.slice(at));
    if (isObject(value) && typeof value['type'] === 'string') return value;
    at = text.indexOf('{"', at + 1);
  }
  return null;
}

function readOuter(text: string, start: number) {
  const scanner = new ValueScanner();
  /** Complete records inside this one. */
  const inner: Part[] = [];
  /** Its own text before the last inner record. Its own text continues at `from`. */
  const before: string[] = [];
  let from = start;
  for (;;) {
    const stop = scanner.read(text, from);
    const found = scanner.status === 'whole' ? null : findInner(text, start, stop, scanner);
    if (found === null) {
      const own = before.join('');
      // The line ended before the record did.
      const isCut = scanner.status === 'open';
      const value = scanner.status === 'whole' ? parseJson(own + text.slice(from, stop)) : null;
      // Only complete records follow its beginning, up to the end of the line.
      const isHead = isCut && inner.length > 0 && from === text.length;
      return { record: isObject(value) ? value : null, inner, before: own, from, stop, isCut, isHead };
    }
    inner.push({ kind: 'record', ...found });
    before.push(text.slice(from, found.at));
    from = found.end;
  }
}

interface Found {
  record: JsonObject;
  at: number;
  end: number;
}

/**
 * A record inside another stops the scanner in one of three places: after the inner record, where a value was expected;
 * at its brace, where no value is allowed; or at the first letter of its first key, if it is inside a string.
 */
function findInner(text: string, start: number, stop: number, scanner: ValueScanner): Found | null {
  const asValue = lastValue(text, start, stop, scanner);
  if (asValue !== null) {
    scanner.resumeValue();
    return asValue;
  }
  if (scanner.status !== 'wrong') return null;
  const atBrace = wholeRecord(text, start, stop);
  const found = atBrace ?? wholeRecord(text, start, stop - 2);
  if (found === null || isBlock(found.record)) return null;
  if (found === atBrace) scanner.resume();
  else scanner.resumeString();
  return found;
}

function lastValue(text: string, start: number, stop: number, scanner: ValueScanner): Found | null {
  const { lastStart: at, lastEnd: end } = scanner;
  if (at <= start || !startsRecord(text, at) || skipBlanks(text, end) < stop) return null;
  const record = parseJson(text.slice(at, end));
  return isObject(record) && standsAlone(record) ? { record, at, end } : null;
}

function wholeRecord(text: string, start: number, at: number): Found | null {
  if (at <= start || !startsRecord(text, at)) return null;
  const scanner = new ValueScanner();
  const end = scanner.read(text, at);
  const record = scanner.status === 'whole' ? parseJson(text.slice(at, end)) : null;
  return isObject(record) ? { record, at, end } : null;
}

/** Adds lost text to the list, or extends the lost text right before it. */
function lose(parts: Part[], at: number, end: number, text: string, reason: string): void {
  const last = parts.at(-1);
  if (last?.kind === 'lost' && last.end === at) {
    last.end = end;
    last.text += text;
  } else parts.push({ kind: 'lost', at, end, text, reason });
}

/** Whether a record seems to begin here. The pattern has the first keys that versions of Claude Code write. */
function startsRecord(text: string, at: number): boolean {
  startHere.lastIndex = at;
  return startHere.test(text);
}

/** The index at which the next record seems to begin, else the length of the text. */
function nextRecordStart(text: string, from: number): number {
  nextStart.lastIndex = from;
  return nextStart.exec(text)?.index ?? text.length;
}

/** A block of the content of a message is never a record. */
function isBlock(record: JsonObject): boolean {
  return !standsAlone(record) && typeof record['type'] === 'string' && blockTypes.has(record['type']);
}

const mostTries = 8;
const farthestStart = 256;

const start = /\{"(?:type":"|duration_api_ms":|is_error":|parentUuid":|cct":)/;
const startHere = new RegExp(start, 'y');
const nextStart = new RegExp(start, 'g');

const recordTypes = new Set([
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'rate_limit_event',
  'control_request',
  'control_response',
  'control_cancel_request',
]);

const blockTypes = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'tool_reference',
  'server_tool_use',
  'image',
  'document',
]);
