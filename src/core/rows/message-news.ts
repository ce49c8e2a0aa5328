// Messages as they are first seen, sent or received: for people who watch, and do not wait for what the end will tell.
import type { Event } from '../event/event.js';
import { MessageOnce } from '../state/message-once.js';
import { messageIn, type Sighting, sightingIn } from '../state/messages.js';
import type { State } from '../state/reduce.js';
import { type MessageRow, type MessageText, noText, receivedRow, sentRow } from './message.js';

export interface Seen {
  readonly sighting: Sighting;
  readonly text: MessageText;
}

/** An event, and what it did to the state. */
export interface Noted {
  readonly event: Event;
  readonly before: Pick<State, 'messages'>;
  readonly after: Pick<State, 'agents'>;
}

/** To be told every event; the message it shows, if nothing before it showed that. */
export function createMessageNews(): (step: Noted) => Seen | null {
  const once = new MessageOnce();
  return ({ event, before, after }) => {
    const sighting = event.event.startsWith('team:message:') ? sightingIn(event) : null;
    if (sighting === null) return null;
    const known = before.messages.sightings.get(sighting.key);
    const isRepeated = known !== undefined && known.status !== 'open';
    if (isRepeated || !once.isNews(sighting, after.agents)) return null;
    return { sighting, text: messageIn(event) ?? noText };
  };
}

/** With the names known now. */
export function seenRow({ sighting, text }: Seen, agents: State['agents']): MessageRow {
  if (sighting.via === 'call') return sentRow(sighting, text, agents);
  return receivedRow({ seen: [sighting], arrived: false }, () => text, agents);
}
