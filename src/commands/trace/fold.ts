// Folds events into traces.
import type { Event } from '../../core/event/event.js';
import { SpanFacts } from '../../core/spans/facts.js';
import type { Trace } from '../../core/spans/model.js';
import { tracesOf } from '../../core/spans/traces.js';
import { newState, type Reducer, reducerOf, type State, settle, type Watcher } from '../../core/tables/reduce.js';
import { targetOf } from '../../core/wire/tools/about.js';

/** The slices of the state that traces need besides their own facts. */
export const followStory: Reducer = reducerOf({ story: true, calls: true });

/** Spans show single calls. */
export function newTraceState(): State {
  return newState({ details: targetOf });
}

export class TraceFold implements Watcher {
  readonly #facts = new SpanFacts();

  after(event: Event, _: State, near: string | null): void {
    this.#facts.note(event, near);
  }

  traces(now: State, options?: { readonly lean: boolean }): Trace[] {
    const state = settle(now);
    const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
    return tracesOf(this.#facts, { ...state, firstOf }, options);
  }
}
