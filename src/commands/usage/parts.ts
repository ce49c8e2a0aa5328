// From what is known to parts: what was spent, by whom, when and for how much.
import type { CostSource, Tokens } from '../../core/event/usage-row.js';
import { modelKey } from '../../core/prices/models.js';
import { builtInBook, type ModelPrice, type PriceBook } from '../../core/prices/prices.js';
import type { AgentsState } from '../../core/state/agents.js';
import { resolveAgent } from '../../core/state/directory.js';
import { getOrCreate, groupBy } from '../../core/state/order.js';
import { type ResultUse, type SessionUse, sessionKey, type UsageState } from './fold.js';
import type { MessageUse, Origin, Who } from './message-use.js';
import { settleSessions } from './settle.js';
import { cumulativeOf, keyOfModel, mayCarryOver, totalsKey } from './spent.js';

/** What usage is worked out from. */
export interface UsageInput {
  readonly usage: UsageState;
  readonly agents: AgentsState;
  readonly prices?: PriceBook | undefined;
  readonly mode?: Mode | undefined;
}

export const modes = ['auto', 'reported', 'calculated'] as const;
/** Where money comes from; tokens are the same in all of them. */
export type Mode = (typeof modes)[number];

/** In picodollars; null where there is no price. */
export type Cost = number | bigint | null;

/** One piece of usage that no report divides further: an API message, or what a result leaves over of a model. */
export interface Part {
  readonly session_id: string | null;
  /** Whose it is; an agent null is nobody's. */
  readonly who: Who;
  readonly model: string | null;
  readonly time: string | null;
  readonly turn: number | null;
  readonly tokens: Tokens;
  readonly cost: Cost;
  readonly source: CostSource;
  /** What the program reported as one; null for what it did not report. */
  readonly unit: Unit | null;
  readonly message: MessageUse | null;
  readonly result: ResultUse | null;
  /** The model by its own name: of a result as it spells it, of a message that joined another as its answer does. */
  readonly named: string | null;
  readonly place: number;
  /** An agent of its session has no usage in the input. */
  readonly incomplete: boolean;
}

/** Parts that add up to one figure of the program: a group that has them all is as good as that figure. */
export interface Unit {
  parts: number;
  readonly source: CostSource;
  /** Tokens beyond what was reported that have no price. */
  readonly unpriced: number;
}

/** Where no report holds a message. */
export const onTop = -1;

/** A message. A class, since there may be hundreds of thousands, and whose each is may not be asked. */
export class MessagePart implements Part {
  model: string | null;
  turn: number | null = null;
  cost: Cost = null;
  unit: Unit | null = null;
  incomplete = false;
  /** The modelKey under which a report may hold it. */
  key = '';
  /** The index of the report that holds it, or onTop. */
  report = onTop;

  constructor(
    readonly message: MessageUse,
    readonly resolved: ResolvedOrigin,
  ) {
    this.model = resolved.model;
  }

  get result(): null {
    return null;
  }

  get session_id(): string | null {
    return this.message.origin.session_id;
  }

  get who(): Who {
    return this.resolved.who;
  }

  get named(): string | null {
    return this.resolved.model;
  }

  get tokens(): Tokens {
    return this.message;
  }

  get time(): string | null {
    return this.message.time;
  }

  get place(): number {
    return this.message.place;
  }

  get source(): CostSource {
    if (this.cost === null) return 'unpriced';
    if (isUnsure(this.message)) return 'guess';
    return this.message.final ? 'calculated' : 'lower_bound';
  }
}

/** An attempt inside a message is no message of its own. */
export function countsAsMessage({ message }: Part): boolean {
  return message !== null && message.origin.iteration === null;
}

/**
 * An attempt that may not be charged: an answer that was declined, or a compaction by the API. The program charges neither;
 * it does charge an advisor.
 */
export function isUnsure({ origin }: MessageUse): boolean {
  return origin.iteration !== null && origin.iteration !== 'advisor_message';
}

/** Visits everything that was used, part by part. */
export function visitParts(input: UsageInput, visit: (part: Part) => void): void {
  const { usage, agents } = input;
  const pricing = pricingOf(input);
  const messages = groupBy(usage.messages.values(), ({ origin }) => sessionKey(origin.session_id));
  for (const [key] of usage.sessions) if (!messages.has(key)) messages.set(key, []);
  let seen: ReadonlySet<string> | undefined;
  const isSeen = (name: string) => {
    seen ??= seenAgents(usage, pricing);
    return seen.has(name);
  };
  const accounts = accountsOf(usage);
  for (const key of messages.keys()) {
    const account = accounts.get(key) ?? [key];
    if (account[0] !== key) continue;
    const sessions = account.map((one) => {
      const own = messages.get(one) ?? [];
      const session = usage.sessions.get(one);
      const scope = session ?? own[0]?.origin ?? nowhere;
      const nobody = { ...noWho, team: resolveAgent(agents, scope, null).team };
      const parts = own.map((message) => new MessagePart(message, pricing.resolve(message.origin)));
      return { key: one, session_id: scope.session_id, session, messages: parts, nobody };
    });
    settleSessions(sessions, () => missingAgents(agents, usage.sessions.get(key), isSeen), pricing, visit);
  }
}

