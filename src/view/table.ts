import { fieldOf, type Layout, type Row, type Writer } from './formats.js';
import {
  beginning,
  type Clip,
  clip,
  compact,
  displayWidth,
  duration,
  isNameField,
  money,
  type Paint,
  paintName,
  paintWord,
  sanitize,
  thousands,
  visibleName,
} from './text.js';

/** Plain columns under a header, no line wider than `layout.width`; nothing at all when there are no rows. */
export function table(fields: readonly string[], layout: Layout): Writer {
  const columns = fields.map((field) => ({ field, ...columnFor(field), ...layout.columns?.[field] }));
  let waiting: Row[] = [];
  let begun: Frame | undefined;
  return {
    head: '',
    row(row) {
      if (!layout.streaming) {
        waiting.push(row);
        return '';
      }
      if (begun !== undefined) return bodyLine(begun, cellsOf(begun, row));
      const { frame, grid } = arrange(columns, [row], layout);
      begun = frame;
      return headerLine(frame) + bodyLine(frame, grid[0] ?? []);
    },
    tail(total) {
      if (begun !== undefined) return total === undefined ? '' : totalLine(begun, cellsOf(begun, total));
      if (waiting.length === 0) return '';
      const rows = total === undefined ? waiting : [...waiting, total];
      waiting = [];
      const { frame, grid } = arrange(columns, rows, layout);
      const last = total === undefined ? undefined : grid.pop();
      const lines = grid.map((cells) => bodyLine(frame, cells));
      return headerLine(frame) + lines.join('') + (last === undefined ? '' : totalLine(frame, last));
    },
  };
}

interface FieldColumn extends Column {
  readonly field: string;
}

interface Frame extends Plan {
  readonly columns: readonly FieldColumn[];
  readonly layout: Layout;
  /** Times and token counts in few characters. */
  readonly short: boolean;
}

function arrange(
  columns: readonly FieldColumn[],
  rows: readonly Row[],
  layout: Layout,
): { frame: Frame; grid: Clip[][] } {
  const long = { columns, layout, short: false };
  const grid = rows.map((row) => cellsOf(long, row));
  const widest = widestOf(columns, grid);
  if (fitsWhole(columns, widest, layout)) return { frame: { ...long, ...planColumns(columns, widest, layout) }, grid };

  const brief = { columns, layout, short: true };
  columns.forEach((column, index) => {
    if (!hasShortForm(column.kind)) return;
    rows.forEach((row, place) => {
      grid[place]?.splice(index, 1, cellOf(column, row, brief));
    });
  });
  return { frame: { ...brief, ...planColumns(columns, widestOf(columns, grid), layout) }, grid };
}

function widestOf(columns: readonly FieldColumn[], grid: readonly Clip[][]): number[] {
  return columns.map((_, index) => grid.reduce((widest, cells) => Math.max(widest, cells[index]?.width ?? 0), 0));
}

type Style = Pick<Frame, 'columns' | 'layout' | 'short'>;

function cellsOf(style: Style, row: Row): Cell[] {
  return style.columns.map((column) => cellOf(column, row, style));
}

/** Sanitised, and no wider than the whole table may be. */
function cellOf({ field, kind }: FieldColumn, row: Row, { layout, short }: Style): Cell {
  const value = readable(field, kind, fieldOf(row, field), short);
  const text = isNameField(field) ? visibleName(value) : value.trim();
  const cell = clip(beginning(text, layout.width), layout.width);
  return field === 'name' ? { ...cell, color: fieldOf(row, 'color') } : cell;
}

/** What is shown of a field; a name in the colour of its agent. */
type Cell = Clip & { readonly color?: unknown };

function headerLine(frame: Frame): string {
  const { paint } = frame.layout;
  const titles = frame.columns.map(({ title }) => clip(title, Number.POSITIVE_INFINITY));
  const mark = frame.leftOut ? gap + paint.dim(leftOutMark) : '';
  return `${lineOf(frame, titles, (title) => paint.bold(title))}${mark}\n`;
}

