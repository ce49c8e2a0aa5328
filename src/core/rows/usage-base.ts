import type { MessageUse } from '../state/usage/message-use.js';
import { sessionKey } from '../state/usage/usage.js';
import type { Told } from './usage-part.js';
import type { Report } from './usage-processes.js';
import { type Cumulative, compareSize, coversAll, cumulativeOf, sizeOf } from './usage-spent.js';
import { addTokens, noTokens } from './usage-tokens.js';

interface Sized extends Report {
  readonly now: Cumulative;
}

/**
 * What the cost-state rows of a forked session carry over from the session it was forked from, by the key of the fork: the
 * largest report of a session it shares messages with that leaves room for the messages it has for itself.
 */
export function basesOf(reports: readonly Report[], messages: readonly Told[]): ReadonlyMap<string, Cumulative> {
  const bases = new Map<string, Cumulative>();
  const sized = reports
    .map((report): Sized => ({ ...report, now: cumulativeOf(report.result) }))
    .sort((a, b) => compareSize(sizeOf(a.now), sizeOf(b.now)));
  const sessions = new Set(reports.map(({ session }) => session));
  if (sessions.size < 2) return bases;
  for (const session of sessions) {
    const own = sized.filter((report) => report.session === session);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined || !first.result.state) continue;
    const base = sized.findLast(({ session: other, now }) => {
      if (other === session || !coversAll(first.now, now, null)) return false;
      const used = usedApart(messages, session, other, last.result.said.time);
      return used !== null && coversAll(last.now, now, used);
    });
    if (base !== undefined) bases.set(session, base.now);
  }
  return bases;
}

/** What messages of one session up to a time used that the other does not have; null where they share none. */
function usedApart(messages: readonly Told[], session: string, other: string, until: string | null) {
  const used = noTokens();
  let isShared = false;
  for (const { message } of messages) {
    if (!message.row || !has(message, session)) continue;
    if (has(message, other)) isShared = true;
    else if (until === null || message.time === null || message.time <= until) addTokens(used, message);
  }
  return isShared ? used : null;
}

function has({ origin, others }: MessageUse, session: string): boolean {
  return sessionKey(origin.session_id) === session || others.includes(session);
}
