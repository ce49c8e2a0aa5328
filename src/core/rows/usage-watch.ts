import type { Event } from '../event/event.js';
import { builtInBook, type PriceBook } from '../prices/price-book.js';
import type { AgentsState } from '../state/agents.js';
import type { MessageUse, Origin } from '../state/usage/message-use.js';
import { messageKey, sessionKey, type UsageState } from '../state/usage/usage.js';
import { once } from './once.js';
import { accountsOf } from './usage-accounts.js';
import { Book, type UsageNews } from './usage-book.js';
import type { UsageChoice } from './usage-keys.js';
import { type Live, newLive, noteTurn } from './usage-live.js';
import type { Mode, OriginView, Part, Pricing, Told } from './usage-part.js';
import { LazyView, missingAgents, namesOf, sessionView } from './usage-parts.js';
import { alonePart, visitAccount } from './usage-session.js';
import { createSpelling } from './usage-spelling.js';
import { keyOfModel } from './usage-spent.js';

interface Known {
  readonly usage: UsageState;
  readonly agents: AgentsState;
}

/** Reports that go on while events come: a step takes time by what it changed, not by all that was ever read. */
export interface UsageWatch {
  /** To be told every event, and what it did to the state. */
  note(step: { readonly event: Event; readonly before: Known; readonly after: Known }): void;
  /** For each choice, the rows that may have changed since it was asked last. */
  news(now: Known): UsageNews[];
}

export interface WatchedUsage {
  readonly choices: readonly UsageChoice[];
  readonly prices?: PriceBook | undefined;
  readonly mode?: Mode | undefined;
}

/**
 * A message after the last result of its session stands for itself, and is added to its rows, or taken away when more is
 * said of it. Anything else, such as a result or another name for an agent, makes what its session adds be worked out anew.
 */
