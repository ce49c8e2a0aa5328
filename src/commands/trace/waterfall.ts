// Draws a run for people: a line for each agent, turn and thing that took long or went wrong, with a bar that shows when,
// and one line for the many things between them.

import { busyTimes, union } from '../../core/spans/accounts.js';
import { type Span, spansOf, type Trace } from '../../core/spans/model.js';
import { shortModel } from '../../core/story/happening.js';
import { commonFolder } from '../../core/story/line.js';
import { groupBy } from '../../core/tables/order.js';
import { mannerOf, shownTool } from '../../core/wire/tools/about.js';
import type { Row } from '../../view/formats.js';
import { cut, displayWidth, duration, safeBeginning } from '../../view/text.js';

export interface Canvas {
  /** Columns and lines that a run may take. */
  readonly width: number;
  readonly lines: number;
  /** A line for every span. */
  readonly full: boolean;
  readonly inks: Inks;
}

/** Outside of a span, idle or waiting, at work, at work on the critical path. */
export type Inks = readonly [string, string, string, string];
export const blockInks: Inks = ['·', '─', '▒', '█'];
export const asciiInks: Inks = ['.', '-', '=', '#'];

export interface Waterfall {
  readonly rows: readonly Row[];
  /** How many spans have no line of their own. */
  readonly folded: number;
}

export function waterfall(trace: Trace, { width, lines, full, inks }: Canvas): Waterfall {
  const branches = full ? hung(spansOf(trace), () => true) : treeOf(trace);
  const parts = partsIn(trace);
  const isShown = branches.length <= lines || full ? () => true : mostTelling(branches, parts, lines);
  const words = new SpanWords(trace);
  const drawn = drawnLines(branches, isShown).map((line) => {
    const { span, depth, inside } = line;
    const said = span === null ? words.summary(inside) : words.describe(span, inside);
    const texts = drawnFigures(trace, line, leavesOf(line, parts));
    return { line, texts, what: `${'· '.repeat(Math.min(depth, 8))}${said}` };
  });
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
  const figures = figureTitles.map((title, at) =>
    Math.max(title.length, widest(drawn.map(({ texts }) => texts[at] ?? ''))),
  );
  const room = width - figures.reduce((sum, wide) => sum + wide + columnGap, 0);
  const names = Math.min(
    widest(drawn.map(({ what }) => safeBeginning(what, width))),
    Math.max(24, Math.min(60, Math.floor(room * 0.5))),
  );
  const cells = Math.max(leastBar, room - names - columnGap);
  const rows = drawn.map(({ line, texts, what }) => {
    const [start, took, critical] = texts;
    const when = barOf(trace, line, leavesOf(line, parts), cells, inks);
    return { trace_id: trace.id, start, took, critical, what: cut(safeBeginning(what, names), names), when };
  });
  const own = drawn.filter(({ line }) => line.span !== null).length;
  return { rows, folded: full ? 0 : branches.length - own };
}

const figureTitles = ['START', 'TIME', 'CRITICAL'];
const columnGap = 2;
const leastBar = 8;

/** A span at its place in the tree. Branches are in order, each after the one it hangs on. */
interface Branch {
  readonly span: Span;
  /** Its place in the list; -1 for none. */
  readonly parent: number;
  readonly depth: number;
}

/** Without what only repeats its neighbour: the run, an agent's only turn, the call that started an agent. */
function treeOf(trace: Trace): Branch[] {
  const starts = new Set(trace.actors.map(({ spawnCall }) => spawnCall));
  return hung(spansOf(trace), (span) => {
    if (span.kind === 'call') return !starts.has(span);
    return span.kind === 'turn' ? (span.actor?.turns.length ?? 0) > 1 : span.kind !== 'team';
  });
}

function hung(spans: readonly Span[], isKept: (span: Span) => boolean): Branch[] {
  const branches: Branch[] = [];
  const places = new Map<string | null, number>();
  for (const span of spans) {
    const parent = places.get(span.parent) ?? -1;
    places.set(span.id, isKept(span) ? branches.length : parent);
    if (isKept(span)) branches.push({ span, parent, depth: (branches[parent]?.depth ?? -1) + 1 });
  }
  return branches;
}

