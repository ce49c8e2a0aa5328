// The columns of the table of calls.
import { getOrCreate } from '../record/json.js';

/** Callers and tools are numbers from 1; 0 while only a result or a hook is known. Times are milliseconds since 1970. */
export interface Columns {
  /** The hash of its id. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly caller: Uint32Array;
  readonly tool: Uint32Array;
  readonly flags: Uint8Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Durations in milliseconds, according to Claude Code and to a hook, plus 1; 0 if unknown. */
  readonly reported: Uint32Array;
  readonly hook: Uint32Array;
  readonly input_bytes: Uint32Array;
  readonly result_bytes: Uint32Array;
}

export function newColumns(rows: number): Columns {
  return {
    high: new Uint32Array(rows),
    low: new Uint32Array(rows),
    caller: new Uint32Array(rows),
    tool: new Uint32Array(rows),
    flags: new Uint8Array(rows),
    start: new Float64Array(rows),
    end: new Float64Array(rows),
    reported: new Uint32Array(rows),
    hook: new Uint32Array(rows),
    input_bytes: new Uint32Array(rows),
    result_bytes: new Uint32Array(rows),
  };
}

/** A copy with room for this many rows. */
export function withRoom(columns: Columns, rows: number): Columns {
  const { high, low, caller, tool, flags, start, end, reported, hook, input_bytes, result_bytes } = columns;
  const copy = newColumns(rows);
  copy.high.set(high);
  copy.low.set(low);
  copy.caller.set(caller);
  copy.tool.set(tool);
  copy.flags.set(flags);
  copy.start.set(start);
  copy.end.set(end);
  copy.reported.set(reported);
  copy.hook.set(hook);
  copy.input_bytes.set(input_bytes);
  copy.result_bytes.set(result_bytes);
  return copy;
}

/** Gives things numbers from 1. */
export class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string, make: () => T): number {
    return getOrCreate(this.#numbers, key, () => this.all.push(make()));
  }

  /** Takes over the numbers of another. */
  take(other: Numbered<T>): void {
    this.all.push(...other.all);
    for (const [key, number] of other.#numbers) this.#numbers.set(key, number);
  }
}
