import type { Context, Options, Verdict } from '../../cli/command.js';
import { flagOf, numberOf, textOf } from '../../cli/flags.js';
import { terminalJson } from '../../cli/print.js';
import { instantIn } from '../../cli/time-range.js';
import type { OpenCall } from '../../core/wire/context.js';
import { UsageError } from '../../io/exit.js';
import { defaultMaxLineBytes } from '../../io/lines.js';
import { sourcesFrom } from '../../io/sources.js';
import { createStandIn, type Host, listenTo, recordedAnswers } from './fake-claude.js';
import { copyAll, copyStage, openSources, type Played, type Playing, play, type Stage } from './play.js';
import { createFollower, statesStage } from './states.js';
import { Tempo } from './timing.js';

/** Lines, as they are. */
export async function replayLines(context: Context): Promise<Verdict | undefined> {
  const { options, out, streams, input, diagnostics, signal } = context;
  const playing = playingOf(context, tempoOf(context));
  const follows = flagOf(options, 'exitStatus') || flagOf(options, 'strict');
  const isWhole = playing.tempo === null && playing.since === null && playing.until === null;
  if (isWhole && !follows && !streams.stdout.isTTY) {
    await copyAll(playing.sources, out, signal);
    return undefined;
  }
  const copy = copyStage(out, streams.stdout.isTTY);
  if (!follows) return { rows: (await playAll(context, playing, copy)).lines };
  const follower = createFollower({ seen: input.seen, diagnostics });
  const played = await playAll(context, playing, {
    begin: (source) => follower.begin(source),
    pass: (line) => void follower.line(line),
    line(line, spot) {
      follower.line(line);
      return copy.line(line, spot);
    },
    flush: () => copy.flush(),
    endSource: () => void follower.endSource(),
  });
  sayMissing(context, played, follower.openCalls());
  return { rows: played.lines };
}

/** What is true after each change, or at one point. */
export async function replayStates(context: Context): Promise<Verdict> {
  const { options, out, streams, input, diagnostics, signal } = context;
  const at = pointOf(options, 'at');
  const stopped = new AbortController();
  const toText = streams.stdout.isTTY ? terminalJson : (json: string) => json;
  const playing = playingOf(context, at === null ? tempoOf(context) : null);
  const follower = createFollower({ seen: input.seen, diagnostics });
  const stage = statesStage(follower, {
    query: { session: textOf(options, 'session'), team: textOf(options, 'team') },
    diff: flagOf(options, 'diff'),
    at,
    write: (row) => out.write(`${toText(JSON.stringify(row))}\n`),
    flush: () => out.flush(),
    stop: () => stopped.abort(),
  });
  const played = await playAll(context, { ...playing, signal: AbortSignal.any([signal, stopped.signal]) }, stage);
  stage.end(!played.isCut);
  sayMissing(context, played, follower.openCalls());
  return { rows: stage.rows };
}

/** In the place of claude. */
export async function replayAsClaude(context: Context, recording: string): Promise<Verdict> {
  const { options, out, streams, input, diagnostics, rest, signal } = context;
  const flags = claudeFlags(rest);
  if (flags.conversing && recording === '-')
    throw new UsageError('--as-claude: stdin is where the prompts come from; the recording has to be a file');
  // A test should not have to wait unless it wants to.
  const isPaced = ['speed', 'interval', 'maxGap'].some((name) => numberOf(options, name) !== null);
  const tempo = isPaced ? tempoOf(context) : null;
  const sources = sourcesFrom([recording], streams.stdin);
  let host: Host | null = null;
  const standIn = createStandIn({
    follower: createFollower({ seen: input.seen, diagnostics, raw: true }),
    copy: copyStage(out, streams.stdout.isTTY),
    out,
    tempo,
    flags,
    isTTY: streams.stdout.isTTY,
    host: () => host,
  });
  if (flags.conversing) {
    // A host asks first and prompts later, so the answers have to be known before the first line is played.
    const opened = await sources[0]?.open();
    const recorded = opened?.ok ? await recordedAnswers(opened.bytes, signal) : {};
    const stdin = streams.stdin.open();
    if (stdin.ok) host = listenTo(stdin.bytes, { out, signal, recorded, onInterrupt: standIn.interrupt });
  }
  const played = await play(playingOf({ ...context, sources }, tempo), standIn);
  standIn.end();
  await out.flush();
  await host?.left;
  return { rows: played.lines, recorded: standIn.failed === false ? 'well' : 'badly' };
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
  const place = sources.length === 1 ? (sources[0]?.name ?? 'stdin') : `${sources.length} files`;
  if (missing !== null && !isCut && !signal.aborted) diagnostics.warn(`${place}: ${missing}`);
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
    stepMs: defaultStepMs,
    maxLineBytes: numberOf(options, 'maxLineBytes') ?? defaultMaxLineBytes,
    signal,
    diagnostics,
  };
}

