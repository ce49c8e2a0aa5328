// Lays out what one agent did: its turns, and the API messages and calls in them.
import type { ResolvedAgent } from '../tables/directory.js';
import { type Axis, isBefore, type Moment } from '../tables/moments.js';
import { firstIndex } from '../tables/order.js';
import type { AskFact, MessageFact, Owner, ResultFact, StartFact, TurnFact } from './facts.js';
import { type Actor, type CallFact, Span, spanId } from './model.js';

/** The facts of one agent. */
export class Work {
  readonly owners = new Set<Owner>();
  readonly messages: MessageFact[] = [];
  readonly calls: CallFact[] = [];
  readonly begins: TurnFact[] = [];
  readonly results: ResultFact[] = [];
  readonly starts: StartFact[] = [];
  readonly inputs: Moment[] = [];
  /** When it was seen without doing anything that has a span, or was reported as done. */
  readonly ends: Moment[] = [];
  readonly asks: AskFact[] = [];
}

export function isAtWork({ messages, calls, begins }: Work): boolean {
  return messages.length > 0 || begins.length > 0 || calls.some(({ called }) => called !== null);
}

/** Every moment that needs a place on the time axis. */
export function momentsOf(work: Work): Moment[] {
  const found = [
    ...work.messages.flatMap(({ first, last }) => [first, last]),
    ...work.calls.flatMap(({ called, returned }) => (called === null ? [] : [called, returned])),
    ...work.asks.map(({ to }) => to),
    ...[...work.begins, ...work.results, ...work.starts, ...work.asks].map(({ at }) => at),
    ...work.inputs,
    ...work.ends,
  ];
  return found.filter((moment) => moment !== null);
}

export interface Who {
  /** The trace. */
  readonly home: string;
  readonly key: string;
  readonly axis: Axis;
  readonly agent: ResolvedAgent;
  readonly team: string | null;
  readonly isLead: boolean;
  readonly open: boolean;
  readonly failed: boolean;
}

/** Open calls and turns end at infinity, until the end of the trace is known. */
export function layOut(work: Work, who: Who): Actor {
  const { home, key, axis, agent } = who;
  const chats = chatsOf(work, axis, home);
  const calls = new Map(
    work.calls.flatMap((fact) => (fact.called === null ? [] : [[fact.id, callSpan(fact, fact.called, axis, home)]])),
  );
  const turns = splitTurns(chats, calls);
  const placedTimes = (moments: readonly Moment[]) => moments.filter(axis.knows).map((moment) => axis.at(moment));
  const begun = placedTimes([...work.starts, ...work.begins].map(({ at }) => at));
  const inputs = [...work.inputs, ...work.begins.map(({ at }) => at)]
    .filter(axis.knows)
    .map((moment) => ({ at: axis.at(moment), moment }))
    .sort((a, b) => a.at - b.at);
  beginTurns(turns, calls, { inputs, results: resultsByTurn(work), axis, born: leastOf(begun) });

  const span = new Span({
    id: spanId(home, 'agent', key),
    kind: 'agent',
    name: agent.name,
    open: who.open,
    failed: who.failed,
  });
  const actor: Actor = {
    ...{ key, agent: agent.agent, name: agent.name, agent_type: agent.agent_type, kind: agent.kind },
    ...{ team: who.team, session_id: agent.session_id, isLead: who.isLead },
    span,
    ...{ turns: [], chats: [], calls: [], waits: [], spawner: null, spawnCall: null },
  };
  span.actor = actor;
  for (const [index, turn] of turns.entries()) addTurn(actor, turn, index + 1, home);
  addCalls(actor, calls, turns);
  const last = actor.turns.at(-1);
  if (who.open && last !== undefined) {
    last.open = true;
    last.end = Number.POSITIVE_INFINITY;
  }

  const ended = placedTimes([...work.ends, ...work.results.map(({ at }) => at)]);
  const done = [...actor.chats, ...actor.calls];
  span.start = leastOf([...begun, ...done.map(({ start }) => start)]);
  if (span.start === Number.POSITIVE_INFINITY) span.start = ended.length === 0 ? axis.first : leastOf(ended);
  span.end = span.start;
  // A mere beginning shows no end: an init without work after it is not work.
  for (const at of [...ended, ...done.flatMap((one) => [one.start, one.end])]) {
    if (at < Number.POSITIVE_INFINITY) span.end = Math.max(span.end, at);
  }
  // A message that calls tools is not the last of its turn. The one after it may not be in the input.
  const isAnswered = (turns.at(-1)?.chats.at(-1)?.fact.calls.size ?? 0) === 0;
  if (last !== undefined && !isAnswered) last.end = Math.max(last.end, span.end);
  return actor;
}

