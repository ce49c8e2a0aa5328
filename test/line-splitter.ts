import { openIndex } from '../src/cli/lines.js';
import type { LineIndex } from '../src/core/record/line-index.js';
import { recordShape } from '../src/core/wire/spell.js';

interface LineSink {
  line(bytes: Buffer, number: number): void;
  tooLong(number: number, bytes: number): void;
}

/** The line index as something to push chunks into. It must find the same lines with and without a shape. */
export class LineSplitter {
  readonly #index: LineIndex;

  constructor(sink: LineSink, maxLineBytes: number, shape: typeof recordShape | undefined = recordShape) {
    this.#index = openIndex({
      shape,
      maxLineBytes,
      line: (entry) => sink.line(Buffer.from(this.#index.lineBytes(entry)), this.#index.number(entry)),
      tooLong: (number, bytes) => sink.tooLong(number, bytes),
    });
    this.#index.begin();
  }

  get lines(): number {
    return this.#index.lines;
  }

  push(chunk: Buffer): void {
    this.#index.write(chunk);
  }

  stop(): void {
    this.#index.stop();
  }

  end(): void {
    this.#index.end();
  }
}
