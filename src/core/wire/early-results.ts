// Keeps results that are read before their calls: files may be read in any order.
import type { Origin, Waiting } from './context.js';
import type { Place } from './sessions.js';

/** A result whose call was not read before it. */
interface EarlyResult {
  /** The number that stands for the id of its call. */
  readonly mark: number;
  /** Where it is, with a record that outlives its line. */
  readonly at: Origin;
  readonly place: Place;
  /** The size of its record. */
  readonly bytes: number;
}

interface FoundResult {
  readonly call: Waiting;
  readonly result: EarlyResult;
}

export class EarlyResults {
  #results: EarlyResult[] = [];

  /** Whether one more may wait for its call. */
  get hasRoom(): boolean {
    return this.#results.length < most;
  }

  keep(result: EarlyResult): void {
    const kept = this.#results.reduce((sum, { bytes }) => sum + bytes, 0);
    if (kept + result.bytes <= mostBytes) this.#results.push(result);
  }

  /** A call behind its result in one source stays open. */
  drop(call: number, here: Place): void {
    if (this.#results.length > 0)
      this.#results = this.#results.filter(({ mark, place }) => mark !== call || place !== here);
  }

  /** Removes the results whose calls were read meanwhile. `takeCall` removes a call that is open. */
  take(takeCall: (mark: number) => Waiting | undefined): FoundResult[] {
    if (this.#results.length === 0) return [];
    const found = this.#results.flatMap((result) => {
      const call = takeCall(result.mark);
      return call === undefined ? [] : [{ call, result }];
    });
    if (found.length > 0) this.#results = this.#results.filter((one) => !found.some(({ result }) => result === one));
    return found;
  }
}

/** Only input that was scattered, or that lacks its beginning, has any. */
const most = 200;
const mostBytes = 4_000_000;
