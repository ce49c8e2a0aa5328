// Finds the session of messages and compactions that several transcripts have: a fork repeats the rows of its parent.

import { earliest } from '../order.js';
import { othersOf } from './messages.js';
import { sessionKey } from './sessions.js';
import type { UsageState } from './usage.js';

/** The usage with each message in the session that requested it: the one whose stream has it, else the first in order. */
export function atHome(usage: UsageState): UsageState {
  const { sessions, compactions } = usage;
  const repeated = usage.shared.size === 0 ? [] : usage.messages.values().filter(({ others }) => others.length > 0);
  const repeatedCompactions = compactions.values().some(({ others }) => others.length > 0);
  if (repeated.length === 0 && !repeatedCompactions) return usage;

  const started = new Map<string, string>();
  for (const [key, { files }] of sessions) {
    const time = files.values().reduce<string | null>((first, file) => earliest(first, file.started_at), null);
    if (time !== null) started.set(key, time);
  }
  const compare = sessionOrder(started, () => countMessages(usage));
  const homeOf = (own: string | null, others: readonly string[]) => {
    const all = [sessionKey(own), ...others].sort(compare);
    const home = all[0] ?? '';
    return { session_id: home || null, others: othersOf(home, all, others) };
  };

  const moved = repeated.flatMap((message) => {
    if (message.stream) return [];
    const { session_id, others } = homeOf(message.origin.session_id, message.others);
    if (session_id === message.origin.session_id) return [];
    return [{ ...message, origin: { ...message.origin, session_id }, others }];
  });
  const messages = moved.length === 0 ? usage.messages : usage.messages.copy();
  for (const message of moved) messages.put(message.key, message);
  const own = compactions.copy();
  for (const [key, compaction] of compactions)
    if (compaction.others.length > 0)
      own.set(key, { ...compaction, ...homeOf(compaction.session_id, compaction.others) });
  return { ...usage, messages, compactions: own };
}

/** How many messages each session has. */
function countMessages({ messages }: UsageState): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { origin, others } of messages.values()) {
    count(sessionKey(origin.session_id));
    for (const key of others) count(key);
  }
  return counts;
}

/**
 * Which of several sessions that have a message requested it, where no stream and no record says so: the one that began
 * first, else the one with fewer messages.
 */
export function sessionOrder(
  started: ReadonlyMap<string, string>,
  counted: () => ReadonlyMap<string, number>,
): (a: string, b: string) => number {
  let counts: ReadonlyMap<string, number> | undefined;
  return (a, b) => {
    const [one, other] = [started.get(a) ?? never, started.get(b) ?? never];
    if (one !== other) return one < other ? -1 : 1;
    counts ??= counted();
    return (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || (a < b ? -1 : 1);
  };
}

/** Later than any time. */
const never = '\uffff';
