// Divides usage into parts: what was spent, by whom, when and for how much.
import type { CacheBreak, CostSource, Tokens } from '../../core/event/usage-row.js';
import { modelKey } from '../../core/prices/models.js';
import {
  builtInBook,
  type ModelPrice,
  type Picos,
  type PriceBook,
  picosOf,
  promptOf,
} from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { groupBy } from '../../core/tables/order.js';
import { atHome } from '../../core/tables/usage/homes.js';
import {
  isNothing,
  type MessageUse,
  noTokens,
  type Origin,
  totalOf,
  type Who,
} from '../../core/tables/usage/messages.js';
import { type ResultUse, type SessionUse, sessionKey, type UsageState } from '../../core/tables/usage/usage.js';
import { type Contexts, contextsOf } from './context.js';
import { settleSessions } from './settle.js';
import { countersOf, figuresAround, figuresKey, keyOfModel, mayCarryOver, mayInclude, totalsKey } from './spent.js';

export interface UsageInput {
  readonly usage: UsageState;
  readonly agents: AgentsState;
  readonly prices?: PriceBook | undefined;
  readonly mode?: Mode | undefined;
}

export const modes = ['auto', 'reported', 'calculated'] as const;
/** Where costs come from. Tokens are the same in all modes. */
export type Mode = (typeof modes)[number];

/** null without a price. */
export type Cost = Picos | null;

/** The smallest piece of usage: an API message, or the remainder of a model in a result. */
export interface Part {
  readonly session_id: string | null;
  /** Its agent. `agent` is null if it belongs to nobody. */
  readonly who: Who;
  readonly model: string | null;
  readonly time: string | null;
  readonly turn: number | null;
  readonly tokens: Tokens;
  readonly cost: Cost;
  readonly source: CostSource;
  /** The reported figure that includes it; null if Claude Code did not report it. */
  readonly unit: Unit | null;
  readonly message: MessageUse | null;
  readonly result: ResultUse | null;
  /** The model as the result or the answer spells it, even if the part joined another model. */
  readonly named: string | null;
  readonly place: number;
  /** An agent of its session has no usage in the input. */
  readonly incomplete: boolean;
  /** The tokens of its prompt; null if it is not a message. */
  readonly prompt: number | null;
  /** How many tokens fit in such a prompt; null if Claude Code does not say. */
  readonly window: number | null;
  readonly compactions: number;
  readonly cacheBreak: CacheBreak | null;
}

/**
 * A part that is not a message: what is left of a report, an agent without messages, or a session about which nothing
 * else is known.
 */
export class EmptyPart implements Part {
  model: string | null = null;
  time: string | null = null;
  turn: number | null = null;
  tokens: Tokens = nothing;
  cost: Cost = 0;
  source: CostSource = 'lower_bound';
  unit: Unit | null = null;
  readonly message = null;
  result: ResultUse | null = null;
  named: string | null = null;
  place = Number.MAX_SAFE_INTEGER;
  incomplete = false;
  readonly prompt = null;
  window: number | null = null;
  compactions = 0;
  readonly cacheBreak = null;

  constructor(
    readonly session_id: string | null,
    readonly who: Who,
  ) {}
}
const nothing: Tokens = noTokens();

/** Parts that add up to one figure of Claude Code. If a group has all of them, its cost is as certain as that figure. */
export interface Unit {
  parts: number;
  readonly source: CostSource;
  /** Tokens beyond the reported ones that have no price. */
  readonly unpriced: number;
}

/** The remainder of a model in a report. */
export type Left = Pick<Part, 'tokens' | 'cost' | 'source' | 'unit'>;

/** The report index of a message that no report includes. */
export const unreported = -1;

/** A message. A class with getters, because there may be hundreds of thousands and few reports need every field. */
export class MessagePart implements Part {
  model: string | null;
  turn: number | null;
  cost: Cost = null;
  unit: Unit | null = null;
  incomplete = false;
  /** The modelKey under which a report may include it. */
  key: string;
  /** The index of the report that includes it, or `unreported`. */
  report = unreported;

