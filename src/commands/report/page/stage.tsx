// The lanes with the clock above them, and the controls that move it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { getOrCreate } from '../../../core/record/json.js';
import { shortModel } from '../../../core/story/happening.js';
import { duration } from '../../../view/text.js';
import { type Arrow, foldedLanes, type Lane, type PathPiece, type RunCost, waitedFor } from '../lanes.js';
import { type Choice, wordsOfEntry } from '../story.js';
import { costText } from '../summary.js';
import { arrowAt, type Colors, callAt, type Geometry, geometryOf, Painter, ticksOf } from './draw.js';
import { type Place, useKeys, useLatest, useMedia, useWidth } from './hooks.js';
import { Button, clockText } from './parts.js';
import type { LaneMark, Run } from './run.js';

/** The clock and what moves it. */
export interface Player {
  readonly at: number;
  readonly isPlaying: boolean;
  /** 0: event by event. */
  readonly speed: number;
  /** Whether silence is skipped. */
  readonly skips: boolean;
  move(at: number): void;
  play(playing: boolean): void;
  stepClock(by: 1 | -1): void;
  setPace(how: { readonly speed?: number; readonly skips?: boolean }): void;
}

interface StageProps {
  readonly run: Run;
  readonly place: Place;
  /** null if nothing is played: then the whole run is shown. */
  readonly player: Player | null;
  readonly label?: string;
  /** How much time is shown; all of the run, unless another run is longer. */
  readonly length?: number;
  onAgent(lane: Lane): void;
  onChoose(choice: Choice, lane: Lane | null): void;
}

