// Draws which tasks block which, as Mermaid or as DOT for Graphviz. Arrows point from a task to those that wait for it.
import { getOrCreate } from '../../core/record/json.js';
import { keyOf } from '../../core/tables/order.js';
import { cut, sanitize, visibleName } from '../../view/text.js';
import type { TaskRow } from './row.js';

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

interface Drawing {
  readonly groups: readonly BoardGroup[];
  readonly arrows: readonly Arrow[];
}

/** From the name of one node to the name of another. */
interface Arrow {
  readonly from: string;
  readonly to: string;
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
function drawing(rows: readonly TaskRow[]): Drawing {
  const groups = new Map<string, BoardGroup>();
  const names = new Map<string, string>();
  const arrows = new Map<string, Arrow>();
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