  constructor(
    readonly message: MessageUse,
    readonly resolved: ResolvedOrigin,
    readonly around: Around,
  ) {
    this.model = resolved.model;
    this.turn = message.turn;
    this.key = resolved.key;
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

  get prompt(): number | null {
    return this.message.origin.iteration === null ? promptOf(this.message) : null;
  }

  get window(): number | null {
    const known = this.around.windows.get(this.key) ?? [];
    // If a model had two windows, perhaps only one was large enough.
    const [window, ...others] = known.length > 1 ? known.filter((size) => size >= (this.prompt ?? 0)) : known;
    return window === undefined || others.length > 0 ? null : window;
  }

  get compactions(): number {
    return this.around.contexts.compactionsBefore(this.message);
  }

  get cacheBreak(): CacheBreak | null {
    return this.around.contexts.breakAt(this.message);
  }

  get source(): CostSource {
    if (this.cost === null) return 'unpriced';
    if (isUnsure(this.message)) return 'guess';
    if (this.message.said_usd !== null && this.cost === picosOf(this.message.said_usd)) return 'reported';
    return this.message.final ? 'calculated' : 'lower_bound';
  }
}

/** What is known about the session of a message and its context. */
class Around {
  #windows: Map<string, number[]> | null = null;

  constructor(
    readonly contexts: Contexts,
    private readonly session: SessionUse | undefined,
  ) {}

