// Folds events into traces.
import type { Event } from '../../core/event/event.js';
import { toJson } from '../../core/record/json.js';
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

/** What calls were given and gave back, for formats that repeat it. The same in whatever order copies come. */
export class CallContents {
  readonly #inputs = new Map<string, string>();
  readonly #results = new Map<string, string>();
  readonly #failed = new Set<string>();
  readonly #longest: number;

  /** Longer results are cut, and longer inputs, which would be no JSON then, are left out. */
  constructor(longest = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
  }

  note(event: Event): void {
    if (event.event === 'tool:called' && event.tool_use_id !== null && event.input !== null)
      this.#keepInput(event.tool_use_id, toJson(event.input));
    if (event.event !== 'tool:returned' || event.tool_use_id === null) return;
    const { tool_use_id: id, result, success } = event;
    if (success === false) this.#failed.add(id);
    if (result === null) return;
    const text = typeof result === 'string' ? result : toJson(result);
    keepLeast(this.#results, id, text.length > this.#longest ? `${text.slice(0, this.#longest)}…` : text);
  }

  #keepInput(id: string, text: string): void {
    if (text.length <= this.#longest) keepLeast(this.#inputs, id, text);
  }

  /** As JSON; null if it is not known, or was left out. */
  inputOf(id: string): string | null {
    return this.#inputs.get(id) ?? null;
  }

  /** As text, else as JSON. */
  returnedText(id: string): string | null {
    return this.#results.get(id) ?? null;
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }
}

function keepLeast(texts: Map<string, string>, id: string, text: string): void {
  const known = texts.get(id);
  if (known === undefined || text < known) texts.set(id, text);
}

export class TraceFold implements Watcher {
  readonly #facts = new SpanFacts();

  after(event: Event, _: State, near: string | null): void {
    this.#facts.note(event, near);
  }

  traces(now: State, options?: { readonly lean: boolean }): Trace[] {
    const state = settle(now);
    const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
    return tracesOf(this.#facts, { ...state, firstTimeIn: firstOf }, options);
  }
}