/** Which branches get a line: those that took longest, until the lines are used up. */
function mostTelling(branches: readonly Branch[], parts: Parts, lines: number): (place: number) => boolean {
  const ranked = branches.map((branch, place) => ({ place, weight: weightOf(branch.span, parts) }));
  ranked.sort((a, b) => b.weight - a.weight || a.place - b.place);
  let best = new Set<number>();
  let [enough, tooMany] = [0, ranked.length + 1];
  while (tooMany - enough > 1) {
    const tried = (enough + tooMany) >> 1;
    const shown = new Set<number>();
    for (const { place } of ranked.slice(0, tried))
      for (let at = place; at !== -1 && !shown.has(at); at = branches[at]?.parent ?? -1) shown.add(at);
    if (drawnLines(branches, (place) => shown.has(place)).length <= lines) [enough, best] = [tried, shown];
    else tooMany = tried;
  }
  return (place) => best.has(place);
}

/** What a run waited for counts most. Agents come first, and what went wrong before what did not. */
function weightOf(span: Span, parts: Parts): number {
  const { kind, start, end, critical, failed, open } = span;
  const time = critical + (end - start) / 5;
  if (kind === 'agent') return 100 * (time + 1);
  if (kind === 'turn') return time + criticalOf(parts.get(span) ?? []);
  return (kind === 'wait' ? time / 2 : time) * (failed || open ? 5 : 1);
}

function criticalOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { critical }) => sum + critical, 0);
}

/** The messages, calls and waits of each agent and each turn. */
type Parts = ReadonlyMap<Span, readonly Span[]>;

function partsIn({ actors }: Trace): Parts {
  const parts = new Map<Span, Span[]>();
  for (const { span, turns, chats, calls, waits } of actors) {
    const all = [...chats, ...calls, ...waits];
    parts.set(span, [...all]);
    for (const turn of turns) parts.set(turn, []);
    for (const one of all) if (one.turn !== null) parts.get(turns[one.turn - 1] ?? span)?.push(one);
  }
  return parts;
}

interface DrawnLine {
  /** null for what is between two lines. */
  readonly span: Span | null;
  readonly depth: number;
  /** What this line stands for besides its span. */
  readonly inside: Span[];
}

/** Where a branch has lines below it, what is hidden between them is a line, too. */
function drawnLines(branches: readonly Branch[], isShown: (place: number) => boolean): DrawnLine[] {
  const hasLines = new Set(branches.flatMap(({ parent }, place) => (isShown(place) ? [parent] : [])));
  const lines: DrawnLine[] = [];
  const owners = new Map<number, DrawnLine>();
  /** The line of each branch that collects what is hidden now. */
  const open = new Map<number, DrawnLine>();
  for (const [place, { span, parent, depth }] of branches.entries()) {
    if (isShown(place)) {
      const line = { span, depth, inside: [] };
      lines.push(line);
      open.delete(parent);
      if (!hasLines.has(place)) owners.set(place, line);
      continue;
    }
    let line = owners.get(parent) ?? open.get(parent);
    if (line === undefined) {
      line = { span: null, depth, inside: [] };
      lines.push(line);
      open.set(parent, line);
    }
    line.inside.push(span);
    owners.set(place, line);
  }
  return lines.map((line) => {
    const [only, ...others] = line.inside;
    return line.span === null && only !== undefined && others.length === 0 ? { ...line, span: only, inside: [] } : line;
  });
}

/** START, TIME and CRITICAL. */
function drawnFigures(
  { root, toScale, accounts }: Trace,
  { span, inside }: DrawnLine,
  leaves: readonly Span[],
): string[] {
  const from = span?.start ?? inside.reduce((least, one) => Math.min(least, one.start), Number.POSITIVE_INFINITY);
  const took = span === null ? busyMs(leaves.length === 0 ? inside : leaves) : span.end - span.start;
  // In a turn an agent also works between its messages and calls, and some agents show nothing else.
  const account = span?.kind === 'agent' ? accounts.find(({ actor }) => actor === span.actor) : undefined;
  const critical = account?.critical ?? criticalOf(leaves);
  const figureText = (amount: number) => (toScale ? duration(amount) : inRecords(amount));
  return [figureText(from - root.start), figureText(took), critical === 0 ? '' : figureText(critical)];
}

