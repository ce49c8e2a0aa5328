// Plays lines from sources, each at its time.
import type { Context, Options } from '../../cli/command.js';
import { flagOf, numberOf } from '../../cli/flags/flags.js';
import { lineReader, openIndex } from '../../cli/lines.js';
import type { SourceReader } from '../../cli/source-reader.js';
import { defaultMaxLineBytes } from '../../core/record/line.js';
import type { LineIndex } from '../../core/record/line-index.js';
import { createLineTimes } from '../../core/wire/recorded.js';
import { type Decoded, readDecoded } from '../../io/decode.js';
import { readInPart } from '../../io/diagnostics.js';
import { type ByteSource, chunkSink, type Source } from '../../io/sources.js';
import { sanitize } from '../../view/text.js';
import { endsBefore, isBeforePoint, type Placed, pointOf, type Spot, Tempo, Timeline } from './timing.js';

/** null with --no-wait. */
export function tempoOf({ options, streams, signal }: Context): Tempo | null {
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

/** Receives the lines, each when it is due. */
export interface Stage {
  begin?(source: Source): void;
  /** Receives a line before --since, for stages that need what happened before. */
  pass?(line: RawLine): void;
  line(line: RawLine, spot: Spot): Promise<void> | void;
  /** Called before a wait. */
  flush(): Promise<void> | void;
  endSource?(): void;
}

export interface Played {
  lines: number;
  /** Lines whose time is unknown. */
  timeless: number;
  /** It stopped before the end of the input. */
  isCut: boolean;
}

/** A line with its line end, or a piece of a line that is too long to hold. */
export interface RawLine {
  readonly bytes: Buffer;
  /** Its number in the source, from 1. */
  readonly number: number;
  /** It continues the previous line and has the same number. */
  readonly continues: boolean;
  /** Part of a line with more bytes than allowed. */
  readonly tooLong: boolean;
}

/** Cuts lines without losing a byte: joined, they are the input. The caller may keep them. */
export class RawLines {
  readonly index: LineIndex;
  #lines: RawLine[] = [];

  constructor(maxLineBytes: number) {
    const mostBytes = maxLineBytes + longestLineEnd.length;
    this.index = openIndex({
      maxLineBytes,
      line: (entry) => {
        // Copied, because the chunk will be overwritten.
        const bytes = Buffer.from(this.index.lineBytes(entry));
        const number = this.index.number(entry);
        this.#lines.push({ bytes, number, continues: false, tooLong: bytes.length > mostBytes });
      },
      tooLong() {},
      piece: (from, to, number, continues, isEnd) => {
        if (from === to) return;
        const bytes = Buffer.from(this.index.bytes(from, to));
        this.#lines.push({ bytes, number, continues, tooLong: continues || !isEnd || bytes.length > mostBytes });
      },
    });
  }

  /** The lines since the last call. */
  takeLines(): RawLine[] {
    const taken = this.#lines;
    this.#lines = [];
    return taken;
  }
}
const longestLineEnd = '\r\n';

/** The text of a line, without its line end and without a byte order mark. */
export function textOfLine({ bytes, number }: RawLine): string {
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The part of a stage that reads events from the lines. */
export function followWith(reader: SourceReader): Required<Pick<Stage, 'begin' | 'pass' | 'endSource'>> {
  return {
    begin: reader.begin,
    pass(line) {
      if (!line.tooLong) reader.line(textOfLine(line), line.number);
      else if (!line.continues) reader.tooLong(line.number, line.bytes.length, false);
    },
    endSource: reader.end,
  };
}

/** Copies all bytes, decoded, without waiting and without looking at lines. */
export async function copyAll(context: Context): Promise<void> {
  const { out, signal } = context;
  await readSources(context, signal, (_source, bytes) =>
    readDecoded(
      bytes,
      chunkSink((chunk) => out.send(chunk)),
      signal,
    ),
  );
}

/**
 * Writes lines byte for byte, or as --redact and similar flags leave them; on a terminal without control characters.
 * `says`: report lines that are left out, because nothing else reads them.
 */
export function copyStage({ out, streams, privacy, diagnostics }: Context, says = false): Stage {
  const { isTTY } = streams.stdout;
  let source = '';
  let batch: Buffer[] = [];
  let bytes = 0;
  const written = (line: RawLine): Buffer | null => {
    if (privacy === null) return line.bytes;
    const text = line.tooLong ? null : privacy.line(textOfLine(line));
    const problem = text === undefined ? 'part of a line' : line.tooLong && !line.continues ? 'line too long' : null;
    if (problem !== null && says)
      diagnostics.damage({ what: problem, source, line: line.number, done: 'line left out' });
    return typeof text !== 'string'
      ? null
      : text === textOfLine(line)
        ? line.bytes
        : Buffer.from(
            text + (/\r?\n$/.exec(line.bytes.toString('latin1', Math.max(0, line.bytes.length - 2)))?.[0] ?? ''),
          );
  };
  const flush = () => {
    const lines = batch;
    batch = [];
    bytes = 0;
    return lines.length === 0 ? undefined : out.send(Buffer.concat(lines));
  };
  return {
    begin({ name }) {
      source = name;
    },
    line(line) {
      const copy = written(line);
      if (copy === null) return;
      if (isTTY) return out.write(`${sanitize(textOfLine({ ...line, bytes: copy }))}\n`);
      batch.push(copy);
      bytes += copy.length;
      return bytes < batchBytes ? undefined : flush();
    },
    flush: () => (isTTY ? out.flush() : flush()),
  };
}

function milliseconds(options: Options, name: string): number | null {
  const seconds = numberOf(options, name);
  return seconds === null ? null : seconds * 1000;
}

/** The time between lines without a time. */
const stepMs = 100;

/** Plays the sources of a command to the stage; without a tempo, without waiting. */
export async function play(context: Context, tempo: Tempo | null, stage: Stage): Promise<Played> {
  const { options, signal, diagnostics } = context;
  const [since, until, at] = [pointOf(context, 'since'), pointOf(context, 'until'), pointOf(context, 'at')];
  // Otherwise all lines are one step apart, and nothing is parsed.
  const usesTimes =
    [since, until, at].some((point) => point !== null && point.kind !== 'line') ||
    (tempo !== null && numberOf(options, 'interval') === null);
  const timeline = new Timeline<RawLine>(stepMs);
  const played: Played = { lines: 0, timeless: 0, isCut: false };
  const stopped = new AbortController();
  let position = 0;
  let start: number | null = null;

  async function showLine({ line, at, time }: Placed<RawLine>, stop: () => void): Promise<void> {
    if (!line.continues) {
      position += 1;
      if (time === null) played.timeless += 1;
    }
    start ??= at;
    const spot = { position, at: at - start, time };
    if (until !== null && endsBefore(until, spot)) {
      // A later file may have earlier times, but not earlier lines or offsets.
      if (until.kind !== 'time') stopped.abort();
      return stop();
    }
    if (since !== null && isBeforePoint(since, spot)) return stage.pass?.(line);
    if (tempo !== null && tempo.dueIn(at, line.continues) > 0) {
      await stage.flush();
      await tempo.waitForDue();
    }
    if (signal.aborted) return;
    if (!line.continues) played.lines += 1;
    const done = stage.line(line, spot);
    if (done !== undefined) await done;
  }

  await readSources(context, stopped.signal, async (source, bytes) => {
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    const raw = new RawLines(numberOf(options, 'maxLineBytes') ?? defaultMaxLineBytes);
    const places = placer(timeline, usesTimes, () =>
      diagnostics.info(`${source.name}: ${heldText} without a time; these lines are played at an even pace`),
    );
    const showAll = async (isEnd: boolean) => {
      for (const placed of places(raw.takeLines(), isEnd)) {
        if (over.aborted) break;
        await showLine(placed, () => ended.abort());
      }
      await stage.flush();
    };
    stage.begin?.(source);
    timeline.begin();
    const decoded = await lineReader(raw.index, { signal: over, chunkEnd: (count) => showAll(count === 0) })(bytes);
    // Lines waiting after --until are dropped. Lines before it may still have to be written.
    timeline.releaseAll();
    await stage.flush();
    if (over.aborted) played.isCut = true;
    else stage.endSource?.();
    return decoded;
  });
  return played;
}

/** Gives lines their places, each as soon as it is known: with times, the time of a line may come with a later one. */
function placer(timeline: Timeline<RawLine>, usesTimes: boolean, onFull: () => void) {
  let bytes = 0;
  let ready: Placed<RawLine>[] = [];
  const takeLines = (placed: readonly Placed<RawLine>[]) => {
    for (const one of placed) {
      bytes -= one.line.bytes.length;
      ready.push(one);
    }
  };
  const times = usesTimes ? createLineTimes((line, time) => takeLines(timeline.placeUpTo(line, time))) : null;
  return (lines: readonly RawLine[], isEnd: boolean): Placed<RawLine>[] => {
    ready = [];
    for (const line of lines) {
      timeline.holdLine(line);
      bytes += line.bytes.length;
      if (!line.tooLong) times?.push(textOfLine(line), line.number);
      if (times === null || bytes <= mostHeldBytes) continue;
      onFull();
      takeLines(timeline.releaseAll());
    }
    if (isEnd) times?.end();
    if (isEnd || times === null) takeLines(timeline.releaseAll());
    return ready;
  };
}

/** How many bytes may be kept in memory while waiting for the next known time. */
const mostHeldBytes = 64 * 1024 * 1024;
const heldText = '64 MiB';

/** Opens and reads one source after the other. */
async function readSources(
  { sources, input, diagnostics, signal }: Context,
  stopped: AbortSignal,
  read: (source: Source, bytes: ByteSource) => Promise<Decoded>,
): Promise<void> {
  for (const source of sources) {
    if (signal.aborted || stopped.aborted) break;
    const opened = await source.open();
    const { problem, damage } = opened.ok ? await read(source, opened.bytes) : { problem: opened.problem };
    if (damage !== undefined) diagnostics.damage(readInPart(source.name, damage));
    if (problem === null) continue;
    diagnostics.error(`${source.name}: ${problem}`);
    input.seen.unreadable++;
  }
}

const batchBytes = 64 * 1024;
