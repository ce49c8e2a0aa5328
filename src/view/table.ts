// Rows to a table for people: only columns that say something, under headings, no line wider than the terminal.
import {
  type Column,
  type ColumnKind,
  columnFor,
  costText,
  type FieldColumn,
  hasShortForm,
  isNumeric,
  Names,
  readableValue,
} from './columns.js';
import { gap, type Place, type Plan, percentWidth, planColumns, shortestBar, totalOf, widestPadded } from './fit.js';
import { type Ending, fieldOf, type Layout, type Row, type Writer } from './formats.js';
import { bar, type Signs, unicodeSigns } from './signs.js';
import {
  type Clip,
  clip,
  isNameField,
  money,
  type Paint,
  paintName,
  paintWord,
  plural,
  safeBeginning,
  visibleName,
  wrapped,
} from './text.js';

/** Plain columns under a header, no line wider than `layout.width`. Without rows, nothing is written. */
export function tableWriter(fields: readonly string[], layout: Layout): Writer {
  const columns = fields.map((field) => ({ field, ...columnFor(field), ...layout.columns?.[field] }));
  return layout.streaming ? streamed(columns, layout) : collected(columns, layout);
}

/** Rows that belong together in a table. */
export interface Sections<R extends Row = Row> {
  /** Rows with the same key form a section. Sections are in the order of their first rows. */
  keyOf(row: R): string;
  /** `above` is the first row of the previous section. */
  heading(rows: readonly R[], above: R | undefined, signs: Signs): Heading;
}

export interface Heading {
  readonly parts: readonly string[];
  /** Added to the first part if another section has the same first part. */
  readonly twin?: string | undefined;
  /** Fields the heading shows, so that no column has to. */
  readonly says: readonly string[];
}

/** Waits for all rows. */
function collected(columns: readonly FieldColumn[], layout: Layout): Writer {
  const rows: Row[] = [];
  return {
    head: '',
    row(row) {
      rows.push(row);
      return '';
    },
    tail(total, ending = {}) {
      const all = rows.splice(0);
      if (all.length === 0) return '';
      const names = new Names();
      for (const row of total === undefined ? all : [...all, total])
        for (const column of columns) names.note(column, shownOf(column, row));
      const sections = sectionsOf(all, layout);
      const headings = headingsOf(sections, layout);
      const texts = sections.map((part, at) => {
        const heading = headings[at];
        const isLast = at === sections.length - 1;
        return sectionText({ columns, rows: part, heading, layout, names, ...(isLast && { total, ending }) });
      });
      return texts.join('\n');
    },
  };
}

function sectionsOf(rows: readonly Row[], { sections }: Layout): Row[][] {
  const parts = new Map<string, Row[]>();
  for (const row of rows) {
    const key = sections?.keyOf(row) ?? '';
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [row]);
    else part.push(row);
  }
  return [...parts.values()];
}

function headingsOf(parts: readonly Row[][], { sections, signs = unicodeSigns }: Layout): Heading[] {
  if (sections === undefined) return [];
  const headings = parts.map((part, at) => sections.heading(part, parts[at - 1]?.[0], signs));
  const names = new Map<string | undefined, number>();
  for (const { parts } of headings) names.set(parts[0], (names.get(parts[0]) ?? 0) + 1);
  return headings.map((heading) => {
    const { parts, twin } = heading;
    const [name, ...rest] = parts;
    if (name === undefined || twin === undefined || names.get(name) === 1) return heading;
    return { ...heading, parts: [name, twin, ...rest] };
  });
}

/** Writes each row as it comes. The first row decides the widths. */
function streamed(all: readonly FieldColumn[], layout: Layout): Writer {
  // It is not known yet whether two rows will have the same values.
  const columns = all.map((column) => (column.ifSame === undefined ? column : { ...column, rank: -9 }));
  const names = new Names();
  const isNews = createNews();
  let frame: Frame | undefined;
  return {
    head: '',
    row(row) {
      for (const column of columns) names.note(column, shownOf(column, row));
      const isFirst = frame === undefined;
      frame ??= frameOf({ columns, layout, names, day: null, short: 'nothing' }, [row]).frame;
      const cells = rowCells(frame, row);
      if (layout.width === Number.POSITIVE_INFINITY) frame = { ...frame, shown: grown(frame.shown, cells) };
      const line = bodyLine(frame, cells);
      const key = layout.rowKey?.(row);
      if (key !== undefined && !isNews(key, line)) return '';
      return isFirst ? headerLine(frame) + line : line;
    },
    tail(total, ending = {}) {
      return frame === undefined ? '' : endLines(frame, total && withTotalName(total, columns), ending);
    },
  };
}

