// The way from events to lines of a story: what happened, in order, each thing once.
import type { Event } from '../event/event.js';
import { isOfAgents, newAgents, noteAgents } from '../tables/agents.js';
import type { Wants } from './draft.js';
import { happeningOf } from './happening.js';
import type { StoryLine } from './line.js';
import { Merge, StreamClock } from './merge.js';
import { Teller, type TellerOptions } from './teller.js';

export interface StorytellerOptions extends Wants, Pick<TellerOptions, 'everything' | 'turns' | 'folds'> {
  /** More comes of the files: they are told in pieces, by `catchUp`. */
  readonly follows?: boolean;
}

export class Storyteller {
  /** Who is who, as far as it is known. */
  readonly agents = newAgents();
  readonly #wants: StorytellerOptions;
  readonly #colors = new Map<string, string>();
  /** Sessions that repeat calls of another. */
  readonly #forks = new Set<string | null>();
  readonly #teller: Teller;
  readonly #clock = new StreamClock((happening) => this.#teller.tell(happening));
  /** null for a single stream, which is told as it comes. */
  #merge: Merge | null;

  constructor(options: StorytellerOptions, write: (line: StoryLine) => void) {
    this.#wants = options;
    this.#merge = options.follows ? new Merge() : null;
    const colorOf = (session: string | null, agent: string | null) => this.#colors.get(`${session} ${agent}`) ?? null;
    this.#teller = new Teller({ ...options, agents: this.agents, colorOf }, write);
  }

  note(event: Event): void {
    if (isOfAgents(event)) noteAgents(this.agents, event);
    if (event.event === 'team:member:joined' && event.member.color !== null)
      this.#colors.set(`${event.session_id} ${event.member.agent_id ?? event.agent}`, event.member.color);
    // Only events of several files say which one they are from, also when they are read back.
    if (event.source !== undefined && this.#merge === null) {
      this.#clock.end();
      this.#merge = new Merge();
    }
    if (event.event === 'tool:called' && event.copied === true) this.#forks.add(event.session_id);
    // The cost of a fork includes what its parent had spent.
    const isPartly = event.event === 'usage:reported' && this.#forks.has(event.session_id);
    const happening = isPartly ? null : happeningOf(event, this.#wants);
    if (happening !== null) (this.#merge ?? this.#clock).add(happening);
    else if (event.time !== null) this.passTime(event.time, event.source);
  }

  /** A record has this time, whatever it says. */
  passTime(time: string, source = ''): void {
    (this.#merge ?? this.#clock).passTime(time, source);
  }

  /** Tells what files that are followed have brought. */
  catchUp(isLast = false): void {
    for (const happening of this.#merge?.take({ isLast }) ?? []) this.#teller.tell(happening);
    this.#teller.flush();
  }

  /** What is open now, and what waits for others of its kind. */
  get open(): StoryLine[] {
    return [...this.#teller.held, ...this.#teller.open];
  }

  end(): void {
    this.catchUp(true);
    this.#clock.end();
    this.#teller.end();
  }
}
