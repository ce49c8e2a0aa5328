// The lanes with the clock above them, and the controls that move it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Arrow, Lane, Point } from '../lanes.js';
import { type Choice, wordsOfEntry } from '../story.js';
import { arrowAt, type Colors, callAt, drawChart, drawLanes, type Geometry, geometryOf, ticksOf } from './draw.js';
import type { LaneMark, Run } from './run.js';
import { clock, compact, duration, money, shortModel } from './text.js';

export interface StageProps {
  readonly run: Run;
  readonly at: number;
  readonly isPlaying: boolean;
  /** 0: event by event. */
  readonly speed: number;
  readonly skips: boolean;
  readonly agent: string | null;
  readonly choice: Choice | null;
  onMove(at: number): void;
  onPlay(playing: boolean): void;
  onSpeed(speed: number): void;
  onStep(by: 1 | -1): void;
  onAgent(agent: string | null): void;
  onSkips(skips: boolean): void;
  onChoose(choice: Choice): void;
}

export const speeds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

interface Window {
  readonly from: number;
  readonly to: number;
}

export function Stage(props: StageProps) {
  const { run, at, agent, choice, onMove, onChoose } = props;
  const { lanes, arrows } = run;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const charts = { cost: useRef<HTMLCanvasElement>(null), context: useRef<HTMLCanvasElement>(null) };
  const width = useWidth(box);
  const dark = useDark();
  const length = run.playback.length;
  const [view, setView] = useState<Window>({ from: 0, to: length });
  const [hint, setHint] = useState<Hint | null>(null);
  const geometry = useMemo(() => geometryOf(lanes, width, length, view), [lanes, width, length, view]);
  const mark = useMemo(() => (choice === null ? null : run.markOf(choice)), [run, choice]);
  const drag = useRef<{ x: number; view: Window; moved: boolean } | null>(null);

  useLayoutEffect(() => {
    const colors = readColors();
    const target = prepared(canvas.current, geometry.width, geometry.height);
    const chosen = new Set(mark?.arrows ?? []);
    if (target !== null) drawLanes(target, lanes, [...shownArrows(arrows, agent), ...chosen], geometry, colors, chosen);
    for (const name of chartNames) {
      const small = prepared(charts[name].current, geometry.width, chartHeight);
      if (small !== null) drawChart(small, run[name], geometry, chartHeight, colors);
    }
  }, [run, geometry, agent, dark, mark]);

  const zoom = (by: number, middle = (view.from + view.to) / 2) =>
    setView((before) => zoomed(before, by, middle, length));
  useZoomKeys({
    '+': () => zoom(0.5),
    '=': () => zoom(0.5),
    '-': () => zoom(2),
    '0': () => setView({ from: 0, to: length }),
  });
  // What was chosen is brought into view.
  useEffect(() => {
    if (mark === null) return;
    setView((before) =>
      mark.end < before.from || mark.start > before.to ? around(before, mark.start, length) : before,
    );
    const row = mark.lane === null ? -1 : lanes.indexOf(mark.lane);
    const scroller = box.current?.parentElement;
    if (row === -1 || scroller == null) return;
    const top = row * geometry.laneHeight;
    if (top < scroller.scrollTop || top + geometry.laneHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = top - scroller.clientHeight / 2;
  }, [mark]);
  useWheel(canvas, (event, x) => {
    const scroller = box.current?.parentElement;
    const scrolls = scroller != null && scroller.scrollHeight > scroller.clientHeight + 1;
    // Where lanes scroll, the wheel alone scrolls them.
    if (scrolls && !event.ctrlKey && !event.metaKey && !event.shiftKey) return false;
    zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.25 : 0.8, geometry.at(x));
    return true;
  });

  const under = (event: MouseEvent) => {
    const area = canvas.current?.getBoundingClientRect();
    if (area === undefined) return null;
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    const lane = lanes[Math.floor(y / geometry.laneHeight)];
    const reach = (4 / Math.max(1, geometry.width)) * (view.to - view.from);
    const bar = lane === undefined ? null : callAt(lane, geometry.at(x), reach);
    if (bar?.call != null) return { x, y, choice: { is: 'call', id: bar.call } as const };
    const arrow = arrowAt(shownArrows(arrows, agent), lanes, geometry, x, y);
    return { x, y, choice: arrow === null ? null : ({ is: 'message', id: String(arrow.message) } as const) };
  };
  const onClick = (event: MouseEvent) => {
    if (drag.current?.moved) return;
    const found = under(event)?.choice ?? null;
    if (found !== null) onChoose(found);
  };
  const onPointerMove = (event: PointerEvent) => {
    const started = drag.current;
    if (started !== null && event.buttons === 1) {
      const by = event.clientX - started.x;
      started.moved ||= Math.abs(by) > 4;
      if (started.moved)
        setView(panned(started.view, (-by / geometry.width) * (started.view.to - started.view.from), length));
      return;
    }
    const found = under(event);
    setHint(found === null || found.choice === null ? null : { ...found, text: hintOf(run, found.choice) });
  };

  const headX = geometry.x(at);
  return (
    <section class="stage" aria-label="Lanes of the run">
      {(run.settings.compare ? [] : chartNames).map((name) => (
        <div class="charts" key={name}>
          <span>
            {name} <b>{name === 'cost' ? money(valueAt(run.cost, at)) : compact(valueAt(run.context, at))}</b>
          </span>
          <div class="canvas">
            <canvas ref={charts[name]} height={chartHeight} role="img" aria-label={`${name} over time`} />
            <div class="later" style={{ left: `${Math.max(0, headX)}px` }} />
          </div>
        </div>
      ))}
      <div class="axis">
        <span class="note">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
            −
          </button>
        </span>
        <Axis geometry={geometry} onMove={onMove} />
      </div>
      <div class="lanes">
        <ul class="names">
          {lanes.map((lane) => (
            <LaneName key={lane.id} lane={lane} height={geometry.laneHeight} chosen={lane.id === agent} {...props} />
          ))}
        </ul>
        <div class="canvas" ref={box}>
          <canvas
            ref={canvas}
            role="img"
            aria-label={`${lanes.filter((lane) => !lane.isHeading).length} lanes, ${arrows.length} arrows, over ${duration(length)}; the story lists everything in them`}
            onClick={onClick}
            onPointerDown={(event) => {
              drag.current = { x: event.clientX, view, moved: false };
            }}
            onPointerMove={onPointerMove}
            onPointerLeave={() => setHint(null)}
          />
          <div class="later" style={{ left: `${Math.max(0, headX)}px` }} />
          <Picked mark={mark} geometry={geometry} lanes={lanes} />
          <div class="head" style={{ transform: `translateX(${headX}px)` }} />
          {hint === null ? null : (
            <div class="hint" style={{ left: `${Math.min(hint.x + 12, width - 180)}px`, top: `${hint.y + 14}px` }}>
              {hint.text}
            </div>
          )}
        </div>
      </div>
      <Controls {...props} />
    </section>
  );
}

interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** What lies under the pointer, in the words of the story. */
function hintOf(run: Run, choice: Choice): string {
  const entry = run.story().entryOf(choice);
  if (entry === undefined) return run.calls.get(choice.id)?.called?.tool ?? '';
  const { mark, about, said, facts } = wordsOfEntry(entry);
  const text = `${entry.line?.name ?? ''} ${mark} ${about} ${facts.join(' · ')} ${said}`;
  return text.trim().replace(/\s+/g, ' ').slice(0, 160);
}

function Axis({ geometry, onMove }: { geometry: Geometry; onMove(at: number): void }) {
  const { length, from, to } = geometry;
  return (
    <div
      class="canvas ticks"
      aria-hidden="true"
      onClick={(event) => onMove(geometry.at(event.clientX - event.currentTarget.getBoundingClientRect().left))}
    >
      {ticksOf(geometry).map((tick) => (
        <span key={tick} style={{ left: `${geometry.x(tick)}px` }}>
          {clock(tick, to - from < 20_000 ? 0 : Math.max(length, 600_000))}
        </span>
      ))}
    </div>
  );
}

/** Marks in the lanes what was chosen. */
function Picked({ mark, geometry, lanes }: { mark: LaneMark | null; geometry: Geometry; lanes: readonly Lane[] }) {
  if (mark === null || mark.lane === null) return null;
  const left = geometry.x(mark.start) - 4;
  const style = {
    left: `${left}px`,
    width: `${Math.max(8, geometry.x(mark.end) + 4 - left)}px`,
    top: `${lanes.indexOf(mark.lane) * geometry.laneHeight + 1}px`,
    height: `${geometry.laneHeight - 2}px`,
  };
  return <div class="picked" style={style} />;
}

/** Never less than a hundred milliseconds, never more than all. */
function zoomed({ from, to }: Window, by: number, middle: number, length: number): Window {
  const size = Math.min(length, Math.max(100, (to - from) * by));
  const part = to > from ? (middle - from) / (to - from) : 0.5;
  return panned({ from: middle - part * size, to: middle + (1 - part) * size }, 0, length);
}