/** Whether a line differs from the last line of its row and of all others. A change may be in no column. */
function createNews(): (key: string, line: string) => boolean {
  const last = new Map<string, string>();
  const lines = new Set<string>();
  return (key, line) => {
    const isNews = !lines.has(line);
    lines.delete(last.get(key) ?? '');
    last.set(key, line);
    lines.add(line);
    return isNews;
  };
}

/** Where lines may have any length, a column is as wide as its widest cell so far. */
function grown(places: readonly Place[], cells: readonly Cell[]): Place[] {
  return places.map((place) => ({
    ...place,
    width: Math.min(widestPadded, Math.max(place.width, cells[place.index]?.width ?? 0)),
  }));
}

interface Section {
  readonly columns: readonly FieldColumn[];
  readonly rows: readonly Row[];
  readonly heading?: Heading | undefined;
  readonly layout: Layout;
  readonly names: Names;
  readonly total?: Row | undefined;
  readonly ending?: Ending;
}

function sectionText({ columns, rows, heading, layout, names, total, ending = {} }: Section): string {
  const day = layout.leavesOut && rows.length > 1 ? commonDay(columns, rows, layout) : null;
  const style: Style = { columns, layout, names, day, short: 'nothing' };
  const told = new Set(heading?.says);
  const { shown, constants } = layout.leavesOut
    ? worthShowing(style, rows, told, total)
    : { shown: columns, constants: [] };
  const sum = total === undefined ? [] : [withTotalName(total, shown)];
  const { frame, grid } = frameOf({ ...style, columns: shown }, [...rows, ...sum]);
  const body = rows.map((_, at) => bodyLine(frame, grid[at] ?? [])).join('');
  const parts = [...(heading?.parts ?? []), ...constants, ...timesIn(frame)];
  return (
    headingText(layout.leavesOut ? parts : [], layout) + headerLine(frame) + body + endLines(frame, sum[0], ending)
  );
}

/** Writes `total` in the first column, if that is text and empty. */
function withTotalName(total: Row, [first]: readonly FieldColumn[]): Row {
  const isFree = first?.align === 'left' && (fieldOf(total, first.field) ?? null) === null;
  return isFree ? { ...total, [first.field]: 'total' } : total;
}

function endLines(frame: Frame, total: Row | undefined, { notShown = 0, notes = [] }: Ending): string {
  const { width } = frame.layout;
  const rest = notShown === 0 ? '' : `${clip(`… ${notShown} more not shown`, width).text}\n`;
  const sum = total === undefined ? '' : totalLine(frame, rowCells(frame, total));
  const lines = [...notes, ...leftOutText(frame)];
  return rest + sum + lines.map((note) => `${wrapped(note, width).join('\n')}\n`).join('');
}

/** `+2 columns, with --fields: messages, cache_read_tokens`, for columns that did not fit. */
function leftOutText({ columns, shown, layout }: Frame): string[] {
  const isShown = new Set(shown.map(({ index }) => index));
  const names = columns.flatMap(({ field, value }, index) =>
    isShown.has(index) || value !== undefined || layout.isField?.(field) === false ? [] : [field],
  );
  if (names.length === 0 || layout.width < leastForNames) return [];
  return [`+${plural(names.length, 'column')}, with --fields: ${names.join(', ')}`];
}

/** In less room, no name fits. */
const leastForNames = 40;

/** The columns that differ between rows, and what the others say. The first column that is not empty always stays. */
function worthShowing(style: Style, rows: readonly Row[], told: ReadonlySet<string>, total: Row | undefined) {
  const constants: string[] = [];
  const isEmpty = (column: FieldColumn) => rows.every((row) => cellText(column, row, style) === '');
  const key = style.columns.find((column) => !isEmpty(column)) ?? style.columns[0];
  const shown = style.columns.filter((column) => {
    if (column === key || column.stays) return true;
    if (told.has(column.field)) return false;
    const first = cellText(column, rows[0] ?? {}, style);
    if (column.ifSame !== undefined) return hasTwins(column.ifSame, rows);
    if (rows.some((row) => cellText(column, row, style) !== first)) return true;
    if (first === '') return isNumeric(column.kind) && total !== undefined && cellText(column, total, style) !== '';
    if (rows.length === 1) return true;
    const sum = total !== undefined && isNumeric(column.kind) ? cellText(column, total, style) : '';
    if (sum !== '' && sum !== first) return true;
    const { text } = cellOf(column, rows[0] ?? {}, { ...style, day: null });
    const said = (column.says ?? saying(column, zoneName(style.layout)))(text);
    if (said !== null) constants.push(said);
    return false;
  });
  return { shown, constants };
}

/** `lead main`, `no calls`. */
function saying({ title, kind }: Column, zone: string): (text: string) => string {
  const name = title.toLowerCase();
  if (kind === 'time') return (text) => `${name} ${text} ${zone}`;
  return (text) => (text === '0' ? `no ${name}` : `${name} ${text}`);
}

