import { byteLength } from './line.js';

interface TextLineSink {
  line(text: string): void;
  tooLong(bytes: number): void;
}

/** Cuts text into lines wherever its pieces begin and end. LF ends a line; CR before it and a BOM in front are no part of it. */
export class TextLines {
  readonly #sink: TextLineSink;
  readonly #maxLineBytes: number;
  /** Pieces of a line whose end has not come yet: joined once, so a long line takes linear time. */
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

  /** The text has ended: what is left is its last line. */
  end(): void {
    if (this.#bytes > 0) this.#deliver();
    this.#isFirst = true;
  }

  #hold(piece: string): void {
    if (piece === '') return;
    this.#bytes += byteLength(piece);
    // One byte more than the limit may be a CR that is no part of the line.
    if (this.#bytes <= this.#maxLineBytes + 1) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #deliver(): void {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (bytes - (text.length - line.length) > this.#maxLineBytes) this.#sink.tooLong(bytes);
    else this.#sink.line(line);
  }
}

const bom = 0xfeff;
