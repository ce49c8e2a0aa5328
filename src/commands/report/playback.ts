// Places the events of a run on one clock, and gives the rows of every command at any moment of it.
import type { Event } from '../../core/event/event.js';
import type { Trace } from '../../core/spans/model.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { firstIndex, groupBy } from '../../core/tables/order.js';
import { copyState, newState, reduceAll, reduceRows, type State, settle } from '../../core/tables/reduce.js';
import { type MessageRow, Timeline } from '../messages/rows.js';
import { type TaskRow, taskRows } from '../tasks/rows.js';
import type { TeamRow } from '../teams/row.js';
import { teamRowsOf } from '../teams/rows.js';
import { followStory, newTraceState, TraceFold } from '../trace/fold.js';
import { reportsOf, type UsageRow } from '../usage/rows.js';

/** Computes a value when it is first asked for. */
export function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** An event and its moment, in milliseconds since the start. */
export interface Moment {
  readonly at: number;
  readonly event: Event;
}

/** What is known at a moment. */
export interface Snapshot {
  readonly teams: readonly TeamRow[];
  readonly tasks: readonly TaskRow[];
  /** By agent, including what no message accounts for. */
  readonly spent: readonly UsageRow[];
  readonly total: UsageRow | undefined;
  readonly sessions: readonly UsageRow[];
  readonly models: readonly UsageRow[];
}

/** Everything in a run that does not depend on the moment, and the rows at any moment. */
export class Playback {
  readonly moments: readonly Moment[];
  /** Length of the run in milliseconds. */
  readonly length: number;
  /** False if records have no times: then lines are placed at even steps. */
  readonly isToScale: boolean;
  /** All messages with their outcome, ordered by time. */
  readonly messages: readonly PlacedMessage[];
  /** One per session with a lead. Agents with their own sessions are in the trace of their lead. */
  readonly traces: readonly Trace[];
  /** The colours that agents have in Claude Code, by session and agent. */
  readonly colors: ReadonlyMap<string, string>;
  /** States after every `framed` events, as far as somebody asked. */
  readonly #keyframes: State[] = [newState()];
  /** After all events, in the order in which they were read: that of one file without times is lost among others. */
  readonly #last: () => State;
  readonly #end: () => Snapshot;
  /** Moments by line and source; few runs need them. */
  readonly #lines: () => ReadonlyMap<string, number>;
  /** The time, in milliseconds since 1970, at which the clock starts. */
  readonly #zero: number;