/** Whether two rows have the same values in these fields. */
function hasTwins(fields: readonly string[], rows: readonly Row[]): boolean {
  const seen = new Set(rows.map((row) => JSON.stringify(fields.map((field) => fieldOf(row, field) ?? null))));
  return seen.size < rows.length;
}

/** The day of times shown without one, and their zone. */
function timesIn({ columns, shown, day, layout }: Frame): string[] {
  const showsTimes = shown.some(({ index }) => columns[index]?.kind === 'time' && columns[index]?.field !== 'day');
  const zone = zoneName(layout);
  return showsTimes ? [day === null ? `times in ${zone}` : `${day} ${zone}`] : [];
}

function zoneName({ zone }: Layout): string {
  return zone?.name ?? 'UTC';
}

/** The day that all times of these rows share. */
function commonDay(columns: readonly FieldColumn[], rows: readonly Row[], layout: Layout): string | null {
  const days = new Set<string>();
  for (const column of columns.filter(({ kind }) => kind === 'time'))
    for (const row of rows) {
      const local = localTime(shownOf(column, row), layout);
      if (local !== null) days.add(local.slice(0, 10));
    }
  const [day = null] = days;
  return days.size === 1 ? day : null;
}

/** One line, or several if it does not fit. The first part is the name of what follows. */
function headingText(parts: readonly string[], layout: Layout): string {
  const { width, paint, signs = unicodeSigns } = layout;
  const mark = ` ${signs.dot} `;
  const lines: { text: string; width: number }[] = [];
  for (const [at, part] of parts.entries()) {
    const piece = clip(safeBeginning(part, width), width);
    const text = at === 0 ? paint.bold(piece.text) : paintWord(paint, piece.text);
    const line = lines.at(-1);
    if (line !== undefined && line.width + mark.length + piece.width <= width) {
      line.text += mark + text;
      line.width += mark.length + piece.width;
    } else lines.push({ text, width: piece.width });
  }
  return lines.map(({ text }) => `${text}\n`).join('');
}

interface Style {
  readonly columns: readonly FieldColumn[];
  readonly layout: Layout;
  readonly names: Names;
  /** The day of all times, which is then not repeated. */
  readonly day: string | null;
  /** What is written in its short form. */
  readonly short: Short;
}

type Short = 'nothing' | 'times' | 'times and tokens';

interface Frame extends Plan, Style {
  readonly largest: number;
}

function frameOf(style: Style, rows: readonly Row[]): { frame: Frame; grid: Cell[][] } {
  const { layout } = style;
  const zone = layout.leavesOut ? null : zoneName(layout);
  const firstTime = style.columns.findIndex(({ kind, field }) => kind === 'time' && field !== 'day');
  const columns = style.columns.map((column, index) =>
    zone !== null && index === firstTime ? { ...column, title: `${column.title} (${zone})` } : column,
  );
  const grid: Cell[][] = rows.map(() => []);
  const frameWith = (short: Short): Frame => {
    const tried = { ...style, columns, short };
    columns.forEach((column, index) => {
      if (short !== 'nothing' && !hasShortForm(column.kind)) return;
      grid.forEach((cells, place) => {
        cells[index] = cellOf(column, rows[place] ?? {}, tried);
      });
    });
    return { ...tried, largest: largestOf(grid), ...planColumns(columns, widestOf(columns, grid), layout) };
  };
  let frame = frameWith('nothing');
  if (!frame.isWhole) frame = frameWith('times');
  const leavesOutMore = columns.some(({ rank }, index) => rank >= 0 && !frame.shown.some((at) => at.index === index));
  if (leavesOutMore) frame = frameWith('times and tokens');
  return { frame, grid };
}

function largestOf(grid: readonly Cell[][]): number {
  let largest = 0;
  for (const cells of grid) for (const { share = 0 } of cells) largest = Math.max(largest, share);
  return largest;
}

function widestOf(columns: readonly FieldColumn[], grid: readonly Clip[][]): number[] {
  return columns.map((_, index) => grid.reduce((widest, cells) => Math.max(widest, cells[index]?.width ?? 0), 0));
}

function rowCells(style: Style, row: Row): Cell[] {
  return style.columns.map((column) => cellOf(column, row, style));
}

function shownOf(column: FieldColumn, row: Row): unknown {
  return column.value === undefined ? fieldOf(row, column.field) : column.value(row);
}

/** Sanitised, and no wider than the whole table may be. */
function cellOf(column: FieldColumn, row: Row, style: Style): Cell {
  const { field, kind } = column;
  const { width } = style.layout;
  const value = cellText(column, row, style);
  const text = isNameField(field) ? visibleName(value) : value.trim();
  const most = column.wraps ? mostWrapped * width : width;
  const cell = clip(safeBeginning(column.wraps ? text.replace(/\s+/g, ' ') : text, most), most);
  if (kind === 'share') return { ...cell, share: numberIn(shownOf(column, row)) };
  return field === 'name' ? { ...cell, color: fieldOf(row, 'color') } : cell;
}

