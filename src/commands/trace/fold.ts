// Folds events into traces.
import type { Event } from '../../core/event/event.js';
import { SpanFacts } from '../../core/spans/facts.js';
import type { Trace } from '../../core/spans/model.js';
import { tracesOf } from '../../core/spans/traces.js';
import { type Reducer, reducerOf, type State, settle } from '../reduce.js';

/** The slices of the state that traces need besides their own facts. */
export const followStory: Reducer = reducerOf({ story: true });

/** One event and its effect on the state. */
interface Step {
  readonly event: Event;
  readonly before: State;
  readonly after: State;
}

export class TraceFold {
  readonly #facts = new SpanFacts();

  note({ event, before, after }: Step): void {
    const isSameSource = before.clocks.source === after.clocks.source;
    this.#facts.note(event, (isSameSource ? before : after).clocks.last);
  }

  traces(now: State, options?: { readonly lean: boolean }): Trace[] {
    const state = settle(now);
    const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
    return tracesOf(this.#facts, { ...state, firstOf }, options);
  }
}
