// Finds out when agents waited, for a person or for each other.
import { getOrCreate } from '../record/json.js';
import type { Axis } from '../tables/moments.js';
import { firstIndex } from '../tables/order.js';
import { isSpawnTool } from '../wire/tools/table.js';
import type { AskFact } from './facts.js';
import { type Actor, type Span, spanId } from './model.js';
import { newSpan, turnAt } from './turns.js';

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
export class Helpers {
  readonly #all: readonly Actor[];
  readonly #started = new Map<Actor, Actor[]>();
  readonly #called = new Map<Span, Actor>();

  constructor(actors: readonly Actor[]) {
    this.#all = actors;
    for (const actor of actors) {
      const { spawner, spawnCall } = actor;
      if (spawnCall !== null) this.#called.set(spawnCall, actor);
      if (spawner !== null) getOrCreate(this.#started, spawner, () => []).push(actor);
    }
  }

  /** The lead works with everybody, others with those they started. */
  helpersOf(actor: Actor): readonly Actor[] {
    return actor.isLead ? this.#all.filter((other) => other !== actor) : (this.#started.get(actor) ?? []);
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
export function busyBefore(actor: Actor, at: number): Time | undefined {
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
  return newSpan({ ...own, kind: 'wait', name: waits, waits, ...time });
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
