import type { ResultUse } from '../state/usage/result-use.js';
import type { UsageState } from '../state/usage/usage.js';
import { once } from './once.js';
import { mayCarryOver } from './usage-processes.js';
import { cumulativeOf, totalsKey } from './usage-spent.js';

/**
 * Sessions whose reports have to be settled together, each with all of its group; a session that is not in it stands alone.
 * A fork repeats its parent's messages and carries its cost over; after /clear 2.1.140 goes on counting under a new session id.
 */
export function accountsOf(usage: UsageState): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  const unite = (a: string, b: string) => {
    const [one, other] = [groups.get(a) ?? new Set([a]), groups.get(b) ?? new Set([b])];
    if (one === other) return;
    for (const session of other) one.add(session);
    for (const session of one) groups.set(session, one);
  };
  for (const [a, b] of usage.shared.values()) if (isReported(usage, a, b)) unite(a, b);
  for (const [a, b] of carriedOver(usage)) unite(a, b);
  return new Map([...groups].map(([session, group]) => [session, [...group].sort()]));
}

/** Both report, and a transcript does: its figures do not say what they carry over. */
function isReported({ sessions }: UsageState, a: string, b: string): boolean {
  const [one, other] = [a, b].map((key) => sessions.get(key)?.results.values() ?? []);
  if (!one?.length || !other?.length) return false;
  return [...one, ...other].some(({ state }) => state);
}

/** Pairs of sessions, the second of which begins with what the first said last. */
function carriedOver({ sessions }: UsageState): [string, string][] {
  const heirs = new Map<string, string[]>();
  const all: [string, ResultUse][] = [];
  for (const [key, { results }] of sessions)
    for (const result of results.values()) {
      if (result.state || result.models.size === 0) continue;
      all.push([key, result]);
      if (mayCarryOver(result)) once(heirs, totalsKey(cumulativeOf(result)), () => []).push(key);
    }
  if (heirs.size === 0) return [];
  const pairs: [string, string][] = [];
  for (const [key, result] of all)
    for (const heir of heirs.get(totalsKey(cumulativeOf(result))) ?? []) if (heir !== key) pairs.push([key, heir]);
  return pairs;
}