interface Chat {
  readonly span: Span;
  readonly fact: MessageFact;
  /** When its first block was complete. The request was sent earlier. */
  first: number;
}

function chatsOf({ messages }: Work, axis: Axis, home: string): Chat[] {
  const placed = messages.flatMap((fact) => (fact.first === null ? [] : [{ fact, first: fact.first }]));
  placed.sort((a, b) => axis.at(a.first) - axis.at(b.first) || (isBefore(a.first, b.first) ? -1 : 1));
  return placed.map(({ fact, first: moment }) => {
    const first = axis.at(moment);
    const span = new Span({
      id: spanId(home, 'chat', fact.id),
      kind: 'chat',
      name: fact.model ?? 'unknown model',
      start: first,
      end: Math.max(first, fact.last === null ? first : axis.at(fact.last)),
      estimated: axis.isEstimated(moment) || (fact.last !== null && axis.isEstimated(fact.last)),
      message: fact,
    });
    return { span, fact, first };
  });
}

/** A call that never returned ends at infinity. */
function callSpan(fact: CallFact, called: Moment, axis: Axis, home: string): Span {
  const { returned } = fact;
  const start = axis.at(called);
  return new Span({
    id: spanId(home, 'call', fact.id),
    kind: 'call',
    name: fact.tool || 'unknown tool',
    start,
    end: returned === null ? Number.POSITIVE_INFINITY : Math.max(start, axis.at(returned)),
    open: returned === null,
    failed: fact.failed,
    estimated: axis.isEstimated(called) || (returned !== null && axis.isEstimated(returned)),
    call: fact,
  });
}

interface Turn {
  readonly chats: Chat[];
  /** The last known moment of it. */
  end: number;
}

/** A turn continues as long as messages call tools. If a stream says which turn a message is in, that is used. */
function splitTurns(chats: readonly Chat[], calls: ReadonlyMap<string, Span>): Turn[] {
  const turns: Turn[] = [];
  let before: Chat | undefined;
  for (const chat of chats) {
    const turn = turns.at(-1);
    const goesOn =
      before !== undefined &&
      (before.fact.turn !== null && chat.fact.turn !== null
        ? before.fact.turn === chat.fact.turn
        : before.fact.calls.size > 0);
    let { end } = chat.span;
    for (const id of chat.fact.calls) {
      const call = calls.get(id);
      if (call?.open === false) end = Math.max(end, call.end);
    }
    if (turn === undefined || !goesOn) turns.push({ chats: [chat], end });
    else {
      startNext(chat, turn, calls);
      turn.chats.push(chat);
      turn.end = Math.max(turn.end, end);
    }
    before = chat;
  }
  return turns;
}

/** The next message of a turn is requested as soon as the calls before it have returned. */
function startNext(chat: Chat, { chats }: Turn, calls: ReadonlyMap<string, Span>): void {
  const previous = chats.at(-1);
  if (previous === undefined) return;
  const { span, first } = chat;
  span.start = Math.min(first, previous.span.end);
  for (const id of previous.fact.calls) {
    const end = calls.get(id)?.end ?? Number.POSITIVE_INFINITY;
    if (end <= first) span.start = Math.max(span.start, end);
  }
}

interface Clues {
  /** What the agent got to work on, ordered by time. */
  readonly inputs: readonly { readonly at: number; readonly moment: Moment }[];
  /** The results of turns, by the key of the turn. */
  readonly results: ReadonlyMap<string, ResultFact>;
  readonly axis: Axis;
  /** When the agent was started; infinity if unknown. */
  readonly born: number;
}

/** The first message of a turn is requested when the agent gets its prompt, or a message that wakes it. */
function beginTurns(turns: readonly Turn[], calls: ReadonlyMap<string, Span>, clues: Clues): void {
  const { inputs, results, axis, born } = clues;
  let next = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const turn of turns) {
    const [chat] = turn.chats;
    if (chat === undefined) continue;
    const since = next;
    while ((inputs[next]?.at ?? Number.POSITIVE_INFINITY) <= chat.first) next++;
    const woken = inputs.slice(since, next).filter(({ at }) => at >= before);
    const timed = woken.findLast(({ moment }) => moment.own !== null || !axis.toScale);
    const guess = woken.at(-1);
    const least = guess?.moment.near === null ? before : Math.max(before, guess?.at ?? before);
    const said = axis.toScale ? saidBegin(results.get(chat.fact.turn?.key ?? ''), turn, axis) : Number.NaN;
    if (said > before) raise(turn, calls, said);
    if (timed !== undefined) chat.span.start = timed.at;
    else if (said >= least && said <= chat.first) chat.span.start = said;
    else if (guess !== undefined) chat.span.start = guess.at;
    else chat.span.start = Math.min(chat.first, before > Number.NEGATIVE_INFINITY ? before : born);
    before = turn.end;
  }
}

