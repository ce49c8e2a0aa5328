import type { CostSource } from '../event/usage-row.js';
import { isLead, type MessageUse, type Who } from '../state/usage/message-use.js';
import type { ResultUse } from '../state/usage/result-use.js';
import { type SessionUse, sessionKey } from '../state/usage/usage.js';
import { type Entry, type Left, messageCost, settle } from './usage-account.js';
import { basesOf } from './usage-base.js';
import { type Covered, coverOf, onTop } from './usage-cover.js';
import { type Cost, isUnsure, type OriginView, type Part, type Pricing, type Told, type Unit } from './usage-part.js';
import { type Report, type SessionHints, spentOf } from './usage-processes.js';
import { keyOfModel, restKey, type Spent } from './usage-spent.js';
import { joinStrangers, type Stranger } from './usage-strangers.js';
import { noTokens } from './usage-tokens.js';
import { turnsEnded, turnsOf } from './usage-turns.js';

export interface SessionView {
  readonly key: string;
  readonly session_id: string | null;
  readonly session: SessionUse | undefined;
  readonly messages: readonly Told[];
  /** Whose the rest is: nobody's, but of the session's team. */
  readonly nobody: Who;
}

/** Sessions whose reports are settled together; most stand alone. */
export interface AccountView {
  readonly sessions: readonly SessionView[];
  /** Agents whose usage is not in the input; asked for only where nothing was reported. */
  missing(): readonly Who[];
}

/** Divides what an account used into parts that add up to what it reported and what came on top of that. */
export function visitAccount({ sessions, missing }: AccountView, pricing: Pricing, visit: (part: Part) => void): void {
  const messages = sessions.length === 1 ? (sessions[0]?.messages ?? []) : sessions.flatMap((one) => one.messages);
  const turns = new Map(sessions.map((one) => [one.key, turnsOf(one.messages, one.session)]));
  const turnOf = (message: MessageUse) => turns.get(sessionKey(message.origin.session_id))?.of(message) ?? null;
  const spent = spentIn(sessions, messages);
  const ended = turnsEnded(spent);
  const turnOfResult = (session: string, result: ResultUse) =>
    turns.get(session)?.numberOf(ended.get(result) ?? result.turn) ?? null;
  const absent = spent.length === 0 ? missing() : [];
  const incomplete = absent.length > 0;
  const { entries, alone } = sortOut({ spent, messages, turnOf, turnOfResult });
  for (const told of alone) visit(alonePart(told, turnOf(told.message), pricing, incomplete));
  const session_id = sessions[0]?.session_id ?? null;
  for (const who of absent) visit({ ...nothingSaid, session_id, who, incomplete });
  const left = new Map<ResultUse, Map<string, Settled>>();
  for (const { result } of spent) left.set(result, new Map());
  for (const [key, list] of entries) {
    const settled = settle(key, list, spent, pricing);
    const joined = pricing.spelling.get(key);
    let index = 0;
    for (const told of list) {
      const model = joined ?? told.view.model;
      const unit = settled.units[told.at] ?? null;
      const cost = settled.costs[index++] ?? null;
      visit(new MessagePart(told, model, turnOf(told.message), cost, unit, incomplete));
    }
    spent.forEach(({ result, models }, at) => {
      const rest = settled.left[at];
      if (rest !== undefined && models.has(key))
        left.get(result)?.set(key, { ...rest, unit: settled.units[at] ?? null });
    });
  }
  const latest = latestIn(entries, spent);
  for (const session of sessions) {
    const results = reportsIn(session.session);
    const times = timesOf(results, latest);
    results.forEach((result, at) => {
      const said = { result, place: result.place, time: times[at] ?? null, turn: turnOfResult(session.key, result) };
      visitResult(session, said, left.get(result), pricing, visit);
    });
  }
}

type Settled = Left & { readonly unit: Unit | null };

/** A message that no report holds. */
export function alonePart(told: Told, turn: number | null, pricing: Pricing, incomplete: boolean): Part {
  return new MessagePart(told, told.view.model, turn, messageCost(told, pricing), null, incomplete);
}

/** A class, since every message makes one, and whose it is may not be asked. */
class MessagePart implements Part {
  readonly message: MessageUse;
  readonly result = null;
  readonly #view: OriginView;

  constructor(
    { message, view }: Told,
    readonly model: string | null,
    readonly turn: number | null,
    readonly cost: Cost,
    readonly unit: Unit | null,
    readonly incomplete: boolean,
  ) {
    this.message = message;
    this.#view = view;
  }

  get session_id(): string | null {
    return this.message.origin.session_id;
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
    if (this.cost === null) return 'unpriced';
    if (isUnsure(this.message)) return 'guess';
    return this.message.final ? 'calculated' : 'lower_bound';
  }
}

