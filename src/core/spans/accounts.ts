// Finds out when agents waited, where their time went, and what the run as a whole waited for.
import { getOrCreate } from '../record/json.js';
import type { Axis } from '../tables/moments.js';
import { firstIndex } from '../tables/order.js';
import { isSpawnTool } from '../wire/tools/table.js';
import type { AskFact } from './facts.js';
import { type Actor, Span, spanId, type Trace } from './model.js';
import { turnAt } from './turns.js';

/** Marks calls that wait, and adds waits that are not calls. */
export function addWaits(
  actors: readonly Actor[],
  asksOf: (actor: Actor) => readonly AskFact[],
  axis: Axis,
  home: string,
): void {
  const helpers = new Helpers(actors);
  for (const actor of actors) {
    const others = union(helpers.helpersOf(actor).flatMap(busyTimes));
    for (const call of actor.calls) call.waits = waitOf(call, helpers.startedBy(call), others);
    const asks = asksOf(actor);
    const moments = asks.length === 0 ? [] : [...actor.chats, ...actor.calls].flatMap((one) => [one.start, one.end]);
    moments.sort((a, b) => a - b);
    for (const ask of asks) actor.waits.push(askSpan(actor, ask, moments, axis, home));
    for (const { start, end, after } of breaksOf(actor)) {
      // From when the first of them works until the last one stops.
      const first = others[firstIndex(others, (one) => one.end <= start)];
      const last = others[firstIndex(others, (one) => one.start < end) - 1];
      if (first === undefined || last === undefined || first.start >= end || last.end <= start) continue;
      const time = { start: Math.max(start, first.start), end: Math.min(end, last.end) };
      actor.waits.push(waitSpan(home, actor, 'agent', after, time));
    }
    actor.waits.sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  }
}

/** Whom agents can wait for. */
class Helpers {
  readonly #started = new Map<Actor, Actor[]>();
  readonly #called = new Map<Span, Actor>();

