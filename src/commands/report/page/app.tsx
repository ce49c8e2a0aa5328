// The whole page: one clock and one choice, which everything shows.
import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { findIn } from '../find.js';
import type { Entry, Group } from '../story.js';
import { isStep, nowhere, type Place, readAddress, writeAddress } from './address.js';
import { Details } from './details.js';
import { Found, Head, Runs } from './head.js';
import { Agents, Board, Comparison, Files, Findings } from './panels.js';
import { Printed } from './printed.js';
import { partOf, type Run } from './run.js';
import { Stage } from './stage.js';
import { isFoldable, type Opened, StoryPanel, shownEntries } from './story.js';

export function App({ run: whole }: { run: Run }) {
  const [place, setPlace] = useState<Place>(() => readAddress(location.hash));
  useAddress(place, setPlace);
  const go = useCallback((to: Partial<Place>) => setPlace((before) => ({ ...before, ...to })), []);
  const hasRuns = whole.figures.length > 1 && !whole.settings.compare;
  const part = useMemo(
    () => (hasRuns && place.run !== null ? partOf(whole, place.run) : null),
    [whole, hasRuns, place.run],
  );
  if (hasRuns && part === null) return <Runs run={whole} go={go} />;
  return (
    <RunView
      key={place.run ?? ''}
      run={part ?? whole}
      isPart={part !== null}
      place={place}
      setPlace={setPlace}
      go={go}
    />
  );
}

interface RunViewProps {
  readonly run: Run;
  readonly isPart: boolean;
  readonly place: Place;
  setPlace(change: (before: Place) => Place): void;
  go(to: Partial<Place>): void;
}

function RunView({ run, isPart, place, setPlace, go: move }: RunViewProps) {
  const { playback } = run;
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [skips, setSkips] = useState(true);
  const [query, setQuery] = useState('');
  const [hidden, setHidden] = useState<ReadonlySet<Group>>(new Set());
  const [opened, setOpened] = useState<Opened>(new Map());
  const help = useRef<HTMLDialogElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const printed = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const at = Math.min(place.at ?? playback.length, playback.length);
  const now = useSnapshot(run, at);
  const entries = useMemo(() => shownEntries(run, place, hidden), [run, place.agent, place.choice, hidden]);
  const chosen = place.choice === null ? undefined : run.story().entryOf(place.choice);
  usePrint(printed, run);

  const go = (to: Partial<Place>) => move({ ...to, ...(to.choice != null && { tab: null }) });
  const step = (by: 1 | -1) => {
    setPlaying(false);
    setPlace((before) => ({
      ...before,
      at: playback.step(Math.min(before.at ?? playback.length, playback.length), by),
    }));
  };
  const play = (playing: boolean) => {
    if (playing && at >= playback.length) move({ at: 0 });
    setPlaying(playing);
  };
  const next = (by: 1 | -1) => {
    const from = chosen === undefined ? (by > 0 ? -1 : entries.length) : entries.indexOf(chosen);
    const entry = entries[from + by];
    if (entry !== undefined) go({ choice: entry.choice });
  };
  const open = (entry: Entry, how: 'open' | 'whole' | null) => {
    setOpened((before) => {
      const after = new Map(before);
      if (how === null) after.delete(entry.index);
      else after.set(entry.index, how);
      return after;
    });
    go({ choice: entry.choice });
  };
  const toggle = (entry: Entry) => open(entry, opened.has(entry.index) ? null : 'open');
  const openFirst = () => {
    const [first] = findIn(run.story().entries, query, 1).hits;
    if (first !== undefined) open(first.entry, 'whole');
  };
  usePlaying(isPlaying, speed, skips, run, setPlace, setPlaying);
  useKeys({
    ' ': () => play(!isPlaying),
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowDown: () => next(1),
    ArrowUp: () => next(-1),
    o: () => {
      if (chosen !== undefined && isFoldable(chosen)) toggle(chosen);
    },
    j: () => go({ agent: run.neighbour(place.agent, 1) }),
    k: () => go({ agent: run.neighbour(place.agent, -1) }),
    '/': () => searchBox.current?.focus(),
    '?': () => help.current?.showModal(),
    Escape: () => {
      setQuery('');
      go({ agent: null, choice: null });
    },
  });

  const panel = { run, at, now, place, go, onNext: next };
  const tabs = run.settings.compare ? [['Comparison', Comparison] as const, ...panels] : panels;
  const isStoryTab = isNarrow && (place.tab === 'Story' || place.tab === null);
  const [name, Panel] =
    tabs.find(([one]) => one === place.tab) ?? (place.choice === null ? tabs[0] : undefined) ?? panels[0];
  return (
    <div class="page">
      <Head run={run} isPart={isPart} query={query} box={searchBox} onQuery={setQuery} onFirst={openFirst} go={go} />
      {query.trim() === '' ? null : (
        <Found run={run} query={query} chosen={chosen} onOpen={(entry) => open(entry, 'whole')} />
      )}
      <main>
        <Stage
          run={run}
          at={at}
          isPlaying={isPlaying}
          speed={speed}
          skips={skips}
          agent={place.agent}
          choice={place.choice}
          onMove={(to) => move({ at: to })}
          onPlay={play}
          onSpeed={setSpeed}
          onSkips={setSkips}
          onStep={step}
          onAgent={(agent) => go({ agent })}
          onChoose={(choice) => go({ choice })}
        />
        <div class={`middle${isNarrow ? (isStoryTab ? ' front' : ' aside') : ''}`}>
          <StoryPanel
            run={run}
            at={at}
            place={place}
            opened={opened}
            hidden={hidden}
            entries={entries}
            query={query}
            onHide={setHidden}
            onToggle={toggle}
            go={go}
          />
          <div class="side">
            <div class="tabs" role="tablist" aria-label="Panels">
              {[...(isNarrow ? ['Story'] : []), ...tabs.map(([one]) => one)].map((one) => (
                <button
                  key={one}
                  type="button"
                  role="tab"
                  aria-selected={one === (isStoryTab ? 'Story' : name)}
                  onClick={() => move({ tab: one })}
                >
                  {one}
                </button>
              ))}
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with keys */}
            <section class="panel" aria-label={name} tabIndex={0}>
              <Panel {...panel} />
            </section>
          </div>
        </div>
      </main>
      <div class="printed" ref={printed} />
      <Help box={help} />
    </div>
  );
}

