import type { Source } from '../io/sources.js';
import { createTerminalLine, type Streams, type TerminalLine } from '../io/streams.js';
import { byteText as bytesText } from '../view/text.js';
import type { Command, Options } from './command.js';
import { flagOf, textOf } from './flags/flags.js';

/**
 * A line on stderr that shows how far the reading of long files has come. null unless somebody at a terminal reads files: otherwise
 * nobody would see it, or it would be mixed with rows.
 */
export function openProgress(
  command: Command,
  options: Options,
  sources: readonly Source[],
  { stdout, stderr, env, clock }: Streams,
) {
  if (!stderr.isTTY || env['TERM'] === 'dumb' || flagOf(options, 'quiet')) return null;
  const waits = command.kind === 'fold' && !flagOf(options, 'watch') && textOf(options, 'live') !== 'always';
  if (command.kind === 'text' || (!waits && stdout.isFile !== true)) return null;
  return createProgress(
    () => totalSize(sources),
    createTerminalLine(stderr),
    () => clock.now(),
  );
}

/** null if the size is unknown. */
function totalSize(sources: readonly Source[]): number | null {
  const sizes = sources.map((source) => source.size?.() ?? null);
  return sizes.includes(null) ? null : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
}

/** The total is computed only when it is shown: there may be many files, and most are read in a moment. */
export function createProgress(total: () => number | null, line: TerminalLine, now: () => number) {
  const started = now();
  let size: number | null | undefined;
  let read = 0;
  let next = started + quietMs;
  return {
    /** 0 at the end of a file, and at the end of reading. */
    read(bytes: number): void {
      read += bytes;
      if (bytes === 0 || read >= (size ?? Number.POSITIVE_INFINITY)) return line.clear();
      const time = now();
      if (time < next) return;
      next = time + redrawMs;
      if (size === undefined) size = total();
      if (size === null || read >= size) return line.clear();
      line.show(progressText(read, size, time - started));
    },
    /** Removes the line to make room for a message. The next bytes may bring it back. */
    hide: () => line.clear(),
  };
}

/** Nothing is shown for the first second. */
const quietMs = 1000;
const redrawMs = 200;

/** `cct: 412 MB of 1.0 GB, 210 MB/s, 3 s left` */
export function progressText(read: number, total: number, elapsedMs: number): string {
  const rate = read / (elapsedMs / 1000);
  return `cct: ${bytesText(read)} of ${bytesText(total)}, ${bytesText(rate)}/s, ${timeLeft((total - read) / rate)} left`;
}

function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'some time';
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
