import type { Context, Options, Verdict } from '../../cli/command.js';
import { flagOf, numberOf, textOf } from '../../cli/flags.js';
import { placeNameOf } from '../../cli/input.js';
import { terminalJson } from '../../cli/print.js';
import type { Event } from '../../core/event/event.js';
import type { OpenCall } from '../../core/wire/context.js';
import { UsageError } from '../../io/exit.js';
import { defaultMaxLineBytes } from '../../io/lines.js';
import { sourcesFrom } from '../../io/sources.js';
import { initialState, reduce, type State, settle } from '../reduce.js';
import { claudeFlags, createFakeClaude, type Host, listenTo, recordedAnswers } from './fake-claude.js';
import { copyAll, copyStage, followWith, openSources, type Played, type Playing, play, type Stage } from './play.js';
import { createStateRows, jsonPatch, noRows, type StatePlace, type StateRows } from './rows.js';
import { isBehind, type Point, pointOf, Tempo } from './timing.js';

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

/** In the place of claude. */
export async function replayAsClaude(context: Context, recording: string): Promise<Verdict> {
  const { options, out, streams, input, rest, signal } = context;
  const { isTTY } = streams.stdout;
  const flags = claudeFlags(rest);
  if (flags.conversing && recording === '-')
    throw new UsageError('--as-claude: stdin is where the prompts come from; the recording has to be a file');
  // A test should not have to wait unless it wants to.
  const isPaced = ['speed', 'interval', 'maxGap'].some((name) => numberOf(options, name) !== null);
  const tempo = isPaced ? tempoOf(context) : null;
  const sources = sourcesFrom([recording], streams.stdin);
  let host: Host | null = null;
  const claude = createFakeClaude({
    input,
    copy: copyStage(out, isTTY),
    out,
    tempo,
    flags,
    isTTY,
    host: () => host,
  });
  if (flags.conversing) {
    // A host asks first and prompts later, so the answers have to be known before the first line is played.
    const opened = await sources[0]?.open();
    const recorded = opened?.ok ? await recordedAnswers(opened.bytes, signal) : {};
    const stdin = streams.stdin.open();
    if (stdin.ok) host = listenTo(stdin.bytes, { out, signal, recorded, onInterrupt: claude.interrupt });
  }
  const played = await play(playingOf({ ...context, sources }, tempo), claude);
  claude.end();
  await out.flush();
  await host?.left;
  return { rows: played.lines, recorded: claude.failed === false ? 'well' : 'badly' };
}

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

function playingOf({ options, sources, signal, diagnostics, input }: Context, tempo: Tempo | null): Playing {
  const since = pointOf(options, 'since');
  const until = pointOf(options, 'until');
  const isByTime = (point: Point | null) => point !== null && point.kind !== 'line';
  return {
    sources: openSources(sources, {
      loop: flagOf(options, 'loop'),
      diagnostics,
      signal,
      onUnreadable: () => void input.seen.unreadable++,
    }),
    since,
    until,
    tempo,
    usesTimes:
      [since, until, pointOf(options, 'at')].some(isByTime) ||
      (tempo !== null && numberOf(options, 'interval') === null),
    maxLineBytes: numberOf(options, 'maxLineBytes') ?? defaultMaxLineBytes,
    signal,
    diagnostics,
  };
}

function tempoOf({ options, streams, signal }: Context): Tempo | null {
  if (flagOf(options, 'noWait')) return null;
  return new Tempo(
    {
      speed: numberOf(options, 'speed') ?? 1,
      maxGapMs: milliseconds(options, 'maxGap'),
      intervalMs: milliseconds(options, 'interval'),
    },
    streams.clock,
    signal,
  );
}

function milliseconds(options: Options, name: string): number | null {
  const seconds = numberOf(options, name);
  return seconds === null ? null : seconds * 1000;
}