function bodyLine(frame: Frame, cells: readonly Cell[]): string {
  const filled = cells.map((cell) => (cell.text === '' ? nothing : cell));
  return `${lineOf(frame, filled, (text, kind, color) => paintCell(frame.layout.paint, kind, text, color))}\n`;
}

const nothing: Clip = { text: '-', width: 1 };

function totalLine(frame: Frame, cells: readonly Clip[]): string {
  return `${lineOf(frame, cells, (text) => frame.layout.paint.bold(text))}\n`;
}

function lineOf(
  frame: Frame,
  cells: readonly Cell[],
  paint: (text: string, kind: Kind, color: unknown) => string,
): string {
  let line = '';
  let owed = ''; // space that is written only if something follows it
  for (const { index, width } of frame.shown) {
    const column = frame.columns[index];
    const cell = cells[index];
    if (column === undefined || cell === undefined) continue;
    // Where lines may have any length, a row that came later may be wider than its column.
    const { text, width: taken } =
      cell.width > width && Number.isFinite(frame.layout.width) ? clip(cell.text, width) : cell;
    const space = ' '.repeat(Math.max(0, width - taken));
    if (text === '') owed += space + gap;
    else if (column.align === 'right') {
      line += owed + space + paint(text, column.kind, cell.color);
      owed = gap;
    } else {
      line += owed + paint(text, column.kind, cell.color);
      owed = space + gap;
    }
  }
  return line;
}

function paintCell(paint: Paint, kind: Kind, text: string, color: unknown): string {
  if (text === nothing.text) return paint.dim(text);
  return kind === 'word' ? paintWord(paint, text) : paintName(paint, text, color);
}

/** What a column asks for, in columns of the terminal. */
export interface Demand {
  /** Its widest cell. */
  readonly natural: number;
  /** What it gives up willingly is everything above this. */
  readonly soft: number;
  /** Below this it is of no use. */
  readonly floor: number;
  readonly rank: number;
}

/** Widths that, with a gap between columns, stay within `width`; 0 for a column that is left out, which the first never is. */
export function fitWidths(demands: readonly Demand[], width: number, gap: number): number[] {
  const kept = demands.map((demand, index) => ({ ...demand, index }));
  const widths = demands.map(() => 0);
  let shares = share(kept, width - gap * (kept.length - 1));
  while (shares === undefined && kept.length > 1) {
    kept.splice(leastWanted(kept), 1);
    shares = share(kept, width - gap * (kept.length - 1));
  }
  kept.forEach(({ index }, place) => {
    widths[index] = shares?.[place] ?? Math.max(0, width);
  });
  return widths;
}

function share(asked: readonly Demand[], room: number): number[] | undefined {
  const natural = asked.map((demand) => demand.natural);
  const soft = asked.map((demand) => demand.soft);
  const floor = asked.map((demand) => demand.floor);
  if (sum(natural) <= room) return natural;
  if (sum(soft) <= room) return level(soft, natural, room);
  return sum(floor) <= room ? level(floor, soft, room) : undefined;
}

