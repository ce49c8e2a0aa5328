import type { CostSource } from '../event/usage-row.js';
import { isLead, type MessageUse, type Who } from '../state/usage/message-use.js';
import type { ResultUse } from '../state/usage/result-use.js';
import type { SessionUse } from '../state/usage/usage.js';
import { type Entry, type Left, messageCost, settle } from './usage-account.js';
import { coverOf, onTop, sortByPlace } from './usage-cover.js';
import type { Cost, OriginView, Part, Pricing, Told, Unit } from './usage-part.js';
import { keyOfModel, type Spent, spentOf } from './usage-spent.js';
import { joinStrangers, type Stranger } from './usage-strangers.js';
import { noTokens } from './usage-tokens.js';
import { turnsOf } from './usage-turns.js';

export interface SessionView {
  readonly session_id: string | null;
  readonly session: SessionUse | undefined;
  readonly messages: readonly Told[];
  /** Its agents whose usage is not in the input; asked for only where nothing was reported. */
  missing(): readonly Who[];
  /** Whose the rest is: nobody's, but of the session's team. */
  readonly nobody: Who;
}

/** Divides what one session used into parts that add up to what it reported and what came on top of that. */
export function visitSession(view: SessionView, pricing: Pricing, visit: (part: Part) => void): void {
  const { session_id, session, messages } = view;
  const results = resultsOf(session);
  const spent = spentOf(results);
  const missing = spent.length === 0 ? view.missing() : [];
  const turnOf = turnsOf(messages);
  const incomplete = missing.length > 0;
  const { entries, alone } = sortOut(view, spent, turnOf);
  for (const told of alone) visit(alonePart(told, session_id, turnOf(told.message), pricing, incomplete));
  for (const who of missing) visit({ ...nothingSaid, session_id, who, incomplete });
  const left = new Map<ResultUse, Map<string, Left & { unit: Unit | null }>>();
  for (const result of results) left.set(result, new Map());
  for (const [key, list] of entries) {
    const settled = settle(key, list, spent, pricing);
    const joined = pricing.spelling.get(key);
    let index = 0;
    for (const told of list) {
      const model = joined ?? told.view.model;
      const unit = settled.units[told.at] ?? null;
      const cost = settled.costs[index++] ?? null;
      visit(new MessagePart(told, session_id, model, turnOf(told.message), cost, unit, incomplete));
    }
    spent.forEach(({ result, models }, at) => {
      const rest = settled.left[at];
      if (rest !== undefined && models.has(key))
        left.get(result)?.set(key, { ...rest, unit: settled.units[at] ?? null });
    });
  }
  visitResults(view, results, left, pricing, visit);
}

/** A message that no report holds. */
export function alonePart(
  told: Told,
  session_id: string | null,
  turn: number | null,
  pricing: Pricing,
  incomplete: boolean,
): Part {
  return new MessagePart(told, session_id, told.view.model, turn, messageCost(told, pricing), null, incomplete);
}

/** A class, since every message makes one, and whose it is may not be asked. */
class MessagePart implements Part {
  readonly message: MessageUse;
  readonly result = null;
  readonly #view: OriginView;

  constructor(
    { message, view }: Told,
    readonly session_id: string | null,
    readonly model: string | null,
    readonly turn: number | null,
    readonly cost: Cost,
    readonly unit: Unit | null,
    readonly incomplete: boolean,
  ) {
    this.message = message;
    this.#view = view;
  }

  get who(): Who {
    return this.#view.who;
  }

  get named(): string | null {
    return this.#view.model;
  }

  get tokens(): MessageUse {
    return this.message;
  }

  get time(): string | null {
    return this.message.time;
  }

  get place(): number {
    return this.message.place;
  }

  get source(): CostSource {
    return this.cost === null ? 'unpriced' : this.message.final ? 'calculated' : 'lower_bound';
  }
}

export function resultsOf(session: SessionUse | undefined): ResultUse[] {
  return (session?.results.values() ?? []).sort((a, b) => a.place - b.place);
}