export function Stage({ run, place: { agent, choice }, player, onAgent, onChoose, ...props }: StageProps) {
  const { arrows } = run;
  const { length = run.playback.length, label = 'Lanes of the run' } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const dark = useMedia('(prefers-color-scheme: dark)');
  const [view, setView] = useState<Window>(() => ({ from: 0, to: length }));
  const [hint, setHint] = useState<Hint | null>(null);
  const [isOpen, setOpen] = useState(false);
  const mark = useMemo(() => (choice === null ? null : run.markOf(choice)), [run, choice]);
  const kept = mark?.lane?.id ?? null;
  const rows = useMemo(
    () => foldedLanes(run, isOpen, ({ id }) => id === agent || id === kept),
    [run, isOpen, agent, kept],
  );
  const geometry = useMemo(() => geometryOf(rows, width, length, view), [rows, width, length, view]);
  const { path, spent } = useLater(run);
  const waits = useMemo(() => waitedFor(path), [path]);
  const drag = useRef<{ x: number; view: Window; moved: boolean } | null>(null);

  useLayoutEffect(() => {
    const target = prepared(canvas.current, geometry.width, geometry.height);
    const chosen = new Set(mark?.arrows ?? []);
    const shown = [...shownArrows(arrows, agent), ...chosen];
    if (target !== null) new Painter(target, geometry, readColors(target)).drawLanes(rows, path, shown, chosen);
  }, [run, geometry, agent, dark, mark, path]);

  // Around what was chosen, else around the clock.
  const focus = mark?.start ?? (player === null || player.at >= length ? (view.from + view.to) / 2 : player.at);
  const zoom = (by: number, middle = focus) =>
    setView((before) => {
      const isInView = middle >= before.from && middle <= before.to;
      return zoomed(isInView ? before : around(before, middle, length), by, middle, length);
    });
  const pan = (share: number) => setView((before) => panned(before, share * (before.to - before.from), length));
  useKeys({
    '+': () => zoom(0.5),
    '=': () => zoom(0.5),
    '-': () => zoom(2),
    '0': () => setView({ from: 0, to: length }),
    'Shift ArrowLeft': () => pan(-0.25),
    'Shift ArrowRight': () => pan(0.25),
  });
  // A run that grows is shown up to its new end.
  const known = useRef(length);
  useLayoutEffect(() => {
    setView((before) => (before.to >= known.current ? { from: Math.min(before.from, length), to: length } : before));
    known.current = length;
  }, [length]);
  // What was chosen is brought into view.
  useLayoutEffect(() => {
    if (mark === null) return;
    setView((before) =>
      mark.end < before.from || mark.start > before.to ? around(before, mark.start, length) : before,
    );
    const row = geometry.laneRow(kept);
    const scroller = box.current?.parentElement;
    if (row === undefined || scroller == null) return;
    const top = row * geometry.laneHeight;
    if (top < scroller.scrollTop || top + geometry.laneHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = top - scroller.clientHeight / 2;
  }, [mark]);
  useWheel(canvas, (event, x) => {
    const scroller = box.current?.parentElement;
    const scrolls = scroller != null && scroller.scrollHeight > scroller.clientHeight + 1;
    // Where lanes scroll, the wheel alone scrolls them.
    if (scrolls && !event.ctrlKey && !event.metaKey && !event.shiftKey) return false;
    zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.25 : 0.8, geometry.momentAt(x));
    return true;
  });

  const under = (event: MouseEvent): { choice: Choice; lane: Lane | null } | null => {
    const area = canvas.current?.getBoundingClientRect();
    if (area === undefined) return null;
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    const lane = rows[Math.floor(y / geometry.laneHeight)] ?? null;
    const reach = (4 / Math.max(1, geometry.width)) * (view.to - view.from);
    const bar = lane === null ? null : callAt(lane, geometry.momentAt(x), reach);
    if (bar?.call != null) return { choice: { is: 'call', id: bar.call }, lane };
    const arrow = arrowAt(shownArrows(arrows, agent), geometry, x, y);
    return arrow === null ? null : { choice: { is: 'message', id: String(arrow.message) }, lane };
  };
  const onClick = (event: MouseEvent) => {
    const found = drag.current?.moved ? null : under(event);
    if (found !== null) onChoose(found.choice, found.lane);
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
    setHint(found === null ? null : { x: event.clientX, y: event.clientY, text: hintOf(run, found.choice) });
  };
  const headX = geometry.x(player?.at ?? length);
  return (
    <section class="stage" aria-label={label}>
      <div class="axis">
        <span class="note">
          <Button text="+" label="Zoom in" act={() => zoom(0.5)} />
          <Button text="−" label="Zoom out" act={() => zoom(2)} />
          <span class="legend" title="What the run as a whole waited for">
            critical path
          </span>
        </span>
        <Axis geometry={geometry} onMove={player?.move} />
      </div>
      <div class="lanes">
        <ul class="names">
          {rows.map((lane) => (
            <li key={lane.id} style={{ height: `${geometry.laneHeight}px` }}>
              {lane.isFold ? (
                <button type="button" class="note" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                  {lane.name}
                </button>
              ) : (
                <LaneName
                  lane={lane}
                  isChosen={lane.id === agent}
                  cost={spent.get(lane.id)}
                  waited={run.playback.isToScale ? (waits.get(lane.id) ?? 0) : 0}
                  onAgent={onAgent}
                />
              )}
            </li>
          ))}
        </ul>
        <div class="canvas" ref={box}>
          <canvas
            ref={canvas}
            role="img"
            aria-label={`${run.lanes.length} lanes, ${arrows.length} arrows, over ${duration(length)}; the story lists everything in them`}
            onClick={onClick}
            onPointerDown={(event) => {
              drag.current = { x: event.clientX, view, moved: false };
            }}
            onPointerMove={onPointerMove}
            onPointerLeave={() => setHint(null)}
          />
          <div class="later" style={{ left: `${Math.max(0, headX)}px` }} />
          <Picked mark={mark} geometry={geometry} />
          {player === null ? null : <div class="head" style={{ transform: `translateX(${headX}px)` }} />}
        </div>
      </div>
      {hint === null ? null : (
        <div class="hint" style={{ left: `min(${hint.x + 12}px, 100vw - 23rem)`, top: `${hint.y + 14}px` }}>
          {hint.text}
        </div>
      )}
      {player === null ? null : <Controls run={run} player={player} />}
    </section>
  );
}

/** The moments at the edges of what is shown. */
interface Window {
  readonly from: number;
  readonly to: number;
}

interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

interface Later {
  readonly run: Run | null;
  readonly path: readonly PathPiece[];
  readonly spent: ReadonlyMap<string, RunCost>;
}

/** The critical path and what agents spent are computed after the first frame. */
export function useLater(run: Run): Later {
  const [known, setKnown] = useState(notYet);
  useEffect(() => {
    const timer = setTimeout(() => setKnown({ run, path: run.path(), spent: run.spent() }));
    return () => clearTimeout(timer);
  }, [run]);
  return known.run === run ? known : notYet;
}
const notYet: Later = { run: null, path: [], spent: new Map() };

/** What lies under the pointer, in the words of the story. */
function hintOf(run: Run, choice: Choice): string {
  const entry = run.story().entryOf(choice);
  if (entry === undefined) return run.calls.get(choice.id)?.called?.tool ?? '';
  const { mark, about, said, facts } = wordsOfEntry(entry);
  const text = `${entry.line?.name ?? ''} ${mark} ${about} ${facts.join(' · ')} ${said}`;
  return text.trim().replace(/\s+/g, ' ').slice(0, 160);
}

