// Settles sessions with the reports of Claude Code, into parts that add up to the reports plus what came on top.

import type { Tokens } from '../../core/event/usage-row.js';
import { getOrCreate } from '../../core/record/json.js';
import { firstIndex, groupBy } from '../../core/tables/order.js';
import {
  addTokens,
  covers,
  isLead,
  isNothing,
  type MessageUse,
  minusTokens,
  noTokens,
  sumTokens,
  type Tally,
  type Who,
} from '../../core/tables/usage/messages.js';
import { isReadBefore } from '../../core/tables/usage/sessions.js';
import { type ResultUse, type SessionUse, sessionKey } from '../../core/tables/usage/usage.js';
import { assignToResults, byPlace, endTurns, type NumberOfTurn, numberTurns } from './assign-to-results.js';
import {
  EmptyPart,
  type Fork,
  isUnsure,
  type Left,
  type MessagePart,
  type Part,
  type Pricing,
  unreported,
} from './parts.js';
import { messageCost, settleModel } from './settle-model.js';
import {
  type Counters,
  type Cumulative,
  compareSize,
  countersOf,
  coversAll,
  figuresAround,
  figuresKey,
  keyOfModel,
  mayInclude,
  type Report,
  restKey,
  type SessionHints,
  type Spent,
  spentOf,
} from './spent.js';

/**
 * Visits the parts of sessions that are settled together; most sessions are settled alone. `missing` names agents whose
 * usage is not in the input; it is called only if nothing was reported.
 */
export function settleSessions(
  sessions: readonly SessionParts[],
  missing: () => readonly Who[],
  pricing: Pricing,
  visit: (part: Part) => void,
): void {
  const messages = sessions.length === 1 ? (sessions[0]?.messages ?? []) : sessions.flatMap((one) => one.messages);
  const turns = new Map<string, NumberOfTurn>();
  for (const { key, messages: own, session } of sessions)
    turns.set(key, numberTurns(own, session?.turns.values() ?? []));
  const spent = spentIn(sessions, messages);
  endTurns(spent, (session) => turns.get(session) ?? ((turn) => turn));
  const { byModel, alone } = divide(sessions, messages, spent);

  const absent = spent.length === 0 ? missing() : [];
  const incomplete = absent.length > 0;
  for (const part of alone) {
    part.cost = messageCost(part, pricing);
    part.incomplete = incomplete;
    visit(part);
  }
  for (const who of absent) {
    const part = new EmptyPart(sessions[0]?.session_id ?? null, who);
    part.incomplete = true;
    visit(part);
  }
  for (const [key, entries] of byModel) settleModel(key, entries, spent, pricing, visit);
  const reports = new Map<ResultUse, Spent>();
  for (const one of spent) reports.set(one.result, one);
  for (const { key, session, session_id, nobody, messages: own, alone } of sessions) {
    // Results have no time of their own: each takes that of the last message it includes, else of the result before it.
    let before: string | null = null;
    const turnOf = (result: ResultUse) => {
      const report = reports.get(result);
      return report === undefined ? (turns.get(key)?.(result.turn) ?? null) : report.turn;
    };
    // The runs of a session may be read in any order.
    const results = (session?.results.values() ?? []).sort(
      (a, b) => (turnOf(a) ?? 0) - (turnOf(b) ?? 0) || byPlace(a, b),
    );
    // An empty part, so that the session is reported even if only a piece of it was read.
    if (results.length + own.length + absent.length === 0) {
      const part = new EmptyPart(session_id, nobody);
      part.source = 'reported';
      part.compactions = alone;
      visit(part);
    }
    for (const result of results) {
      const said = result.said.time;
      const report = reports.get(result);
      if (!result.state) before = said ?? report?.latest ?? before;
      const time = result.state ? said : before;
      const turn = turnOf(result);
      const newPart = () => {
        const part = new EmptyPart(session_id, nobody);
        part.result = result;
        part.place = result.place;
        part.time = time;
        part.turn = turn;
        return part;
      };
      visitResult(result, report?.left, result === results.at(-1) ? alone : 0, newPart, pricing, visit);
    }
  }
}

export interface SessionParts {
  readonly key: string;
  readonly session_id: string | null;
  readonly session: SessionUse | undefined;
  readonly fork: Fork | null;
  readonly messages: readonly MessagePart[];
  /** The owner of the remainder: no agent, but the team of the session. */
  readonly nobody: Who;
  /** Compactions of agents without messages. The last result counts them. */
  readonly alone: number;
}

