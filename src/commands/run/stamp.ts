// --stamp: adds the time to records that have none.
import { isObject, parseJson } from '../../core/record/json.js';
import { defaultMaxLineBytes, LineCutter } from '../../io/lines.js';

/** Passes lines on when they are whole. A line that is no record, or is too long to be held, stays as it is. */
export class Stamper extends LineCutter {
  readonly #now: () => string;
  #done: Buffer[] = [];

  constructor(now: () => string) {
    super(defaultMaxLineBytes);
    this.#now = now;
  }

  /** What can be passed on now. */
  take(chunk: Buffer): Buffer {
    this.push(chunk);
    return this.#given();
  }

  /** The rest. */
  last(): Buffer {
    this.end();
    return this.#given();
  }

  protected override piece(
    bytes: Buffer,
    start: number,
    end: number,
    _number: number,
    continues: boolean,
    isEnd: boolean,
  ): void {
    const line = Buffer.from(bytes.subarray(start, end));
    this.#done.push(...(continues || !isEnd ? [line] : stamped(line, this.#now)));
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