/** Text that wraps takes at most this many lines. */
const mostWrapped = 4;

/** What is shown of a field. A name has the colour of its agent. */
type Cell = Clip & { readonly color?: unknown; readonly share?: number };

function numberIn(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** As people read it, not yet sanitised. */
function cellText(column: FieldColumn, row: Row, { layout, names, day, short }: Style): string {
  const { field, kind } = column;
  const value = shownOf(column, row);
  if (kind === 'time') return timeText(value, layout, day, short) ?? readableValue(field, kind, value, false);
  const decimals = layout.streaming ? undefined : names.decimals;
  if (field === 'cost_usd' && typeof value === 'number')
    return costText(value, fieldOf(row, 'cost_source'), layout.signs ?? unicodeSigns, decimals);
  if (kind === 'money' && typeof value === 'number') return money(value, decimals);
  const text = readableValue(field, kind, value, short === 'times and tokens');
  return typeof value === 'string' ? names.text(column, text) : text;
}

/** `2026-11-15 23:36:21`, or `11-15 23:36:21`; only `23:36:21` if all times are of the same day. */
function timeText(value: unknown, layout: Layout, day: string | null, short: Short): string | null {
  const local = localTime(value, layout);
  if (local === null) return null;
  return day === null ? local.slice(short === 'nothing' ? 0 : 5).replace('T', ' ') : local.slice(11);
}

/** `2026-11-15T23:36:21` in the zone of the table; null if the value is not a time. */
function localTime(value: unknown, { zone }: Layout): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)) return null;
  return zone === undefined ? value.slice(0, 19) : zone.local(value);
}

function headerLine(frame: Frame): string {
  const { paint } = frame.layout;
  const titles = frame.columns.map(({ title }) => clip(title, Number.POSITIVE_INFINITY));
  return `${tableLine(frame, titles, (title) => paint.bold(title))}\n`;
}

function bodyLine(frame: Frame, cells: readonly Cell[]): string {
  const filled = cells.map((cell) => (cell.text === '' ? emptyCell : cell));
  const paint = (text: string, kind: ColumnKind, color: unknown) => paintCell(frame.layout.paint, kind, text, color);
  const last = frame.shown.at(-1);
  const long = last === undefined ? undefined : filled[last.index];
  if (last === undefined || long === undefined || !frame.columns[last.index]?.wraps || long.width <= last.width)
    return `${tableLine(frame, filled, paint)}\n`;
  const [first = '', ...more] = wrapped(long.text, last.width);
  const start = totalOf(frame.shown.slice(0, -1).map(({ width }) => width + gap.length));
  const line = tableLine(frame, filled.with(last.index, clip(first, last.width)), paint);
  return [line, ...more.map((text) => ' '.repeat(start) + text)].map((each) => `${each}\n`).join('');
}

const emptyCell: Clip = { text: '-', width: 1 };

/** The share of a total is left empty: it is always 100%. */
function totalLine(frame: Frame, cells: readonly Cell[]): string {
  const shown = cells.map((cell, index) => (frame.columns[index]?.kind === 'share' ? { text: '', width: 0 } : cell));
  return `${tableLine(frame, shown, (text) => frame.layout.paint.bold(text))}\n`;
}

function tableLine(
  frame: Frame,
  cells: readonly Cell[],
  paint: (text: string, kind: ColumnKind, color: unknown) => string,
): string {
  let line = '';
  let owed = ''; // space that is written only if something follows it
  for (const { index, width } of frame.shown) {
    const column = frame.columns[index];
    const cell = cells[index];
    if (column === undefined || cell === undefined) continue;
    const { text, width: taken } = fitted(frame, column, cell, width);
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

/** What a column of this width shows. Where lines may have any length, nothing is cut. */
function fitted(frame: Frame, column: FieldColumn, cell: Cell, width: number): Clip {
  if (column.kind === 'share' && cell.share !== undefined && width > shortestBar + percentWidth) {
    const drawn = bar(cell.share / (frame.largest || 1), width - percentWidth, frame.layout.signs ?? unicodeSigns);
    return { text: drawn + cell.text.padStart(percentWidth), width };
  }
  return cell.width > width && Number.isFinite(frame.layout.width) ? clip(cell.text, width) : cell;
}

function paintCell(paint: Paint, kind: ColumnKind, text: string, color: unknown): string {
  if (text === emptyCell.text) return paint.dim(text);
  return kind === 'word' ? paintWord(paint, text) : paintName(paint, text, color);
}