function spentIn(sessions: readonly SessionParts[], messages: readonly MessagePart[]): Spent[] {
  const bases = basesOf(sessions, messages);
  const reports = sessions.flatMap(({ key, session, messages: own }): Report[] => {
    const results = session?.results.values() ?? [];
    let seen: ReadonlyMap<ResultUse, ReadonlyMap<string, Tokens>> | undefined;
    const hints: SessionHints = {
      named: results.some(({ models }) => models.size > 0),
      base: bases.get(key) ?? null,
      main() {
        const models = results.flatMap((result) => [...result.models]);
        return mainKey([...new Set(models.map(([name, model]) => keyOfModel(name, model)))], own);
      },
      seenBefore(result) {
        seen ??= seenIn(results, own);
        return seen.get(result) ?? null;
      },
    };
    return results.map((result) => ({ session: key, result, hints }));
  });
  return spentOf(reports);
}

/**
 * What a stream shows of the main conversation before each of its results, by model. A turn that did not finish may have messages
 * that were broken off, and are not counted.
 */
function seenIn(all: readonly ResultUse[], messages: readonly MessagePart[]) {
  const seen = new Map<ResultUse, Map<string, Tally>>();
  const results = all.filter(({ state }) => !state).sort(byPlace);
  if (results.length < 2) return seen;
  for (const { message, resolved } of messages) {
    const { place, stream, origin } = message;
    const isTelling = stream && isLead(origin) && !isUnsure(message);
    const next = isTelling ? results[firstIndex(results, (result) => result.place < place)] : undefined;
    if (next === undefined || !isWhole(next) || !isReadBefore(place, next.place)) continue;
    const models = getOrCreate(seen, next, () => new Map<string, Tally>());
    addTokens(getOrCreate(models, resolved.key, noTokens), message);
  }
  return seen;
}

/** Whether all messages of its turn are counted. */
function isWhole({ said: { subtype } }: ResultUse): boolean {
  return subtype === 'success' || subtype === 'error_max_turns';
}

/**
 * What the reports of a fork carry over from its parent session, by the key of the fork: the largest report of a session
 * that shares messages or figures with the fork and leaves room for the fork's own messages. If the reports of its
 * parent are not in the input, everything but its own messages is carried over.
 */
function basesOf(sessions: readonly SessionParts[], messages: readonly MessagePart[]): ReadonlyMap<string, Cumulative> {
  const bases = new Map<string, Cumulative>();
  if (sessions.length < 2 && sessions.every(({ fork }) => fork === null)) return bases;
  const sized = sessions
    .flatMap(({ key, session }): SizedReport[] =>
      (session?.results.values() ?? []).map((result) => ({ session: key, result, ...countersOf(result) })),
    )
    .sort(compareSize);
  for (const { key: session, fork } of sessions) {
    const own = sized.filter((report) => report.session === session);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined || !(first.result.state || mayInclude(first.result))) continue;
    const around = first.result.state ? [] : figuresAround(first.result);
    const figures = new Set(around.map(([key, model]) => figuresKey(key, model)));
    const base = sized.findLast(({ session: other, now }) => {
      if (other === session || !coversAll(first.now, now, first.result.said.usage)) return false;
      const { used, isShared } = usedApart(messages, session, other, last.result.said.time);
      const isAlike = () => [...now].some(([key, model]) => !isNothing(model) && figures.has(figuresKey(key, model)));
      const isIncluded = isShared || fork?.parent === other || isAlike();
      return isIncluded && coversAll(last.now, now, used);
    });
    if (base !== undefined) bases.set(session, base.now);
    else if (fork !== null && first.result.state) bases.set(session, carriedIn(first, messages));
  }
  return bases;
}

type SizedReport = Omit<Report, 'hints'> & Counters;

/**
 * All of a report but its session's own messages. Nobody says what those cost, so it is calculated. A branch carries
 * nothing over: its messages are all of its report.
 */
function carriedIn({ session, result, now }: SizedReport, messages: readonly MessagePart[]): Cumulative {
  const own = groupBy(
    messages.filter(({ message }) => isUntil(message, result.said.time) && isOfSession(message, session)),
    ({ resolved }) => resolved.key,
  );
  const carried = [...now].map(([key, spent]) => {
    const used = sumTokens((own.get(key) ?? []).map(({ message }) => message));
    return [key, { ...spent, ...minusTokens(spent, used), cost: key === restKey ? spent.cost : null }] as const;
  });
  return new Map(carried.every(([, rest]) => isNothing(rest)) ? [] : carried);
}

/** The usage of one session, up to a time, that the other session does not have, and whether they share messages. */
function usedApart(messages: readonly MessagePart[], session: string, other: string, until: string | null) {
  const used = noTokens();
  let isShared = false;
  for (const { message } of messages) {
    if (!message.row || !isOfSession(message, session)) continue;
    if (isOfSession(message, other)) isShared = true;
    else if (isUntil(message, until)) addTokens(used, message);
  }
  return { used, isShared };
}

