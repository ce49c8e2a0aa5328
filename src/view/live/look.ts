import type { Paint } from '../paint.js';
import type { Glyphs } from './glyphs.js';

/** Where a picture is drawn. */
export interface Look {
  /** Columns, at least 1. */
  readonly width: number;
  /** Lines there are; Infinity where there may be any number. */
  readonly height: number;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
}
