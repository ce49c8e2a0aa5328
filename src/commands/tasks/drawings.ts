// Draws tasks: as a kanban board, and as Mermaid or as DOT for Graphviz, where arrows point from a task to those that wait
// for it.
import { getOrCreate } from '../../core/record/json.js';
import { groupBy, keyOf } from '../../core/tables/order.js';
import { fitWidths } from '../../view/fit.js';
import { type Clip, clip, cut, sanitize, visibleName } from '../../view/text.js';
import type { TaskRow } from './row.js';

/** A kanban board per team and kind of task, with a column per status; empty if there are no tasks. */
export function kanban(rows: readonly TaskRow[], width: number): string {
  const boards = groupBy(rows, ({ team, session_id, kind }) => keyOf(team, session_id, kind));
  return [...boards.values()].map((board) => boardText(board, width)).join('\n');
}

function boardText(rows: readonly TaskRow[], width: number): string {
  const [first] = rows;
  const name = first?.team ?? first?.session_id ?? '';
  const heading = cut(sanitize([name, first?.kind].filter((part) => part !== '').join(' · ')), width);
  const columns = columnsOf(rows);
  const widths = fitWidths(
    columns.map((lines) => {
      const natural = lines.reduce((widest, line) => Math.max(widest, line.width), 1);
      return { natural, soft: Math.min(natural, 24), floor: Math.min(natural, 3), rank: 0 };
    }),
    width,
    cellGap.length,
  );
  const height = Math.max(...columns.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, at) =>
    boardLine(
      columns.map((lines) => lines[at]),
      widths,
    ),
  );
  return `${heading}\n${lines.join('')}`;
}

const cellGap = '  ';

/** The columns that every board has, and others that are not empty. */
function columnsOf(rows: readonly TaskRow[]): Clip[][] {
  const always = rows[0]?.kind === 'background' ? startedStatuses : ['pending', ...startedStatuses];
  const present = new Set(rows.map(({ status }) => status));
  const others = [...present].filter((status) => status === null || !always.includes(status));
  return [...always, ...others.sort()].map((status) => {
    const cards = rows.filter((row) => row.status === status);
    const title = `${(status ?? 'unknown').replaceAll('_', ' ').toUpperCase()} (${cards.length})`;
    return [title, ...cards.flatMap(card)].map(cardLine);
  });
}

const startedStatuses: readonly string[] = ['in_progress', 'completed'];

function card(row: TaskRow): string[] {
  const waits = row.status === 'pending' && row.blocked_by.length > 0 && !row.ready;
  const details = [row.owner && visibleName(row.owner), waits ? `after ${row.blocked_by.join(', ')}` : null].filter(
    (detail) => detail !== null,
  );
  const subject = row.subject === null ? row.id : `${row.id} ${row.subject}`;
  return details.length === 0 ? [subject] : [subject, `  ${details.join(' · ')}`];
}

/** A subject may be megabytes long, and a card shows only its beginning. */
function cardLine(text: string): Clip {
  return clip(sanitize(text.length > 1000 ? `${text.slice(0, 1000)}…` : text), Number.POSITIVE_INFINITY);
}

/** Nothing is written behind the last text. */
function boardLine(cells: readonly (Clip | undefined)[], widths: readonly number[]): string {
  let line = '';
  let gapBefore = '';
  for (const [index, cell] of cells.entries()) {
    const width = widths[index] ?? 0;
    const { text, width: taken } = cell === undefined || width === 0 ? { text: '', width: 0 } : clip(cell.text, width);
    if (text !== '') {
      line += gapBefore + text;
      gapBefore = '';
    }
    gapBefore += ' '.repeat(width - taken) + cellGap;
  }
  return `${line}\n`;
}

export const graphNames = ['mermaid', 'dot'] as const;
type GraphName = (typeof graphNames)[number];

export function graph(name: GraphName, rows: readonly TaskRow[]): string {
  return name === 'mermaid' ? mermaid(rows) : dot(rows);
}

function mermaid(rows: readonly TaskRow[]): string {
  const { groups, arrows } = drawing(rows);
  const nodes = groups.flatMap(({ title, nodes }, at) => {
    const lines = nodes.map(({ name, label, look }) => `${name}["${mermaidText(label)}"]:::${look}`);
    return groups.length === 1 ? lines : [`subgraph g${at + 1}["${mermaidText(title)}"]`, ...lines.map(indent), 'end'];
  });
  const used = new Set(groups.flatMap(({ nodes }) => nodes.map(({ look }) => look)));
  const looks = [...used].map((look) => `classDef ${look} ${mermaidLooks[look]}`);
  const edges = arrows.map(({ from, to }) => `${from} --> ${to}`);
  return joinedLines(['flowchart LR', ...[...nodes, ...edges, ...looks].map(indent)]);
}

