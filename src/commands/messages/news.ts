// Messages as they are first seen, sent or received: for people who watch, and do not wait for what the end will tell.
import type { Event } from '../../core/event/event.js';
import { type AgentsState, resolveAgent } from '../../core/state/agents.js';
import type { State } from '../reduce.js';
import { messageIn, type Sighting, sightingIn } from './fold.js';
import { type MessageRow, type MessageText, noText, receivedRow, sentRow } from './rows.js';

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

/**
 * Tells, as they come, whether a sighting shows a message that was not shown yet. Each way to see messages shows each
 * of them once: of sightings that are alike, only those beyond the longest count so far are news.
 */
export class MessageOnce {
  readonly #alike = new Map<string, Alike>();

  isNews(sighting: Sighting, agents: AgentsState): boolean {
    const { type, from, agent, body, to, via, approve } = sighting;
    const isBroadcast = type === 'broadcast';
    // A broadcast reaches everybody as a message.
    const key = [isBroadcast ? 'message' : type, nameOf(agents, sighting, from ?? agent), approve, body].join(' ');
    const alike = this.#alike.get(key) ?? { ways: new Map(), shown: new Map(), nameless: 0 };
    this.#alike.set(key, alike);
    const recipient = isBroadcast ? everybody : nameOf(agents, sighting, to);
    const way = `${via} ${recipient}`;
    const seen = (alike.ways.get(way) ?? 0) + 1;
    alike.ways.set(way, seen);
    if (!isBroadcast && via !== 'call' && to === agent && resolveAgent(agents, sighting, to).kind === null)
      return isNewsForNobody(alike, seen);
    const broadcasts = isBroadcast ? 0 : (alike.shown.get(everybody) ?? 0);
    const shown = alike.shown.get(recipient) ?? 0;
    if (seen <= shown + broadcasts) return false;
    const arrived = isBroadcast && sighting.recipients.some((who) => alike.shown.has(nameOf(agents, sighting, who)));
    alike.shown.set(recipient, shown + 1);
    if (alike.nameless === 0) return !arrived;
    alike.nameless = isBroadcast ? 0 : alike.nameless - 1;
    return false;
  }
}

interface Alike {
  /** How often it was seen on each way, for each recipient. */
  readonly ways: Map<string, number>;
  /** How many messages that are for each recipient. */
  readonly shown: Map<string, number>;
  /** Messages that were shown when nobody knew yet whose turn it was that got them. */
  nameless: number;
}

const everybody = '*';

/** Until its name is known, a recipient goes by the id of its turn: any message that is alike may be the one. */
function isNewsForNobody(alike: Alike, seen: number): boolean {
  const known = [...alike.shown.values()].reduce((sum, count) => sum + count, alike.nameless);
  if (seen <= known) return false;
  alike.nameless++;
  return true;
}

/** One name for each agent, whether it is addressed by name or by id; the lead has several names and is one. */
function nameOf(agents: AgentsState, scope: Sighting, who: string | null): string {
  if (who === null) return '';
  if (who === 'team-lead' || who.startsWith('team-lead@')) return 'main';
  const known = resolveAgent(agents, scope, who);
  if (known.kind === 'lead') return 'main';
  return known.name === who ? (who.split('@')[0] ?? who) : known.name;
}
