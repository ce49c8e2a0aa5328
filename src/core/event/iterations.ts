import { idOf, listOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';

/** A sampling step inside one API message that the message's own counts do not hold. */
export interface Attempt {
  /** Its place in usage.iterations. */
  readonly place: number;
  readonly type: string;
  readonly model: string | null;
  readonly usage: JsonObject;
}

/**
 * usage.iterations lists what the API did for one message. Its counts are those of the model that answered, over all its
 * steps. Beside them stand the advisor (charged under its own model), a compaction, and what another model did before it
 * declined and the next one answered (`fallback_message`).
 */
export function attemptsOf(usage: JsonObject, model: string | null): readonly Attempt[] {
  const list = listOf(usage.iterations);
  if (list === null || list.length === 0) return none;
  const steps = list.flatMap((item, place) => {
    const step = objectOf(item);
    const type = textOf(step?.type) ?? '';
    return step === null ? [] : [{ place, type, model: idOf(step.model), usage: step }];
  });
  const answered = steps.findLast(({ type }) => !besides.has(type))?.model ?? model;
  return steps
    .filter((step) => besides.has(step.type) || (step.model ?? answered) !== answered)
    .map((step) => ({ ...step, model: step.model ?? model }));
}

const none: readonly Attempt[] = [];
const besides: ReadonlySet<string> = new Set(['advisor_message', 'compaction']);
