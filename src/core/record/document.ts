import type { FrameSink } from './frame.js';
import { isObject, parseJson } from './json.js';
import { byteLength, skipBlanks } from './line.js';
import { ValueScanner } from './value-scanner.js';

/** What became of a line, and where the part of it ends that is dealt with. Too long is what cannot be held. */
export interface Reading {
  state: 'open' | 'closed' | 'refused' | 'too long';
  end: number;
}

/** Whether a line that is not JSON by itself may be the first of a document. */
export function opensDocument(text: string): boolean {
  return opener.test(text);
}

/**
 * One JSON value over several lines: an object is handed out when it closes, the elements of an array one by one as
 * they close. A line that cannot belong to it is refused, so that damage does not swallow what follows.
 */
export class Document {
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

  /** The text is that of the first line, which is still to be read; `limit` is how much of a value may be held. */
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

  read(text: string, line: number, time: string | null): Reading {
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
        this.#value = new HeldValue(line, time, column);
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

  /** Reports what is lost when the document will not be finished. */
  giveUp(reason: string): void {
    const bracket = this.#isArray && this.#handedOut === 0 ? 1 : 0;
    const bytes = byteLength(this.#value?.text ?? '') + bracket;
    const done =
      this.#handedOut === 0 ? 'document skipped' : this.#value === null ? 'nothing skipped' : 'element skipped';
    this.#sink.damaged(this.#value?.line ?? this.#line, reason, bytes, done);
  }

  #handOut(held: HeldValue): void {
    const value = held.parse();
    if (isObject(value)) this.#sink.record(value, held.line, held.time);
    else if (!this.#hadOthers) {
      this.#hadOthers = true;
      this.#sink.noise(held.line);
    }
    this.#handedOut += 1;
    this.#value = null;
    this.#needsComma = true;
  }
}

// An opening bracket alone, `[{` alone, a list of objects in one line that is cut off or has something behind it,
// or an empty list between others (`cat` of files that do not end in a newline).
const opener = /^[ \t]*(?:\{$|\[\s*(?:$|\{\s*(?:"|\}|$)|\]\s*(?:[[{]|$)))/;

/** A JSON value that is being read line by line. */
export class HeldValue {
  readonly line: number;
  readonly time: string | null;
  readonly column: number;
  /** In UTF-16 units, line ends included. */
  length = 0;
  readonly #scanner = new ValueScanner();
  readonly #pieces: string[] = [];
  #isFlat = false;

  constructor(line: number, time: string | null, column: number) {
    this.line = line;
    this.time = time;
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
   * Whether a line stands too far left to be a part of this value: only its closing bracket stands in its own column.
   * Without this a record after a cut-off `"content": [` would pass for an element of that list.
   */
  isLeftBy(text: string, column: number): boolean {
    if (column > this.column || this.#isFlat || text[column] === '}' || text[column] === ']') return false;
    // python's json.dumps(…, indent=0) writes everything in the first column.
    this.#isFlat = this.#pieces.length === 1 && text[column] === '"';
    return !this.#isFlat;
  }

  /** Takes a line from a place on, and returns where the value stopped. A line that is wrong is not kept. */
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