export function createUsageWatch({ choices, prices = builtInBook, mode = 'auto' }: WatchedUsage): UsageWatch {
  const books = choices.map((choice) => new Book(choice));
  const needsTurns = choices.some(({ by }) => by.includes('turn') || by.includes('message'));
  const sessions = new Map<string, Live>();
  const stale = new Set<Live>();
  const changed = new Set<Live>();
  /** Those with an agent whose usage is missing. */
  const waiting = new Set<Live>();
  const spelling = createSpelling();
  const seen = new Map<string, number>();
  let isStarted = false;
  let messages = 0;

  function liveOf(id: string | null): Live {
    return once(sessions, sessionKey(id), () => {
      const live = newLive(sessionKey(id));
      stale.add(live);
      return live;
    });
  }

  function start({ usage }: Known): void {
    isStarted = true;
    for (const message of usage.messages.values()) keep(message);
    for (const { session_id } of usage.sessions.values()) liveOf(session_id);
    for (const origin of usage.origins.values()) {
      liveOf(origin.session_id).origins.add(origin);
      if (origin.model !== null) spelling.said(origin.model);
    }
  }

  /** Returns what was known of it. */
  function keep(message: MessageUse): MessageUse | undefined {
    const live = liveOf(message.origin.session_id);
    const known = live.messages.get(message.key);
    if (live.messages.size === 0) live.at = messages++;
    live.messages.set(message.key, message);
    live.isStream &&= message.stream;
    live.isNamed &&= message.origin.model !== null;
    noteTurn(live, message);
    return known;
  }

  function changedMessage(key: string, before: Known, after: Known): void {
    const message = after.usage.messages.get(key);
    if (message === undefined) return;
    const { origin } = message;
    const live = liveOf(origin.session_id);
    if (live.messages.get(key) === message) return;
    if (!live.messages.has(key)) {
      const owner = before.usage.messages.get(key)?.origin;
      if (owner !== undefined && liveOf(owner.session_id).messages.delete(key)) stale.add(liveOf(owner.session_id));
    }
    const known = keep(message);
    if (origin.model !== null) spelling.said(origin.model);
    if (!live.origins.has(origin)) learn(live, origin, after);
    if (stale.has(live)) return;
    if (!standsAlone(live, message) || (known !== undefined && !standsAlone(live, known))) {
      stale.add(live);
      return;
    }
    const pricing = pricingIn(after);
    for (const book of books) {
      if (known !== undefined) book.remove(live.account, partOf(live, known, pricing));
      book.add(live.account, partOf(live, message, pricing));
    }
    changed.add(live);
  }

  function standsAlone(live: Live, { place, others }: MessageUse): boolean {
    if (!live.isPlain || others.length > 0 || (needsTurns && !live.isOrdered)) return false;
    if (live.lastResult === null) return live.isStream || !needsTurns;
    return live.isStream && live.isNamed && place > live.lastResult;
  }

  function partOf(live: Live, message: MessageUse, pricing: Pricing): Part {
    const told: Told = { message, view: pricing.viewOf(message.origin) };
    return alonePart(told, message.turn, pricing, live.missing.length > 0);
  }

  function pricingIn({ agents }: Known): Pricing {
    const views = new Map<Origin, OriginView>();
    const viewOf = (origin: Origin) => once(views, origin, () => new LazyView(origin, agents, spelling.names, prices));
    return { book: prices, mode, spelling: spelling.names, viewOf };
  }

  function learn(live: Live, origin: Origin, { agents }: Known): void {
    live.origins.add(origin);
    if (stale.has(live)) return;
    for (const name of namesOf(new LazyView(origin, agents, spelling.names, prices).who))
      if (!live.names.has(name)) {
        live.names.add(name);
        meet(name, 1);
      }
  }

  /** An agent whose usage was missing is no longer, or the other way round. */
  function meet(name: string, times: 1 | -1): void {
    const known = seen.get(name) ?? 0;
    seen.set(name, known + times);
    if (known > 0 && known + times > 0) return;
    if (known + times === 0) seen.delete(name);
    if (times === 1) {
      for (const live of waiting) if (live.missing.includes(name)) stale.add(live);
    } else for (const live of sessions.values()) if (live.isUnreported) stale.add(live);
  }

  function renew(now: Known): void {
    while (stale.size > 0) {
      const all = [...stale].sort((a, b) => a.at - b.at);
      for (const { key } of all)
        for (const result of now.usage.sessions.get(key)?.results.values() ?? [])
          for (const [name, model] of result.models) spelling.reported(keyOfModel(name, model), name);
      if (spelling.hasChanged()) {
        for (const live of sessions.values()) stale.add(live);
        continue;
      }
      stale.clear();
      const pricing = pricingIn(now);
      const accounts = accountsOf(now.usage);
      const groups = new Map<string, Live[]>();
      for (const { key } of all) {
        const keys = accounts.get(key) ?? [key];
        groups.set(keys[0] ?? key, keys.map(liveAt));
      }
      for (const live of new Set([...all, ...[...groups.values()].flat()])) renewNames(live, pricing);
      for (const [account, group] of groups) renewParts(account, group, pricing, now);
    }
  }

  function liveAt(key: string): Live {
    return once(sessions, key, () => newLive(key));
  }

  function renewNames(live: Live, { viewOf }: Pricing): void {
    for (const { origin } of live.messages.values()) live.origins.add(origin);
    const names = new Set([...live.origins].flatMap((origin) => namesOf(viewOf(origin).who)));
    for (const name of names) if (!live.names.has(name)) meet(name, 1);
    for (const name of live.names) if (!names.has(name)) meet(name, -1);
    live.names = names;
  }

  function renewParts(account: string, group: readonly Live[], pricing: Pricing, now: Known): void {
    const views = group.map((live) => {
      const own: Told[] = [];
      for (const message of live.messages.values()) own.push({ message, view: pricing.viewOf(message.origin) });
      for (const book of books) book.drop(live.account);
      renewLive(live, account, group.length === 1, now);
      return sessionView(now, live.key, own);
    });
    const [live] = group;
    const missing = () => {
      const found = missingAgents(now.agents, views[0]?.session, (name) => seen.has(name));
      if (live !== undefined) {
        live.isUnreported = true;
        live.missing = found.flatMap(namesOf);
      }
      return found;
    };
    visitAccount({ sessions: views, missing }, pricing, (part) => {
      for (const book of books) book.add(account, part);
    });
    for (const one of group) {
      if (one.missing.length > 0) waiting.add(one);
      else waiting.delete(one);
      changed.add(one);
    }
  }

  function renewLive(live: Live, account: string, isAlone: boolean, { usage }: Known): void {
    const results = usage.sessions.get(live.key)?.results.values() ?? [];
    live.account = account;
    live.lastResult = results.reduce<number | null>((last, { place }) => Math.max(last ?? 0, place), null);
    live.isPlain = isAlone && results.every(({ state }) => !state);
    live.isUnreported = false;
    live.missing = [];
  }

  return {
    note({ event, before, after }) {
      if (before.usage === after.usage && before.agents === after.agents) return;
      if (!isStarted) start(before);
      const isOther = before.agents !== after.agents || before.usage.sessions !== after.usage.sessions;
      if (isOther) stale.add(liveOf(event.session_id));
      if (before.usage.messages === after.usage.messages) return;
      if (event.event !== 'usage:recorded' && event.event !== 'usage:merged') return;
      const key = messageKey(event);
      changedMessage(key, before, after);
      const begun = after.usage.ends.get(key);
      if (begun !== undefined) changedMessage(begun, before, after);
    },
    news(now) {
      if (!isStarted) start(now);
      renew(now);
      for (const { account } of changed) for (const book of books) book.settle(account);
      changed.clear();
      return books.map((book) => book.news(now.usage));
    },
  };
}
