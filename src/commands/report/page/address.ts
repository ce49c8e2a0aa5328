// Keeps what is shown in the address of the page, so that a link leads there: #t=93.2&agent=writer&call=toolu_1.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Choice } from '../story.js';

export interface Place {
  /** Milliseconds since the start; null for the end. */
  readonly at: number | null;
  /** Of several runs, the session of the one that is shown. */
  readonly run: string | null;
  readonly agent: string | null;
  readonly choice: Choice | null;
  readonly tab: string | null;
}

const choices = ['call', 'message', 'task', 'finding', 'line'] as const;

function readAddress(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const seconds = Number(words.get('t') ?? Number.NaN);
  const is = choices.find((name) => words.has(name));
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
  if (run !== null) words.set('run', run);
  if (at !== null) words.set('t', String(Math.round(at) / 1000));
  if (agent !== null) words.set('agent', agent);
  if (choice !== null) words.set(choice.is, choice.id);
  if (tab !== null) words.set('tab', tab);
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
  useLayoutEffect(() => {
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, [follow]);
  return [place, go];
}

/** Browsers refuse an address that changes with every frame. */
const calmMs = 200;
