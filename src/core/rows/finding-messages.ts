// Findings about messages: what became of them, and of the requests among them.
import type { Facts } from '../state/audit-facts.js';
import { limits } from '../state/audit-limits.js';
import type { Sighting } from '../state/messages.js';
import { type FindingRow, finding, findingAt } from './finding.js';
import { callFindings } from './finding-calls.js';
import { type AuditedMessage, type Delivery, deliveries } from './finding-delivery.js';
import type { HomeOf } from './finding-home.js';
import { said, tooFast } from './finding-limits.js';
import { requestFindings } from './finding-requests.js';
import type { Roster } from './finding-roster.js';
import type { RuleName } from './finding-rules.js';
import type { MessageRow } from './message.js';
import { groupBy } from './pick.js';

export function messageFindings(
  facts: Facts,
  homeOf: HomeOf,
  messages: readonly AuditedMessage[],
  roster: Roster,
): FindingRow[] {
  const deliveryOf = deliveries(facts, homeOf);
  return [
    ...callFindings(facts, 'messages'),
    ...messages.flatMap((message) => fate(message, roster, deliveryOf(message))),
    ...requestFindings(facts, homeOf),
    ...messages.flatMap((message) => longTexts(facts, message)),
    ...broadcastRates(facts, homeOf),
  ];
}

/** What became of a message that the program took. */
function fate(message: AuditedMessage, roster: Roster, delivery: Delivery): FindingRow[] {
  const { row, call } = message;
  if (row.status === 'failed' || row.status === 'open') return [];
  const place = call ?? message.seen.find(({ session_id }) => session_id !== null) ?? message.seen[0] ?? row;
  if (row.to !== null && row.status === 'sent' && roster.isComplete(place) && !roster.knows(place, row.to)) {
    const detail = `no agent in the team is called ${row.to}${call === null ? '' : ', but the call succeeded'}`;
    return [about('unknown_recipient', row, { agent: row.from, detail })];
  }
  return [
    ...delivery.missed.map(({ who, why }) =>
      about('undelivered', row, { agent: who, detail: `${row.type} from ${row.from} to ${who} ${why}` }),
    ),
    ...delivery.repeated.map(({ who, times }) =>
      about('delivered_twice', row, {
        agent: who,
        detail: `${row.type} from ${row.from} to ${who} arrived ${times} times`,
      }),
    ),
  ];
}

function about(rule: RuleName, row: MessageRow, own: Pick<FindingRow, 'agent' | 'detail'>): FindingRow {
  return findingAt(rule, row, { tool_use_id: row.tool_use_id, ...own });
}

/** However often it was seen. */
function longTexts({ audit }: Facts, { call, seen, row }: AuditedMessage): FindingRow[] {
  const sightings: readonly Sighting[] = call === null ? seen : [call, ...seen];
  const long = sightings.map(({ key }) => audit.messages.long.get(key)).find((found) => found !== undefined);
  const agent = row.from;
  const { content = null, summary = null } = long ?? {};
  return [
    ...(content === null ? [] : [about('long_message', row, { agent, detail: said(content, limits.messageContent) })]),
    ...(summary === null ? [] : [about('long_summary', row, { agent, detail: said(summary, limits.messageSummary) })]),
  ];
}

function broadcastRates({ agents, audit }: Facts, homeOf: HomeOf): FindingRow[] {
  const sent = audit.calls.values().filter(({ type, outcome }) => type === 'broadcast' && outcome === 'ok');
  return [...groupBy(sent, homeOf).values()]
    .flatMap((group) => tooFast(group, limits.broadcastRate))
    .map(({ at, detail }) => finding(agents, 'broadcast_rate', at, { tool_use_id: at.id, detail }));
}
