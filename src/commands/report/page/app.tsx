// The whole page: one clock moves everything that is shown.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Compared, comparisonOf, entriesOf, type SummaryEntry } from '../summary.js';
import { nowhere, type Place, readAddress, writeAddress } from './address.js';
import { Board, Conversation, Details, Teams } from './panels.js';
import type { Run } from './run.js';
import { search } from './search.js';
import { Stage } from './stage.js';
import { clock, count } from './text.js';

export function App({ run }: { run: Run }) {
  const { playback } = run;
  const [place, setPlace] = useState<Place>(() => ({ ...nowhere, ...readAddress(location.hash) }));
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [query, setQuery] = useState('');
  const [tab, setTab] = useState('Board');
  const help = useRef<HTMLDialogElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const at = Math.min(place.at ?? playback.length, playback.length);
  const now = useSnapshot(run, at);

  const go = useCallback((to: Partial<Place>) => {
    setPlace((before) => {
      const chooses = to.call != null || to.message != null || to.task != null;
      return { ...before, ...(chooses && { call: null, message: null, task: null }), ...to };
    });
    if (to.call != null || to.message != null || to.task != null) setTab('Details');
  }, []);
  const step = useCallback(
    (by: 1 | -1) => {
      setPlaying(false);
      setPlace((before) => ({
        ...before,
        at: playback.step(Math.min(before.at ?? playback.length, playback.length), by),
      }));
    },
    [playback],
  );

  useAddress(place, setPlace);
  usePlaying(isPlaying, speed, playback.length, setPlace, setPlaying);
  useKeys({
    ' ': () => {
      if (!isPlaying && at >= playback.length) go({ at: 0 });
      setPlaying(!isPlaying);
    },
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    j: () => go({ agent: run.neighbour(place.agent, 1) }),
    k: () => go({ agent: run.neighbour(place.agent, -1) }),
    '/': () => searchBox.current?.focus(),
    '?': () => help.current?.showModal(),
    Escape: () => {
      setQuery('');
      go({ ...nowhere, at });
    },
  });

  const panel = { run, at, now, place, go };
  return (
    <>
      <SummaryBar run={run} query={query} onQuery={setQuery} box={searchBox} />
      {query.trim() === '' ? null : <Found run={run} query={query} go={go} />}
      <main>
        <Stage
          run={run}
          at={at}
          isPlaying={isPlaying}
          speed={speed}
          agent={place.agent}
          onMove={(to) => go({ at: to })}
          onPlay={(playing) => {
            if (playing && at >= playback.length) go({ at: 0 });
            setPlaying(playing);
          }}
          onSpeed={setSpeed}
          onStep={step}
          onAgent={(agent) => go({ agent })}
          onCall={(call, to) => go({ call, at: to })}
        />
        <Teams {...panel} />
        <Tabs shown={tab} onShow={setTab} />
        <div class="panels">
          {tabs.map(([name, Panel]) => (
            <section key={name} class={`panel${tab === name ? ' shown' : ''}`} aria-label={name}>
              <Panel {...panel} />
            </section>
          ))}
        </div>
      </main>
      <Help box={help} />
    </>
  );
}

const tabs = [
  ['Board', Board],
  ['Conversation', Conversation],
  ['Details', Details],
] as const;

/** On a narrow screen, one panel is shown at a time. */
function Tabs({ shown, onShow }: { shown: string; onShow(name: string): void }) {
  return (
    <div class="tabs" role="tablist" aria-label="Panels">
      {tabs.map(([name]) => (
        <button key={name} type="button" role="tab" aria-selected={shown === name} onClick={() => onShow(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

interface SummaryProps {
  readonly run: Run;
  readonly query: string;
  readonly box: { current: HTMLInputElement | null };
  onQuery(query: string): void;
}

function SummaryBar({ run: { settings, figures }, query, box, onQuery }: SummaryProps) {
  const [one, other] = figures;
  return (
    <header class="summary">
      <h1>{settings.title}</h1>
      {figures.length === 1 && one !== undefined ? <Entries entries={entriesOf(one)} /> : null}
      {settings.compare && one !== undefined && other !== undefined ? (
        <Comparison rows={comparisonOf(one, other)} />
      ) : null}
      {figures.length > 1 && !settings.compare
        ? figures.map((run) => <Entries key={run.session_id} entries={entriesOf(run)} title={run.title} />)
        : null}
      <input
        class="search"
        type="search"
        placeholder="Search  ( / )"
        aria-label="Search calls, messages and tasks"
        value={query}
        ref={box}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
    </header>
  );
}

/** Two runs side by side. */
function Comparison({ rows }: { rows: readonly Compared[] }) {
  return (
    <table class="comparison">
      <tbody>
        {rows.map(({ figure, first, second, difference, tone }) => (
          <tr key={figure}>
            <th scope="row">{figure}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td class={tone}>{difference}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Entries({ entries, title }: { entries: readonly SummaryEntry[]; title?: string }) {
  return (
    <dl>
      {title === undefined ? null : (
        <div>
          <dt>{title}</dt>
          <dd />
        </div>
      )}
      {entries.map(({ name, value, tone }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={tone}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Found({ run, query, go }: { run: Run; query: string; go(to: Partial<Place>): void }) {
  const found = useMemo(() => search(run, query), [run, query]);
  return (
    <section class="panel" aria-label="Search results">
      <h2>{found.length === 0 ? 'Nothing found' : `${count(found.length)} found`}</h2>
      <ul class="found scroll">
        {found.slice(0, 100).map(({ key, at, label, to }) => (
          <li key={key}>
            <button type="button" onClick={() => go({ at, ...to })}>
              <span class="note">{clock(at, run.playback.length)}</span> {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const keys = [
  ['Space', 'play or pause'],
  ['← →', 'one event back or on'],
  ['j k', 'next or previous agent'],
  ['/', 'search'],
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
  return useMemo(() => playback.snapshot(shown), [playback, shown]);
}

const pauseMs = 30;

/** The address follows the page, and the page follows an address that somebody types or opens. */
function useAddress(place: Place, setPlace: (place: Place) => void): void {
  useEffect(() => {
    const follow = () => setPlace({ ...nowhere, ...readAddress(location.hash) });
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [setPlace]);
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', writeAddress(place)), 200);
    return () => clearTimeout(timer);
  }, [place]);
}

function usePlaying(
  isPlaying: boolean,
  speed: number,
  length: number,
  setPlace: (change: (before: Place) => Place) => void,
  setPlaying: (playing: boolean) => void,
): void {
  useEffect(() => {
    if (!isPlaying) return undefined;
    let last = performance.now();
    let frame = requestAnimationFrame(function advance(time) {
      const passed = Math.max(0, time - last) * speed;
      last = time;
      setPlace((before) => {
        const at = Math.min(length, (before.at ?? 0) + passed);
        if (at >= length) setPlaying(false);
        return { ...before, at };
      });
      frame = requestAnimationFrame(advance);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, length, setPlace, setPlaying]);
}

/** Keys that work everywhere except in text fields. */
function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      const writes = target?.matches('input[type="search"], select') ?? false;
      if (writes && event.key !== 'Escape') return;
      if (event.key === ' ' && target?.matches('button, summary')) return;
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
