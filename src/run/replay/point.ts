import { UsageError } from '../../io/exit.js';
import type { Options } from '../command.js';
import { textOf } from '../options.js';
import { instantIn } from '../time-range.js';

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
