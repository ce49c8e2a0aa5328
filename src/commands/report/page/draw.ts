// Draws lanes on a canvas.
import { type Arrow, type Bar, type Lane, type Mark, type PathPiece, placesOf } from '../lanes.js';

export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly laneHeight: number;
  readonly length: number;
  /** The moments at the edges. */
  readonly from: number;
  readonly to: number;
  x(at: number): number;
  momentAt(x: number): number;
  /** The middle of a row. */
  y(row: number): number;
  /** The row of an agent, also of one that is folded. */
  laneRow(lane: string | null): number | undefined;
}

export function geometryOf(
  rows: readonly Lane[],
  width: number,
  length: number,
  { from, to }: { readonly from: number; readonly to: number },
): Geometry {
  const laneHeight = rows.length <= 14 ? 24 : 18;
  const places = placesOf(rows);
  const inner = Math.max(1, width - 2 * edge);
  const shown = to - from;
  return {
    width,
    height: Math.max(laneHeight, rows.length * laneHeight),
    laneHeight,
    length,
    from,
    to,
    x: (at) => edge + (shown <= 0 ? 0 : ((at - from) / shown) * inner),
    momentAt: (x) => Math.min(length, Math.max(0, from + ((x - edge) / inner) * shown)),
    y: (row) => (row + 0.5) * laneHeight,
    laneRow: (lane) => (lane === null ? undefined : places.get(lane)),
  };
}

const edge = 8;

export interface Colors {
  readonly text: string;
  readonly faint: string;
  readonly failed: string;
  readonly accent: string;
  hue(name: string): string;
}

/** Draws everything that does not move. The playhead is an element above it. */
export function drawLanes(
  canvas: CanvasRenderingContext2D,
  rows: readonly Lane[],
  geometry: Geometry,
  colors: Colors,
  { arrows, path, chosen }: { arrows: readonly Arrow[]; path: readonly PathPiece[]; chosen: ReadonlySet<Arrow> },
): void {
  const { width, height, laneHeight, x, y, from, to } = geometry;
  canvas.clearRect(0, 0, width, height);
  rows.forEach((lane, row) => {
    const middle = y(row);
    const hue = colors.hue(lane.hue);
    let before: Bar | null = null;
    let drawn = 0;
    let waited = Number.NEGATIVE_INFINITY;
    for (const bar of lane.bars) {
      if (bar.end < from || bar.start > to) continue;
      // Of thousands of calls, most would be drawn where one is already.
      const isHidden =
        before?.kind === bar.kind && !bar.failed && x(bar.end) < drawn + 0.5 && bar.start >= before.start;
      if (isHidden) continue;
      // Calls that wait for several agents at once are drawn as one.
      const left = bar.waits ? Math.max(x(bar.start), waited) : x(bar.start);
      if (bar.waits) waited = Math.max(waited, x(bar.end));
      if (left <= x(bar.end)) drawBar(canvas, bar, left, x(bar.end), middle, laneHeight, hue, colors);
      before = bar;
      drawn = Math.max(x(bar.end), x(bar.start) + 2);
    }
    for (const mark of lane.marks) drawMark(canvas, mark, x(mark.at), middle, hue, colors);
  });
  drawPath(canvas, path, geometry, colors);
  for (const arrow of arrows) drawArrow(canvas, arrow, geometry, colors, chosen.has(arrow));
}

/** A line below the lanes, from one agent to the next. */
function drawPath(
  canvas: CanvasRenderingContext2D,
  path: readonly PathPiece[],
  { x, y, laneRow: rowOf, laneHeight }: Geometry,
  { text }: Colors,
): void {
  canvas.fillStyle = text;
  canvas.strokeStyle = text;
  let before: number | null = null;
  for (const { lane, start, end } of path) {
    const row = rowOf(lane);
    if (row === undefined) continue;
    const under = y(row) + laneHeight / 2 - 2;
    canvas.fillRect(x(start), under - 1, Math.max(1, x(end) - x(start)), 2);
    if (before !== null && before !== under) drawLine(canvas, x(start), before, x(start), under, 0.5);
    before = under;
  }
}

function drawBar(
  canvas: CanvasRenderingContext2D,
  bar: Bar,
  from: number,
  to: number,
  middle: number,
  laneHeight: number,
  hue: string,
  colors: Colors,
): void {
  const width = Math.max(1, to - from);
  switch (bar.kind) {
    case 'life':
      canvas.fillStyle = hue;
      canvas.globalAlpha = 0.35;
      canvas.fillRect(from, middle - 1, width, 2);
      canvas.globalAlpha = 1;
      if (bar.open) drawTornEdge(canvas, to, middle, laneHeight, hue);
      break;
    case 'idle':
    case 'wait':
      canvas.strokeStyle = colors.faint;
      canvas.setLineDash([2, 3]);
      drawLine(canvas, from, middle, to, middle, 1);
      canvas.setLineDash([]);
      break;
    case 'chat':
      canvas.fillStyle = hue;
      canvas.fillRect(from, middle - 2.5, width, 5);
      break;
    case 'call': {
      const high = laneHeight * heightOf(bar.end - bar.start);
      canvas.fillStyle = bar.failed ? colors.failed : hue;
      canvas.globalAlpha = bar.waits ? 0.2 : bar.open ? 0.5 : 0.9;
      canvas.fillRect(from, middle - high / 2, Math.max(2, width), high);
      canvas.globalAlpha = 1;
    }
  }
}