/**
 * A turn lasted as long as its result says, up to the result: after the last call, the program may have tried again for
 * long. If that is after the first message, the result was held back, and the turn ended with its last known moment.
 */
function saidBegin(result: ResultFact | undefined, { chats, end }: Turn, axis: Axis): number {
  const took = result?.duration ?? -1;
  if (result === undefined || took < 0) return Number.NaN;
  const begun = axis.at(result.at) - took;
  return begun <= (chats[0]?.first ?? 0) && axis.at(result.at) >= end ? begun : end - took;
}

/** A moment that is only estimated cannot be before its turn began. */
function raise({ chats }: Turn, calls: ReadonlyMap<string, Span>, begun: number): void {
  for (const chat of chats) {
    const { span, fact } = chat;
    if (span.estimated !== true) continue;
    span.start = Math.max(span.start, begun);
    chat.first = Math.max(chat.first, begun);
    span.end = Math.max(span.end, begun);
    for (const id of fact.calls) {
      const call = calls.get(id);
      if (call?.estimated && call.end > begun) call.start = Math.max(call.start, begun);
    }
  }
}

/** Results can be matched with turns only if a stream has a result for each of its turns. */
function resultsByTurn({ begins, results }: Work): Map<string, ResultFact> {
  const matched = new Map<string, ResultFact>();
  for (const source of new Set(begins.map(({ at }) => at.source))) {
    const inOrder = <T extends { readonly at: Moment }>(list: readonly T[]) =>
      list.filter(({ at }) => at.source === source).sort((a, b) => a.at.line - b.at.line);
    const ended = inOrder(results);
    const begun = inOrder(begins);
    if (ended.length !== begun.length) continue;
    for (const [index, { key }] of begun.entries()) {
      const result = ended[index];
      if (result !== undefined) matched.set(key, result);
    }
  }
  return matched;
}

function addTurn(actor: Actor, { chats, end }: Turn, turn: number, home: string): void {
  const [first] = chats;
  if (first === undefined) return;
  const id = spanId(home, 'turn', first.fact.id);
  const estimated = chats.some(({ span }) => span.estimated);
  const { start } = first.span;
  const parent = actor.span.id;
  actor.turns.push(new Span({ id, parent, actor, turn, kind: 'turn', name: `turn ${turn}`, start, end, estimated }));
  for (const { span } of chats) actor.chats.push(Object.assign(span, { parent: id, actor, turn }));
}

/** A call belongs to the turn of its message, else to the turn it began in. */
function addCalls(actor: Actor, calls: ReadonlyMap<string, Span>, turns: readonly Turn[]): void {
  const turnOf = new Map(
    turns.flatMap(({ chats }, index) => chats.map(({ fact }) => [fact.id, actor.turns[index]] as const)),
  );
  for (const call of calls.values()) {
    const turn = turnOf.get(call.call?.message_id ?? '') ?? turnAt(actor.turns, call.start);
    const after = turn?.turn ?? firstIndex(actor.turns, (one) => one.start <= call.start);
    // The agent continued without a result.
    if (call.open) call.end = Math.max(call.start, actor.turns[after]?.start ?? Number.POSITIVE_INFINITY);
    actor.calls.push(Object.assign(call, { parent: turn?.id ?? actor.span.id, actor, turn: turn?.turn ?? null }));
    if (turn === undefined) continue;
    turn.end = Math.max(turn.end, call.end);
    turn.start = Math.min(turn.start, call.start);
    turn.open ||= call.end === Number.POSITIVE_INFINITY;
  }
  actor.calls.sort((a, b) => a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1));
}

export function turnAt(turns: readonly Span[], at: number): Span | undefined {
  const turn = turns[firstIndex(turns, ({ start }) => start <= at) - 1];
  return turn !== undefined && at <= turn.end ? turn : undefined;
}

function leastOf(times: readonly number[]): number {
  return times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
}
