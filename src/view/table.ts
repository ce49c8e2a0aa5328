import {
  type Column,
  columnFor,
  fitsWhole,
  gap,
  hasShortForm,
  type Kind,
  leftOutMark,
  type Plan,
  planColumns,
  readable,
} from './columns.js';
import { fieldOf, type Layout, type Row, type Writer } from './formats.js';
import { type Paint, paintName, paintWord } from './paint.js';
import { type Clip, clip, isNameField, sanitize, visibleName } from './text.js';

/** Plain columns under a header, no line wider than `layout.width`; nothing at all when there are no rows. */
export function table(layout: Layout): Writer {
  let columns: readonly FieldColumn[] = [];
  let waiting: Row[] = [];
  let begun: Frame | undefined;
  return {
    head(fields) {
      columns = fields.map((field) => ({ field, ...columnFor(field), ...layout.columns?.[field] }));
      return '';
    },
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
  // A message may hold megabytes, of which a line shows its beginning.
  const enough = 8 * layout.width + 64;
  const cell = clip(text.length > enough ? `${sanitize(text.slice(0, enough))}…` : sanitize(text), layout.width);
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
