import { type Column, isNumeric, type Kind } from './column.js';
import { type Demand, fitWidths } from './fit-widths.js';
import { displayWidth } from './width.js';
import type { Layout } from './writer.js';

/** Which columns of a table are shown, and how wide. */
export interface Plan {
  readonly shown: readonly Place[];
  /** Some did not fit, and there is room to say so. */
  readonly leftOut: boolean;
}

export interface Place {
  /** Among the columns asked for. */
  readonly index: number;
  readonly width: number;
}

export const gap = '  ';
export const leftOutMark = '…';

/** `widest` holds the widest cell of each column. */
export function planColumns(columns: readonly Column[], widest: readonly number[], layout: Layout): Plan {
  const { width, streaming = false } = layout;
  const demands = columns.map((column, index) => demandOf(column, index, widest[index] ?? 0, streaming));
  const widths = fitWidths(demands, width, gap.length);
  if (!widths.includes(0)) return { shown: places(columns, widths, layout), leftOut: false };

  const room = width - gap.length - leftOutMark.length;
  const marked = fitWidths(demands, room, gap.length);
  const leftOut = (marked[0] ?? 0) >= (demands[0]?.floor ?? 0);
  return {
    shown: leftOut ? places(columns, marked, { ...layout, width: room }) : places(columns, widths, layout),
    leftOut,
  };
}

/** Whether the widest cells stand in one line unshortened. */
export function fitsWhole(
  columns: readonly Column[],
  widest: readonly number[],
  { width, streaming = false }: Layout,
): boolean {
  const natural = columns.map((column, index) => demandOf(column, index, widest[index] ?? 0, streaming).natural);
  return natural.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) <= width;
}

function demandOf({ title, kind, rank }: Column, index: number, widest: number, streaming: boolean): Demand {
  const titleWidth = displayWidth(title);
  const natural = Math.max(1, titleWidth, widest, streaming ? expectedWidth[kind] : 0);
  const { soft, floor } = index === 0 ? keyLimits : limits[kind];
  const atMost = (least: number) => Math.min(natural, Math.max(titleWidth, least));
  return { natural, soft: atMost(soft), floor: atMost(floor), rank };
}

/** The room set aside for rows not yet seen. */
const expectedWidth: Readonly<Record<Kind, number>> = {
  prose: 32,
  text: 12,
  word: 9,
  time: 14,
  number: 5,
  count: 5,
  tokens: 9,
  money: 9,
  duration: 6,
};

const whole = { soft: 24, floor: 24 };

/** How far a column may shrink, willingly and at all. Eight characters and an ellipsis tell most ids apart. */
const limits: Readonly<Record<Kind, { soft: number; floor: number }>> = {
  prose: { soft: 24, floor: 10 },
  text: { soft: 36, floor: 9 },
  word: { soft: 24, floor: 9 },
  time: whole,
  number: whole,
  count: whole,
  tokens: whole,
  money: whole,
  duration: whole,
};

// The first column says which row it is: two models must not both read `claude-son…`.
const keyLimits = { soft: 36, floor: 18 };

function places(columns: readonly Column[], widths: readonly number[], { width, streaming }: Layout): Place[] {
  const shown = widths.map((one, index) => ({ index, width: one })).filter((place) => place.width > 0);
  const last = shown.at(-1);
  const kind = last && columns[last.index]?.kind;
  if (!streaming || kind === undefined || isNumeric(kind) || !Number.isFinite(width)) return shown;
  // What is left of the line is for the rows not yet seen.
  const used = shown.reduce((sum, place) => sum + place.width + gap.length, -gap.length);
  return shown.map((place) => (place === last ? { ...place, width: place.width + width - used } : place));
}
