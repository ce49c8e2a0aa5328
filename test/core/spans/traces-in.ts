import { initialState } from '../../../src/commands/reduce.js';
import { followStory, TraceFold } from '../../../src/commands/trace/fold.js';
import type { Trace } from '../../../src/core/spans/model.js';
import type { Event } from '../../../src/lib.js';

export function tracesIn(events: Iterable<Event>): Trace[] {
  const fold = new TraceFold();
  let state = initialState;
  for (const event of events) {
    const before = state;
    state = followStory(before, event);
    fold.note({ event, before, after: state });
  }
  return fold.traces(state);
}
