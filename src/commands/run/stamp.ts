// --stamp: adds the time to records that have none.
import { openIndex } from '../../cli/lines.js';
import { isObject, parseJson } from '../../core/record/json.js';
import type { LineIndex } from '../../core/record/line-index.js';

/** Passes lines on when they are complete. A line that is not a record, or is too long to hold, stays as it is. */
export class Stamper {
  readonly #lines: LineIndex;
  #done: Buffer[] = [];

  constructor(now: () => string) {
    this.#lines = openIndex({
      line: (entry) => this.#done.push(...stamped(Buffer.from(this.#lines.lineBytes(entry)), now)),
      tooLong() {},
      piece: (from, to, _number, continues, isEnd) => {
        const bytes = Buffer.from(this.#lines.bytes(from, to));
        this.#done.push(...(continues || !isEnd ? [bytes] : stamped(bytes, now)));
      },
    });
  }

  /** What can be passed on now. */
  take(chunk: Uint8Array): Buffer {
    this.#lines.write(chunk);
    return this.#given();
  }

  /** The rest. */
  rest(): Buffer {
    this.#lines.end();
    return this.#given();
  }

  #given(): Buffer {
    const all = Buffer.concat(this.#done);
    this.#done = [];
    return all;
  }
}

function stamped(line: Buffer, now: () => string): Buffer[] {
  const close = line.lastIndexOf('}');
  const record = close === -1 ? null : parseJson(line.toString('utf8'));
  if (!isObject(record) || Object.hasOwn(record, 'timestamp')) return [line];
  const comma = Object.keys(record).length === 0 ? '' : ',';
  return [line.subarray(0, close), Buffer.from(`${comma}"timestamp":"${now()}"`), line.subarray(close)];
}
