import type { EventName } from '../core/event/event.js';
import type { Interest } from '../core/event/interest.js';
import { isAccounted } from '../core/state/account.js';

/** What the command asks for, and what the account of the run is kept from. */
export function wantedEvents(interest: Interest): (event: EventName) => boolean {
  if (interest.everything) return () => true;
  const known = new Map<string, boolean>();
  return (event) => {
    const answer = known.get(event) ?? (interest.wants(event) || isAccounted(event) || besides.has(event));
    known.set(event, answer);
    return answer;
  };
}

/** A message that was never sent is known by its call, and a call by being taken back; where they are read they are told. */
const besides: ReadonlySet<string> = new Set(['tool:called', 'session:changed']);
