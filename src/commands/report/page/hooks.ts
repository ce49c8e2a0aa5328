// What parts of the page share: keys, sizes, the style of the reader's screen, and the address.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Choice, choiceKinds } from '../story.js';

/** Whether a media query holds, now and later. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => window.matchMedia(query), [query]);
  const [matches, setMatches] = useState(media.matches);
  useEffect(() => {
    const noteMatch = () => setMatches(media.matches);
    noteMatch();
    media.addEventListener('change', noteMatch);
    return () => media.removeEventListener('change', noteMatch);
  }, [media]);
  return matches;
}

export function useWidth(box: { readonly current: HTMLElement | null }): number {
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

/** A value that changes often, as it was a moment ago. */
export function useCalm<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  latest.current = value;
  useEffect(() => {
    if (shown === value) return;
    timer.current ??= setTimeout(() => {
      timer.current = null;
      setShown(latest.current);
    }, shortRestMs);
  }, [value, shown]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return shown;
}
const shortRestMs = 60;

/** The same function for ever, which does what the latest one would. */
export function useLatest<A extends readonly unknown[], R>(act: (...words: A) => R): (...words: A) => R {
  const latest = useRef(act);
  latest.current = act;
  return useMemo(
    () =>
      (...words: A) =>
        latest.current(...words),
    [],
  );
}

/** Listens from before the first frame: whoever sees the page may press keys. */
export function useWindow<K extends keyof WindowEventMap>(name: K, act: (event: WindowEventMap[K]) => void): void {
  const latest = useLatest(act);
  useLayoutEffect(() => {
    window.addEventListener(name, latest);
    return () => window.removeEventListener(name, latest);
  }, [name, latest]);
}

/** Keys that work everywhere except in text fields. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  useWindow('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    const writes = target?.matches('input[type="search"], select') ?? false;
    if (writes && event.key !== 'Escape') return;
    if (event.key === ' ' && target?.matches('button, summary, [type="checkbox"]')) return;
    // What scrolls by itself keeps its keys.
    if (/^Arrow(?:Up|Down)$/.test(event.key) && target?.matches('pre, .diff, .side .panel, input')) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const act = actions[event.shiftKey && event.key.startsWith('Arrow') ? `Shift ${event.key}` : event.key];
    if (act === undefined) return;
    event.preventDefault();
    if (writes) target?.blur();
    act();
  });
}

// Keeps what is shown in the address of the page, so that a link leads there: #t=93.2&agent=writer&call=toolu_1.
export interface Place {
  /** Milliseconds since the start; null for the end. */
  readonly at: number | null;
  /** Of several runs, the session of the one that is shown. */
  readonly run: string | null;
  readonly agent: string | null;
  readonly choice: Choice | null;
  readonly tab: string | null;
}

/** The end of the run, and nothing chosen. */
export const noPlace: Place = { at: null, run: null, agent: null, choice: null, tab: null };

function readAddress(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const seconds = Number(words.get('t') ?? Number.NaN);
  const is = choiceKinds.find((name) => words.has(name));
  return {
    at: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null,
    run: words.get('run'),
    agent: words.get('agent'),
    choice: is === undefined ? null : { is, id: words.get(is) ?? '' },
    tab: words.get('tab'),
  };
}

export function writeAddress({ at, run, agent, choice, tab }: Place): string {
  const words = new URLSearchParams();
  const t = at === null ? null : String(Math.round(at) / 1000);
  for (const [name, word] of Object.entries({ run, t, agent, ...(choice && { [choice.is]: choice.id }), tab }))
    if (word !== null) words.set(name, word);
  return `#${words}`;
}

/** Whether going back should lead from one to the other. The clock moves too often for that. */
function isStep(from: Place, to: Place): boolean {
  const stepKey = ({ run, agent, choice }: Place) => JSON.stringify([run, agent, choice]);
  return stepKey(from) !== stepKey(to);
}

/** Changes what is shown. */
export type Go = (to: Partial<Place> | ((before: Place) => Partial<Place>)) => void;

/**
 * The address follows the page, and the page follows an address that somebody types, opens or goes back to. A change is
 * written at once, not after the next frame: by then the reader may have gone on.
 */
export function usePlace(): [Place, Go] {
  const [place, setPlace] = useState<Place>(() => readAddress(location.hash));
  const latest = useRef(place);
  const { go, follow } = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const writeSoon = () => {
      clearTimeout(timer);
      timer = undefined;
      history.replaceState(null, '', writeAddress(latest.current));
    };
    const showPlace = (next: Place) => {
      latest.current = next;
      setPlace(next);
    };
    return {
      go: (to: Parameters<Go>[0]) => {
        const before = latest.current;
        const next = { ...before, ...(typeof to === 'function' ? to(before) : to) };
        const isNew = isStep(before, next);
        // The step that is left keeps where its clock was.
        if (isNew && timer !== undefined) writeSoon();
        showPlace(next);
        if (isNew) history.pushState(null, '', writeAddress(next));
        else timer ??= setTimeout(writeSoon, calmMs);
      },
      follow: () => {
        clearTimeout(timer);
        timer = undefined;
        showPlace(readAddress(location.hash));
      },
    };
  }, []);
  useWindow('hashchange', follow);
  useWindow('popstate', follow);
  return [place, go];
}

/** Browsers refuse an address that changes with every frame. */
const calmMs = 200;