const panels = [
  ['Details', Details],
  ['Board', Board],
  ['Agents', Agents],
  ['Files', Files],
  ['Findings', Findings],
] as const;

const keys = [
  ['↑ ↓', 'previous or next line of the story'],
  ['o', 'open or close the line'],
  ['/', 'search; Enter opens the first hit'],
  ['Space', 'play or pause'],
  ['← →', 'the clock one event back or on'],
  ['j k', 'next or previous agent'],
  ['+ − 0', 'zoom the lanes, or show all of them'],
  ['Esc', 'clear the choice'],
  ['?', 'these keys'],
] as const;

function Help({ box }: { box: { current: HTMLDialogElement | null } }) {
  return (
    <dialog ref={box} aria-label="Keys">
      <h2>Keys</h2>
      <table>
        <tbody>
          {keys.map(([key, does]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** The rows at the clock. While the clock moves fast, only some moments are computed. */
function useSnapshot(run: Run, at: number) {
  const { playback } = run;
  const reached = playback.countAt(at);
  const [shown, setShown] = useState(reached);
  useEffect(() => {
    const timer = setTimeout(() => setShown(reached), shown === reached ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [reached, shown]);
  return useMemo(() => (shown >= playback.moments.length ? playback.end : playback.snapshot(shown)), [playback, shown]);
}

const pauseMs = 30;

/** The address follows the page, and the page follows an address that somebody types, opens or goes back to. */
function useAddress(place: Place, setPlace: (place: Place) => void): void {
  const written = useRef<Place>(place);
  // A place that came from the address is not written back: after two quick steps back its effect runs when the address is already another.
  const arrived = useRef(new WeakSet<Place>());
  useEffect(() => {
    const follow = () => {
      const there = { ...nowhere, ...readAddress(location.hash) };
      written.current = there;
      arrived.current.add(there);
      setPlace(there);
    };
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, [setPlace]);
  useEffect(() => {
    if (arrived.current.has(place)) return undefined;
    const write = () => {
      const address = writeAddress(place);
      const isNew = isStep(written.current, place);
      written.current = place;
      if (address === (location.hash || '#')) return;
      if (isNew) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    };
    if (isStep(written.current, place)) {
      write();
      return undefined;
    }
    const timer = setTimeout(write, 200);
    return () => clearTimeout(timer);
  }, [place]);
}

/** A silence lasts no longer than this, if silence is skipped. */
const longestSilenceMs = 400;
/** How long each event is shown, if they are played one by one. */
const eventMs = 250;

function usePlaying(
  isPlaying: boolean,
  speed: number,
  skips: boolean,
  { playback }: Run,
  setPlace: (change: (before: Place) => Place) => void,
  setPlaying: (playing: boolean) => void,
): void {
  useEffect(() => {
    if (!isPlaying) return undefined;
    const { length } = playback;
    const arrive = (before: Place, at: number) => {
      if (at >= length) setPlaying(false);
      return { ...before, at: Math.min(length, at) };
    };
    if (speed === 0) {
      const timer = setInterval(() => setPlace((before) => arrive(before, playback.step(before.at ?? 0, 1))), eventMs);
      return () => clearInterval(timer);
    }
    let last = performance.now();
    let frame = requestAnimationFrame(function advance(time) {
      const passed = Math.max(0, time - last) * speed;
      last = time;
      setPlace((before) => {
        const from = before.at ?? 0;
        const next = playback.step(from, 1);
        const longest = longestSilenceMs * speed;
        const start = skips && next - from > longest ? next - longest : from;
        return arrive(before, start + passed);
      });
      frame = requestAnimationFrame(advance);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, skips, playback, setPlace, setPlaying]);
}

/** On a narrow screen, the story or one panel is shown. */
function useNarrow(): boolean {
  const query = useMemo(() => window.matchMedia('(max-width: 900px)'), []);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const change = () => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, [query]);
  return narrow;
}

/** On paper, the story is whole and open. */
function usePrint(box: { readonly current: HTMLDivElement | null }, run: Run): void {
  useEffect(() => {
    const before = () => {
      if (box.current !== null) render(<Printed run={run} />, box.current);
    };
    const after = () => {
      if (box.current !== null) render(null, box.current);
    };
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [run]);
}

/** Keys that work everywhere except in text fields. */
function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      const writes = target?.matches('input[type="search"], select') ?? false;
      if (writes && event.key !== 'Escape') return;
      if (event.key === ' ' && target?.matches('button, summary, input')) return;
      // What scrolls by itself keeps its keys.
      if (/^Arrow(?:Up|Down)$/.test(event.key) && target?.matches('pre, .diff, .side .panel, input')) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      if (writes) target?.blur();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
