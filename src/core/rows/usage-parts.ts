import { modelKey } from '../prices/model-name.js';
import { builtInBook, type PriceBook } from '../prices/price-book.js';
import type { ModelPrice } from '../prices/price-table.js';
import { type AgentsState, entryKey, resolveAgent, scopeOf } from '../state/agents.js';
import type { Origin, Who } from '../state/usage/message-use.js';
import { type SessionUse, sessionKey, type UsageState } from '../state/usage/usage.js';
import { accountsOf } from './usage-accounts.js';
import type { Mode, OriginView, Part, Pricing, Told } from './usage-part.js';
import { type SessionView, visitAccount } from './usage-session.js';
import { keyOfModel } from './usage-spent.js';

/** What usage is worked out from. */
export interface UsageInput {
  readonly usage: UsageState;
  readonly agents: AgentsState;
  readonly prices?: PriceBook | undefined;
  readonly mode?: Mode | undefined;
}

/** Everything that was used, part by part. */
export function visitParts(input: UsageInput, visit: (part: Part) => void): void {
  const { usage, agents } = input;
  const pricing = pricingOf(input);
  const messages = messagesBySession(usage, pricing);
  let seen: ReadonlySet<string> | undefined;
  const isSeen = (name: string) => {
    seen ??= seenAgents(usage, pricing);
    return seen.has(name);
  };
  for (const [key] of usage.sessions) if (!messages.has(key)) messages.set(key, []);
  const accounts = accountsOf(usage);
  for (const key of messages.keys()) {
    const account = accounts.get(key) ?? [key];
    if (account[0] !== key) continue;
    const sessions = account.map((one) => sessionView({ usage, agents }, one, messages.get(one) ?? []));
    const missing = () => missingAgents(agents, usage.sessions.get(key), isSeen);
    visitAccount({ sessions, missing }, pricing, visit);
  }
}

export function sessionView(
  { usage, agents }: Pick<UsageInput, 'usage' | 'agents'>,
  key: string,
  messages: readonly Told[],
): SessionView {
  const session = usage.sessions.get(key);
  const scope = session ?? messages[0]?.message.origin ?? nowhere;
  return { key, session_id: scope.session_id, session, messages, nobody: nobodyIn(agents, scope) };
}

const nowhere = { session_id: null, team: null };

/** Whose the rest of a session is. */
export function nobodyIn(agents: AgentsState, scope: { session_id: string | null; team: string | null }): Who {
  return { ...noWho, team: resolveAgent(agents, scope, null).team };
}
const noWho: Who = { agent: null, name: null, agent_type: null, kind: null, team: null };

export function pricingOf({ usage, agents, prices = builtInBook, mode = 'auto' }: UsageInput): Pricing {
  const spelling = spellingsOf(usage);
  const views = new Map<Origin, OriginView>();
  const viewOf = (origin: Origin) => {
    let view = views.get(origin);
    if (view === undefined) {
      view = new LazyView(origin, agents, spelling, prices);
      views.set(origin, view);
    }
    return view;
  };
  return { book: prices, mode, spelling, viewOf };
}

export class LazyView implements OriginView {
  readonly key: string;
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

  get who(): Who {
    this.#who ??= whoIs(this.#agents, this.#origin);
    return this.#who;
  }
}

/** Of several spellings the one of reports, and of those the first in the alphabet, so that order does not matter. */
function spellingsOf(usage: UsageState): ReadonlyMap<string, string> {
  const spelling = new Map<string, string>();
  const offer = (into: Map<string, string>, key: string, name: string) => {
    const known = into.get(key);
    if (known === undefined || name < known) into.set(key, name);
  };
  for (const session of usage.sessions.values())
    for (const result of session.results.values())
      for (const [name, model] of result.models) offer(spelling, keyOfModel(name, model), name);
  const said = new Map<string, string>();
  for (const { model } of usage.origins.values()) if (model !== null) offer(said, modelKey(model), model);
  for (const [key, name] of said) if (!spelling.has(key)) spelling.set(key, name);
  return spelling;
}

function whoIs(agents: AgentsState, origin: Pick<Origin, 'session_id' | 'team' | 'agent' | 'who'>): Who {
  if (origin.who !== null) return origin.who;
  const { agent, name, agent_type, kind, team } = resolveAgent(agents, origin, origin.agent);
  const entry = agents.entries.get(entryKey(agents, scopeOf(origin), origin.agent ?? 'main'));
  // One turn of a teammate nobody could name: its usage is nobody's.
  return entry?.turnOnly ? { ...noWho, team } : { agent, name, agent_type, kind, team };
}

function messagesBySession(usage: UsageState, { viewOf }: Pricing): Map<string, Told[]> {
  const sessions = new Map<string, Told[]>();
  for (const message of usage.messages.values()) {
    const { origin } = message;
    const told = { message, view: viewOf(origin) };
    const key = sessionKey(origin.session_id);
    const list = sessions.get(key);
    if (list === undefined) sessions.set(key, [told]);
    else list.push(told);
  }
  return sessions;
}

/** Teammates may have sessions of their own: an agent's usage is in the input wherever it stands. */
function seenAgents({ origins }: UsageState, { viewOf }: Pricing): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const origin of origins.values()) for (const name of namesOf(viewOf(origin).who)) seen.add(name);
  return seen;
}

/** Any of them tells an agent. */
export function namesOf({ agent, name, team }: Who): string[] {
  return team === null ? [`id ${agent}`] : [`id ${agent}`, `${name} of ${team}`];
}

export function missingAgents(
  agents: AgentsState,
  session: SessionUse | undefined,
  isSeen: (name: string) => boolean,
): Who[] {
  const missing = new Map<string, Who>();
  for (const [agent, who] of session?.agents.entries() ?? []) {
    const found = whoIs(agents, { ...(session ?? nowhere), agent, who });
    if (found.agent !== null && found.kind !== 'lead' && !namesOf(found).some(isSeen)) missing.set(found.agent, found);
  }
  return [...missing.values()];
}
