import { parseJson } from './json.js';
import { ValueScanner } from './value-scanner.js';

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