export function inRecords(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

/** The messages, calls and waits that a line shows: of an agent or turn, its own. */
function leavesOf({ span, inside }: DrawnLine, parts: Parts): Span[] {
  const own = span === null ? [] : (parts.get(span) ?? [span]);
  const isLeaf = ({ kind }: Span) => kind === 'chat' || kind === 'call' || kind === 'wait';
  return [...new Set([...own, ...inside])].filter(isLeaf);
}

/** How long at least one of them lasted. */
function busyMs(spans: readonly Span[]): number {
  return union(spans).reduce((sum, { start, end }) => sum + end - start, 0);
}

function barOf({ root }: Trace, line: DrawnLine, leaves: readonly Span[], cells: number, inks: Inks): string {
  const whole = root.end - root.start;
  const cellAt = (at: number) =>
    whole === 0 ? 0 : Math.min(cells - 1, Math.floor(((at - root.start) / whole) * cells));
  const levels = new Array<number>(cells).fill(0);
  const fill = ({ start, end }: Pick<Span, 'start' | 'end'>, level: (now: number) => number) => {
    const from = cellAt(start);
    const to = Math.max(from, cellAt(end - Number.MIN_VALUE));
    for (let cell = from; cell <= to; cell++) levels[cell] = level(levels[cell] ?? 0);
  };
  const all = [...(line.span === null ? [] : [line.span]), ...line.inside];
  for (const span of all) fill(span, (now) => Math.max(now, 1));
  for (const { kind, actor } of all)
    if (kind === 'agent' && actor !== null) for (const busy of busyTimes(actor)) fill(busy, (now) => Math.max(now, 2));
  for (const span of all) if (span.kind === 'turn') fill(span, (now) => Math.max(now, 2));
  for (const span of leaves) if (span.waits !== null) fill(span, () => 1);
  for (const span of leaves) if (span.waits === null) fill(span, (now) => Math.max(now, span.critical > 0 ? 3 : 2));
  return levels.map((level) => inks[level]).join('');
}

/** Says what spans are. */
class SpanWords {
  /** The folder of all paths, which need not be repeated. */
  readonly #folder: string;

  constructor({ actors }: Trace) {
    const paths = actors.flatMap(({ calls }) =>
      calls.flatMap((call) => (isPath(call) ? [call.call?.about ?? ''] : [])),
    );
    const folder = new Set(paths).size > 1 ? commonFolder(paths) : null;
    this.#folder = folder === null ? '' : `${folder}/`;
  }

  /** `Bash failed: npm test`, `researcher: 12 × Read in src`. */
  describe(span: Span, inside: readonly Span[]): string {
    const marks = `${span.failed ? ' failed' : ''}${span.open ? ' open' : ''}`;
    const about = span.call === null ? this.summary(inside) : this.#target(span);
    return `${spanName(span)}${marks}${about === '' ? '' : span.call === null || marks !== '' ? `: ${about}` : ` ${about}`}`;
  }

  /** `2 agents, 12 × Read in src/core, 3 × Bash (1 failed), 15 × opus-4-6`: what took longest first. */
  summary(spans: readonly Span[]): string {
    const groups = groupBy(
      spans.filter(({ kind }) => kind !== 'turn'),
      (span) => (span.kind === 'agent' ? '' : spanName(span)),
    );
    const sums = [...groups].map(([name, all]) => ({ name, all, took: name === '' ? Infinity : busyMs(all) }));
    sums.sort((a, b) => b.took - a.took);
    const turns = spans.filter(({ kind }) => kind === 'turn').length;
    const list = sums.map(({ name, all }) => this.#several(name, all)).join(', ');
    return turns > 1 ? `${turns} turns: ${list}` : list;
  }

  #several(name: string, all: readonly Span[]): string {
    const [one] = all;
    if (one !== undefined && all.length === 1) return this.describe(one, []);
    const failed = all.filter((span) => span.failed).length;
    const folder = all.every(isPath) ? commonFolder(all.map((span) => this.#target(span))) : null;
    const what = name === '' ? `${all.length} agents` : `${all.length} × ${name}`;
    return `${what}${folder === null ? '' : ` in ${folder}`}${failed === 0 ? '' : ` (${failed} failed)`}`;
  }

  #target({ call }: Span): string {
    const [line = ''] = call?.about?.trim().split('\n', 1) ?? [];
    return line.startsWith(this.#folder) ? line.slice(this.#folder.length) : line;
  }
}

function isPath({ call }: Span): boolean {
  return call?.about != null && /^(?:edit|read)$/.test(mannerOf(call.tool));
}

function spanName({ kind, name }: Span): string {
  if (kind === 'wait') return `wait for ${name === 'person' ? 'a person' : 'agents'}`;
  if (kind === 'chat') return shortModel(name) ?? name;
  return kind === 'call' ? shownTool(name) : name;
}
