import type { Event } from '../../core/event/event.js';
import { jsonPatch } from '../../core/rows/json-patch.js';
import {
  createStateRows,
  noRows,
  type StatePlace,
  type StateQuery,
  type StateRows,
} from '../../core/rows/state-row.js';
import { initialState, reduce, type State, settle } from '../../core/state/reduce.js';
import type { RawLine } from '../../io/raw-lines.js';
import type { Follower } from './follow.js';
import type { Stage } from './play.js';
import { isBehind, type Point, type Spot } from './point.js';

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