const hour = 3_600_000;

function Axis({ geometry, onMove }: { geometry: Geometry; onMove: Player['move'] | undefined }) {
  const { length, from, to, width } = geometry;
  // The last one may have no room for its text.
  const ticks = ticksOf(geometry).filter((tick) => geometry.x(tick) < width - (to < hour ? 48 : 60));
  return (
    <div
      class="canvas ticks"
      aria-hidden="true"
      onClick={(event) => onMove?.(geometry.momentAt(event.clientX - event.currentTarget.getBoundingClientRect().left))}
    >
      {ticks.map((tick) => (
        <span key={tick} style={{ left: `${geometry.x(tick)}px` }}>
          {clockText(tick, to - from < 20_000 ? 0 : Math.max(length, 600_000))}
        </span>
      ))}
    </div>
  );
}

/** Marks in the lanes what was chosen. */
function Picked({ mark, geometry }: { mark: LaneMark | null; geometry: Geometry }) {
  const row = geometry.laneRow(mark?.lane?.id ?? null);
  if (mark === null || row === undefined) return null;
  const left = geometry.x(mark.start) - 4;
  const style = {
    left: `${left}px`,
    width: `${Math.max(8, geometry.x(mark.end) + 4 - left)}px`,
    top: `${row * geometry.laneHeight + 1}px`,
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
  const turn = useLatest((event: WheelEvent) => {
    const left = canvas.current?.getBoundingClientRect().left ?? 0;
    if (act(event, event.clientX - left)) event.preventDefault();
  });
  useLayoutEffect(() => {
    const element = canvas.current;
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, [canvas, turn]);
}

interface LaneNameProps {
  readonly lane: Lane;
  readonly isChosen: boolean;
  /** How long the run waited for it. */
  readonly waited: number;
  readonly cost: RunCost | undefined;
  onAgent(lane: Lane): void;
}

function LaneName({ lane, isChosen, waited, cost, onAgent }: LaneNameProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      title={`${lane.name} ${lane.model ?? ''}${waited === 0 ? '' : `; the run waited ${duration(waited)} for it`}`}
      style={{ paddingLeft: `${6 + 12 * Math.min(lane.depth, 4)}px` }}
      onClick={() => onAgent(lane)}
    >
      <span style={{ color: `var(--${lane.hue})` }} aria-hidden="true">
        {lane.isLead ? '◆' : '●'}
      </span>
      <span class="name">{lane.name}</span>
      <small>{shortModel(lane.model)}</small>
      {cost === undefined ? null : <small class="cost">{costText(cost)}</small>}
    </button>
  );
}

/** From the slowest on. */
export const speeds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

function Controls({ run, player }: { run: Run; player: Player }) {
  const { length, isToScale } = run.playback;
  const { at, isPlaying } = player;
  return (
    <div class="controls">
      <Button text={isPlaying ? 'Pause' : 'Play'} act={() => player.play(!isPlaying)} />
      <Button text="←" label="Step one event back" act={() => player.stepClock(-1)} />
      <Button text="→" label="Step one event on" act={() => player.stepClock(1)} />
      <label>
        <span class="note">Speed </span>
        <select
          value={String(player.speed)}
          onChange={(event) => player.setPace({ speed: Number(event.currentTarget.value) })}
        >
          <option value="0">by event</option>
          {speeds.map((value) => (
            <option key={value} value={String(value)}>
              {value}×
            </option>
          ))}
        </select>
      </label>
      <label>
        <input type="checkbox" checked={player.skips} onChange={() => player.setPace({ skips: !player.skips })} /> skip
        silence
      </label>
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={clockText(at, length)}
        min={0}
        max={Math.max(1, length)}
        step="any"
        value={at}
        onInput={(event) => player.move(Number(event.currentTarget.value))}
      />
      <output class="clock">{clockText(at, length)}</output>
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

/** A canvas does not follow light and dark by itself. */
function readColors({ canvas }: CanvasRenderingContext2D): Colors {
  const known = new Map<string, string>();
  const hue = (name: string) =>
    getOrCreate(known, name, () => {
      canvas.style.color = `var(--${name})`;
      return getComputedStyle(canvas).color;
    });
  return { text: hue('text'), faint: hue('muted'), failed: hue('bad'), accent: hue('accent'), hue };
}