  constructor(events: readonly Event[]) {
    const { placed, startedAt, isToScale } = placeOnClock(events);
    const fold = new TraceFold();
    const told = newTraceState();
    for (const { event } of placed) fold.after(event, told, followStory(told, event));
    this.traces = fold.traces(told, { lean: true });
    this.colors = new Map(
      [...told.teams.members.values()].flatMap(({ session_id, team, id, color }) =>
        color === null ? [] : [[`${session_id} ${resolveAgent(told.agents, { session_id, team }, id).agent}`, color]],
      ),
    );
    // Rows take as long as everything else, and lanes and story are there without them.
    this.#last = lazily(() => reduceAll(events, reduceRows));
    this.#end = lazily(() => this.snapshot(this.moments.length));

    this.isToScale = isToScale;
    // The clock starts with the first run: a file may have been written to long before.
    const timed = this.traces.filter(({ toScale }) => toScale);
    const begun = timed.reduce((least, { root }) => Math.min(least, root.start), Number.POSITIVE_INFINITY);
    this.#zero = startedAt === null ? 0 : begun === Number.POSITIVE_INFINITY ? startedAt : begun;
    this.moments = placed.map(({ at, event }) => ({ at: Math.max(0, at - this.#zero), event }));
    this.#lines = lazily(
      () => new Map(this.moments.map(({ at, event }) => [`${event.line} ${event.source ?? ''}`, at])),
    );
    this.length = timed.reduce((most, { root }) => Math.max(most, root.end - this.#zero), this.moments.at(-1)?.at ?? 0);
    this.messages = placeMessages(this.moments, (time) => this.atTime(time));
  }

  get end(): Snapshot {
    return this.#end();
  }

  /** How many events have happened by this moment. */
  countAt(at: number): number {
    return firstIndex(this.moments, (moment) => moment.at <= at);
  }

  /** The moment of the next or previous event at another moment. */
  stepFrom(at: number, by: 1 | -1): number {
    const count = this.countAt(at);
    if (by > 0) return this.moments[count]?.at ?? this.length;
    const current = this.moments[count - 1]?.at ?? 0;
    // Between two events, it first goes back to the one before.
    if (current < at) return current;
    return this.moments[firstIndex(this.moments, (moment) => moment.at < current) - 1]?.at ?? 0;
  }

  /** What is known after this many events. At the end, what is open stays open. */
  snapshot(count: number): Snapshot {
    const state = settle(this.#stateAfter(count));
    const { tasks, agents, usage } = state;
    const bys = [['agent'], ['total'], ['session'], ['model']] as const;
    const [spent, total, sessions, models] = reportsOf({ usage, agents }, bys);
    return {
      teams: teamRowsOf(state, { ended: count >= this.moments.length }),
      tasks: taskRows(tasks, agents),
      spent: spent?.rows ?? [],
      total: total?.rows[0],
      sessions: sessions?.rows ?? [],
      models: models?.rows ?? [],
    };
  }

  /** The moment of a time; null if there is no time. */
  atTime(time: string | null): number | null {
    const instant = Date.parse(time ?? '');
    return Number.isNaN(instant) ? null : this.atInstant(instant);
  }

  /** The moment of a time in milliseconds since 1970. */
  atInstant(instant: number): number {
    return Math.min(this.length, Math.max(0, instant - this.#zero));
  }

  atLine(source: string, line: number): number | null {
    return this.#lines().get(`${line} ${source}`) ?? null;
  }

  /** Keeps one more state on the way to the end; false if all are kept. */
  prepareState(): boolean {
    const count = this.#keyframes.length * framed;
    if (count >= this.moments.length) return false;
    this.#stateAfter(count);
    return true;
  }

  #stateAfter(count: number): State {
    if (count >= this.moments.length) return this.#last();
    const frame = Math.min(Math.floor(count / framed), this.#keyframes.length - 1);
    const state = copyState(this.#keyframes[frame] ?? newState());
    for (let place = frame * framed; place < count; place++) {
      const event = this.moments[place]?.event;
      if (event !== undefined) reduceRows(state, event);
      if (place + 1 === this.#keyframes.length * framed) this.#keyframes.push(copyState(state));
    }
    return state;
  }
}

export interface PlacedMessage {
  readonly at: number;
  readonly row: MessageRow;
}

/** How many events lie between two kept states. */
const framed = 500;

/**
 * Each file has its own times. A line between two known times takes its share of the time between them, as `cct replay`
 * plays it. Then all files are sorted by time. A stream without times has those of the same calls and messages in other
 * files. A file without any time, such as the meta file of an agent, says nothing about when: what it says of an agent
 * is known when that agent begins or ends, anything else at the end. All are in order, in milliseconds since 1970; if there
 * are no times, in steps from 0.
 */
function placeOnClock(events: readonly Event[]) {
  const times = lazily(() => {
    const known = new Map<string, string>();
    for (const event of events) {
      const key = happeningKey(event);
      if (key !== null && event.time !== null && !known.has(key)) known.set(key, event.time);
    }
    return known;
  });
  const timeElsewhere = (event: Event) => times().get(happeningKey(event) ?? '') ?? null;
  const files = [...groupBy(events, ({ source = '' }) => source).values()].map((list) =>
    timedFile(list, list.every(({ time }) => time === null) ? timeElsewhere : ({ time }) => time),
  );
  let startedAt = Number.POSITIVE_INFINITY;
  let endedAt = Number.NEGATIVE_INFINITY;
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const { list, times } of files)
    for (const [index, time] of times.entries()) {
      const event = list[index];
      if (Number.isNaN(time) || event === undefined) continue;
      startedAt = Math.min(startedAt, time);
      endedAt = Math.max(endedAt, time);
      const key = playedAgent(event);
      begun.set(key, Math.min(begun.get(key) ?? time, time));
      ended.set(key, Math.max(ended.get(key) ?? time, time));
    }
  const isTimed = startedAt !== Number.POSITIVE_INFINITY;
  // A whole stream without times beside files with times. The journal of a workflow only tells which agents there are.
  const isSpread = ({ list, times }: ReturnType<typeof timedFile>) => Number.isNaN(times[0]) && list.some(isDeed);
  const placed = files.flatMap((file) => {
    const { list, times } = file;
    const from = isTimed ? startedAt : 0;
    const spread = !isTimed || isSpread(file);
    return list.map((event, index) => {
      const time = times[index] ?? Number.NaN;
      if (!Number.isNaN(time)) return { at: time, event };
      if (spread) return { at: from + ((event.line ?? index + 1) - 1) * lineStepMs, event };
      const known = event.event === 'agent:finished' ? ended : begun;
      return { at: known.get(playedAgent(event)) ?? endedAt, event };
    });
  });
  return {
    placed: placed.sort((a, b) => a.at - b.at),
    startedAt: isTimed ? startedAt : null,
    isToScale: isTimed && !files.some(isSpread),
  };
}

/** The same for a call, its result or a message in all files. */
function happeningKey(event: Event): string | null {
  if ('tool_use_id' in event && typeof event.tool_use_id === 'string') return `${event.event} ${event.tool_use_id}`;
  return event.event === 'text:produced' && event.message_id !== null ? event.message_id : null;
}

function isDeed({ event }: Event): boolean {
  return /^(?:tool|text|prompt|turn|usage):/.test(event);
}

function playedAgent({ session_id, agent }: Event): string {
  return `${session_id} ${agent}`;
}

/** Without any time, lines are as far apart as `cct replay` plays them. */
const lineStepMs = 100;

/** The time of each event of a file in milliseconds since 1970, never going back; NaN if the file has no time at all. */
function timedFile(list: Event[], timeOf: (event: Event) => string | null) {
  const times = list.map((event) => Date.parse(timeOf(event) ?? ''));
  const lineAt = (index: number) => list[index]?.line ?? index + 1;
  let before = -1;
  let latest = Number.NEGATIVE_INFINITY;
  const fill = (from: number, to: number, timeAt: (index: number) => number) => {
    for (let index = from; index < to; index++) times[index] = timeAt(index);
  };
  for (let index = 0; index < times.length; index++) {
    const own = times[index] ?? Number.NaN;
    if (Number.isNaN(own)) continue;
    const time = Math.max(own, latest);
    // What comes before the first known time is placed at that time.
    if (before === -1) fill(0, index, () => time);
    else {
      const [firstLine, lines] = [lineAt(before), lineAt(index) - lineAt(before)];
      const [from, gap] = [latest, time - latest];
      fill(before + 1, index, (place) => from + (lines <= 0 ? 0 : (gap * (lineAt(place) - firstLine)) / lines));
    }
    times[index] = time;
    before = index;
    latest = time;
  }
  if (before !== -1) fill(before + 1, times.length, () => latest);
  return { list, times };
}

/** A message is placed at its send, else at its time, at the record that its row names, or at its call. */
function placeMessages(moments: readonly Moment[], atTime: (time: string | null) => number | null): PlacedMessage[] {
  const timeline = new Timeline({ settled: true });
  const sends = new Map<string, number>();
  const calls = new Map<string, number>();
  const lines = new Map<string, number>();
  for (const { at, event } of moments) {
    timeline.follow(event);
    if (event.event === 'tool:called') calls.set(event.tool_use_id ?? '', at);
    if (!event.event.startsWith('team:message:')) continue;
    if ('tool_use_id' in event && typeof event.tool_use_id === 'string') sends.set(event.tool_use_id, at);
    lines.set(`${event.session_id} ${event.line}`, at);
  }
  const messageMoment = ({ tool_use_id, time, session_id, line }: MessageRow) =>
    sends.get(tool_use_id ?? '') ?? atTime(time) ?? lines.get(`${session_id} ${line}`) ?? calls.get(tool_use_id ?? '');
  const end = moments.at(-1)?.at ?? 0;
  return timeline
    .end()
    .map((row) => ({ at: messageMoment(row) ?? end, row }))
    .sort((a, b) => a.at - b.at);
}
