// Finds the context of messages: what was compacted before them, and where less was read from the cache than before.
import type { CacheBreak } from '../../core/event/usage-row.js';
import { promptOf, unknownService } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import { firstIndex } from '../../core/tables/order.js';
import { isBefore, type Moment, type Setup } from '../../core/tables/usage/files.js';
import { isLead, type MessageUse, type Origin } from '../../core/tables/usage/messages.js';
import { type Compaction, sessionKey, type UsageState } from '../../core/tables/usage/usage.js';
import type { Pricing } from './parts.js';

export interface Contexts {
  compactionsBefore(message: MessageUse): number;
  /** Compactions of agents that have no message in the input. */
  compactionsIn(session: string): number;
  breakAt(message: MessageUse): CacheBreak | null;
}

/** `findsBreaks`: also find where the cache broke, which has to look at every message. */
export function contextsOf(usage: UsageState, { resolve }: Pricing, findsBreaks: boolean): Contexts {
  const { compactions, contexts, sessions, messages } = usage;
  const spenderName = (origin: Origin) =>
    `${sessionKey(origin.session_id)} ${isLead(origin) ? '' : resolve(origin).who.agent}`;
  const found = new Map<MessageUse, number>();
  const alone = new Map<string, number>();
  const breaks = new Map<MessageUse, CacheBreak>();
  const compacted = new Set(compactions.values().map(({ session_id }) => sessionKey(session_id)));
  const isAsked = ({ origin }: MessageUse) =>
    origin.iteration === null && (findsBreaks || compacted.has(sessionKey(origin.session_id)));
  const conversations = new Map<string, MessageUse[]>();
  if (findsBreaks || compacted.size > 0)
    for (const message of messages.values())
      if (isAsked(message)) getOrCreate(conversations, spenderName(message.origin), () => []).push(message);
  for (const conversation of conversations.values()) sortByMoment(conversation);
  for (const compaction of compactions.values()) {
    const conversation = conversations.get(spenderName({ ...nobody, ...compaction })) ?? [];
    const at = { time: compaction.time ?? compaction.near, place: compaction.place };
    const after = firstIndex(conversation, (message) => !isAfter(message, at));
    const next = conversation[after] ?? conversation.at(-1);
    if (next !== undefined) found.set(next, (found.get(next) ?? 0) + compaction.count);
    else {
      const key = sessionKey(compaction.session_id);
      alone.set(key, (alone.get(key) ?? 0) + compaction.count);
    }
  }
  const compactionsBefore = (message: MessageUse) =>
    found.size + contexts.size === 0
      ? 0
      : Math.max(found.get(message) ?? 0, contexts.get(message.key)?.compactions ?? 0);
  if (findsBreaks)
    for (const conversation of conversations.values())
      findBreaks(conversation, setupsOf(sessions, conversation[0]), compactionsBefore, breaks);
  return {
    compactionsBefore,
    compactionsIn: (session) => alone.get(session) ?? 0,
    // A row that is read back knows more than the rows around it.
    breakAt: (message) =>
      message.origin.who === null ? (breaks.get(message) ?? null) : (contexts.get(message.key)?.cache_break ?? null),
  };
}

const nobody: Omit<Origin, keyof Compaction> = {
  model: null,
  ...unknownService,
  iteration: null,
  who: null,
};

/** Sorts in place: by time if all have one, else in reading order. */
function sortByMoment<T extends Moment>(list: T[]): T[] {
  const isTimed = list.every(({ time }) => time !== null);
  const compareTimes = (a: T, b: T) => ((a.time ?? '') < (b.time ?? '') ? -1 : a.time === b.time ? 0 : 1);
  return list.sort((a, b) => (isTimed ? compareTimes(a, b) : 0) || a.place - b.place);
}

function isAfter(message: Moment, { time, place }: Moment): boolean {
  return message.time !== null && time !== null ? message.time > time : message.place >= place;
}

function setupsOf(sessions: UsageState['sessions'], first: MessageUse | undefined): readonly Setup[] {
  if (first === undefined || !isLead(first.origin)) return [];
  const files = sessions.get(sessionKey(first.origin.session_id))?.files.values() ?? [];
  return sortByMoment(files.flatMap(({ setups }) => setups));
}

/** Compares each message of an agent with the one before it. */
function findBreaks(
  conversation: readonly MessageUse[],
  setups: readonly Setup[],
  compactionsBefore: (message: MessageUse) => number,
  breaks: Map<MessageUse, CacheBreak>,
): void {
  const setupAt = (message: MessageUse) => setups[firstIndex(setups, (setup) => isBefore(setup, message)) - 1]?.digest;
  const isNewSetup = (a: MessageUse, b: MessageUse) => {
    const [one, other] = [setupAt(a), setupAt(b)];
    return one !== undefined && other !== undefined && one !== other;
  };
  let before: MessageUse | null = null;
  let life = hourMs;
  for (const message of conversation) {
    if (before !== null && message.cache_read_tokens < before.cache_read_tokens) {
      const gap = Date.parse(message.time ?? '') - Date.parse(before.time ?? '');
      if (compactionsBefore(message) > 0) breaks.set(message, 'compaction');
      else if (promptOf(message) > promptOf(before)) {
        if (message.origin.model !== before.origin.model) breaks.set(message, 'model_changed');
        else if (gap > life) breaks.set(message, 'idle');
        else breaks.set(message, isNewSetup(before, message) ? 'tools_or_system_changed' : 'unknown');
      }
    }
    // A cache entry lives for five minutes or an hour after its last use.
    if (message.cache_write_5m_tokens > 0) life = hourMs / 12;
    else if (message.cache_write_1h_tokens > 0) life = hourMs;
    before = message;
  }
}

const hourMs = 60 * 60 * 1000;
