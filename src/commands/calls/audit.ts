// The audit's findings about loops: the same call with the same input that fails again and again.
import type { RepeatedCalls } from '../../core/state/repeated.js';
import type { Spot } from '../audit/fold.js';

interface Repeated {
  readonly spot: Spot;
  readonly about: { readonly tool_use_id: string | null; readonly detail: string };
}

/** Where each loop failed last. */
export function repeatedCalls(calls: RepeatedCalls): Repeated[] {
  return calls.all.map(({ tool, last: { tool_use_id, ...last }, tool_use_ids }) => ({
    spot: { ...last, at: last.time, source: null },
    about: { tool_use_id, detail: `${tool} failed ${tool_use_ids.size} times with the same input` },
  }));
}
