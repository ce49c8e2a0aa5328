// Reads the output of a command, to watch its budget and to add times.
import { openIndex } from '../../cli/lines.js';
import type { PriceBook } from '../../core/prices/prices.js';
import { isObject, parseJson } from '../../core/record/json.js';
import type { LineIndex } from '../../core/record/line-index.js';
import { ValueScanner } from '../../core/record/value-scanner.js';
import { newState, reducerOf } from '../../core/tables/reduce.js';
import { createReader } from '../../core/wire/reader.js';
import { nowhere } from '../../core/wire/sessions.js';
import { type Alarm, createBudget, type Limits } from '../usage/budget.js';

export type Guard = ReturnType<typeof createGuard>;

const lateTellers: ReadonlySet<string> = new Set(['codex', 'cursor', 'gemini']);

export function createGuard(limits: Limits, prices: PriceBook) {
  const budget = createBudget(limits, prices);
  const state = newState();
  let alarm: Alarm | null = null;
  let isTold = false;
  let late: string | null = null;
  const reader = createReader({
    emit(event) {
      if (event.event === 'session:started' && lateTellers.has(event.program)) late = event.program;
      budget.before(event, state);
      followUsage(state, event);
      alarm ??= budget.after(event, state);
    },
  });
  reader.begin(nowhere);
  const lines = openIndex({
    line: (entry) => reader.line(lines.lineText(entry), lines.number(entry)),
    tooLong: (number, bytes) => reader.tooLong(number, bytes),
  });
  const isWhole = createLastLine();
  const tellUsage = () => {
    if (isTold || alarm === null) return null;
    isTold = true;
    return alarm;
  };
  return {
    budget,
    /** The program whose stream this is, if it says what it used only when it ends. */
    get late() {
      return late;
    },
    /** The alarm raised by these bytes. Only the first is reported. */
    push(bytes: Buffer): Alarm | null {
      if (isTold) return null;
      lines.write(bytes);
      if (isWhole(bytes)) lines.write(newline);
      return tellUsage();
    },
    end(): Alarm | null {
      if (isTold) return null;
      lines.end();
      reader.end();
      alarm ??= budget.end(followUsage.settle(state));
      return tellUsage();
    },
  };
}

const newline = Buffer.from('\n');

/** Says whether the last line so far consists of whole records. Its newline may come only with the next record. */
function createLastLine(): (bytes: Buffer) => boolean {
  let scanner: ValueScanner | null = new ValueScanner();
  return (bytes) => {
    const start = bytes.lastIndexOf(newline) + 1;
    if (start > 0) scanner = new ValueScanner();
    // What makes up the structure of JSON is ASCII.
    const text = scanner === null ? '' : bytes.latin1Slice(start, bytes.length);
    const end = text.trimEnd().length;
    for (let at = 0; at < text.length && scanner !== null; ) {
      at = scanner.read(text, at);
      if (scanner.status === 'wrong') scanner = null;
      else if (scanner.status === 'whole') {
        scanner = new ValueScanner();
        if (at >= end) return true;
      }
    }
    return false;
  };
}

const followUsage = reducerOf({ usage: true });

// --stamp: adds the time to records that have none.

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
