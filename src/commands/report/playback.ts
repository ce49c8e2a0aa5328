// Places the events of a run on one clock, and gives the rows of every command at any moment of it.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { SpanFacts } from '../../core/spans/facts.js';
import type { Trace } from '../../core/spans/model.js';
import { tracesOf } from '../../core/spans/traces.js';
import { createAuditReader, findingsOf } from '../audit/audit.js';
import type { FindingRow } from '../audit/row.js';
import { type MessageRow, Timeline } from '../messages/rows.js';
import { initialState, reduceRows, type State, settle } from '../reduce.js';
import { type TaskRow, taskRows } from '../tasks/rows.js';
import type { TeamRow } from '../teams/row.js';
import { teamRowsOf } from '../teams/rows.js';
import { reportsOf, type UsageRow } from '../usage/rows.js';

/** An event and its moment, in milliseconds since the start. */
export interface Moment {
  readonly at: number;
  readonly event: Event;
}

/** What is known at a moment. */
export interface Snapshot {
  readonly teams: readonly TeamRow[];
  readonly tasks: readonly TaskRow[];
  /** By agent, what no message accounts for included. */
  readonly spent: readonly UsageRow[];
  readonly total: UsageRow | undefined;
  readonly sessions: readonly UsageRow[];
}

/** Everything of a run that does not depend on the moment, and the rows of any moment. */
export class Playback {
  readonly moments: readonly Moment[];
  /** Length of the run in milliseconds. */
  readonly length: number;
  /** When it started, in milliseconds since 1970; null if no record has a time. */
  readonly startedAt: number | null;
  /** False if records have no times: then lines stand at even steps. */
  readonly isToScale: boolean;
  /** All messages with what became of them, in order of time. */
  readonly messages: readonly PlacedMessage[];
  /** One for each session with a lead; agents with sessions of their own are in that of their lead. */
  readonly traces: readonly Trace[];
  readonly findings: readonly FindingRow[];
  /** What is known at the end. */
  readonly end: Snapshot;
  readonly #keyframes: State[] = [];
  readonly #placed: Placed;

