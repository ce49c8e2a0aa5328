import { Random } from '../bench/random.js';
import type { JsonObject } from '../json.js';
import { Session } from './session.js';

/** What the stream contained, to compare with what cct reports. */
export interface Known {
  records: number;
  teams: number;
  members: number;
  /** How often an agent was started or resumed. */
  runs: number;
  tasks: number;
  completed: number;
  sends: number;
  /** Calls that returned. */
  calls: number;
  /** API messages. */
  messages: number;
  input_tokens: number;
  output_tokens: number;
}

export const noKnown: Readonly<Known> = {
  records: 0,
  teams: 0,
  members: 0,
  runs: 0,
  tasks: 0,
  completed: 0,
  sends: 0,
  calls: 0,
  messages: 0,
  input_tokens: 0,
  output_tokens: 0,
};

export interface Plan {
  /** Sessions that run side by side. */
  readonly sessions: number;
  /** Steps of a session until its team is closed; a step is two or three records. */
  readonly steps: number;
}

/** An endless stream: sessions come, work and end, so that the number of open things stays the same. */
export class World {
  readonly known: Known = { ...noKnown };
  readonly #random = new Random(11);
  readonly #open: Session[] = [];
  readonly #plan: Plan;
  #begun = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Lines, one step of some session at a time, until it is over. Then all sessions end. */
  *lines(isOver: () => boolean): Generator<string> {
    while (!isOver()) {
      if (this.#open.length < this.#plan.sessions) yield this.#write(this.#begin());
      const at = this.#random.between(0, this.#open.length - 1);
      const session = this.#open[at];
      if (session === undefined) continue;
      yield this.#write(session.step());
      if (session.steps < this.#plan.steps) continue;
      this.#open.splice(at, 1);
      yield this.#write(session.end());
    }
    for (const session of this.#open) yield this.#write(session.end());
  }

  #begin(): JsonObject[] {
    const session = new Session(this.#random, ++this.#begun, this.known);
    this.#open.push(session);
    const records = session.begin();
    // Every third stream is joined late: what came before the first result is missing.
    return this.#begun % 3 === 0 ? records.slice(records.findIndex(({ type }) => type === 'user')) : records;
  }

  #write(records: readonly JsonObject[]): string {
    this.known.records += records.length;
    return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}