/** Longer calls are higher: up to a tenth of a second, a second, ten seconds, longer. */
function heightOf(ms: number): number {
  return ms < 100 ? 0.35 : ms < 1000 ? 0.5 : ms < 10_000 ? 0.65 : 0.8;
}

/** Marks where the stream was cut off. */
function drawTornEdge(canvas: CanvasRenderingContext2D, x: number, middle: number, height: number, hue: string): void {
  canvas.strokeStyle = hue;
  canvas.lineWidth = 1.5;
  canvas.beginPath();
  for (let step = 0; step <= 4; step++)
    canvas.lineTo(x + (step % 2 === 0 ? -2 : 2), middle - height / 3 + (step * height) / 6);
  canvas.stroke();
}

function drawMark(
  canvas: CanvasRenderingContext2D,
  { kind }: Mark,
  x: number,
  middle: number,
  hue: string,
  colors: Colors,
): void {
  canvas.fillStyle = hue;
  canvas.strokeStyle = colors.text;
  canvas.lineWidth = 1;
  canvas.beginPath();
  if (kind === 'spawn') canvas.arc(x, middle, 4, 0, 2 * Math.PI);
  else if (kind === 'compaction') {
    canvas.moveTo(x - 4, middle - 6);
    canvas.lineTo(x + 4, middle - 6);
    canvas.lineTo(x, middle + 1);
    canvas.closePath();
  } else canvas.rect(x - 3, middle - 3, 6, 6);
  if (kind === 'compaction' || kind === 'shutdown') canvas.stroke();
  else canvas.fill();
}

function drawArrow(
  canvas: CanvasRenderingContext2D,
  arrow: Arrow,
  geometry: Geometry,
  colors: Colors,
  isChosen: boolean,
): void {
  const { lost } = arrow;
  const ends = endsOf(arrow, geometry);
  if (ends === null) return;
  const [x1, y1, x2, y2] = ends;
  canvas.strokeStyle = isChosen ? colors.accent : lost ? colors.failed : colors.text;
  canvas.fillStyle = canvas.strokeStyle;
  canvas.globalAlpha = isChosen ? 1 : 0.65;
  if (lost) canvas.setLineDash([3, 3]);
  drawLine(canvas, x1, y1, x2, y2, isChosen ? 3 : 1);
  canvas.setLineDash([]);
  const angle = Math.atan2(y2 - y1, x2 - x1 || 0.001);
  canvas.beginPath();
  canvas.moveTo(x2, y2);
  canvas.lineTo(x2 - 6 * Math.cos(angle - 0.4), y2 - 6 * Math.sin(angle - 0.4));
  canvas.lineTo(x2 - 6 * Math.cos(angle + 0.4), y2 - 6 * Math.sin(angle + 0.4));
  canvas.fill();
  canvas.globalAlpha = 1;
}

function endsOf(
  { from, to, sentAt, arrivedAt }: Arrow,
  { x, y, laneHeight, laneRow: rowOf }: Geometry,
): [x1: number, y1: number, x2: number, y2: number] | null {
  const start = rowOf(from);
  if (start === undefined) return null;
  const end = rowOf(to);
  const y1 = y(start);
  return [x(sentAt), y1, x(arrivedAt ?? sentAt), end === undefined ? y1 + laneHeight * 0.45 : y(end)];
}

/** The arrow near a point of the canvas; null if there is none. */
export function arrowAt(arrows: readonly Arrow[], geometry: Geometry, px: number, py: number): Arrow | null {
  let best: Arrow | null = null;
  let least = 5;
  for (const arrow of arrows) {
    const ends = endsOf(arrow, geometry);
    if (ends === null) continue;
    const [x1, y1, x2, y2] = ends;
    const long = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
    const part = Math.min(1, Math.max(0, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / long));
    const distance = Math.hypot(px - x1 - part * (x2 - x1), py - y1 - part * (y2 - y1));
    if (distance < least) {
      best = arrow;
      least = distance;
    }
  }
  return best;
}

/** Moments for the axis: round ones, as many as there is room for. */
export function ticksOf({ from, to, width }: Geometry): number[] {
  const most = Math.max(2, Math.floor(width / 90));
  const step = steps.find((one) => (to - from) / one <= most) ?? (to - from) / most;
  if (!(step > 0)) return [0];
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const steps = [
  ...[100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 48 * hour, 168 * hour],
];

function drawLine(
  canvas: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  width: number,
): void {
  canvas.lineWidth = width;
  canvas.beginPath();
  canvas.moveTo(x1, y1);
  canvas.lineTo(x2, y2);
  canvas.stroke();
}

/** The call at a point of the canvas, or the nearest one if bars are thin; null if none is near. */
export function callAt(lane: Lane, at: number, reach: number): Bar | null {
  let best: Bar | null = null;
  let least = reach;
  for (const bar of lane.bars) {
    if (bar.kind !== 'call') continue;
    const distance = at < bar.start ? bar.start - at : at > bar.end ? at - bar.end : 0;
    if (distance < least || (distance === 0 && least === 0)) {
      best = bar;
      least = distance;
    }
  }
  return best;
}