const nowhere = { session_id: null, team: null };
const noWho: Who = { agent: null, name: null, agent_type: null, kind: null, team: null };

export interface Pricing {
  readonly book: PriceBook;
  readonly mode: Mode;
  /** modelKey → the spelling of reports, else of messages. */
  readonly spelling: ReadonlyMap<string, string>;
  resolve(origin: Origin): ResolvedOrigin;
}

function pricingOf({ usage, agents, prices = builtInBook, mode = 'auto' }: UsageInput): Pricing {
  const spelling = spellingsOf(usage);
  const resolved = new Map<Origin, ResolvedOrigin>();
  const resolve = (origin: Origin) =>
    getOrCreate(resolved, origin, () => new ResolvedOrigin(origin, agents, spelling, prices));
  return { book: prices, mode, spelling, resolve };
}

/** What is the same for all messages of one origin. */
class ResolvedOrigin {
  readonly key: string;
  /** As the program spells it. */
  readonly model: string | null;
  readonly price: ModelPrice | null;
  readonly #origin: Origin;
  readonly #agents: AgentsState;
  #who: Who | null = null;

  constructor(origin: Origin, agents: AgentsState, spelling: ReadonlyMap<string, string>, prices: PriceBook) {
    this.#origin = origin;
    this.#agents = agents;
    this.key = origin.model === null ? '' : modelKey(origin.model);
    this.model = spelling.get(this.key) ?? null;
    this.price = prices.priceOf(this.model);
  }

  /** Worked out when it is asked for: most reports do not ask whose a message is. */
  get who(): Who {
    this.#who ??= whoIs(this.#agents, this.#origin);
    return this.#who;
  }
}

/** Of several spellings the one of reports, and of those the first in the alphabet, so that order does not matter. */
function spellingsOf(usage: UsageState): ReadonlyMap<string, string> {
  const reported = new Map<string, string>();
  const answered = new Map<string, string>();
  const offer = (into: Map<string, string>, key: string, name: string) => {
    const known = into.get(key);
    if (known === undefined || name < known) into.set(key, name);
  };
  for (const session of usage.sessions.values())
    for (const result of session.results.values())
      for (const [name, model] of result.models) offer(reported, keyOfModel(name, model), name);
  for (const { model } of usage.origins.values()) if (model !== null) offer(answered, modelKey(model), model);
  return new Map([...answered, ...reported]);
}

function whoIs(agents: AgentsState, origin: Pick<Origin, 'session_id' | 'team' | 'agent' | 'who'>): Who {
  if (origin.who !== null) return origin.who;
  const { agent, name, agent_type, kind, team, isTurn } = resolveAgent(agents, origin, origin.agent);
  // One turn of a teammate nobody could name: its usage is nobody's.
  return isTurn ? { ...noWho, team } : { agent, name, agent_type, kind, team };
}

/** Teammates may have sessions of their own: an agent's usage is in the input wherever it stands. */
function seenAgents({ origins }: UsageState, { resolve }: Pricing): ReadonlySet<string> {
  return new Set(origins.values().flatMap((origin) => namesOf(resolve(origin).who)));
}

/** Any of them tells an agent. */
function namesOf({ agent, name, team }: Who): string[] {
  return team === null ? [`id ${agent}`] : [`id ${agent}`, `${name} of ${team}`];
}

function missingAgents(agents: AgentsState, session: SessionUse | undefined, isSeen: (name: string) => boolean): Who[] {
  const missing = new Map<string, Who>();
  for (const [agent, who] of session?.agents.entries() ?? []) {
    const found = whoIs(agents, { ...(session ?? nowhere), agent, who });
    if (found.agent !== null && found.kind !== 'lead' && !namesOf(found).some(isSeen)) missing.set(found.agent, found);
  }
  return [...missing.values()];
}

/**
 * Sessions whose reports have to be settled together, each with all of its group; a session that is not in it stands alone.
 * A fork repeats its parent's messages and carries its cost over; after /clear 2.1.140 goes on counting under a new session id.
 */
function accountsOf(usage: UsageState): ReadonlyMap<string, readonly string[]> {
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
  const [one = [], other = []] = [a, b].map((key) => sessions.get(key)?.results.values() ?? []);
  return one.length > 0 && other.length > 0 && [...one, ...other].some(({ state }) => state);
}

/** Pairs of sessions, the second of which begins with what the first said last. */
function carriedOver({ sessions }: UsageState): [string, string][] {
  const heirs = new Map<string, string[]>();
  const all: [string, ResultUse][] = [];
  for (const [key, { results }] of sessions)
    for (const result of results.values()) {
      if (result.state || result.models.size === 0) continue;
      all.push([key, result]);
      if (mayCarryOver(result)) getOrCreate(heirs, totalsKey(cumulativeOf(result)), () => []).push(key);
    }
  if (heirs.size === 0) return [];
  return all.flatMap(([key, result]) => {
    const others = (heirs.get(totalsKey(cumulativeOf(result))) ?? []).filter((heir) => heir !== key);
    return others.map((heir): [string, string] => [key, heir]);
  });
}