function isUntil({ time }: MessageUse, until: string | null): boolean {
  return until === null || time === null || time <= until;
}

function isOfSession({ origin, others }: MessageUse, session: string): boolean {
  return sessionKey(origin.session_id) === session || others.includes(session);
}

interface Divided {
  /** The messages that reports include, by modelKey. */
  readonly byModel: ReadonlyMap<string, MessagePart[]>;
  readonly alone: readonly MessagePart[];
}

function divide(sessions: readonly SessionParts[], messages: readonly MessagePart[], spent: readonly Spent[]): Divided {
  const byModel = new Map<string, MessagePart[]>();
  for (const { models } of spent) for (const key of models.keys()) if (!byModel.has(key)) byModel.set(key, []);
  if (spent.length === 0) return { byModel, alone: messages };
  const nameless = byModel.has('');
  let main: string | null = null;
  for (const part of messages) {
    if (nameless) part.key = '';
    else if (part.key === '') {
      main ??=
        mainKey(
          [...byModel.keys()].filter((key) => key !== restKey),
          messages,
        ) ?? '';
      part.key = main;
    }
  }
  assignToResults(sessions, messages, spent);
  const alone: MessagePart[] = [];
  const aliased: MessagePart[] = [];
  for (const part of messages) {
    const { message, key, report } = part;
    // An attempt that may be free counts only if Claude Code does not report what it charged.
    if (report !== unreported && isUnsure(message)) continue;
    const list = report === unreported ? undefined : byModel.get(key);
    const isAliased = report !== unreported && (message.stream || spent[report]?.result.state === true);
    (list ?? (isAliased ? aliased : alone)).push(part);
  }
  for (const part of matchAliasedModels(aliased, byModel, spent)) alone.push(part);
  return { byModel, alone };
}

/** The reported model of the main conversation: the only one, else that of most of its messages. */
function mainKey(reported: readonly string[], messages: readonly MessagePart[]): string | null {
  const [only = null, ...others] = reported;
  if (others.length === 0) return only;
  const counts = new Map(reported.map((key) => [key, 0]));
  for (const { message, resolved } of messages) {
    const known = isLead(message.origin) ? counts.get(resolved.key) : undefined;
    if (known !== undefined) counts.set(resolved.key, known + 1);
  }
  const [[main, count] = ['', 0]] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return count === 0 ? null : main;
}

/**
 * A gateway may answer under another model name, and an inference profile hides the model. Then reports name the model
 * of the request, and messages that of the answer. All messages of a name join the only reported model that has room
 * for them. If no model has room, or several have, the messages are left over.
 */
function matchAliasedModels(
  aliased: readonly MessagePart[],
  byModel: ReadonlyMap<string, MessagePart[]>,
  spent: readonly Spent[],
): MessagePart[] {
  const left: MessagePart[] = [];
  for (const own of groupBy(aliased, ({ key }) => key).values()) {
    const used = sumTokens(own.map(({ message }) => message));
    const [host, ...others] = [...byModel].filter(([name, list]) => covers(roomIn(name, list, spent), used));
    const list = host === undefined || others.length > 0 ? left : host[1];
    // All at once would be too many arguments.
    for (const part of own) list.push(part);
  }
  return left;
}

function roomIn(name: string, list: readonly MessagePart[], spent: readonly Spent[]) {
  const reported = sumTokens(spent.map(({ models }) => models.get(name) ?? noTokens()));
  return minusTokens(reported, sumTokens(list.map(({ message }) => message)));
}

/** Visits one part per model of a report, or one for a result without models, even if nothing is left. */
function visitResult(
  { models }: ResultUse,
  left: Map<string, Left> | undefined,
  compactions: number,
  newPart: () => EmptyPart,
  { spelling }: Pricing,
  visit: (part: Part) => void,
): void {
  let isFirst = true;
  const tell = (named: string | null, key: string) => {
    const part = newPart();
    const rest = left?.get(key);
    // Two spellings of one model share one remainder.
    left?.delete(key);
    part.tokens = rest?.tokens ?? part.tokens;
    part.cost = rest === undefined ? 0 : rest.cost;
    part.source = rest?.source ?? 'reported';
    part.unit = rest?.unit ?? null;
    part.compactions = isFirst ? compactions : 0;
    part.window = models.get(named ?? '')?.window ?? null;
    part.model = spelling.get(key) ?? named;
    part.named = named;
    isFirst = false;
    visit(part);
  };
  for (const [named, model] of models) tell(named, keyOfModel(named, model));
  if (models.size === 0) tell(null, '');
  else if (left?.has(restKey)) tell(null, restKey);
}
