// Divides the width of a line among columns.
import { type Column, type ColumnKind, isNumeric } from './columns.js';
import type { Layout } from './formats.js';
import { displayWidth } from './text.js';

/** The widths a column asks for, in terminal columns. */
export interface Demand {
  /** Its widest cell. */
  readonly natural: number;
  /** It gives up everything above this first. */
  readonly soft: number;
  /** Narrower than this, it is useless. */
  readonly floor: number;
  readonly rank: number;
}

/**
 * Widths that fit in `width`, with a gap between columns; 0 for a column that is left out. The first column is never
 * left out. Columns with a rank below 0 are left out before any other is cut below its `soft`.
 */
export function fitWidths(demands: readonly Demand[], width: number, gap: number): number[] {
  const kept = demands.map((demand, index) => ({ ...demand, index }));
  const widths = demands.map(() => 0);
  let shares = share(kept, width - gap * (kept.length - 1));
  while (shares === undefined && kept.length > 1) {
    kept.splice(leastWanted(kept), 1);
    shares = share(kept, width - gap * (kept.length - 1));
  }
  kept.forEach(({ index }, place) => {
    widths[index] = shares?.[place] ?? Math.max(0, width);
  });
  return widths;
}

function share(asked: readonly Demand[], room: number): number[] | undefined {
  const natural = asked.map((demand) => demand.natural);
  const soft = asked.map((demand) => demand.soft);
  const floor = asked.map((demand) => demand.floor);
  if (totalOf(natural) <= room) return natural;
  if (totalOf(soft) <= room) return level(soft, natural, room);
  if (asked.some(({ rank }, index) => index > 0 && rank < 0)) return undefined;
  return totalOf(floor) <= room ? level(floor, soft, room) : undefined;
}

/** Shrinks the widest first: all are limited to one width that fits, but none below its `least`. */
function level(least: readonly number[], most: readonly number[], room: number): number[] {
  const limitedTo = (height: number) =>
    most.map((upper, index) => Math.min(upper, Math.max(height, least[index] ?? 0)));
  let low = 0;
  let high = Math.max(...most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (totalOf(limitedTo(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = limitedTo(low);
  let left = room - totalOf(widths);
  return widths.map((now, index) => {
    if (left <= 0 || now >= (most[index] ?? 0) || now > low) return now;
    left -= 1;
    return now + 1;
  });
}

function leastWanted(asked: readonly Demand[]): number {
  let least = asked.length - 1;
  for (let index = least; index > 0; index -= 1) {
    if ((asked[index]?.rank ?? 0) < (asked[least]?.rank ?? 0)) least = index;
  }
  return least;
}

export function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Which columns of a table are shown, and how wide. */
export interface Plan {
  readonly shown: readonly Place[];
  /** Nothing was left out or cut. */
  readonly isWhole: boolean;
}

export interface Place {
  /** Its index among the requested columns. */
  readonly index: number;
  readonly width: number;
}

export const gap = '  ';

/** `widest` holds the widest cell of each column. */
export function planColumns(columns: readonly Column[], widest: readonly number[], layout: Layout): Plan {
  const { width } = layout;
  const demands = columns.map((column, index) => demandOf(column, index, widest[index] ?? 0, layout));
  const widths = fitWidths(demands, width, gap.length);
  const isWhole = demands.every(({ natural }, index) => natural === widths[index]);
  return { shown: places(columns, widths, layout), isWhole };
}

function demandOf(column: Column, index: number, widest: number, { streaming = false }: Layout): Demand {
  const { title, kind, rank, expect = expectedWidth[kind] ?? leastExpected } = column;
  const titleWidth = displayWidth(title);
  const least = kind === 'share' ? longestBar + percentWidth : streaming ? expect : 0;
  const natural = Math.max(1, titleWidth, widest, least);
  const { soft, floor } =
    index === 0 ? keyLimits : streaming && kind === 'prose' ? comingProse : (limits[kind] ?? uncut);
  const comfort = streaming ? soft : (column.comfort ?? soft);
  const atMost = (least: number) => Math.min(natural, Math.max(titleWidth, least));
  return { natural, soft: atMost(comfort), floor: atMost(floor), rank };
}

/** Width reserved for rows that have not come yet. */
const expectedWidth: Readonly<Partial<Record<ColumnKind, number>>> = {
  ...{ prose: 32, text: 12, word: 9, id: 8, model: 10 },
  ...{ time: 14, tokens: 9, money: 9, duration: 6 },
};
const leastExpected = 5;

export const percentWidth = 5;
export const shortestBar = 4;
const longestBar = 16;

/** How far a column shrinks at first (`soft`) and at most (`floor`); all others stay as they are. */
const limits: Readonly<Partial<Record<ColumnKind, { soft: number; floor: number }>>> = {
  prose: { soft: 32, floor: 10 },
  text: { soft: 24, floor: 9 },
  word: { soft: 24, floor: 18 },
  // A bar is given up before any column.
  share: { soft: percentWidth, floor: percentWidth },
};
const uncut = { soft: 36, floor: 36 };

/** Rows that have not come yet may have short texts. */
const comingProse = { soft: 24, floor: 10 };

// The first column identifies the row: two models must not both read `claude-son…`.
const keyLimits = { soft: 36, floor: 18 };

function places(columns: readonly Column[], widths: readonly number[], { width, streaming }: Layout): Place[] {
  // One long cell must not pad all other rows with as many spaces.
  const most = Number.isFinite(width) ? width : widestPadded;
  const shown = widths.map((one, index) => ({ index, width: Math.min(one, most) })).filter((place) => place.width > 0);
  const last = shown.at(-1);
  const kind = last && columns[last.index]?.kind;
  const canGrow = kind !== undefined && kind !== 'share' && !isNumeric(kind) && Number.isFinite(width);
  if (!streaming || !canGrow) return shown;
  // The rest of the line is kept for rows that have not come yet.
  const used = totalOf(shown.map((place) => place.width)) + gap.length * (shown.length - 1);
  return shown.map((place) => (place === last ? { ...place, width: place.width + width - used } : place));
}

/** Where lines may have any length: wider cells than this push the rest of their row to the right. */
export const widestPadded = 1000;
