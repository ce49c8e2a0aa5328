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
export class Painter {
  readonly #canvas: CanvasRenderingContext2D;
  readonly #geometry: Geometry;
  readonly #colors: Colors;

  constructor(canvas: CanvasRenderingContext2D, geometry: Geometry, colors: Colors) {
    this.#canvas = canvas;
    this.#geometry = geometry;
    this.#colors = colors;
  }

  /** `chosen`: those of the arrows that stand out. */
  drawLanes(rows: readonly Lane[], path: readonly PathPiece[], arrows: readonly Arrow[], chosen: Set<Arrow>): void {
    const { width, height, y, x } = this.#geometry;
    this.#canvas.clearRect(0, 0, width, height);
    rows.forEach((lane, row) => {
      const hue = this.#colors.hue(lane.hue);
      this.#drawBars(lane.bars, y(row), hue);
      for (const { kind, at } of lane.marks) this.#drawMark(kind, x(at), y(row), hue);
    });
    this.#drawPath(path);
    for (const arrow of arrows) this.#drawArrow(arrow, chosen.has(arrow));
  }

  #drawBars(bars: readonly Bar[], middle: number, hue: string): void {
    const { x, from, to } = this.#geometry;
    let before: Bar | null = null;
    let drawn = 0;
    let waited = Number.NEGATIVE_INFINITY;
    for (const bar of bars) {
      if (bar.end < from || bar.start > to) continue;
      // Of thousands of calls, most would be drawn where one is already.
      const isHidden =
        before?.kind === bar.kind && !bar.failed && x(bar.end) < drawn + 0.5 && bar.start >= before.start;
      if (isHidden) continue;
      // Calls that wait for several agents at once are drawn as one.
      const left = bar.waits ? Math.max(x(bar.start), waited) : x(bar.start);
      if (bar.waits) waited = Math.max(waited, x(bar.end));
      if (left <= x(bar.end)) this.#drawBar(bar, left, x(bar.end), middle, hue);
      before = bar;
      drawn = Math.max(x(bar.end), x(bar.start) + 2);
    }
  }

  /** A line below the lanes, from one agent to the next. */
  #drawPath(path: readonly PathPiece[]): void {
    const { x, y, laneRow: rowOf, laneHeight } = this.#geometry;
    this.#canvas.fillStyle = this.#colors.text;
    this.#canvas.strokeStyle = this.#colors.text;
    let before: number | null = null;
    for (const { lane, start, end } of path) {
      const row = rowOf(lane);
      if (row === undefined) continue;
      const under = y(row) + laneHeight / 2 - 2;
      this.#canvas.fillRect(x(start), under - 1, Math.max(1, x(end) - x(start)), 2);
      if (before !== null && before !== under) this.#drawLine(x(start), before, x(start), under, 0.5);
      before = under;
    }
  }

  #drawBar(bar: Bar, from: number, to: number, middle: number, hue: string): void {
    const canvas = this.#canvas;
    const width = Math.max(1, to - from);
    canvas.fillStyle = hue;
    switch (bar.kind) {
      case 'life':
        canvas.globalAlpha = 0.35;
        canvas.fillRect(from, middle - 1, width, 2);
        canvas.globalAlpha = 1;
        if (bar.open) this.#drawTornEdge(to, middle, hue);
        break;
      case 'idle':
      case 'wait':
        canvas.strokeStyle = this.#colors.faint;
        canvas.setLineDash([2, 3]);
        this.#drawLine(from, middle, to, middle, 1);
        canvas.setLineDash([]);
        break;
      case 'chat':
        canvas.fillRect(from, middle - 2.5, width, 5);
        break;
      case 'call': {
        const high = this.#geometry.laneHeight * heightOf(bar.end - bar.start);
        if (bar.failed) canvas.fillStyle = this.#colors.failed;
        canvas.globalAlpha = bar.waits ? 0.2 : bar.open ? 0.5 : 0.9;
        canvas.fillRect(from, middle - high / 2, Math.max(2, width), high);
        canvas.globalAlpha = 1;
      }
    }
  }

  /** Marks where the stream was cut off. */
  #drawTornEdge(x: number, middle: number, hue: string): void {
    const height = this.#geometry.laneHeight;
    this.#canvas.strokeStyle = hue;
    this.#canvas.lineWidth = 1.5;
    this.#canvas.beginPath();
    for (let step = 0; step <= 4; step++)
      this.#canvas.lineTo(x + (step % 2 === 0 ? -2 : 2), middle - height / 3 + (step * height) / 6);
    this.#canvas.stroke();
  }

  #drawMark(kind: Mark['kind'], x: number, middle: number, hue: string): void {
    const canvas = this.#canvas;
    canvas.fillStyle = hue;
    canvas.strokeStyle = this.#colors.text;
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

  #drawArrow(arrow: Arrow, isChosen: boolean): void {
    const canvas = this.#canvas;
    const { text, failed, accent } = this.#colors;
    const ends = endsOf(arrow, this.#geometry);
    if (ends === null) return;
    const [x1, y1, x2, y2] = ends;
    canvas.strokeStyle = isChosen ? accent : arrow.lost ? failed : text;
    canvas.fillStyle = canvas.strokeStyle;
    canvas.globalAlpha = isChosen ? 1 : 0.65;
    if (arrow.lost) canvas.setLineDash([3, 3]);
    this.#drawLine(x1, y1, x2, y2, isChosen ? 3 : 1);
    canvas.setLineDash([]);
    const angle = Math.atan2(y2 - y1, x2 - x1 || 0.001);
    canvas.beginPath();
    canvas.moveTo(x2, y2);
    canvas.lineTo(x2 - 6 * Math.cos(angle - 0.4), y2 - 6 * Math.sin(angle - 0.4));
    canvas.lineTo(x2 - 6 * Math.cos(angle + 0.4), y2 - 6 * Math.sin(angle + 0.4));
    canvas.fill();
    canvas.globalAlpha = 1;
  }

  #drawLine(x1: number, y1: number, x2: number, y2: number, width: number): void {
    this.#canvas.lineWidth = width;
    this.#canvas.beginPath();
    this.#canvas.moveTo(x1, y1);
    this.#canvas.lineTo(x2, y2);
    this.#canvas.stroke();
  }
}

/** Longer calls are higher: up to a tenth of a second, a second, ten seconds, longer. */
function heightOf(ms: number): number {
  return ms < 100 ? 0.35 : ms < 1000 ? 0.5 : ms < 10_000 ? 0.65 : 0.8;
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
