// A list of which only the rows in view are drawn, however many there are.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Heights } from '../story.js';

interface ListProps<T> {
  readonly items: readonly T[];
  readonly label: string;
  /** The row to bring into view whenever `shows` changes; -1 for none. */
  readonly row: number;
  readonly shows: unknown;
  /** While it shows its end, it shows what is added there. */
  readonly follows: boolean;
  /** Words that somebody looks for: they are marked, and the first one in the row comes into view. */
  readonly words: readonly RegExp[];
  guess(item: T): number;
  drawItem(item: T, row: number): ComponentChildren;
}

export function LongList<T>({ items, label, row, shows, follows, words, guess, drawItem: draw }: ListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(items.map(guess)), [items]);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, measureAgain] = useState(0);
  /** The row at the top of the view stays where it is while rows above it are measured. */
  const anchor = useRef({ row: 0, offset: 0 });
  /** What was brought into view stays there until somebody scrolls. */
  const pinned = useRef<{ row: number; offset: number } | null>(null);
  const seeks = useRef(false);
  /** The reader scrolled away from the end. */
  const hasLeft = useRef(false);
  const first = heights.rowAt(view.top - view.height / 2);
  const last = heights.rowAt(view.top + view.height * 1.5);

  const unpin = () => {
    pinned.current = null;
    hasLeft.current = true;
  };
  /** In a long row, what was looked for may be far below its top. */
  const seek = (element: HTMLElement, rows: HTMLElement) => {
    const drawn = rows.querySelector<HTMLElement>(`[data-row="${row}"]`);
    if (drawn === null) return;
    seeks.current = false;
    const place = placesOf(drawn, words, 1)[0]?.getBoundingClientRect();
    const area = element.getBoundingClientRect();
    if (place === undefined || (place.top >= area.top && place.bottom <= area.bottom)) return;
    const to = Math.max(0, element.scrollTop + place.top - area.top - area.height / 3);
    pinned.current = { row, offset: to - heights.top(row) };
    element.scrollTop = to;
  };
  const lookAround = () => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight: height } = element;
    const at = heights.rowAt(top);
    if (top + height >= element.scrollHeight - nearEnd) hasLeft.current = false;
    anchor.current = pinned.current ?? { row: at, offset: top - heights.top(at) };
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || inner.current === null) return;
    let changed = 0;
    for (const child of inner.current.children) {
      if (!(child instanceof HTMLElement)) continue;
      changed += Math.abs(heights.setHeight(Number(child.dataset['row']), child.offsetHeight));
    }
    if (changed === 0) {
      if (follows && !hasLeft.current && row < 0) element.scrollTop = element.scrollHeight;
      markWords(inner.current, words);
      if (seeks.current) seek(element, inner.current);
      return;
    }
    const { row: at, offset } = anchor.current;
    const top = heights.top(at) + offset;
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
    measureAgain((times) => times + 1);
  });

  useEffect(() => {
    const observer = new ResizeObserver(() => {
      lookAround();
      measureAgain((times) => times + 1);
    });
    for (const element of [box.current, inner.current]) if (element !== null) observer.observe(element);
    return () => observer.disconnect();
  }, [heights]);

  useLayoutEffect(() => {
    const element = box.current;
    pinned.current = null;
    seeks.current = row >= 0;
    if (element === null || row < 0) return;
    const top = heights.top(row);
    // It may open, and begins well above the end of what is shown.
    if (top >= element.scrollTop && top + roomBelow <= element.scrollTop + element.clientHeight) return;
    const to = Math.max(0, top - element.clientHeight / 3);
    pinned.current = { row, offset: to - top };
    element.scrollTop = to;
    lookAround();
  }, [shows]);

  return (
    <div
      class="list"
      ref={box}
      role="feed"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with keys
      tabIndex={0}
      onScroll={lookAround}
      onWheel={unpin}
      onPointerDown={unpin}
      onTouchMove={unpin}
      onKeyDown={unpin}
    >
      <div class="run-up" style={{ height: `${heights.total}px` }}>
        <div ref={inner} style={{ transform: `translateY(${heights.top(first)}px)` }}>
          {items.slice(first, last + 1).map((item, at) => draw(item, first + at))}
        </div>
      </div>
    </div>
  );
}

/** In pixels. */
const nearEnd = 40;
const roomBelow = 160;

/** Marks all places of the words below an element, without changing it. Browsers without highlights show none. */
function markWords(root: HTMLElement, words: readonly RegExp[]): void {
  if (!('highlights' in CSS)) return;
  const ranges = words.length === 0 ? [] : placesOf(root, words, mostMarks);
  if (ranges.length === 0) CSS.highlights.delete('found');
  else CSS.highlights.set('found', new Highlight(...ranges));
}

const mostMarks = 500;

function placesOf(root: HTMLElement, words: readonly RegExp[], most: number): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < most; node = walker.nextNode())
    for (const word of words)
      for (const match of (node.nodeValue ?? '').matchAll(new RegExp(word.source, 'gi'))) {
        if (ranges.length >= most) break;
        const range = new Range();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        ranges.push(range);
      }
  return ranges;
}
