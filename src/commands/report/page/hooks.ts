// What parts of the page share: keys, sizes, colours and the style of the reader's screen.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

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
    }, calmMs);
  }, [value, shown]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return shown;
}
const calmMs = 60;

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

/** Keys that work everywhere except in text fields. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const press = useLatest((event: KeyboardEvent) => {
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
  // Before the first frame: whoever sees the page may press keys.
  useLayoutEffect(() => {
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [press]);
}
