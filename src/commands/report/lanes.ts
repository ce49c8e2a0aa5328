// Lays out a run in lanes: one per agent, with its calls and marks, and the messages between them.

import { promptOf } from '../../core/prices/prices.js';
import { getOrCreate } from '../../core/record/json.js';
import type { Actor, Span, Trace } from '../../core/spans/model.js';
import { isLeadName } from '../../core/tables/order.js';
import { isSent } from '../../core/tables/sends.js';
import { costUsd } from '../trace/rows.js';
import type { PlacedMessage, Playback } from './playback.js';

export interface Lane {
  readonly id: string;
  readonly name: string;
  /** A heading for a team or session, without bars. */
  readonly isHeading: boolean;
  readonly isLead: boolean;
  readonly depth: number;
  readonly hue: string;
  readonly model: string | null;
  readonly start: number;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

export interface Bar {
  readonly kind: 'life' | 'chat' | 'call' | 'wait' | 'idle';
  readonly start: number;
  readonly end: number;
  readonly failed: boolean;
  readonly open: boolean;
  /** The id of the call, for selecting it. */
  readonly call: string | null;
}

export interface Mark {
  readonly kind: 'spawn' | 'compaction' | 'shutdown' | 'end';
  readonly at: number;
}

export interface Arrow {
  readonly from: string | null;
  readonly to: string | null;
  readonly sentAt: number;
  readonly arrivedAt: number | null;
  readonly lost: boolean;
  readonly message: number;
}

/** The value of a figure from a moment on. */
export interface Point {
  readonly at: number;
  readonly value: number;
}

export interface RunLanes {
  readonly lanes: readonly Lane[];
  readonly arrows: readonly Arrow[];
  /** The cost so far: each message by the price table, at the end what Claude Code reported. */
  readonly cost: readonly Point[];
  /** The prompt sizes of the lead. */
  readonly context: readonly Point[];
  /** The lane of an agent of a session, by id or name. */
  laneOf(session_id: string | null, ...names: readonly (string | null)[]): Lane | null;
}

export function lanesOf(playback: Playback): RunLanes {
  const { traces } = playback;
  const colors = new Map(
    playback.end.teams.flatMap(({ session_id, members }) =>
      members.map(({ name, color }) => [`${session_id} ${name}`, color] as const),
    ),
  );
  const used = new Set<string>();
  const found = new Map<string, Lane>();
  const lanes: Lane[] = [];
  const cost: Point[] = [];
  const context: Point[] = [];
  for (const trace of traces) {
    const atOf = clockOf(playback, trace);
    if (traces.length > 1) lanes.push(headingOf(trace));
    const marks = marksOf(playback, trace);
    for (const { actor, depth } of nested(trace)) {
      const color = colors.get(`${trace.session_id} ${actor.name}`) ?? null;
      const lane = laneFor(trace, actor, depth, atOf, marks, hueOf(color, lanes.length, used));
      lanes.push(lane);
      for (const session of new Set([trace.session_id, actor.session_id]))
        for (const name of [actor.agent, actor.name, actor.key]) {
          const key = `${session} ${name}`;
          if (!found.has(key)) found.set(key, lane);
        }
    }
    for (const { isLead, chats } of trace.actors)
      for (const chat of chats) {
        const at = atOf(chat.end);
        cost.push({ at, value: costUsd(chat) ?? 0 });
        if (isLead) context.push({ at, value: chat.message?.tokens == null ? 0 : promptOf(chat.message.tokens) });
      }
  }
  const laneOf: RunLanes['laneOf'] = (session_id, ...names) => {
    for (const name of names) {
      const lane =
        found.get(`${session_id} ${name}`) ??
        (name !== null && isLeadName(name) ? found.get(`${session_id} main`) : undefined);
      if (lane !== undefined) return lane;
    }
    return null;
  };
  return {
    lanes,
    arrows: playback.messages.flatMap((message, index) => arrowsOf(playback, message, index, laneOf)),
    cost: summed(cost, playback),
    context: inOrder(context),
    laneOf,
  };
}

function headingOf({ id, root, team }: Trace): Lane {
  return { ...emptyLane, id, name: team ?? root.name, isHeading: true };
}

const emptyLane: Lane = {
  id: '',
  name: '',
  isHeading: false,
  isLead: false,
  depth: 0,
  hue: 'muted',
  model: null,
  start: 0,
  bars: [],
  marks: [],
};

/** Agents below the agent that started them. */
function nested({ actors }: Trace): { actor: Actor; depth: number }[] {
  const children = new Map<Actor | null, Actor[]>();
  for (const actor of actors) getOrCreate(children, actor.spawner, () => []).push(actor);
  const ordered: { actor: Actor; depth: number }[] = [];
  // No recursion: chains of agents may have any length.
  const waiting = (children.get(null) ?? []).map((actor) => ({ actor, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { actor, depth } = next;
    ordered.push(next);
    for (const child of (children.get(actor) ?? []).toReversed()) waiting.push({ actor: child, depth: depth + 1 });
  }
  return ordered;
}

function laneFor(
  trace: Trace,
  actor: Actor,
  depth: number,
  atOf: (time: number) => number,
  marks: ReadonlyMap<string, readonly Mark[]>,
  hue: string,
): Lane {
  const { span, chats, calls, waits } = actor;
  const bar = (one: Span, kind: Bar['kind']): Bar => ({
    kind,
    start: atOf(one.start),
    end: atOf(one.end),
    failed: one.failed,
    open: one.open,
    call: one.call?.id ?? null,
  });
  return {
    id: `${trace.session_id === null ? '' : trace.session_id.slice(0, 8)}/${actor.key}`,
    name: actor.name,
    isHeading: false,
    isLead: actor.isLead,
    depth,
    hue,
    model: chats.at(-1)?.message?.model ?? null,
    start: atOf(span.start),
    bars: [
      bar(span, 'life'),
      ...waits.map((one) => bar(one, one.waits === null ? 'idle' : 'wait')),
      ...chats.map((one) => bar(one, 'chat')),
      ...calls.map((one) => bar(one, 'call')),
    ],
    marks: [
      ...(actor.isLead ? [] : [{ kind: 'spawn' as const, at: atOf(span.start) }]),
      ...(marks.get(actor.agent) ?? []),
      ...(span.open ? [] : [{ kind: 'end' as const, at: atOf(span.end) }]),
    ],
  };
}

/** The colours of agents in Claude Code, also used for agents without one. All keep their contrast in light and dark. */
const hues = ['blue', 'green', 'purple', 'orange', 'cyan', 'pink', 'yellow', 'red'];

/** Its own colour, unless another agent has it and one is left. */
function hueOf(color: string | null, place: number, used: Set<string>): string {
  const own = hues.find((hue) => hue === color) ?? hues[place % hues.length] ?? 'blue';
  const hue = used.has(own) ? (hues.find((one) => !used.has(one)) ?? own) : own;
  used.add(hue);
  return hue;
}

function marksOf({ moments }: Playback, trace: Trace): Map<string, Mark[]> {
  const sessions = new Set([trace.session_id, ...trace.actors.map(({ session_id }) => session_id)]);
  const marks = new Map<string, Mark[]>();
  for (const { at, event } of moments) {
    if (!sessions.has(event.session_id)) continue;
    if (event.event === 'session:compacted')
      getOrCreate(marks, event.agent ?? 'main', () => []).push({ kind: 'compaction', at });
    if (event.event === 'team:member:shutdown')
      getOrCreate(marks, event.member.agent_id ?? '', () => []).push({ kind: 'shutdown', at });
  }
  return marks;
}

/** Converts times of a trace to the clock of the page. Without times, places in the trace are found by their lines. */
function clockOf(playback: Playback, trace: Trace): (time: number) => number {
  if (trace.toScale) return (time) => playback.atInstant(time, trace.session_id);
  const known: [unit: number, at: number][] = [[trace.root.start, 0]];
  for (const { calls, chats } of trace.actors)
    for (const { start, call, message } of [...calls, ...chats]) {
      const moment = call?.called ?? message?.first ?? null;
      const at = moment === null ? null : playback.atLine(moment.source, moment.line);
      if (at !== null) known.push([start, at]);
    }
  known.push([trace.root.end, playback.length]);
  known.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return (unit) => {
    const after = known.findIndex(([place]) => place >= unit);
    const [u2, a2] = known[after] ?? [unit, playback.length];
    const [u1, a1] = known[after - 1] ?? [u2, a2];
    return u2 === u1 ? a2 : a1 + ((unit - u1) / (u2 - u1)) * (a2 - a1);
  };
}

function arrowsOf(
  playback: Playback,
  { at, row }: PlacedMessage,
  message: number,
  laneOf: RunLanes['laneOf'],
): Arrow[] {
  const from = laneOf(row.session_id, row.from)?.id ?? null;
  if (from === null) return [];
  const lost = !isSent(row);
  const arrivedAt = playback.atTime(row.delivered_at, row.session_id);
  const to = row.to === null ? row.recipients : [row.to];
  return (to.length === 0 ? [null] : to).map((name) => ({
    from,
    to: name === null ? null : (laneOf(row.session_id, name)?.id ?? null),
    sentAt: at,
    arrivedAt: arrivedAt === null ? null : Math.max(at, arrivedAt),
    lost,
    message,
  }));
}

function summed(points: readonly Point[], { length, end }: Playback): Point[] {
  let value = 0;
  const sums = inOrder(points).map((point) => {
    value += point.value;
    return { at: point.at, value };
  });
  const reported = end.total?.cost_usd ?? 0;
  return reported > value ? [...sums, { at: length, value: reported }] : sums;
}

function inOrder(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => a.at - b.at);
}