  constructor(private readonly actors: readonly Actor[]) {
    for (const actor of actors) {
      const { spawner, spawnCall } = actor;
      if (spawnCall !== null) this.#called.set(spawnCall, actor);
      if (spawner !== null) getOrCreate(this.#started, spawner, () => []).push(actor);
    }
  }

  /** The lead works with everybody, others with those they started. */
  helpersOf(actor: Actor): readonly Actor[] {
    return actor.isLead ? this.actors.filter((other) => other !== actor) : (this.#started.get(actor) ?? []);
  }

  startedBy(call: Span | null): Actor | null {
    return call === null ? null : (this.#called.get(call) ?? null);
  }
}

export interface Time {
  readonly start: number;
  readonly end: number;
}

/** When an agent works, in order. If only its beginning and end are known, all the time between. */
export function busyTimes(actor: Actor): readonly Time[] {
  const known = busy.get(actor);
  if (known !== undefined) return known;
  const { span, turns, calls } = actor;
  const alone = calls.filter((call) => call.turn === null);
  const times = turns.length + calls.length === 0 ? [span] : union([...turns, ...alone]);
  busy.set(actor, times);
  return times;
}
const busy = new WeakMap<Actor, readonly Time[]>();

/** The last of these that began before a time. */
function busyBefore(actor: Actor, at: number): Time | undefined {
  const times = busyTimes(actor);
  return times[firstIndex(times, ({ start }) => start < at) - 1];
}

/** Without overlaps, in order. */
export function union(times: readonly Time[]): Time[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of times.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

function waitOf({ name, start, end, open }: Span, spawned: Actor | null, others: readonly Time[]): Span['waits'] {
  if (name === 'AskUserQuestion') return 'person';
  if (isSpawnTool(name)) return spawned === null || open || isDoneBy(spawned, end) ? 'agent' : null;
  // Shells also have an output to wait for.
  const isOutput = name === 'TaskOutput' || name === 'AgentOutputTool';
  const next = others[firstIndex(others, (one) => one.end <= start)];
  return isOutput && next !== undefined && next.start < end ? 'agent' : null;
}

/** Whether an agent did something and was done by then. If not, it continues in the background, perhaps unseen. */
function isDoneBy(actor: Actor, at: number): boolean {
  const before = busyBefore(actor, at);
  if (before === undefined || before.end > at) return false;
  return !actor.span.open || before.end < actor.span.end;
}

function waitSpan(home: string, actor: Actor, waits: 'agent' | 'person', id: string, time: Partial<Span> & Time): Span {
  const own = { id: spanId(home, 'wait', actor.key, id), parent: actor.span.id, actor };
  return new Span({ ...own, kind: 'wait', name: waits, waits, ...time });
}

/** A person was asked. If the answer is not in the input, it came before the next thing the agent did. */
function askSpan(actor: Actor, { id, at, to }: AskFact, moments: readonly number[], axis: Axis, home: string): Span {
  const start = axis.at(at);
  const turn = turnAt(actor.turns, start);
  const answered = to === null ? (moments[firstIndex(moments, (at) => at <= start)] ?? Infinity) : axis.at(to);
  const open = answered === Number.POSITIVE_INFINITY;
  const end = open ? actor.span.end : Math.max(start, answered);
  const place = turn === undefined ? {} : { parent: turn.id, turn: turn.turn };
  return waitSpan(home, actor, 'person', id, { start, end, open, estimated: axis.isEstimated(at), ...place });
}

/** The times between the turns of an agent, and after the last one. */
function breaksOf({ turns, calls, span }: Actor): (Time & { readonly after: string })[] {
  const breaks: (Time & { readonly after: string })[] = [];
  const work = [...turns, ...calls.filter((call) => call.turn === null)].sort((a, b) => a.start - b.start);
  let end = span.start;
  let after = '';
  for (const one of work) {
    if (one.start > end && after !== '') breaks.push({ start: end, end: one.start, after });
    if (one.end >= end) {
      end = one.end;
      after = one.id;
    }
  }
  if (after !== '' && span.end > end) breaks.push({ start: end, end: span.end, after });
  return breaks;
}

// Computes where the time of each agent went, and the critical path: what the run as a whole waited for.

/** What an agent does at an instant. If several apply, the first in this order counts. */
export const states = ['wait_person', 'wait_agent', 'tool', 'active', 'idle'] as const;
export type AccountState = (typeof states)[number];

/** A period in which an agent is in one state, because of one span. */
export interface Piece extends Time {
  readonly state: AccountState;
  /** null while it is idle, or if only its beginning and end are known. */
  readonly span: Span | null;
}

export interface Account {
  readonly actor: Actor;
  /** In order and without gaps, from its beginning to its end. */
  readonly pieces: readonly Piece[];
  readonly ms: Readonly<Record<AccountState, number>>;
  /** Its part of the critical path. */
  critical: number;
  /** The stretches of that part, the last one first. */
  readonly stretches: Time[];
}

/** Also sets for each span how much of it is on the critical path. */
export function accountsOf(trace: Pick<Trace, 'root' | 'actors'>): Account[] {
  const accounts = trace.actors.map(accountOf);
  walkBack(trace, accounts);
  return accounts;
}

function accountOf(actor: Actor): Account {
  const { span } = actor;
  const claims: Record<AccountState, Claim[]> = {
    wait_person: [],
    wait_agent: [],
    tool: [],
    active: [],
    idle: [claimOf(span)],
  };
  for (const one of [...actor.calls, ...actor.waits]) claims[stateOf(one)].push(claimOf(one, one));
  for (const chat of actor.chats) claims.active.push(claimOf(chat, chat));

  let pieces: Piece[] = [];
  for (const state of states) {
    pieces = withClaims(pieces, lastToEnd(claims[state], span), state);
    // In a turn, an agent works between messages too. So does an agent of which only the beginning and end are known.
    if (state === 'active')
      pieces = withClaims(
        pieces,
        lastToEnd(
          busyTimes(actor).map((time) => claimOf(time)),
          span,
        ),
        state,
      );
  }
  const ms = { wait_person: 0, wait_agent: 0, tool: 0, active: 0, idle: 0 };
  for (const { start, end, state } of pieces) ms[state] += end - start;
  return { actor, pieces, ms, critical: 0, stretches: [] };
}

function stateOf({ waits }: Span): AccountState {
  if (waits === null) return 'tool';
  return waits === 'agent' ? 'wait_agent' : 'wait_person';
}

interface Claim extends Time {
  readonly span: Span | null;
}

function claimOf({ start, end }: Time, span: Span | null = null): Claim {
  return { start, end, span };
}

/** If several claim the same instant, the one that ends last gets it. In order, within the life of the agent. */
function lastToEnd(claims: readonly Claim[], life: Span): Claim[] {
  const won: Claim[] = [];
  let free = life.end;
  for (const { start, end, span } of claims.toSorted((a, b) => b.end - a.end || a.start - b.start)) {
    const claim = { start: Math.max(start, life.start), end: Math.min(end, free), span };
    if (claim.start >= claim.end) continue;
    won.push(claim);
    free = claim.start;
  }
  return won.reverse();
}

/** The pieces, with claims filled in between them. Both are in order. */
function withClaims(pieces: readonly Piece[], claims: readonly Claim[], state: AccountState): Piece[] {
  const all: Piece[] = [];
  let place = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end, span } of claims) {
    let from = Math.max(start, reached);
    for (let piece = pieces[place]; piece !== undefined && piece.start < end; piece = pieces[++place]) {
      if (piece.start > from) all.push({ start: from, end: piece.start, state, span });
      all.push(piece);
      reached = piece.end;
      from = Math.max(from, reached);
    }
    if (from < end) all.push({ start: from, end, state, span });
  }
  return all.concat(pieces.slice(place));
}

/**
 * Walks back from the end of the last work, always to what the next thing had waited for. What an agent did itself is
 * on the path. Where it waited for an agent, the path continues with that agent; where it was idle, with whoever sent
 * the message that woke it; at its beginning, with whoever started it. If that is not known, it continues with whoever
 * worked last. So the path has every instant at which anybody worked once, and leaves out those at which nobody did.
 */
function walkBack({ root, actors }: Pick<Trace, 'root' | 'actors'>, accounts: readonly Account[]): void {
  const accountOfActor = new Map(accounts.map((account) => [account.actor, account]));
  const helpers = new Helpers(actors);
  const wakers = wakersOf(actors);
  const chats = new Map(actors.flatMap((actor) => actor.chats.map((chat) => [chat.message?.id, chat])));
  let here: Account | undefined;
  let at = root.end;
  // Agents visited without any time passing: two that wait for each other would loop.
  let visited = new Set<Account>();
  const moveTo = (time: number) => {
    if (time < at) visited = new Set();
    at = time;
  };
  const charge = (account: Account, from: number, span: Span | null) => {
    account.critical += at - from;
    account.stretches.push({ start: from, end: at });
    if (span !== null) span.critical += at - from;
    moveTo(from);
  };
  const isUnvisited = (cause: Cause | null): cause is Cause => {
    const account = cause === null ? undefined : accountOfActor.get(cause.actor);
    return account !== undefined && !visited.has(account);
  };
  const goTo = (cause: Cause | null) => {
    if (cause !== null) moveTo(cause.at);
    here = cause === null ? undefined : accountOfActor.get(cause.actor);
  };

  for (goTo(lastWorker(actors, at)); here !== undefined && at > root.start; ) {
    const account: Account = here;
    visited.add(account);
    const { actor } = account;
    const piece = pieceAt(account, at);
    if (piece === null) {
      const spawner = actor.spawner === null ? undefined : accountOfActor.get(actor.spawner);
      const doing = spawner === undefined || visited.has(spawner) ? null : pieceAt(spawner, at);
      if (spawner === undefined || doing === null || doing.state === 'idle') {
        goTo(lastWorker(actors, at));
        continue;
      }
      here = spawner;
      // Whatever else the spawner did, this came from the message with the call.
      const chat = chats.get(actor.spawnCall?.call?.message_id ?? undefined);
      if (chat !== undefined && chat.actor === spawner.actor && chat.start < at && at <= chat.end)
        charge(spawner, chat.start, chat);
      continue;
    }
    // An agent that has just been started is awaited, also before it begins to work.
    const isIdle = piece.state === 'idle' && (actor.spawner === null || piece.start > actor.span.start);
    const cause = piece.state === 'wait_agent' ? awaited(actor, helpers, piece, at) : wokenBy(actor, wakers, piece, at);
    if (isUnvisited(cause)) {
      // Until the message arrived.
      charge(account, cause.at, piece.span);
      goTo(cause);
    } else if (isIdle) goTo(lastWorker(actors, at));
    else charge(account, piece.start, piece.span);
  }
}

/** What an agent did just before a time; null if that is before its beginning or after its end. */
function pieceAt({ pieces }: Account, at: number): Piece | null {
  const piece = pieces[firstIndex(pieces, ({ end }) => end < at)];
  return piece === undefined || piece.start >= at ? null : piece;
}

/** Who worked last before a time and after another, and until when. */
function lastWorker(actors: readonly Actor[], at: number, after = Number.NEGATIVE_INFINITY): Cause | null {
  let best: Cause | null = null;
  for (const actor of actors) {
    const until = Math.min(busyBefore(actor, at)?.end ?? Number.NEGATIVE_INFINITY, at);
    if (until > (best?.at ?? after)) best = { actor, at: until };
  }
  return best;
}

interface Cause {
  readonly actor: Actor;
  readonly at: number;
}

/**
 * Whom an agent waited for: the one it called, else the one that was done last. One that still worked when the agent
 * went on is not what it went on for, unless there is no other.
 */
function awaited(actor: Actor, helpers: Helpers, piece: Piece, at: number): Cause | null {
  const called = helpers.startedBy(piece.span);
  const all = called === null ? helpers.helpersOf(actor) : [called];
  const done = all.filter((helper) => (busyBefore(helper, at)?.end ?? at) <= at);
  return lastWorker(done, at, piece.start) ?? lastWorker(all, at, piece.start);
}

/** Sends, by the recipient's message with which they arrived. */
function wakersOf(actors: readonly Actor[]): Map<Span, Cause[]> {
  const wakers = new Map<Span, Cause[]>();
  for (const actor of actors)
    for (const call of actor.calls)
      for (const link of call.links) getOrCreate(wakers, link, () => []).push({ actor, at: call.end });
  return wakers;
}

/** Who ended an idle period with a message. */
function wokenBy(actor: Actor, wakers: ReadonlyMap<Span, readonly Cause[]>, piece: Piece, at: number): Cause | null {
  if (piece.state !== 'idle') return null;
  const { chats } = actor;
  const next = chats[firstIndex(chats, ({ start }) => start < at)];
  const causes = (next === undefined ? [] : (wakers.get(next) ?? [])).map((cause) => ({
    ...cause,
    at: Math.min(cause.at, at),
  }));
  return causes.reduce<Cause | null>(
    (best, cause) => (cause.at > piece.start && (best === null || cause.at > best.at) ? cause : best),
    null,
  );
}