function panned({ from, to }: Window, by: number, length: number): Window {
  const size = Math.min(to - from, length);
  const start = Math.min(Math.max(0, from + by), length - size);
  return { from: start, to: start + size };
}

function around({ from, to }: Window, at: number, length: number): Window {
  const size = to - from;
  return panned({ from: at - size / 2, to: at + size / 2 }, 0, length);
}

/** Not as a property: only a listener of this kind can keep the page from scrolling. */
function useWheel(
  canvas: { readonly current: HTMLElement | null },
  act: (event: WheelEvent, x: number) => boolean,
): void {
  const current = useRef(act);
  current.current = act;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const turn = (event: WheelEvent) => {
      if (current.current(event, event.clientX - element.getBoundingClientRect().left)) event.preventDefault();
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [canvas]);
}

function useZoomKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLElement && event.target.matches('input[type="search"], select')) return;
      current.current[event.key]?.();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

function LaneName({
  run,
  lane,
  height,
  chosen,
  onAgent,
}: { lane: Lane; height: number; chosen: boolean } & StageProps) {
  const cost = run.spent.get(lane.id);
  if (lane.isHeading)
    return (
      <li style={{ height: `${height}px` }}>
        <span class="heading">{lane.name}</span>
      </li>
    );
  return (
    <li style={{ height: `${height}px` }}>
      <button
        type="button"
        aria-pressed={chosen}
        title={lane.model ?? lane.name}
        style={{ paddingLeft: `${6 + 12 * lane.depth}px`, fontSize: `${Math.min(14, height - 2)}px` }}
        onClick={() => onAgent(chosen ? null : lane.id)}
      >
        <span style={{ color: `var(--${lane.hue})` }} aria-hidden="true">
          {lane.isLead ? '◆' : '●'}
        </span>{' '}
        {lane.name}
        <small>
          {shortModel(lane.model)}
          {cost === undefined ? '' : ` ${money(cost)}`}
        </small>
      </button>
    </li>
  );
}

function Controls({ run, at, isPlaying, speed, skips, onMove, onPlay, onSpeed, onSkips, onStep }: StageProps) {
  const { length, isToScale } = run.playback;
  return (
    <div class="controls">
      <button type="button" onClick={() => onPlay(!isPlaying)}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button type="button" aria-label="Step one event back" onClick={() => onStep(-1)}>
        ←
      </button>
      <button type="button" aria-label="Step one event on" onClick={() => onStep(1)}>
        →
      </button>
      <label>
        <span class="note">Speed </span>
        <select value={String(speed)} onChange={(event) => onSpeed(Number(event.currentTarget.value))}>
          <option value="0">by event</option>
          {speeds.map((value) => (
            <option key={value} value={String(value)}>
              {value}×
            </option>
          ))}
        </select>
      </label>
      <label>
        <input type="checkbox" checked={skips} onChange={() => onSkips(!skips)} /> skip silence
      </label>
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={clock(at, length)}
        min={0}
        max={Math.max(1, length)}
        step="any"
        value={at}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
      <output class="clock">{clock(at, length)}</output>
      <span class="note">
        of {duration(length)}
        {isToScale ? '' : ' · not to scale'}
      </span>
    </div>
  );
}

/** If an agent is selected, only what it sent or received. */
function shownArrows(arrows: readonly Arrow[], agent: string | null): readonly Arrow[] {
  return agent === null ? arrows : arrows.filter(({ from, to }) => from === agent || to === agent);
}

const chartHeight = 24;
const chartNames = ['cost', 'context'] as const;

function valueAt(points: readonly Point[], at: number): number | null {
  return points.findLast((point) => point.at <= at)?.value ?? null;
}

/** A canvas that is sharp on every screen. */
function prepared(canvas: HTMLCanvasElement | null, width: number, height: number): CanvasRenderingContext2D | null {
  const context = canvas?.getContext('2d') ?? null;
  if (canvas === null || context === null) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.height = `${height}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setWidth(element.clientWidth);
    const observer = new ResizeObserver(measure);
    measure();
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** Light and dark have different colours, and a canvas does not follow by itself. */
function useDark(): boolean {
  const query = useMemo(() => window.matchMedia('(prefers-color-scheme: dark)'), []);
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const change = () => setDark(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, [query]);
  return dark;
}

function readColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const hue = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: hue('text'),
    faint: hue('muted'),
    failed: hue('bad'),
    accent: hue('accent'),
    hue,
  };
}