const nothingSaid: Omit<Part, 'session_id' | 'who'> = {
  model: null,
  time: null,
  turn: null,
  tokens: noTokens(),
  cost: 0,
  source: 'lower_bound',
  unit: null,
  message: null,
  result: null,
  named: null,
  place: Number.MAX_SAFE_INTEGER,
  incomplete: false,
};

interface SortedOut {
  /** By modelKey: what reports hold. */
  readonly entries: ReadonlyMap<string, Entry[]>;
  readonly alone: readonly Told[];
}

function sortOut(
  { messages }: SessionView,
  spent: readonly Spent[],
  turnOf: (message: MessageUse) => number | null,
): SortedOut {
  const entries = new Map<string, Entry[]>();
  for (const { models } of spent) for (const key of models.keys()) entries.set(key, []);
  if (spent.length === 0) return { entries, alone: messages };
  const nameless = entries.has('');
  const main = mainKey(entries, messages);
  const keyOf = ({ view }: Told) => (nameless ? '' : view.key || main);
  const cover = coverOf({ spent, messages, keyOf, turnOf });
  const alone: Told[] = [];
  const strangers: Stranger[] = [];
  let index = 0;
  for (const told of messages) {
    const { message, view } = told;
    const key = keyOf(told);
    const list = entries.get(key);
    const at = cover[index++] ?? onTop;
    if (at !== onTop && list !== undefined)
      list.push({ message, view, at, counted: !nameless || isLead(message.origin) });
    else if (at !== onTop && message.stream) strangers.push({ key, message, view, at });
    else alone.push(told);
  }
  if (strangers.length > 0) alone.push(...joinStrangers(strangers, entries, spent));
  return { entries, alone };
}

/** The model of messages that do not say theirs: the only one reported, else that of the main conversation. */
function mainKey(entries: ReadonlyMap<string, unknown>, messages: readonly Told[]): string {
  const [only = '', ...others] = entries.keys();
  if (others.length === 0) return only;
  const spoken = messages.find(({ message, view }) => isLead(message.origin) && entries.has(view.key));
  return spoken?.view.key ?? '';
}

/** One part per result and model, or one for a result without models, also where nothing is left. */
function visitResults(
  { session_id, messages, nobody }: SessionView,
  results: readonly ResultUse[],
  left: ReadonlyMap<ResultUse, Map<string, Left & { unit: Unit | null }>>,
  { spelling }: Pricing,
  visit: (part: Part) => void,
): void {
  const times = timesOf(results, messages);
  results.forEach((result, at) => {
    const rest = left.get(result);
    const names = result.models.size === 0 ? [null] : result.models.keys();
    for (const named of names) {
      const model = named === null ? undefined : result.models.get(named);
      const key = named === null || model === undefined ? '' : keyOfModel(named, model);
      const { tokens, cost, source, unit } = rest?.get(key) ?? nothingLeft;
      rest?.delete(key);
      const { turn, place } = result;
      const said = { time: times[at] ?? null, turn, place, tokens, cost, source, unit, result, named };
      visit({ ...nothingSaid, ...said, session_id, who: nobody, model: spelling.get(key) ?? named });
    }
  });
}

const nothingLeft: Left & { unit: null } = { tokens: noTokens(), cost: 0, source: 'reported', unit: null };

/** Results have no time of their own on the wire; each is at least as late as the messages before it. */
function timesOf(results: readonly ResultUse[], messages: readonly Told[]): (string | null)[] {
  if (results.every(({ said }) => said.time !== null)) return results.map(({ said }) => said.time);
  const ordered: MessageUse[] = [];
  for (const { message } of messages) if (message.stream && message.time !== null) ordered.push(message);
  sortByPlace(ordered);
  let at = 0;
  let latest: string | null = null;
  return results.map((result) => {
    for (let message = ordered[at]; message !== undefined && message.place < result.place; message = ordered[++at])
      if (message.time !== null && (latest === null || message.time > latest)) latest = message.time;
    return result.said.time ?? latest;
  });
}
