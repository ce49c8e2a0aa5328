import { type AgentsState, resolveAgent } from './agents.js';
import type { Sighting } from './messages.js';

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