export const defaultStepMs = 100;

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

/** A moment of a recording, as --since, --until and --at name it. */
export type Point =
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'offset'; readonly ms: number }
  | { readonly kind: 'time'; readonly epoch: number };

/** Where a line stands. */
export interface Spot {
  /** Among all lines of the input, 1 first. */
  readonly position: number;
  readonly at: number;
  readonly time: number | null;
}

/** null where the flag was not given. */
export function pointOf(options: Options, name: 'since' | 'until' | 'at'): Point | null {
  const typed = textOf(options, name);
  if (typed === null) return null;
  const [, line] = /^line:(\d{1,15})$/.exec(typed) ?? [];
  if (line !== undefined) return { kind: 'line', line: Number(line) };
  const offset = offsetIn(typed);
  if (offset !== null) return { kind: 'offset', ms: offset };
  const epoch = instantIn(typed, null);
  if (Number.isNaN(epoch))
    throw new UsageError(
      `--${name}: '${typed}' is no point of a recording; points are such as 2026-11-16T14:30:00Z, 90s, 1h30m or line:120`,
    );
  return { kind: 'time', epoch };
}

/** Lines without a time stand before every time. */
export function isBefore(point: Point, { position, at, time }: Spot): boolean {
  if (point.kind === 'line') return position < point.line;
  return point.kind === 'offset' ? at < point.ms : time === null || time < point.epoch;
}

export function isBehind(point: Point, { position, at, time }: Spot): boolean {
  if (point.kind === 'line') return position > point.line;
  return point.kind === 'offset' ? at > point.ms : time !== null && time > point.epoch;
}

/** A line is the last one, a time the first moment that is not wanted any more: so two parts fit together. */
export function endsBefore(until: Point, spot: Spot): boolean {
  if (until.kind === 'line') return isBehind(until, spot);
  return !isBefore(until, spot);
}

/** `1h30m`, `90s`, `1.5s`, `500ms`. */
function offsetIn(typed: string): number | null {
  const parts = written.exec(typed);
  if (parts === null || typed === '') return null;
  const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = parts;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds);
}
const written = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** What a stand-in heeds of the words that were meant for claude; it ignores all others. */
export interface ClaudeFlags {
  /** Prompts and control requests come as NDJSON on stdin. */
  readonly conversing: boolean;
  readonly output: 'stream-json' | 'json' | 'text';
  readonly verbose: boolean;
  readonly maxBudgetUsd: number | null;
}

export function claudeFlags(words: readonly string[]): ClaudeFlags {
  const output = flagValue(words, '--output-format');
  return {
    conversing: flagValue(words, '--input-format') === 'stream-json',
    output: output === 'json' || output === 'text' ? output : 'stream-json',
    verbose: words.includes('--verbose'),
    maxBudgetUsd: Number.parseFloat(flagValue(words, '--max-budget-usd') ?? '') || null,
  };
}

/** The last one counts. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word === flag ? words[at + 1] : word?.slice(flag.length + 1);
}
