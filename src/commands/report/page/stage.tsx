// The lanes with the clock above them, and the controls that move it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Arrow, Lane, Point } from '../lanes.js';
import { type Colors, callAt, drawChart, drawLanes, geometryOf } from './draw.js';
import type { Run } from './run.js';
import { clock, compact, duration, money, shortModel } from './text.js';

export interface StageProps {
  readonly run: Run;
  readonly at: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly agent: string | null;
  onMove(at: number): void;
  onPlay(playing: boolean): void;
  onSpeed(speed: number): void;
  onStep(by: 1 | -1): void;
  onAgent(agent: string | null): void;
  onCall(call: string, at: number): void;
}

export const speeds = [1, 2, 5, 10, 20, 50];

export function Stage(props: StageProps) {
  const { run, at, agent } = props;
  const { lanes, arrows } = run;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const charts = { cost: useRef<HTMLCanvasElement>(null), context: useRef<HTMLCanvasElement>(null) };
  const width = useWidth(box);
  const dark = useDark();
  const length = run.playback.length;
  const geometry = useMemo(() => geometryOf(lanes, width, length), [lanes, width, length]);

  useLayoutEffect(() => {
    const colors = readColors();
    const target = prepared(canvas.current, geometry.width, geometry.height);
    if (target !== null) drawLanes(target, lanes, shownArrows(arrows, agent), geometry, colors);
    for (const name of chartNames) {
      const small = prepared(charts[name].current, geometry.width, chartHeight);
      if (small !== null) drawChart(small, run[name], geometry, chartHeight, colors);
    }
  }, [run, geometry, agent, dark]);

  const onClick = (event: MouseEvent) => {
    const area = canvas.current?.getBoundingClientRect();
    if (area === undefined) return;
    const moment = geometry.at(event.clientX - area.left);
    const lane = lanes[Math.floor((event.clientY - area.top) / geometry.laneHeight)];
    const reach = (4 / Math.max(1, geometry.width)) * length;
    const bar = lane === undefined ? null : callAt(lane, moment, reach);
    if (bar?.call != null) props.onCall(bar.call, bar.start);
    else props.onMove(moment);
  };

  return (
    <section class="stage" aria-label="Lanes of the run">
      {(run.settings.compare ? [] : chartNames).map((name) => (
        <div class="charts" key={name}>
          <span>
            {name} <b>{name === 'cost' ? money(valueAt(run.cost, at)) : compact(valueAt(run.context, at))}</b>
          </span>
          <div class="canvas">
            <canvas ref={charts[name]} height={chartHeight} role="img" aria-label={`${name} over time`} />
            <div class="later" style={{ left: `${geometry.x(at)}px` }} />
          </div>
        </div>
      ))}
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
            aria-label={`${lanes.filter((lane) => !lane.isHeading).length} lanes, ${arrows.length} arrows, over ${duration(length)}`}
            onClick={onClick}
          />
          <div class="later" style={{ left: `${geometry.x(at)}px` }} />
          <div class="head" style={{ transform: `translateX(${geometry.x(at)}px)` }} />
        </div>
      </div>
      <Controls {...props} />
    </section>
  );
}

function LaneName({ lane, height, chosen, onAgent }: { lane: Lane; height: number; chosen: boolean } & StageProps) {
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
        <small>{shortModel(lane.model)}</small>
      </button>
    </li>
  );
}

function Controls({ run, at, isPlaying, speed, onMove, onPlay, onSpeed, onStep }: StageProps) {
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
          {speeds.map((value) => (
            <option key={value} value={String(value)}>
              {value}×
            </option>
          ))}
        </select>
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
