// Draws tasks as a kanban board, with a column per status.
import { groupBy, keyOf } from '../../core/tables/order.js';
import { fitWidths } from '../../view/fit.js';
import type { Layout } from '../../view/formats.js';
import { type Clip, clip, sanitize, visibleName } from '../../view/text.js';
import type { TaskRow } from './row.js';

/** One board per team and kind of task; empty if there are no tasks. */
export function kanban(rows: readonly TaskRow[], look: BoardLook): string {
  const boards = groupBy(rows, ({ team, session_id, kind }) => keyOf(team, session_id, kind));
  return [...boards.values()].map((board) => boardText(board, look)).join('\n');
}

type BoardLook = Pick<Layout, 'width' | 'paint'>;

function boardText(rows: readonly TaskRow[], look: BoardLook): string {
  const [first] = rows;
  const name = first?.team ?? first?.session_id ?? '';
  const heading = clip(sanitize([name, first?.kind].filter((part) => part !== '').join(' · ')), look.width).text;
  const columns = columnsOf(rows);
  const widths = fitWidths(
    columns.map((lines) => {
      const natural = lines.reduce((widest, { width }) => Math.max(widest, width), 1);
      return { natural, soft: Math.min(natural, 24), floor: Math.min(natural, 3), rank: 0 };
    }),
    look.width,
    cellGap.length,
  );
  const height = Math.max(...columns.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, at) =>
    columns.map((lines, index) => cardCell(lines[at], widths[index] ?? 0, look)),
  );
  return `${look.paint.bold(heading)}\n${lines.map(boardLine).join('')}`;
}

const cellGap = '  ';

interface CardLine extends Clip {
  readonly kind: 'title' | 'subject' | 'detail';
}

/** The columns that every board has, and others that are not empty. */
function columnsOf(rows: readonly TaskRow[]): CardLine[][] {
  const always = rows[0]?.kind === 'background' ? startedStatuses : ['pending', ...startedStatuses];
  const present = new Set(rows.map(({ status }) => status));
  const others = [...present].filter((status) => status === null || !always.includes(status));
  return [...always, ...others.sort()].map((status) => {
    const cards = rows.filter((row) => row.status === status);
    const title = `${(status ?? 'unknown').replaceAll('_', ' ').toUpperCase()} (${cards.length})`;
    return [line('title', title), ...cards.flatMap(card)];
  });
}

const startedStatuses: readonly string[] = ['in_progress', 'completed'];

function card(row: TaskRow): CardLine[] {
  const waits = row.status === 'pending' && row.blocked_by.length > 0 && !row.ready;
  const details = [row.owner && visibleName(row.owner), waits ? `after ${row.blocked_by.join(', ')}` : null].filter(
    (detail) => detail !== null,
  );
  const subject = line('subject', row.subject === null ? row.id : `${row.id} ${row.subject}`);
  return details.length === 0 ? [subject] : [subject, line('detail', `  ${details.join(' · ')}`)];
}

function line(kind: CardLine['kind'], text: string): CardLine {
  // A subject may be megabytes long, and a card shows only its beginning.
  return { kind, ...clip(sanitize(text.length > 1000 ? `${text.slice(0, 1000)}…` : text), Number.POSITIVE_INFINITY) };
}

interface Cell {
  readonly text: string;
  readonly space: string;
}

function cardCell(line: CardLine | undefined, width: number, { paint }: BoardLook): Cell {
  if (line === undefined || width === 0) return { text: '', space: ' '.repeat(width) };
  const { text, width: taken } = line.width > width ? clip(line.text, width) : line;
  const painted = line.kind === 'title' ? paint.bold(text) : line.kind === 'detail' ? paint.dim(text) : text;
  return { text: painted, space: ' '.repeat(width - taken) };
}

function boardLine(cells: readonly Cell[]): string {
  let text = '';
  let gapBefore = ''; // written only if a text follows
  for (const cell of cells) {
    if (cell.text !== '') {
      text += gapBefore + cell.text;
      gapBefore = '';
    }
    gapBefore += cell.space + cellGap;
  }
  return `${text}\n`;
}
