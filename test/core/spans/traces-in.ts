import { followStory, newTraceState, TraceFold } from '../../../src/commands/trace/fold.js';
import type { Trace } from '../../../src/core/spans/model.js';
import { reduceAll } from '../../../src/core/tables/reduce.js';
import type { Event } from '../../../src/lib.js';

export function tracesIn(events: Iterable<Event>): Trace[] {
  const fold = new TraceFold();
  return fold.traces(reduceAll(events, followStory, newTraceState(), fold));
}
