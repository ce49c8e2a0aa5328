import type { Source } from '../io/sources.js';
import { createTerminalLine, type Streams, type TerminalLine } from '../io/streams.js';
import { bytes as bytesText } from '../view/amount.js';
import type { Command, Options } from './command.js';
import { flagOf, textOf } from './flags.js';

/** A line on stderr that says how far the reading of long files is. */
export interface Progress {
  /** 0 is the end of a file, or of reading. */
  read(bytes: number): void;
  /** Takes the line away, for something that is to be read; the next bytes may bring it back. */
  hide(): void;
}

/** null where nobody would see it, or it would stand between rows: unless files are read by somebody at a terminal. */
export function openProgress(
  command: Command,
  options: Options,
  sources: readonly Source[],
  { stdout, stderr, env, clock }: Streams,
): Progress | null {
  if (!stderr.isTTY || env['TERM'] === 'dumb' || flagOf(options, 'quiet')) return null;
  const waits = command.kind === 'fold' && !flagOf(options, 'watch') && textOf(options, 'live') !== 'always';
  if (command.kind === 'text' || (!waits && stdout.isFile !== true)) return null;
  const sizes = sources.map((source) => source.size?.() ?? null);
  if (sizes.includes(null)) return null;
  const total = sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
  return createProgress(total, createTerminalLine(stderr), clock.now);
}

export function createProgress(total: number, line: TerminalLine, now: () => number): Progress {
  const started = now();
  let read = 0;
  let next = started + quietMs;
  return {
    read(bytes) {
      read += bytes;
      if (bytes === 0 || read >= total) {
        line.clear();
        return;
      }
      const time = now();
      if (time < next) return;
      next = time + redrawMs;
      line.show(progressText(read, total, time - started));
    },
    hide: () => line.clear(),
  };
}

/** What is read in a moment needs no words. */
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