  /** The windows that results name, by modelKey. */
  get windows(): ReadonlyMap<string, readonly number[]> {
    if (this.#windows !== null) return this.#windows;
    this.#windows = new Map();
    for (const [, { models }] of this.session?.results ?? [])
      for (const [name, model] of models) {
        const sizes = getOrCreate(this.#windows, keyOfModel(name, model), () => []);
        if (model.window !== null && !sizes.includes(model.window)) sizes.push(model.window);
      }
    return this.#windows;
  }
}

/** An attempt inside a message is not a message of its own. */
export function countsAsMessage({ message }: Part): boolean {
  return message !== null && message.origin.iteration === null;
}

/**
 * An attempt that may be free: an answer that was declined, or a compaction by the API. Claude Code charges neither,
 * but it charges an advisor.
 */
export function isUnsure({ origin }: MessageUse): boolean {
  return origin.iteration !== null && origin.iteration !== 'advisor_message';
}

/** Visits all usage, part by part. `findsBreaks`: the visitor needs to know where the cache broke. */
export function visitParts(input: UsageInput, findsBreaks: boolean, visit: (part: Part) => void): void {
  const { agents } = input;
  const usage = atHome(input.usage);
  const pricing = pricingOf(input);
  const contexts = contextsOf(usage, pricing, findsBreaks);
  const messages = groupBy(usage.messages.values(), ({ origin }) => sessionKey(origin.session_id));
  for (const [key] of usage.sessions) if (!messages.has(key)) messages.set(key, []);
  let found: ((who: Who) => boolean) | undefined;
  const seen = () => {
    found ??= seenIn(usage, pricing);
    return found;
  };
  const forks = forksOf(usage);
  const accounts = accountsOf(usage, forks);
  for (const key of messages.keys()) {
    const account = accounts.get(key) ?? [key];
    if (account[0] !== key) continue;
    const sessions = account.map((one) => {
      const own = messages.get(one) ?? [];
      const session = usage.sessions.get(one);
      const scope = session ?? own[0]?.origin ?? nowhere;
      const around = new Around(contexts, session);
      return {
        key: one,
        session_id: scope.session_id,
        session,
        fork: forks.get(one) ?? null,
        messages: own.map((message) => new MessagePart(message, pricing.resolve(message.origin), around)),
        nobody: { ...noWho, team: resolveAgent(agents, scope, null).team },
        alone: contexts.compactionsIn(one),
      };
    });
    settleSessions(sessions, () => missingAgents(agents, usage.sessions.get(key), seen), pricing, visit);
  }
}

export interface Pricing {
  readonly book: PriceBook;
  readonly mode: Mode;
  /** modelKey → the spelling of reports, else of messages. */
  readonly spelling: ReadonlyMap<string, string>;
  resolve(origin: Origin): ResolvedOrigin;
}

const nowhere = { session_id: null, team: null };
const noWho: Who = { agent: null, name: null, agent_type: null, kind: null, team: null };

function pricingOf({ usage, agents, prices = builtInBook(), mode = 'auto' }: UsageInput): Pricing {
  const spelling = spellingsOf(usage);
  const resolved = new Map<Origin, ResolvedOrigin>();
  const resolve = (origin: Origin) =>
    getOrCreate(resolved, origin, () => {
      const key = origin.model === null ? '' : modelKey(origin.model);
      const model = spelling.get(key) ?? null;
      return { key, model, price: prices.priceOf(model), who: whoIs(agents, origin) };
    });
  return { book: prices, mode, spelling, resolve };
}

/** What all messages of one origin share. */
interface ResolvedOrigin {
  /** Its modelKey. */
  readonly key: string;
  /** As Claude Code spells it. */
  readonly model: string | null;
  readonly price: ModelPrice | null;
  readonly who: Who;
}

/** Prefers the spelling of reports, then alphabetical order, so that the reading order does not matter. */
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
  // A turn of a teammate whose name is unknown: its usage belongs to nobody.
  return isTurn ? { ...noWho, team } : { agent, name, agent_type, kind, team };
}

/** Whether an agent has usage in any session. Teammates may have their own sessions. */
function seenIn({ origins }: UsageState, { resolve }: Pricing): (who: Who) => boolean {
  const ids = new Set<string | null>();
  const names = new Map<string, Set<string | null>>();
  for (const origin of origins.values()) {
    const { agent, name, team } = resolve(origin).who;
    ids.add(agent);
    if (team !== null) getOrCreate(names, team, () => new Set<string | null>()).add(name);
  }
  return ({ agent, name, team }) => ids.has(agent) || (team !== null && names.get(team)?.has(name) === true);
}

function missingAgents(agents: AgentsState, session: SessionUse | undefined, seen: () => (who: Who) => boolean): Who[] {
  const missing = new Map<string, Who>();
  for (const [agent, who] of session?.agents ?? []) {
    const found = whoIs(agents, { ...(session ?? nowhere), agent, who });
    if (found.agent !== null && found.kind !== 'lead' && !seen()(found)) missing.set(found.agent, found);
  }
  return [...missing.values()];
}

/**
 * Sessions whose reports have to be settled together, each with its whole group. All others are settled alone. A fork
 * repeats its parent's messages and carries its cost over. After /clear, 2.1.140 counts on under a new session id.
 */
function accountsOf(usage: UsageState, forks: ReadonlyMap<string, Fork>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  const unite = (a: string, b: string) => {
    const [one, other] = [groups.get(a) ?? new Set([a]), groups.get(b) ?? new Set([b])];
    if (one === other) return;
    for (const session of other) one.add(session);
    for (const session of one) groups.set(session, one);
  };
  for (const [a, b] of usage.shared.values()) if (isReported(usage, a, b)) unite(a, b);
  for (const [key, { parent }] of forks) if (parent !== null && isReported(usage, key, parent)) unite(key, parent);
  visitSuccessors(usage, unite);
  return new Map([...groups].map(([session, group]) => [session, [...group].sort()]));
}

/** A session whose file repeats messages of another, its parent. */
export interface Fork {
  /** null if the parent is not in the input. */
  readonly parent: string | null;
}

function forksOf({ sessions, messages }: UsageState): ReadonlyMap<string, Fork> {
  const forks = new Map<string, Fork>();
  for (const [key, { files }] of sessions)
    for (const [, { copied }] of files) {
      if (copied === null) continue;
      const origin = messages.get(copied)?.origin;
      const parents = [forks.get(key)?.parent ?? null, origin === undefined ? null : sessionKey(origin.session_id)];
      const [parent = null] = parents.filter((one) => one !== null && one !== key).sort();
      forks.set(key, { parent });
    }
  return forks;
}

/** Whether both sessions have reports, one of them a cost-state row, which does not say what it carries over. */
function isReported({ sessions }: UsageState, a: string, b: string): boolean {
  const [one = [], other = []] = [a, b].map((key) => sessions.get(key)?.results.values() ?? []);
  return one.length > 0 && other.length > 0 && [...one, ...other].some(({ state }) => state);
}

/** Visits pairs of sessions where the second begins with the last figures of the first, or includes them. */
function visitSuccessors({ sessions }: UsageState, visit: (session: string, successor: string) => void): void {
  const successors = new Map<string, string[]>();
  /** Their sums. Most figures of other sessions differ in these already, and need not be written as texts. */
  const sums = new Set<number>();
  const add = (key: string, sum: number, figure: string) => {
    sums.add(sum);
    getOrCreate(successors, figure, () => []).push(key);
  };
  const look = (key: string, figure: string) => {
    for (const successor of successors.get(figure) ?? []) if (successor !== key) visit(key, successor);
  };
  const results: (readonly [string, ResultUse])[] = [];
  for (const [key, session] of sessions)
    for (const [, result] of session.results) if (!result.state && result.models.size > 0) results.push([key, result]);
  for (const [key, result] of results) {
    if (mayInclude(result))
      for (const [name, model] of figuresAround(result)) add(key, totalOf(model), figuresKey(name, model));
    if (mayCarryOver(result)) add(key, countersOf(result).tokens, totalsKey(countersOf(result).now));
  }
  if (successors.size === 0) return;
  for (const [key, result] of results) {
    const { now, tokens } = countersOf(result);
    if (sums.has(tokens)) look(key, totalsKey(now));
    for (const [name, model] of now)
      if (sums.has(totalOf(model)) && !isNothing(model)) look(key, figuresKey(name, model));
  }
}
