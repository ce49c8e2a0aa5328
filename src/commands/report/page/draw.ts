// Draws lanes on a canvas.
import type { Arrow, Bar, Lane, Mark, Point } from '../lanes.js';

export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly laneHeight: number;
  readonly length: number;
  x(at: number): number;
  at(x: number): number;
  /** The middle of a lane. */
  y(index: number): number;
}

export function geometryOf(lanes: readonly Lane[], width: number, length: number): Geometry {
  const laneHeight = lanes.length <= 12 ? 30 : lanes.length <= 30 ? 20 : 14;
  const inner = Math.max(1, width - 2 * edge);
  return {
    width,
    height: Math.max(laneHeight, lanes.length * laneHeight),
    laneHeight,
    length,
    x: (at) => edge + (length <= 0 ? 0 : (at / length) * inner),
    at: (x) => Math.min(length, Math.max(0, ((x - edge) / inner) * length)),
    y: (index) => (index + 0.5) * laneHeight,
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
  lanes: readonly Lane[],
  arrows: readonly Arrow[],
  geometry: Geometry,
  colors: Colors,
): void {
  const { width, height, laneHeight, x, y } = geometry;
  canvas.clearRect(0, 0, width, height);
  lanes.forEach((lane, index) => {
    if (lane.isHeading) return;
    const middle = y(index);
    const hue = colors.hue(lane.hue);
    for (const bar of lane.bars) drawBar(canvas, bar, x(bar.start), x(bar.end), middle, laneHeight, hue, colors);
    for (const mark of lane.marks) drawMark(canvas, mark, x(mark.at), middle, hue, colors);
  });
  const rows = new Map(lanes.map((lane, index) => [lane.id, index]));
  for (const arrow of arrows) drawArrow(canvas, arrow, rows, geometry, colors);
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
      line(canvas, from, middle, to, middle, 1);
      canvas.setLineDash([]);
      break;
    case 'chat':
      canvas.fillStyle = hue;
      canvas.fillRect(from, middle - 2.5, width, 5);
      break;
    case 'call': {
      const high = laneHeight * heightOf(bar.end - bar.start);
      canvas.fillStyle = bar.failed ? colors.failed : hue;
      canvas.globalAlpha = bar.open ? 0.5 : 0.9;
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
  if (kind === 'compaction') canvas.stroke();
  else canvas.fill();
}

function drawArrow(
  canvas: CanvasRenderingContext2D,
  { from, to, sentAt, arrivedAt, lost }: Arrow,
  rows: ReadonlyMap<string, number>,
  { x, y, laneHeight }: Geometry,
  colors: Colors,
): void {
  const start = from === null ? undefined : rows.get(from);
  if (start === undefined) return;
  const end = to === null ? undefined : rows.get(to);
  const [x1, y1] = [x(sentAt), y(start)];
  const [x2, y2] = [x(arrivedAt ?? sentAt), end === undefined ? y1 + laneHeight * 0.45 : y(end)];
  canvas.strokeStyle = lost ? colors.failed : colors.text;
  canvas.fillStyle = canvas.strokeStyle;
  canvas.globalAlpha = 0.65;
  if (lost) canvas.setLineDash([3, 3]);
  line(canvas, x1, y1, x2, y2, 1);
  canvas.setLineDash([]);
  const angle = Math.atan2(y2 - y1, x2 - x1 || 0.001);
  canvas.beginPath();
  canvas.moveTo(x2, y2);
  canvas.lineTo(x2 - 6 * Math.cos(angle - 0.4), y2 - 6 * Math.sin(angle - 0.4));
  canvas.lineTo(x2 - 6 * Math.cos(angle + 0.4), y2 - 6 * Math.sin(angle + 0.4));
  canvas.fill();
  canvas.globalAlpha = 1;
}

function line(canvas: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number, width: number): void {
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

/** A figure over time, as a stepped area. */
export function drawChart(
  canvas: CanvasRenderingContext2D,
  points: readonly Point[],
  { width, x, length }: Geometry,
  height: number,
  { accent }: Colors,
): void {
  canvas.clearRect(0, 0, width, height);
  const most = points.reduce((sofar, { value }) => Math.max(sofar, value), 0);
  if (most <= 0) return;
  const y = (value: number) => height - 2 - (value / most) * (height - 6);
  canvas.beginPath();
  canvas.moveTo(x(0), height - 2);
  let before = 0;
  for (const { at, value } of points) {
    canvas.lineTo(x(at), y(before));
    canvas.lineTo(x(at), y(value));
    before = value;
  }
  canvas.lineTo(x(length), y(before));
  canvas.lineTo(x(length), height - 2);
  canvas.closePath();
  canvas.fillStyle = accent;
  canvas.globalAlpha = 0.3;
  canvas.fill();
  canvas.globalAlpha = 1;
}
