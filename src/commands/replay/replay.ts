import type { Context, Verdict } from '../../cli/command.js';
import { flagOf, textOf } from '../../cli/flags.js';
import { placeNameOf } from '../../cli/input.js';
import { terminalJson } from '../../cli/print.js';
import type { Event } from '../../core/event/event.js';
import type { OpenCall } from '../../core/wire/context.js';
import { initialState, reduce, type State, settle } from '../reduce.js';
import {
  copyAll,
  copyStage,
  followWith,
  type Played,
  type Playing,
  play,
  playingOf,
  type Stage,
  tempoOf,
} from './play.js';
import { createStateRows, jsonPatch, noRows, type StatePlace, type StateRows } from './rows.js';
import { isBehind, type Point, pointOf } from './timing.js';

/** Lines, as they are. */
export async function replayLines(context: Context): Promise<Verdict | undefined> {
  const { options, out, streams, input, signal } = context;
  const playing = playingOf(context, tempoOf(context));
  const follows = flagOf(options, 'exitStatus') || flagOf(options, 'strict');
  const isWhole = playing.tempo === null && playing.since === null && playing.until === null;
  if (isWhole && !follows && !streams.stdout.isTTY) {
    await copyAll(playing.sources, out, signal);
    return undefined;
  }
  const copy = copyStage(out, streams.stdout.isTTY);
  if (!follows) return { rows: (await playAll(context, playing, copy)).lines };
  const reader = input.open(() => {});
  const follow = followWith(reader);
  const played = await playAll(context, playing, {
    ...follow,
    line(line, spot) {
      follow.pass(line);
      return copy.line(line, spot);
    },
    flush: () => copy.flush(),
  });
  sayMissing(context, played, reader.openCalls());
  return { rows: played.lines };
}

/** What is true after each change, or at one point. */
export async function replayStates(context: Context): Promise<Verdict> {
  const at = pointOf(context.options, 'at');
  const stopped = new AbortController();
  const signal = AbortSignal.any([context.signal, stopped.signal]);
  const playing = playingOf(context, at === null ? tempoOf(context) : null);
  const stage = createStatesStage(context, at, () => stopped.abort());
  const played = await playAll(context, { ...playing, signal }, stage);
  stage.end(!played.isCut);
  sayMissing(context, played, stage.openCalls());
  return { rows: stage.rows };
}

interface StatesStage extends Stage {
  /** Nothing more comes. `ended`: the input is over, so what is still open stays so. */
  end(ended: boolean): void;
  readonly rows: number;
  openCalls(): readonly OpenCall[];
}

/** Writes what is true after each line that changed it, or only at one point. `stop`: that point is passed. */
function createStatesStage({ options, input, out, streams }: Context, at: Point | null, stop: () => void): StatesStage {
  const diff = flagOf(options, 'diff');
  const toText = streams.stdout.isTTY ? terminalJson : (json: string) => json;
  const rowsOf = createStateRows(textOf(options, 'session'), textOf(options, 'team'));
  const reader = input.open(hear);
  const follow = followWith(reader);
  let state = initialState;
  let place: StatePlace = { at: null, line: null, event: null };
  let shown: StateRows = noRows;
  let shownText = JSON.stringify(noRows);
  /** Nothing happened to the state since it was looked at. */
  let isSame = false;
  /** Lines before --since are read, but not shown. */
  let isPassing = false;
  let rows = 0;

  function hear(event: Event): void {
    const next = settle(reduce(state, event));
    isSame &&= sameSlices(state, next);
    state = next;
    place = { at: event.time ?? place.at, line: event.line, event: event.event };
    if (at === null && !isPassing) show(false);
  }

  function show(ended: boolean): void {
    if (isSame && !ended && at === null) return;
    isSame = true;
    const now = rowsOf(state, ended);
    const text = JSON.stringify(now);
    if (text === shownText && at === null) return;
    const { at: time, line, event } = place;
    const head = { cct: 1, at: time, line, event };
    const row = diff ? { ...head, changes: jsonPatch(shown, now) } : { ...head, ...now };
    out.write(`${toText(JSON.stringify(row))}\n`);
    rows += 1;
    shown = now;
    shownText = text;
  }

  return {
    ...follow,
    pass(line) {
      isPassing = true;
      follow.pass(line);
      isPassing = false;
    },
    line(line, spot) {
      if (at !== null && isBehind(at, spot)) stop();
      else follow.pass(line);
    },
    end(ended) {
      if (ended) place = { ...place, event: null };
      if (ended || at !== null) show(ended);
    },
    flush: () => out.flush(),
    get rows() {
      return rows;
    },
    openCalls: reader.openCalls,
  };
}

function sameSlices(one: State, other: State): boolean {
  return shownSlices.every((slice) => one[slice] === other[slice]);
}
const shownSlices = ['agents', 'teams', 'tasks', 'messages', 'work', 'usage'] as const;

async function playAll(context: Context, playing: Playing, stage: Stage): Promise<Played> {
  const played = await play(playing, stage);
  const points = [playing.since, playing.until, pointOf(context.options, 'at')];
  if (played.timeless > 0 && points.some((point) => point?.kind === 'time'))
    context.diagnostics.warn(`${countOf(played.timeless)} no time, and counted as earlier than any`);
  return played;
}

function countOf(lines: number): string {
  return lines === 1 ? '1 line has' : `${lines} lines have`;
}

function sayMissing(
  { input, sources, diagnostics, signal }: Context,
  { isCut }: Played,
  calls: readonly OpenCall[],
): void {
  const missing = input.seen.account.missing(calls);
  if (missing !== null && !isCut && !signal.aborted) diagnostics.warn(`${placeNameOf(sources)}: ${missing}`);
}
