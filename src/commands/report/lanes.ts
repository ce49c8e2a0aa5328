// Lays out a run in lanes: one per agent, with its calls and marks, and the messages between them.
import { getOrCreate } from '../../core/record/json.js';
import { accountsOf } from '../../core/spans/accounts.js';
import type { Actor, Span, Trace } from '../../core/spans/model.js';
import { isLeadName } from '../../core/tables/order.js';
import { isSent } from '../../core/tables/sends.js';
import { costOfRows, type UsageRow } from '../usage/rows.js';
import { lazily, type PlacedMessage, type Playback } from './playback.js';

export interface Lane {
  readonly id: string;
  readonly name: string;
  /** It stands for agents that have no lane of their own, */
  readonly isFold: boolean;
  /** which have these ids. */
  readonly folded: readonly string[];
  readonly isLead: boolean;
  readonly depth: number;
  readonly hue: string;
  readonly model: string | null;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

export interface Bar {
  readonly kind: 'life' | 'chat' | 'call' | 'wait' | 'idle';
  readonly start: number;
  readonly end: number;
  readonly failed: boolean;
  readonly open: boolean;
  /** A call during which its agent only waits. */
  readonly waits: boolean;
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

export type RunCost = ReturnType<typeof costOfRows>;

/** A part of the critical path: what whatever came next had waited for. */
export interface PathPiece {
  readonly lane: string;
  readonly start: number;
  readonly end: number;
}

export interface RunLanes {
  readonly lanes: readonly Lane[];
  readonly arrows: readonly Arrow[];
  /** What agents spent, by lane. It and the path are computed when they are first asked for. */
  spent(): ReadonlyMap<string, RunCost>;
  /** In order of time. */
  path(): readonly PathPiece[];
  /** The lane of an agent of a session, by id or name. */
  laneOf(session_id: string | null, ...names: readonly (string | null)[]): Lane | null;
  /** The lane of what an agent spent. */
  laneOfRow(row: UsageRow): Lane | null;
}

/** `hues`: agents of the same name in another run have the same colour, and so have leads. */
export function lanesOf(playback: Playback, hues = new Map<string, string>()): RunLanes {
  const { traces, colors } = playback;
  const used = new Set(hues.values());
  const found = new Map<string, Lane>();
  const lanes: Lane[] = [];
  for (const trace of traces) {
    const atOf = clockOf(playback, trace);
    const marks = marksOf(playback, trace);
    for (const { actor, depth } of nested(trace)) {
      const color = colors.get(`${actor.session_id} ${actor.agent}`) ?? null;
      const hue = hues.get(actor.isLead ? 'main' : actor.name) ?? hueOf(color, lanes.length, used);
      const lane = laneFor(trace, actor, depth, atOf, marks, hue);
      lanes.push(lane);
      for (const session of new Set([trace.session_id, actor.session_id]))
        for (const name of [actor.agent, actor.name, actor.key]) {
          const key = `${session} ${name}`;
          if (!found.has(key)) found.set(key, lane);
        }
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
  const laneOfRow: RunLanes['laneOfRow'] = ({ agent, name }) =>
    agent == null ? null : laneOf(traces[0]?.session_id ?? null, String(agent), String(name ?? agent));
  return {
    lanes,
    laneOf,
    laneOfRow,
    arrows: playback.messages.flatMap((message, index) => arrowsOf(playback, message, index, laneOf)),
    spent: lazily(() => spentBy(playback, laneOfRow)),
    path: lazily(() => traces.flatMap((trace) => pathOf(playback, trace))),
  };
}

/** Of an agent without any tokens in the input nobody knows what it spent. */
function spentBy({ end }: Playback, laneOfRow: RunLanes['laneOfRow']): Map<string, RunCost> {
  const rows = new Map<string, UsageRow[]>();
  for (const row of end.spent) {
    const lane = laneOfRow(row);
    if (lane !== null && row.total_tokens > 0) getOrCreate(rows, lane.id, () => []).push(row);
  }
  return new Map([...rows].map(([lane, own]) => [lane, costOfRows(own)]));
}

function pathOf(playback: Playback, trace: Trace): PathPiece[] {
  const atOf = clockOf(playback, trace);
  return accountsOf(trace)
    .flatMap(({ actor, stretches }) =>
      stretches.map(({ start, end }) => ({ lane: laneId(trace, actor), start: atOf(start), end: atOf(end) })),
    )
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The lanes to draw. Of a crowd, those that the run waited for longest have a lane, and the others share one. */
export function foldedLanes(
  { lanes, path }: Pick<RunLanes, 'lanes' | 'path'>,
  isOpen: boolean,
  isKept: (lane: Lane) => boolean,
): readonly Lane[] {
  const agents = lanes.filter(({ isLead }) => !isLead);
  if (agents.length <= mostLanes + 1) return lanes;
  const waits = waitedFor(path());
  const weight = ({ id }: Lane) => waits.get(id) ?? 0;
  const longest = agents.toSorted((a, b) => weight(b) - weight(a) || b.bars.length - a.bars.length);
  const first = new Set(longest.slice(0, mostLanes));
  const others = agents.filter((lane) => !first.has(lane) && !isKept(lane));
  const fold: Lane = { ...emptyLane, id: 'more', isFold: true };
  if (isOpen) return [...lanes, { ...fold, name: '▾ fewer agents' }];
  const folded = new Set(others);
  return [
    ...lanes.filter((lane) => !folded.has(lane)),
    {
      ...fold,
      name: `▸ ${others.length} more agents`,
      folded: others.map(({ id }) => id),
      bars: others.flatMap(({ bars }) => bars.filter(({ kind }) => kind === 'life')),
    },
  ];
}
const mostLanes = 6;

/** How long the run as a whole waited for each agent. */
export function waitedFor(path: readonly PathPiece[]): Map<string, number> {
  const waits = new Map<string, number>();
  for (const { lane, start, end } of path) waits.set(lane, (waits.get(lane) ?? 0) + end - start);
  return waits;
}

/** The place of each agent among the lanes that are drawn. */
export function placesOf(rows: readonly Lane[]): Map<string, number> {
  return new Map(rows.flatMap(({ id, folded }, place) => [id, ...folded].map((one) => [one, place] as const)));
}

const emptyLane: Lane = {
  id: '',
  name: '',
  isFold: false,
  folded: [],
  isLead: false,
  depth: 0,
  hue: 'muted',
  model: null,
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
    waits: one.waits !== null,
    call: one.call?.id ?? null,
  });
  return {
    ...emptyLane,
    id: laneId(trace, actor),
    name: actor.name,
    isLead: actor.isLead,
    depth,
    hue,
    model: chats.at(-1)?.message?.model ?? null,
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

function laneId({ session_id }: Trace, { key }: Actor): string {
  return `${session_id === null ? '' : session_id.slice(0, 8)}/${key}`;
}

/** The colours of agents in Claude Code, also used for agents without one. All keep their contrast in light and dark. */
const palette = ['blue', 'green', 'purple', 'orange', 'cyan', 'pink', 'yellow', 'red'];

/** Its own colour, unless another agent has it and one is left. */
function hueOf(color: string | null, place: number, used: Set<string>): string {
  const own = palette.find((hue) => hue === color) ?? palette[place % palette.length] ?? 'blue';
  const hue = used.has(own) ? (palette.find((one) => !used.has(one)) ?? own) : own;
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
  if (trace.toScale) return (time) => playback.atInstant(time);
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
  const arrivedAt = playback.atTime(row.delivered_at);
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