function dot(rows: readonly TaskRow[]): string {
  const { groups, arrows } = drawing(rows);
  const nodes = groups.flatMap(({ title, nodes }, at) => {
    const lines = nodes.map(({ name, label, look }) => `${name} [label=${dotText(label)}, ${dotLooks[look]}];`);
    const heading = `label=${dotText(title)};`;
    return groups.length === 1 ? lines : [`subgraph cluster_${at + 1} {`, ...[heading, ...lines].map(indent), '}'];
  });
  const edges = arrows.map(({ from, to }) => `${from} -> ${to};`);
  const settings = ['rankdir=LR;', 'node [shape=box, style="rounded,filled", fillcolor=white];'];
  return joinedLines(['digraph tasks {', ...[...settings, ...nodes, ...edges].map(indent), '}']);
}

interface BoardGroup {
  readonly title: string;
  readonly nodes: Node[];
}

interface Node {
  /** Generated, so that no text of the input becomes syntax. */
  readonly name: string;
  readonly label: string;
  readonly look: NodeLook;
}

type NodeLook = 'pending' | 'ready' | 'active' | 'done' | 'ended' | 'other';

/** Blockers and blocked tasks without a row become boxes with only their id. */
function drawing(rows: readonly TaskRow[]) {
  const groups = new Map<string, BoardGroup>();
  const names = new Map<string, string>();
  /** From the name of one node to the name of another. */
  const arrows = new Map<string, { readonly from: string; readonly to: string }>();
  const boardGroup = ({ team, session_id }: TaskRow) =>
    getOrCreate(groups, keyOf(team, session_id), () => ({ title: team ?? session_id ?? 'tasks', nodes: [] }));
  const nodeFor = (row: TaskRow, id: string, label: string, look: NodeLook) =>
    getOrCreate(names, keyOf(row.team, row.session_id, row.kind, id), () => {
      const name = `n${names.size + 1}`;
      boardGroup(row).nodes.push({ name, label, look });
      return name;
    });
  for (const row of rows)
    nodeFor(row, row.kind === 'todo' ? `${row.id} ${row.owner}` : row.id, labelOf(row), lookOf(row));
  for (const row of rows.filter(({ kind }) => kind === 'board')) {
    const end = (id: string) => nodeFor(row, id, id, 'other');
    const point = (from: string, to: string) => arrows.set(`${from} ${to}`, { from, to });
    for (const id of row.blocked_by) point(end(id), end(row.id));
    for (const id of row.blocks) point(end(row.id), end(id));
  }
  return { groups: [...groups.values()], arrows: [...arrows.values()] };
}

function labelOf({ id, subject, owner }: TaskRow): string {
  const what = subject === null ? id : `${id} ${subject}`;
  return owner === null ? what : `${what} · ${visibleName(owner)}`;
}

function lookOf({ status, ready }: TaskRow): NodeLook {
  if (status === 'pending') return ready ? 'ready' : 'pending';
  if (status === 'in_progress') return 'active';
  if (status === 'completed') return 'done';
  return status === null ? 'other' : 'ended';
}

const mermaidLooks: Readonly<Record<NodeLook, string>> = {
  pending: 'fill:#fff,stroke:#999,color:#333',
  ready: 'fill:#fff,stroke:#2a7,color:#333,stroke-width:2px',
  active: 'fill:#def,stroke:#27a,color:#333',
  done: 'fill:#dfd,stroke:#2a7,color:#333',
  ended: 'fill:#eee,stroke:#999,color:#666,stroke-dasharray:3 3',
  other: 'fill:#fff,stroke:#999,color:#666,stroke-dasharray:3 3',
};

const dotLooks: Readonly<Record<NodeLook, string>> = {
  pending: 'color=gray',
  ready: 'color=seagreen, penwidth=2',
  active: 'color=steelblue, fillcolor=aliceblue',
  done: 'color=seagreen, fillcolor=honeydew',
  ended: 'color=gray, fontcolor=gray',
  other: 'color=gray, fontcolor=gray, style="rounded,dashed"',
};

/** Keeps letters, digits and spaces. Characters that Mermaid, Markdown or HTML could interpret become character codes. */
function mermaidText(label: string): string {
  return shortLabel(label).replace(/[^\p{L}\p{M}\p{N} .,_·…-]/gu, (character) => `#${character.codePointAt(0)};`);
}

/** Escapes what has a meaning inside quotes: the quote, the backslash, and the start of an HTML entity. */
function dotText(label: string): string {
  return `"${shortLabel(label).replace(/["\\]/g, '\\$&').replaceAll('&', '&amp;')}"`;
}

function shortLabel(label: string): string {
  return cut(sanitize(label.slice(0, 500)), 80);
}

function indent(line: string): string {
  return `  ${line}`;
}

function joinedLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
