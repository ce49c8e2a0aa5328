// The whole page: one clock and one choice, which everything shows.
import { render, type VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { lazily, type Snapshot } from '../playback.js';
import { type Entry, findIn, type LineGroup } from '../story.js';
import { Details } from './details.js';
import { Compare, Head, Runs, SearchResults } from './head.js';
import { type Go, type Place, useCalm, useKeys, useMedia, usePlace, useWindow } from './hooks.js';
import { Board, Cost, Files, Findings } from './panels.js';
import type { Report, Run, View } from './run.js';
import { type Player, Stage, speeds } from './stage.js';
import { isFoldable, type Opened, PrintedStory, StoryPanel, shownEntries } from './story.js';

export function App({ report }: { report: Report }) {
  const [place, go] = usePlace();
  const { figures, settings } = report;
  const isMany = figures.length > 1;
  const chosen = isMany ? figures.find(({ session_id }) => session_id === (place.run || null)) : figures[0];
  const isList = isMany && (place.run === null || chosen === undefined);
  const run = useMemo(() => (isList ? null : report.openRun(chosen)), [report, isList, chosen]);
  if (run !== null) return <RunView key={place.run ?? ''} run={run} isPart={isMany} place={place} go={go} />;
  return settings.compare ? <Compare report={report} go={go} /> : <Runs report={report} go={go} />;
}

interface RunViewProps {
  readonly run: Run;
  readonly isPart: boolean;
  readonly place: Place;
  readonly go: Go;
}

function RunView({ run, isPart, place, go: move }: RunViewProps) {
  const [query, setQuery] = useState('');
  const [hidden, setHidden] = useState<ReadonlySet<LineGroup>>(new Set());
  const [opened, setOpened] = useState<Opened>(new Map());
  const help = useRef<HTMLDialogElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const isNarrow = useMedia('(max-width: 900px)');
  const player = usePlayer(run, place, move);
  const { at } = player;
  // Lanes and clock move with every frame, the rest a little later.
  const calmAt = useCalm(at);
  const now = useSnapshot(run, calmAt);
  const entries = useMemo(() => shownEntries(run, place, hidden), [run, place.agent, place.choice, hidden]);
  const chosen = place.choice === null ? undefined : run.story().entryOf(place.choice);
  const printed = usePrint(run);

  const go = (to: Partial<Place>) => move({ ...to, ...(to.choice != null && { tab: null }) });
  const view: View = { run, at: calmAt, now, place, chosen, query, go };
  const chooseNext = (by: 1 | -1) => {
    const from = chosen === undefined ? (by > 0 ? -1 : entries.length) : entries.indexOf(chosen);
    const entry = entries[from + by];
    if (entry !== undefined) go({ choice: entry.choice });
  };
  const openEntry = (entry: Entry, how: 'open' | 'whole' | null) => {
    setOpened((before) => {
      const after = new Map(before);
      if (how === null) after.delete(entry.index);
      else after.set(entry.index, how);
      return after;
    });
    go({ choice: entry.choice });
  };
  const toggle = (entry: Entry) => openEntry(entry, opened.has(entry.index) ? null : 'open');
  const openFirst = () => {
    const [first] = findIn(run.story().entries, query, 1).hits;
    if (first !== undefined) openEntry(first.entry, 'whole');
  };
  useKeys({
    ' ': () => player.play(!player.isPlaying),
    ArrowLeft: () => player.stepClock(-1),
    ArrowRight: () => player.stepClock(1),
    ArrowDown: () => chooseNext(1),
    ArrowUp: () => chooseNext(-1),
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

  const isStoryTab = isNarrow && (place.tab === 'Story' || place.tab === null);
  const [name, Panel] = panels.find(([one]) => one === place.tab) ?? panels[0];
  return (
    <div class="page">
      <Head
        {...view}
        isPart={isPart}
        box={searchBox}
        onQuery={setQuery}
        onFirst={openFirst}
        onHelp={() => help.current?.showModal()}
      />
      {query.trim() === '' ? null : <SearchResults {...view} onOpen={(entry) => openEntry(entry, 'whole')} />}
      <main>
        <Stage
          run={run}
          place={place}
          player={player}
          onAgent={({ id }) => go({ agent: id === place.agent ? null : id })}
          onChoose={(choice) => go({ choice })}
        />
        <div class={`middle${isNarrow ? (isStoryTab ? ' front' : ' aside') : ''}`}>
          <StoryPanel
            {...view}
            opened={opened}
            hidden={hidden}
            entries={entries}
            onHide={setHidden}
            onToggle={toggle}
          />
          <div class="side">
            <div class="tabs" role="tablist" aria-label="Panels">
              {[...(isNarrow ? ['Story'] : []), ...panels.map(([one]) => one)].map((one) => (
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
              <Panel {...view} onNext={chooseNext} />
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
  ['Cost', Cost],
  ['Files', Files],
  ['Findings', Findings],
] as const;

const keyList = [
  ['↑ ↓', 'previous or next line of the story'],
  ['o', 'open or close the line'],
  ['/', 'search; Enter opens the first hit'],
  ['Space', 'play or pause'],
  ['← →', 'the clock one event back or on'],
  ['j k', 'next or previous agent'],
  ['+ − 0', 'zoom the lanes, or show all of them'],
  ['Shift ← →', 'move the lanes'],
  ['Esc', 'clear the choice'],
  ['?', 'this help'],
] as const;

const marks = [
  ['thick bar', 'a call: the higher, the longer; red if it failed; pale while it only waits for agents'],
  ['thin bar', 'its model works'],
  ['dots', 'it waits or has nothing to do'],
  ['● ■ □', 'the agent started, ended, was shut down'],
  ['torn end', 'it had not ended when the records did'],
  ['▽', 'its context was compacted'],
  ['arrow', 'a message; broken and red if it never arrived'],
  ['black line below', 'the critical path: what the run as a whole waited for'],
] as const;

function Help({ box }: { box: { current: HTMLDialogElement | null } }) {
  return (
    <dialog ref={box} aria-label="Help">
      {Object.entries({ 'How to read the lanes': marks, Keys: keyList }).map(([title, rows]) => (
        <table key={title}>
          <caption>{title}</caption>
          <tbody>
            {rows.map(([sign, means]) => (
              <tr key={sign}>
                <th scope="row">{title === 'Keys' ? <kbd>{sign}</kbd> : sign}</th>
                <td>{means}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** The rows at the clock. */
function useSnapshot({ playback }: Run, at: number): () => Snapshot {
  const reached = playback.countAt(at);
  // Once the page is there, the states on the way are prepared piece by piece, so that the clock moves at once.
  useEffect(() => {
    let timer = setTimeout(function prepare() {
      if (playback.prepareState()) timer = setTimeout(prepare);
    }, restMs);
    return () => clearTimeout(timer);
  }, [playback]);
  return useMemo(
    () => lazily(() => (reached >= playback.moments.length ? playback.end : playback.snapshot(reached))),
    [playback, reached],
  );
}

const restMs = 300;

/** A silence lasts no longer than this, if silence is skipped. */
const longestSilenceMs = 400;
/** How long each event is shown, if they are played one by one. */
const eventMs = 250;

/** The clock. It is at the end unless the address says otherwise. */
function usePlayer({ playback }: Run, place: Place, go: Go): Player {
  const { length } = playback;
  const [isPlaying, setPlaying] = useState(false);
  // So that a run of any length is over in about a minute.
  const fits = speeds.find((one) => length / one < 60_000) ?? 1000;
  const [{ speed, skips }, setHow] = useState({ speed: fits, skips: true });
  const withinRun = (at: number | null) => Math.min(at ?? length, length);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const arrive = (at: number) => {
      if (at >= length) setPlaying(false);
      return { at: Math.min(length, at) };
    };
    if (speed === 0) {
      const timer = setInterval(() => go(({ at }) => arrive(playback.stepFrom(at ?? 0, 1))), eventMs);
      return () => clearInterval(timer);
    }
    let last = performance.now();
    let frame = requestAnimationFrame(function advance(time) {
      const passed = Math.max(0, time - last) * speed;
      last = time;
      go(({ at }) => {
        const from = at ?? 0;
        const next = playback.stepFrom(from, 1);
        const longest = longestSilenceMs * speed;
        return arrive((skips && next - from > longest ? next - longest : from) + passed);
      });
      frame = requestAnimationFrame(advance);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, skips, playback, go]);
  const at = withinRun(place.at);
  return {
    at,
    isPlaying,
    speed,
    skips,
    move: (to) => go({ at: to }),
    play: (playing) => {
      if (playing && at >= length) go({ at: 0 });
      setPlaying(playing);
    },
    stepClock: (by) => {
      setPlaying(false);
      go((before) => ({ at: playback.stepFrom(withinRun(before.at), by) }));
    },
    setPace: (how) => setHow((before) => ({ ...before, ...how })),
  };
}

/** On paper, the story is whole and open. */
function usePrint(run: Run): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  const draw = (story: VNode | null) => {
    if (box.current !== null) render(story, box.current);
  };
  useWindow('beforeprint', () => draw(<PrintedStory run={run} />));
  useWindow('afterprint', () => draw(null));
  return box;
}
