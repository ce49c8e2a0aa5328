/** A line with its end, or a piece of one that is too long to be held. */
export interface RawLine {
  readonly bytes: Buffer;
  /** Of the source, 1 first. */
  readonly number: number;
  /** It goes on with the line before it, whose number it has. */
  readonly continues: boolean;
  /** Part of a line of more than the allowed bytes. */
  readonly tooLong: boolean;
}

/** Cuts bytes into lines of which nothing is lost: put together again they are the same bytes. What it gives may be kept. */
export class RawLineSplitter {
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #number = 1;
  /** The line that has begun was too long, and its beginning is gone already. */
  #isTorn = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      lines.push(this.#take(chunk.subarray(start, end + 1), true));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#held + rest.length > this.#maxLineBytes) lines.push(this.#take(rest, false));
    else if (rest.length > 0) this.#hold(rest);
    return lines;
  }

  /** The source has ended: what is left is its last line. Another source may begin. */
  end(): RawLine[] {
    const lines = this.#held > 0 ? [this.#take(nothing, true)] : [];
    this.#number = 1;
    this.#isTorn = false;
    return lines;
  }

  #hold(bytes: Buffer): void {
    // The chunk will be overwritten.
    this.#pieces.push(Buffer.from(bytes));
    this.#held += bytes.length;
  }

  #take(last: Buffer, isEnd: boolean): RawLine {
    const bytes = Buffer.concat([...this.#pieces, last]);
    const line = {
      bytes,
      number: this.#number,
      continues: this.#isTorn,
      tooLong: this.#isTorn || !isEnd || bytes.length > this.#maxLineBytes + mostLineEnd,
    };
    this.#pieces = [];
    this.#held = 0;
    this.#isTorn = !isEnd;
    if (isEnd) this.#number += 1;
    return line;
  }
}

const LF = 0x0a;
const nothing = Buffer.alloc(0);
const mostLineEnd = 2;
