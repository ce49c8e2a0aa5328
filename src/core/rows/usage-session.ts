import { isLead, type MessageUse, type Who } from '../state/usage/message-use.js';
import type { ResultUse } from '../state/usage/result-use.js';
import type { SessionUse } from '../state/usage/usage.js';
import { type Entry, type Left, messageCost, settle } from './usage-account.js';
import { coverOf, onTop } from './usage-cover.js';
import type { Cost, Part, Pricing, Unit } from './usage-part.js';
import { keyOfModel, type Spent, spentOf } from './usage-spent.js';
import { joinStrangers, type Stranger } from './usage-strangers.js';
import { noTokens } from './usage-tokens.js';
import { turnsOf } from './usage-turns.js';

export interface SessionView {
  readonly session_id: string | null;
  readonly session: SessionUse | undefined;
  readonly messages: readonly MessageUse[];
  /** Its agents whose usage is not in the input. */
  readonly missing: readonly Who[];
  /** Whose the rest is: nobody's, but of the session's team. */
  readonly nobody: Who;
}

/** Divides what one session used into parts that add up to what it reported and what came on top of that. */
export function visitSession(view: SessionView, pricing: Pricing, visit: (part: Part) => void): void {
  const { session_id, session, messages, missing } = view;
  const results = resultsOf(session);
  const spent = spentOf(results);
  const turnOf = turnsOf(messages);
  const incomplete = spent.length === 0 && missing.length > 0;
  const say = (message: MessageUse, cost: Cost, unit: Unit | null, joined?: string) => {
    const { who, model } = pricing.viewOf(message.origin);
    // Without spreads, which take half the time of a whole report.
    visit({
      session_id,
      who,
      model: joined ?? model,
      time: message.time,
      turn: turnOf(message),
      tokens: message,
      cost,
      source: cost === null ? 'unpriced' : message.final ? 'calculated' : 'lower_bound',
      unit,
      message,
      result: null,
      named: model,
      place: message.place,
      incomplete,
    });
  };
  const { entries, alone } = sortOut(view, spent, turnOf, pricing);
  for (const message of alone) say(message, messageCost(message, pricing), null);
  if (spent.length === 0) for (const who of missing) visit({ ...nothingSaid, session_id, who, incomplete });
  const left = new Map<ResultUse, Map<string, Left & { unit: Unit | null }>>(
    results.map((result) => [result, new Map()]),
  );
  for (const [key, list] of entries) {
    const settled = settle(key, list, spent, pricing);
    for (const [index, { message, at }] of list.entries())
      say(message, settled.costs[index] ?? null, settled.units[at] ?? null, pricing.spelling.get(key));
    spent.forEach(({ result, models }, at) => {
      const rest = settled.left[at];
      if (rest !== undefined && models.has(key))
        left.get(result)?.set(key, { ...rest, unit: settled.units[at] ?? null });
    });
  }
  visitResults(view, results, left, pricing, visit);
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
  readonly alone: readonly MessageUse[];
}

function sortOut(
  { messages }: SessionView,
  spent: readonly Spent[],
  turnOf: (message: MessageUse) => number | null,
  { viewOf }: Pricing,
): SortedOut {
  const entries = new Map<string, Entry[]>();
  for (const { models } of spent) for (const key of models.keys()) entries.set(key, []);
  if (spent.length === 0) return { entries, alone: messages };
  const nameless = entries.has('');
  const main = mainKey(entries, messages, viewOf);
  const keyOf = (message: MessageUse) => (nameless ? '' : viewOf(message.origin).key || main);
  const cover = coverOf({ spent, messages, keyOf, turnOf });
  const alone: MessageUse[] = [];
  const strangers: Stranger[] = [];
  for (const message of messages) {
    const key = keyOf(message);
    const list = entries.get(key);
    const at = cover(message);
    if (at !== onTop && list !== undefined) list.push({ message, at, counted: !nameless || isLead(message.origin) });
    else if (at !== onTop && message.stream) strangers.push({ key, message, at });
    else alone.push(message);
  }
  return { entries, alone: [...alone, ...joinStrangers(strangers, entries, spent)] };
}

/** The model of messages that do not say theirs: the only one reported, else that of the main conversation. */
function mainKey(
  entries: ReadonlyMap<string, unknown>,
  messages: readonly MessageUse[],
  viewOf: Pricing['viewOf'],
): string {
  const [only = '', ...others] = entries.keys();
  if (others.length === 0) return only;
  const spoken = messages.find(({ origin }) => isLead(origin) && entries.has(viewOf(origin).key));
  return spoken === undefined ? '' : viewOf(spoken.origin).key;
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
function timesOf(results: readonly ResultUse[], messages: readonly MessageUse[]): (string | null)[] {
  const ordered = messages.filter(({ stream, time }) => stream && time !== null).sort((a, b) => a.place - b.place);
  let at = 0;
  let latest: string | null = null;
  return results.map((result) => {
    for (let message = ordered[at]; message !== undefined && message.place < result.place; message = ordered[++at])
      if (message.time !== null && (latest === null || message.time > latest)) latest = message.time;
    return result.said.time ?? latest;
  });
}
