import type { Event } from '../event/event.js';
import { type AuditState, noAudit, reduceAudit } from './audit.js';
import { compareOrder, type Order } from './facts.js';
import { initialState, reducerOf, type State, settle } from './reduce.js';

/** Everything findings are made from. */
export interface Facts extends State {
  readonly audit: AuditState;
}

/** Reads events and says what findings are made from. */
export interface AuditReader {
  note(event: Event): void;
  facts(): Facts;
}

export function createAuditReader(): AuditReader {
  let state = initialState;
  let audit = noAudit;
  /** Events of several files, which may tell of one thing out of order. */
  const several: Dated[] = [];
  const clocks = new Map<string, string>();
  return {
    note(event) {
      state = follow(state, event);
      if (event.source === undefined || isCount(event)) audit = reduceAudit(audit, event);
      else {
        const time = event.time ?? clocks.get(event.source) ?? '';
        clocks.set(event.source, time);
        several.push({
          event,
          order: { time, rank: 0, session: event.session_id ?? '', source: event.source, seq: event.seq },
        });
      }
    },
    facts() {
      several.sort((a, b) => compareOrder(a.order, b.order));
      for (const { event } of several.splice(0)) audit = reduceAudit(audit, event);
      return { ...settle(state), audit };
    },
  };
}

interface Dated {
  readonly event: Event;
  readonly order: Order;
}

const follow = reducerOf({ story: true, messages: true, work: true });

/** In any order these come to the same, and there are many of them. */
function isCount({ event }: Event): boolean {
  return event === 'usage:recorded' || event === 'text:produced' || event === 'thinking:produced';
}