/** The widest give way first: all are lowered to one height that fits, none below its `least`. */
function level(least: readonly number[], most: readonly number[], room: number): number[] {
  const at = (height: number) => most.map((upper, index) => Math.min(upper, Math.max(height, least[index] ?? 0)));
  let low = 0;
  let high = Math.max(...most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(at(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = at(low);
  let left = room - sum(widths);
  return widths.map((now, index) => {
    if (left <= 0 || now >= (most[index] ?? 0) || now > low) return now;
    left -= 1;
    return now + 1;
  });
}

function leastWanted(asked: readonly Demand[]): number {
  let least = asked.length - 1;
  for (let index = least; index > 0; index -= 1) {
    if ((asked[index]?.rank ?? 0) < (asked[least]?.rank ?? 0)) least = index;
  }
  return least;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Which columns of a table are shown, and how wide. */
interface Plan {
  readonly shown: readonly Place[];
  /** Some did not fit, and there is room to say so. */
  readonly leftOut: boolean;
}

interface Place {
  /** Among the columns asked for. */
  readonly index: number;
  readonly width: number;
}

const gap = '  ';
const leftOutMark = '…';

/** `widest` holds the widest cell of each column. */
function planColumns(columns: readonly Column[], widest: readonly number[], layout: Layout): Plan {
  const { width, streaming = false } = layout;
  const demands = columns.map((column, index) => demandOf(column, index, widest[index] ?? 0, streaming));
  const widths = fitWidths(demands, width, gap.length);
  if (!widths.includes(0)) return { shown: places(columns, widths, layout), leftOut: false };

  const room = width - gap.length - leftOutMark.length;
  const marked = fitWidths(demands, room, gap.length);
  const leftOut = (marked[0] ?? 0) >= (demands[0]?.floor ?? 0);
  return {
    shown: leftOut ? places(columns, marked, { ...layout, width: room }) : places(columns, widths, layout),
    leftOut,
  };
}

/** Whether the widest cells stand in one line unshortened. */
function fitsWhole(
  columns: readonly Column[],
  widest: readonly number[],
  { width, streaming = false }: Layout,
): boolean {
  const natural = columns.map((column, index) => demandOf(column, index, widest[index] ?? 0, streaming).natural);
  return sum(natural) + gap.length * (columns.length - 1) <= width;
}

function demandOf({ title, kind, rank }: Column, index: number, widest: number, streaming: boolean): Demand {
  const titleWidth = displayWidth(title);
  const natural = Math.max(1, titleWidth, widest, streaming ? expectedWidth[kind] : 0);
  const { soft, floor } = index === 0 ? keyLimits : limits[kind];
  const atMost = (least: number) => Math.min(natural, Math.max(titleWidth, least));
  return { natural, soft: atMost(soft), floor: atMost(floor), rank };
}

/** The room set aside for rows not yet seen. */
const expectedWidth: Readonly<Record<Kind, number>> = {
  prose: 32,
  text: 12,
  word: 9,
  time: 14,
  number: 5,
  count: 5,
  tokens: 9,
  money: 9,
  duration: 6,
};

const whole = { soft: 24, floor: 24 };

/** How far a column may shrink, willingly and at all. Eight characters and an ellipsis tell most ids apart. */
const limits: Readonly<Record<Kind, { soft: number; floor: number }>> = {
  prose: { soft: 24, floor: 10 },
  text: { soft: 36, floor: 9 },
  word: { soft: 24, floor: 9 },
  time: whole,
  number: whole,
  count: whole,
  tokens: whole,
  money: whole,
  duration: whole,
};

// The first column says which row it is: two models must not both read `claude-son…`.
const keyLimits = { soft: 36, floor: 18 };

function places(columns: readonly Column[], widths: readonly number[], { width, streaming }: Layout): Place[] {
  // One long cell must not fill all other rows with as many spaces.
  const most = Number.isFinite(width) ? width : widestPadded;
  const shown = widths.map((one, index) => ({ index, width: Math.min(one, most) })).filter((place) => place.width > 0);
  const last = shown.at(-1);
  const kind = last && columns[last.index]?.kind;
  if (!streaming || kind === undefined || isNumeric(kind) || !Number.isFinite(width)) return shown;
  // What is left of the line is for the rows not yet seen.
  const used = sum(shown.map((place) => place.width)) + gap.length * (shown.length - 1);
  return shown.map((place) => (place === last ? { ...place, width: place.width + width - used } : place));
}

/** Where lines may have any length: rows with wider cells stand out of their columns. */
const widestPadded = 1000;

/** How a field looks in a table. */
export interface Column {
  readonly title: string;
  readonly kind: Kind;
  readonly align: 'left' | 'right';
  /** Of too many columns the one with the lowest rank goes first, of equals the last; the first column always stays. */
  readonly rank: number;
}

/** prose is the first to give way in a line that is too long, then text, word and time; numbers are shown whole or not at all. */
export type Kind = 'prose' | 'text' | 'word' | 'time' | 'number' | 'count' | 'tokens' | 'money' | 'duration';

/** What the name of a field says about its column. */
export function columnFor(field: string): Column {
  const kind = kindFor(field);
  return { title: titleFor(field), kind, align: isNumeric(kind) ? 'right' : 'left', rank: kind === 'money' ? 1 : 0 };
}

export function isNumeric(kind: Kind): boolean {
  return kind !== 'prose' && kind !== 'text' && kind !== 'word' && kind !== 'time';
}

/** Whether `readable` knows a shorter way to write it. */
export function hasShortForm(kind: Kind): boolean {
  return kind === 'tokens' || kind === 'time';
}

/** A value as people read it, not yet sanitised; `short` where there is little room. Nothing at all is ''. */
export function readable(field: string, kind: Kind, value: unknown, short: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return readableNumber(kind, value, short);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return kind === 'time' ? readableTime(value, short) : value;
  if (!Array.isArray(value)) return readableObject(value);
  if (field === 'members') return String(value.length);
  return value.map((item) => readable('', 'text', item, short)).join(', ');
}

function kindFor(field: string): Kind {
  if (field.endsWith('_tokens')) return 'tokens';
  if (field.endsWith('_usd')) return 'money';
  if (field.endsWith('_ms')) return 'duration';
  if (field.endsWith('_at')) return 'time';
  return kinds.get(field) ?? 'text';
}

const kinds = new Map<string, Kind>([
  ...fieldsOf(
    'prose',
    'subject description active_form summary content detail error text prompt result plan feedback reason',
  ),
  ...fieldsOf('word', 'status kind type role protocol severity rule cost_source event subtype'),
  ...fieldsOf('time', 'time day'),
  ...fieldsOf('number', 'turn line seq'),
  ...fieldsOf(
    'count',
    'members messages runs tool_calls tool_errors tool_uses open_calls messages_sent messages_received',
  ),
  ...fieldsOf('count', 'web_search_requests num_turns results bytes'),
]);

function fieldsOf(kind: Kind, fields: string): [string, Kind][] {
  return fields.split(' ').map((field) => [field, kind]);
}

function titleFor(field: string): string {
  const title = titles.get(field) ?? field.replace(/(?<=.)_(?:tokens|usd|ms|at|id)$/, '').replaceAll('_', ' ');
  return sanitize(title.toUpperCase());
}

const titles = new Map([
  ['cache_write_5m_tokens', 'write 5m'],
  ['cache_write_1h_tokens', 'write 1h'],
  ['web_search_requests', 'searches'],
  ['cost_source', 'source'],
  ['num_turns', 'turns'],
  ['messages_sent', 'sent'],
  ['messages_received', 'received'],
]);

function readableNumber(kind: Kind, value: number, short: boolean): string {
  switch (kind) {
    case 'count':
      return thousands(value);
    case 'tokens':
      return short ? compact(value) : thousands(value);
    case 'money':
      return money(value);
    case 'duration':
      return duration(value);
    default:
      return String(value);
  }
}

/** `2026-11-16T02:00:01.500Z` → `2026-11-16T02:00:01Z`, or `11-16 02:00:01`. */
function readableTime(time: string, short: boolean): string {
  const parts = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time);
  if (parts === null) return time;
  return short ? `${parts[1]} ${parts[2]}` : `${time.slice(0, 19)}Z`;
}

/** `{pending: 2, in_progress: 0, completed: 5}` → `2 pending, 5 completed`. */
function readableObject(value: object): string {
  const entries = Object.entries(value);
  if (!entries.every(([, amount]) => typeof amount === 'number')) return JSON.stringify(value);
  const present = entries.filter(([, amount]) => amount !== 0);
  return present.map(([name, amount]) => `${amount} ${name}`).join(', ');
}
