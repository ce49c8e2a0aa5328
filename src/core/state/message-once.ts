import { type AgentsState, resolveAgent } from './agents.js';
import type { Sighting } from './messages.js';

/**
 * Tells, as they come, whether a sighting shows a message nobody has shown yet. Each way to see messages shows each
 * of them once, so of all sightings that are alike only the ones beyond the longest count so far are news.
 */
export class MessageOnce {
  readonly #alike = new Map<string, Alike>();

  isNews(sighting: Sighting, agents: AgentsState): boolean {
    const { type, from, agent, body, to, via, recipients } = sighting;
    const isBroadcast = type === 'broadcast';
    // A broadcast reaches everybody as a message.
    const key = [isBroadcast ? 'message' : type, nameOf(agents, sighting, from ?? agent), body].join(' ');
    const alike = this.#alike.get(key) ?? { ways: new Map(), shown: new Map() };
    this.#alike.set(key, alike);
    const recipient = isBroadcast ? everybody : nameOf(agents, sighting, to);
    const way = `${via} ${recipient}`;
    const seen = (alike.ways.get(way) ?? 0) + 1;
    alike.ways.set(way, seen);
    const shown = (who: string) => alike.shown.get(who) ?? 0;
    if (seen <= shown(recipient) + (isBroadcast ? 0 : shown(everybody))) return false;
    const came = isBroadcast
      ? recipients.some((who) => shown(nameOf(agents, sighting, who)) > 0)
      : // Until its name is known, a recipient goes by the id of its turn.
        via !== 'call' && to === agent && alike.shown.size > 0;
    alike.shown.set(recipient, shown(recipient) + 1);
    return !came;
  }
}

interface Alike {
  /** How often it was seen on each way, for each recipient. */
  readonly ways: Map<string, number>;
  /** How many messages that are for each recipient. */
  readonly shown: Map<string, number>;
}

const everybody = '*';

/** One name for each agent, whether it is addressed by name or by id; the lead has several names and is one. */
function nameOf(agents: AgentsState, scope: Sighting, who: string | null): string {
  if (who === null) return '';
  if (who === 'team-lead' || who.startsWith('team-lead@')) return 'main';
  const known = resolveAgent(agents, scope, who);
  if (known.kind === 'lead') return 'main';
  return known.name === who ? (who.split('@')[0] ?? who) : known.name;
}