  /** `align`: every session starts at 0, so that runs can be compared. */
  constructor(events: readonly Event[], { align = false }: { align?: boolean } = {}) {
    this.#placed = placeOnClock(events, align);
    const { moments, startedAt, isToScale } = this.#placed;
    this.moments = moments;
    this.startedAt = startedAt;
    this.isToScale = isToScale;
    const facts = new SpanFacts();
    const auditor = createAuditReader();
    let state = initialState;
    moments.forEach(({ event }, index) => {
      // States share what did not change, so that keeping many of them is cheap.
      if (index % framed === 0) this.#keyframes.push(state);
      const { source, last } = state.clocks;
      state = reduceRows(state, event);
      facts.note(event, state.clocks.source === source ? last : state.clocks.last);
      auditor.note(event);
    });
    const { agents, teams, clocks } = settle(state);
    const traces = tracesOf(facts, { agents, teams, firstOf: (source) => clocks.firsts.get(source) ?? null });
    this.traces = align ? inOrderOf(events, traces) : traces;
    const ends = this.traces.map(({ toScale, root, session_id }) =>
      toScale && startedAt !== null ? root.end - startedAt - this.shiftOf(session_id) : 0,
    );
    this.length = Math.max(moments.at(-1)?.at ?? 0, ...ends);
    this.findings = findingsOf(['teams', 'tasks', 'messages', 'run'], auditor.facts());
    this.messages = placeMessages(moments, this.#placed);
    this.end = this.snapshot(moments.length);
  }

  /** How many events have happened at this moment. */
  countAt(at: number): number {
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.moments[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The moment of the next or previous event that is not at the same moment. */
  step(at: number, by: 1 | -1): number {
    const count = this.countAt(at);
    if (by > 0) return this.moments[count]?.at ?? this.length;
    const current = this.moments[count - 1]?.at ?? 0;
    // A clock between two events first goes back to the one before it.
    const before = current < at ? current : (this.moments[this.countBefore(current) - 1]?.at ?? 0);
    return before;
  }

  countBefore(at: number): number {
    let count = this.countAt(at);
    while (count > 0 && (this.moments[count - 1]?.at ?? 0) >= at) count--;
    return count;
  }

  /** What is known after so many events. At the end what is open stays open. */
  snapshot(count: number): Snapshot {
    const state = settle(this.#stateAfter(count));
    const { tasks, agents, usage } = state;
    const [spent, total, sessions] = reportsOf({ usage, agents }, [['agent'], ['total'], ['session']]);
    return {
      teams: teamRowsOf(state, { ended: count >= this.moments.length }),
      tasks: taskRows(tasks, agents),
      spent: spent?.rows ?? [],
      total: total?.rows[0],
      sessions: sessions?.rows ?? [],
    };
  }

  /** The moment of a time; of a time that no record has, the one before it. null if there are no times. */
  atTime(time: string | null, session_id: string | null): number | null {
    const instant = Date.parse(time ?? '');
    if (Number.isNaN(instant) || this.startedAt === null) return null;
    return Math.max(0, instant - this.startedAt - this.#placed.shiftOf(session_id));
  }

  shiftOf(session_id: string | null): number {
    return this.#placed.shiftOf(session_id);
  }

  /** The moment of a line. */
  atLine(source: string, line: number): number | null {
    return this.#placed.atLine(source, line);
  }

  #stateAfter(count: number): State {
    const frame = Math.min(Math.floor(count / framed), this.#keyframes.length - 1);
    let state = this.#keyframes[frame] ?? initialState;
    for (const { event } of this.moments.slice(frame * framed, count)) state = reduceRows(state, event);
    return state;
  }
}

/** Runs that are compared stand as they were given, not by their time. */
function inOrderOf(events: readonly Event[], traces: readonly Trace[]): Trace[] {
  const sessions = [...new Set(events.map(({ session_id }) => session_id))];
  return [...traces].sort((a, b) => sessions.indexOf(a.session_id) - sessions.indexOf(b.session_id));
}

export interface PlacedMessage {
  readonly at: number;
  readonly row: MessageRow;
}

/** Events between two kept states. */
const framed = 500;

interface Placed {
  readonly moments: Moment[];
  readonly startedAt: number | null;
  readonly isToScale: boolean;
  /** How much earlier the records of a session stand than they were. */
  shiftOf(session_id: string | null): number;
  atLine(source: string, line: number): number | null;
}

/**
 * Each file has its own times; a line between two known times takes its share of the time between them, as `cct replay` plays it.
 * All files together are put in order of time.
 */
function placeOnClock(events: readonly Event[], align: boolean): Placed {
  const sources = new Map<string, Event[]>();
  for (const event of events) getOrCreate(sources, event.source ?? '', () => []).push(event);
  const timed = [...sources.values()].map(timesOf);
  let startedAt = Number.POSITIVE_INFINITY;
  let isToScale = true;
  for (const { times } of timed)
    for (const time of times) {
      if (Number.isNaN(time)) isToScale = false;
      else startedAt = Math.min(startedAt, time);
    }
  const isTimed = startedAt !== Number.POSITIVE_INFINITY;
  const moments = timed.flatMap(({ list, times }) =>
    list.map((event, index) => {
      const time = times[index] ?? Number.NaN;
      return { at: Number.isNaN(time) ? ((event.line ?? index + 1) - 1) * step : time - startedAt, event };
    }),
  );
  const shifts = align ? firstMoments(moments) : new Map<string | null, number>();
  const shiftOf = (session_id: string | null) => shifts.get(session_id) ?? 0;
  const shifted = align
    ? moments.map(({ at, event }) => ({ at: at - shiftOf(event.session_id), event }))
    : moments;
  const lines = new Map<string, number>();
  for (const { at, event } of shifted) lines.set(`${event.line} ${event.source ?? ''}`, at);
  return {
    // Sorting is stable: events at the same moment stay in their order.
    moments: shifted.sort((a, b) => a.at - b.at),
    startedAt: isTimed ? startedAt : null,
    isToScale,
    shiftOf,
    atLine: (source, line) => lines.get(`${line} ${source}`) ?? null,
  };
}

/** Without any time, lines are as far apart as `cct replay` plays them. */
const step = 100;

/** The time of each event of a file in milliseconds since 1970, never going back; NaN if the file has no time at all. */
function timesOf(list: Event[]): { list: Event[]; times: number[] } {
  const times = list.map(({ time }) => (time === null ? Number.NaN : Date.parse(time)));
  const lineOf = (index: number) => list[index]?.line ?? index + 1;
  let before = -1;
  let latest = Number.NEGATIVE_INFINITY;
  const fill = (from: number, to: number, timeAt: (index: number) => number) => {
    for (let index = from; index < to; index++) times[index] = timeAt(index);
  };
  for (let index = 0; index < times.length; index++) {
    const own = times[index] ?? Number.NaN;
    if (Number.isNaN(own)) continue;
    const time = Math.max(own, latest);
    // What comes before the first known time happened at that time, as far as anybody knows.
    if (before === -1) fill(0, index, () => time);
    else {
      const [firstLine, lines] = [lineOf(before), lineOf(index) - lineOf(before)];
      const [from, gap] = [latest, time - latest];
      fill(before + 1, index, (place) => from + (lines <= 0 ? 0 : (gap * (lineOf(place) - firstLine)) / lines));
    }
    times[index] = time;
    before = index;
    latest = time;
  }
  if (before !== -1) fill(before + 1, times.length, () => latest);
  return { list, times };
}

function firstMoments(moments: readonly Moment[]): Map<string | null, number> {
  const firsts = new Map<string | null, number>();
  for (const { at, event } of moments)
    firsts.set(event.session_id, Math.min(at, firsts.get(event.session_id) ?? Number.POSITIVE_INFINITY));
  return firsts;
}

/** A message stands where the record is that its row names. */
function placeMessages(moments: readonly Moment[], { atLine }: Placed): PlacedMessage[] {
  const timeline = new Timeline({ settled: true });
  const places = new Map<string, number>();
  for (const { at, event } of moments) {
    timeline.follow(event);
    if (event.event.startsWith('team:message:')) places.set(`${event.session_id} ${event.line}`, at);
  }
  return timeline
    .end()
    .map((row) => ({ at: places.get(`${row.session_id} ${row.line}`) ?? atLine('', row.line ?? 0) ?? 0, row }))
    .sort((a, b) => a.at - b.at);
}
