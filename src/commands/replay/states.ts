import { type Seen, splitReason } from '../../cli/input.js';
import type { Event } from '../../core/event/event.js';
import { createFramer, type Framer } from '../../core/record/frame.js';
import { nowhere, placeOf } from '../../core/record/place.js';
import type { OpenCall } from '../../core/wire/context.js';
import { createNormalizer } from '../../core/wire/normalize.js';
import type { Diagnostics } from '../../io/diagnostics.js';
import type { RawLine } from '../../io/raw-lines.js';
import type { Source } from '../../io/sources.js';
import { initialState, reduce, type State, settle } from '../reduce.js';
import { type Stage, textOfLine } from './play.js';
import { isBehind, type Point, type Spot } from './replay.js';
import { createStateRows, jsonPatch, noRows, type StatePlace, type StateQuery, type StateRows } from './rows.js';

export interface StatesOptions {
  readonly query: StateQuery;
  readonly diff: boolean;
  /** Only the state at this point. */
  readonly at: Point | null;
  write(row: object): void;
  flush(): Promise<void> | void;
  /** The point of `at` is passed. */
  stop(): void;
}

export interface StatesStage extends Stage {
  /** Nothing more comes. `ended`: the input is over, so what is still open stays so. */
  end(ended: boolean): void;
  readonly rows: number;
}

/** Writes what is true after each line that changed it. */
export function statesStage(follower: Follower, options: StatesOptions): StatesStage {
  const { query, diff, at, write } = options;
  const rowsOf = createStateRows(query);
  let state = initialState;
  let place: StatePlace = { at: null, line: null, event: null };
  let shown: StateRows = noRows;
  let shownText = JSON.stringify(noRows);
  /** Nothing happened to the state since it was looked at. */
  let isSame = false;
  let rows = 0;

  function note(event: Event): void {
    const next = settle(reduce(state, event));
    isSame &&= sameSlices(state, next);
    state = next;
    place = { at: event.time ?? place.at, line: event.line, event: event.event };
  }

  function show(ended: boolean): void {
    if (isSame && !ended && at === null) return;
    isSame = true;
    const now = rowsOf(state, ended);
    const text = JSON.stringify(now);
    if (text === shownText && at === null) return;
    const { at: time, line, event } = place;
    const head = { cct: 1, at: time, line, event };
    write(diff ? { ...head, changes: jsonPatch(shown, now) } : { ...head, ...now });
    rows += 1;
    shown = now;
    shownText = text;
  }

  function follow(events: readonly Event[]): void {
    for (const event of events) {
      note(event);
      if (at === null) show(false);
    }
  }

  return {
    begin: (source) => follower.begin(source),
    pass(line: RawLine) {
      for (const event of follower.line(line)) note(event);
    },
    line(line: RawLine, spot: Spot) {
      if (at !== null && isBehind(at, spot)) return options.stop();
      follow(follower.line(line));
    },
    endSource: () => follow(follower.endSource()),
    end(ended) {
      if (ended) place = { ...place, event: null };
      if (ended || at !== null) show(ended);
    },
    flush: options.flush,
    get rows() {
      return rows;
    },
  };
}

function sameSlices(one: State, other: State): boolean {
  return shownSlices.every((slice) => one[slice] === other[slice]);
}
const shownSlices = ['agents', 'teams', 'tasks', 'messages', 'work', 'usage'] as const;

/** Makes events of lines as they are played. */
export interface Follower {
  begin(source: Source): void;
  /** The events that are complete with this line. */
  line(line: RawLine): readonly Event[];
  endSource(): readonly Event[];
  /** The calls that have no result yet. */
  openCalls(): readonly OpenCall[];
}

export interface FollowOptions {
  readonly seen: Seen;
  readonly diagnostics: Diagnostics;
  /** Adds each event's record to it. */
  readonly raw?: boolean;
}

export function createFollower({ seen, diagnostics, raw = false }: FollowOptions): Follower {
  let events: Event[] = [];
  const normalizer = createNormalizer({
    emit(event) {
      seen.account.note(event);
      events.push(event);
    },
    warn: (text) => diagnostics.info(text),
    raw,
  });
  const damage = (source: string, line: number, reason: string, bytes: number, done: string) => {
    const [what, detail] = splitReason(reason);
    diagnostics.damage({ source, line, what, done, ...(detail === undefined ? {} : { detail }) });
    normalizer.skipped(line, what === 'line too long' ? what : reason, bytes);
  };
  const framerOf = (name: string): Framer =>
    createFramer({
      record: (record, line, time) => normalizer.record(record, line, time),
      damaged: (line, reason, bytes, done) => damage(name, line, reason, bytes, done),
      noise() {},
    });
  let name = 'stdin';
  let framer = framerOf(name);
  const take = () => {
    const taken = events;
    events = [];
    return taken;
  };
  return {
    begin(source) {
      name = source.name;
      framer = framerOf(name);
      normalizer.begin(source.path === null ? { ...nowhere, source: name } : placeOf(source.path));
    },
    line(line) {
      if (!line.tooLong) framer.push(textOfLine(line), line.number);
      else if (!line.continues)
        damage(
          name,
          line.number,
          `line too long (${line.bytes.length} bytes and more)`,
          line.bytes.length,
          'line skipped',
        );
      return take();
    },
    endSource() {
      framer.end();
      return take();
    },
    openCalls: normalizer.openCalls,
  };
}
