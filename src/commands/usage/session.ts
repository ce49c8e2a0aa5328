import type { CostSource } from '../../core/event/usage-row.js';
import { type Covered, coverOf, onTop } from './assign-to-results.js';
import { type SessionUse, sessionKey } from './fold.js';
import { isLead, type MessageUse, type Who } from './message-use.js';
import { type Cost, isUnsure, type OriginView, type Part, type Pricing, type Told, type Unit } from './parts.js';
import { type Report, type SessionHints, spentOf } from './processes.js';
import type { ResultUse } from './result-use.js';
import { type Entry, joinStrangers, type Left, messageCost, type Stranger, settle } from './settle.js';
import {
  addTokens,
  type Cumulative,
  compareSize,
  coversAll,
  cumulativeOf,
  keyOfModel,
  noTokens,
  restKey,
  type Spent,
  sizeOf,
} from './spent.js';

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

/** The turns of one session. */
export interface Turns {
  of(message: MessageUse): number | null;
  /** The number of a turn, by the one it had when it was read. */
  numberOf(turn: number | null): number | null;
}

/**
 * The turn of each message of a session. In a stream it is the turn in which the message stands. Files of agents stand beside
 * the main conversation: a message that is only there goes with the main conversation's next one, since a result counts what
 * came before it, also while the main conversation waited.
 */
export function turnsOf(messages: readonly Told[], session: SessionUse | undefined): Turns {
  const streamed = messages.some(({ message }) => message.stream && message.turn !== null);
  const isFixed = ({ origin, stream }: MessageUse) => stream || origin.who !== null || (!streamed && isLead(origin));
  const numbers = numbersOf(messages, isFixed, session?.begun ?? 0);
  const numberOf = (turn: number | null) => (turn === null ? null : (numbers?.get(turn) ?? turn));
  let known: Moment[] | undefined;
  return {
    numberOf,
    of(message) {
      if (message.time === null || isFixed(message)) return numberOf(message.turn);
      known ??= momentsOf(messages.map((told) => told.message).filter(isFixed), numberOf);
      return (known[firstFrom(known, message.time)] ?? known.at(-1))?.turn ?? numberOf(message.turn);
    },
  };
}

/**
 * The turn each result ends, by the number it had when it was read. Versions that number their results write one for every
 * turn, if late: the last of a run ends the turn in which it stands, the one before it the turn before, and so on.
 */
export function turnsEnded(spent: readonly Spent[]): ReadonlyMap<ResultUse, number | null> {
  const last = new Map<number, ResultUse>();
  for (const { result, run } of spent) {
    const known = last.get(run);
    if (indexOf(result) !== null && (indexOf(known) ?? -1) < (indexOf(result) ?? -1)) last.set(run, result);
  }
  return new Map(
    spent.map(({ result, run }) => {
      const end = last.get(run);
      const [index, lastIndex] = [indexOf(result), indexOf(end)];
      if (index === null || lastIndex === null || end?.turn == null) return [result, result.turn];
      return [result, Math.max(1, end.turn - (lastIndex - index))];
    }),
  );
}

function indexOf(result: ResultUse | undefined): number | null {
  return result?.said.result_index ?? null;
}

/**
 * Turns are numbered as they are read. Runs of one session may be read in any order: their turns are numbered again by the
 * time of their first messages. null where they are in order already, as they nearly always are.
 */
function numbersOf(
  messages: readonly Told[],
  isFixed: (message: MessageUse) => boolean,
  begun: number,
): ReadonlyMap<number, number> | null {
  const times = new Map<number, string>();
  for (const { message } of messages) {
    const { time, turn, origin } = message;
    // A row read back has the number it is to have.
    if (origin.who !== null) return null;
    if (time === null || turn === null || !isFixed(message)) continue;
    const first = times.get(turn);
    if (first === undefined || time < first) times.set(turn, time);
  }
  if (times.size < 2 || isAscending([...times].sort(([a], [b]) => a - b))) return null;
  const all = new Set(times.keys());
  if (begun < mostTurns) for (let turn = 1; turn <= begun; turn++) all.add(turn);
  const turns = [...all].sort((a, b) => a - b);
  const filled = fillTimes(turns.map((turn) => times.get(turn) ?? null));
  const order = turns.map((turn, at) => ({ turn, time: filled[at] ?? '' }));
  order.sort((a, b) => (a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1));
  return new Map(order.map(({ turn }, at) => [turn, turns[at] ?? turn]));
}
const mostTurns = 100_000;

function isAscending(times: readonly (readonly [number, string])[]): boolean {
  return times.every(([, time], at) => at === 0 || (times[at - 1]?.[1] ?? '') <= time);
}

/** A turn without a time has that of the one before it, else of the one after it. */
function fillTimes(times: readonly (string | null)[]): (string | null)[] {
  let last = times.find((time) => time !== null) ?? null;
  return times.map((time) => {
    last = time ?? last;
    return last;
  });
}

interface Moment {
  readonly time: string;
  readonly turn: number;
}

function momentsOf(messages: readonly MessageUse[], numberOf: Turns['numberOf']): Moment[] {
  const moments: Moment[] = [];
  for (const { time, turn } of messages) {
    const number = numberOf(turn);
    if (time !== null && number !== null) moments.push({ time, turn: number });
  }
  return moments.sort((a, b) => (a.time === b.time ? a.turn - b.turn : a.time < b.time ? -1 : 1));
}

function firstFrom(moments: readonly Moment[], time: string): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.time ?? '') < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