/** Results and cost-states, in the order in which they were read. */
export function reportsIn(session: SessionUse | undefined): ResultUse[] {
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

function spentIn(sessions: readonly SessionView[], messages: readonly Told[]): Spent[] {
  const reports = sessions.flatMap(({ key, session }): Report[] =>
    (session?.results.values() ?? []).map((result) => ({ session: key, result })),
  );
  const bases = basesOf(reports, messages);
  const hints = new Map(
    sessions.map(({ key, session, messages: own }): [string, SessionHints] => {
      const models = (session?.results.values() ?? []).flatMap(({ models }) => [...models]);
      const keys = new Set(models.map(([name, model]) => keyOfModel(name, model)));
      return [key, { named: models.length > 0, base: bases.get(key) ?? null, main: mainKey([...keys], own) }];
    }),
  );
  return spentOf(reports, (session) => hints.get(session) ?? noHints);
}

const noHints: SessionHints = { named: true, base: null, main: null };

interface SortedOut {
  /** By modelKey: what reports hold. */
  readonly entries: ReadonlyMap<string, Entry[]>;
  readonly alone: readonly Told[];
}

function sortOut(covered: Omit<Covered, 'keyOf'>): SortedOut {
  const { spent, messages } = covered;
  const entries = new Map<string, Entry[]>();
  for (const { models } of spent) for (const key of models.keys()) entries.set(key, []);
  if (spent.length === 0) return { entries, alone: messages };
  const nameless = entries.has('');
  const main = mainKey(
    [...entries.keys()].filter((key) => key !== restKey),
    messages,
  );
  const keyOf = ({ view }: Told) => (nameless ? '' : view.key || main || '');
  const cover = coverOf({ ...covered, keyOf });
  const alone: Told[] = [];
  const strangers: Stranger[] = [];
  let index = 0;
  for (const told of messages) {
    const { message, view } = told;
    const key = keyOf(told);
    const list = entries.get(key);
    const at = cover[index++] ?? onTop;
    // What nobody is sure to be charged for counts only where the program does not say what it charged.
    if (at !== onTop && isUnsure(message)) continue;
    if (at !== onTop && list !== undefined)
      list.push({ message, view, at, counted: !nameless || isLead(message.origin) });
    else if (at !== onTop && (message.stream || spent[at]?.result.state)) strangers.push({ key, message, view, at });
    else alone.push(told);
  }
  if (strangers.length > 0) alone.push(...joinStrangers(strangers, entries, spent));
  return { entries, alone };
}

/** The model of the main conversation, of those that are reported: the only one, else that of most of its messages. */
function mainKey(reported: readonly string[], messages: readonly Told[]): string | null {
  const [only = null, ...others] = reported;
  if (others.length === 0) return only;
  const counts = new Map(reported.map((key) => [key, 0]));
  for (const { message, view } of messages) {
    const count = isLead(message.origin) ? counts.get(view.key) : undefined;
    if (count !== undefined) counts.set(view.key, count + 1);
  }
  const [[main, count] = ['', 0]] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return count === 0 ? null : main;
}

/** One part for each model of a report, or one for a result without models, also where nothing is left. */
function visitResult(
  { session_id, nobody }: SessionView,
  said: Pick<Part, 'time' | 'turn' | 'place'> & { readonly result: ResultUse },
  left: ReadonlyMap<string, Settled> | undefined,
  { spelling }: Pricing,
  visit: (part: Part) => void,
): void {
  const told = new Set<string>();
  const tell = (named: string | null, key: string) => {
    // Two spellings of one model have one rest.
    const { tokens, cost, source, unit } = (told.has(key) ? undefined : left?.get(key)) ?? nothingLeft;
    told.add(key);
    const model = spelling.get(key) ?? named;
    visit({ ...nothingSaid, ...said, session_id, who: nobody, model, named, tokens, cost, source, unit });
  };
  const { models } = said.result;
  for (const [named, model] of models) tell(named, keyOfModel(named, model));
  if (models.size === 0) tell(null, '');
  else if (left?.has(restKey)) tell(null, restKey);
}

const nothingLeft: Settled = { tokens: noTokens(), cost: 0, source: 'reported', unit: null };

/** Results have no time of their own on the wire: each has that of the last message it holds, else of the result before it. */
function timesOf(results: readonly ResultUse[], latest: ReadonlyMap<ResultUse, string>): (string | null)[] {
  let before: string | null = null;
  return results.map((result) => {
    if (result.state) return result.said.time;
    before = result.said.time ?? latest.get(result) ?? before;
    return before;
  });
}

/** When the last message of a stream was written that a result holds. */
function latestIn(entries: ReadonlyMap<string, readonly Entry[]>, spent: readonly Spent[]): Map<ResultUse, string> {
  const latest = new Map<ResultUse, string>();
  for (const list of entries.values())
    for (const { message, at } of list) {
      const result = spent[at]?.result;
      if (result === undefined || !message.stream || message.time === null) continue;
      if (message.time > (latest.get(result) ?? '')) latest.set(result, message.time);
    }
  return latest;
}
