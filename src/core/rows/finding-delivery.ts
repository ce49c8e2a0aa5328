// Whether a message arrived, as far as anybody can see.
import { resolveAgent } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import type { Listener } from '../state/audit-messages.js';
import type { Sighting } from '../state/messages.js';
import type { JoinedMessage } from '../state/messages-join.js';
import { keyOf, type Place } from '../state/tasks-place.js';
import type { HomeOf } from './finding-home.js';
import { isLead, plainName } from './finding-roster.js';
import type { MessageRow } from './message.js';
import { groupBy } from './pick.js';

/** A message as its row shows it, and as it was seen. */
export interface AuditedMessage extends JoinedMessage {
  readonly row: MessageRow;
}

export interface Delivery {
  /** Who did not get it, and how that can be told. */
  readonly missed: readonly { readonly who: string; readonly why: string }[];
  readonly repeated: readonly { readonly who: string; readonly times: number }[];
}

export function deliveries({ agents, audit }: Facts, homeOf: HomeOf): (message: AuditedMessage) => Delivery {
  const { arrivals, listeners, prompts } = audit.messages;
  const nameOf = (place: Place, who: string) => {
    const found = resolveAgent(agents, place, who);
    return isLead(who) || found.kind === 'lead' ? 'main' : plainName(found.name);
  };
  const heard = groupBy(
    listeners.values().filter(({ hears }) => hears),
    (one) => keyOf(homeOf(one), nameOf(one, one.agent ?? 'main')),
  );

  return (message) => {
    const { call, seen, row } = message;
    const sent = call ?? seen[0];
    const place = sent ?? row;
    const bySight = groupBy(seen, (sighting) => nameOf(sighting, sighting.to ?? ''));
    const names = [...new Set(row.recipients.map((who) => nameOf(place, who)))];
    const isPrompt = [call, ...seen].some((sighting) => sighting !== null && prompts.has(sighting.body));
    const missed = names.flatMap((name) => {
      const later = (heard.get(keyOf(homeOf(place), name)) ?? []).filter((one) => sent && goesOn(one, sent));
      const why = reason(bySight.get(name) ?? [], later, row.type);
      return why === null || isPrompt || message.arrived ? [] : [{ who: shown(row, name), why }];
    });
    const repeated = [...bySight].flatMap(([name, sightings]) => {
      const times = new Set(sightings.flatMap(({ key }) => arrivals.get(key) ?? [])).size;
      return times > 1 ? [{ who: shown(row, name), times }] : [];
    });
    return { missed, repeated };
  };
}

/**
 * How it can be told that a message did not arrive; null where it did, or nobody can tell. `later` are conversations of its
 * recipient that went on after it was sent: what was sent after the end of one may still have come.
 */
function reason(sightings: readonly Sighting[], later: readonly Listener[], type: string): string | null {
  if (sightings.some(({ via, status }) => via === 'envelope' && status === 'delivered')) return null;
  // The program acts upon an answer by itself: it need not be read, nor show in a conversation.
  if (type.endsWith('_response')) return null;
  if (sightings.some(({ status }) => status === 'delivered'))
    return type === 'message' && later.some(({ transcript }) => transcript)
      ? 'was marked as read, but is not in its conversation'
      : null;
  if (sightings.length > 0) return 'has not been read';
  return later.length > 0 ? 'is not in its conversation' : null;
}

/** By time or, where that does not tell, by place in one file. */
function goesOn({ lastTime, lastLine, source }: Listener, sent: Sighting): boolean {
  if (sent.time !== null && lastTime !== null && lastTime !== sent.time) return lastTime > sent.time;
  return (source ?? '') === sent.source && lastLine > (sent.line ?? 0);
}

/** The lead is called what the message calls it. */
function shown({ to, recipients }: MessageRow, name: string): string {
  return name === 'main' ? ([to, ...recipients].find((who) => who !== null && isLead(who)) ?? name) : name;
}
