// Draws texts: Markdown, changes, code, what a terminal printed, times. Only ever as text nodes.
import { type ComponentChildren, h } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Part } from '../../../core/story/line.js';
import type { ChangedLine } from '../../../core/wire/tools/about.js';
import { thousands } from '../../../view/text.js';
import { blocksOf, type Node } from '../prose.js';

export function Prose({ text, whole = false }: { text: string; whole?: boolean }) {
  const { shown, rest } = useCut(text, whole);
  const blocks = useMemo(() => blocksOf(plainOf(shown)), [shown]);
  return (
    <div class="prose">
      {blocks.map(drawNode)}
      {rest}
    </div>
  );
}

function drawNode(node: Node, key: number): ComponentChildren {
  return typeof node === 'string' ? node : h(node.tag, { key, ...node.attributes }, node.inside.map(drawNode));
}

export function Button({ text, label, act }: { text: string; label?: string; act(): void }) {
  return (
    <button type="button" aria-label={label} onClick={act}>
      {text}
    </button>
  );
}

/** What a panel shows, and how much of it. */
export function Title({ text, note }: { text: string; note: ComponentChildren }) {
  return (
    <h2>
      {text} <span class="note">{note}</span>
    </h2>
  );
}

/** The names of the columns; those from `numbers` on are numbers. */
export function Heads({ names, numbers = names.length }: { names: readonly ComponentChildren[]; numbers?: number }) {
  return (
    <thead>
      <tr>
        {names.map((name, column) => (
          <th key={column} scope="col" class={column >= numbers ? 'number' : ''}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** What belongs to a line: inputs, results, changes. */
export function Parts({ parts, whole = false }: { parts: readonly Part[]; whole?: boolean }) {
  return (
    <>
      {parts.map((part, at) => {
        if (part.changes !== undefined) return <Diff key={at} changes={part.changes} whole={whole} />;
        if (part.is === 'text') return <Prose key={at} text={part.text} whole={whole} />;
        return <Plain key={at} text={part.text} title={part.is} whole={whole} />;
      })}
    </>
  );
}

/** Code, JSON, or what a terminal printed. */
export function Plain({ text, title, whole = false }: { text: string; title?: string; whole?: boolean }) {
  const printed = useMemo(() => plainOf(text), [text]);
  const { shown, rest } = useCut(printed, whole);
  if (printed.trim() === '') return null;
  return (
    <>
      <pre class={title ?? ''}>{shown}</pre>
      {rest}
    </>
  );
}

function Diff({ changes, whole = false }: { changes: readonly ChangedLine[]; whole?: boolean }) {
  const { isAll, more } = useMore(whole || changes.length <= foldedLines, `${thousands(changes.length)} lines`);
  const shown = isAll ? changes : changes.slice(0, foldedLines);
  return (
    <>
      <div class="diff">
        {shown.map(({ sign, text }, at) => (
          <div key={at} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same'}>
            {`${sign} ${plainOf(text)}`}
          </div>
        ))}
      </div>
      {more}
    </>
  );
}

const foldedLines = 40;
const mostLetters = 4000;

/** The beginning of a long text, and a button for the rest. */
function useCut(text: string, whole: boolean): { shown: string; rest: ComponentChildren } {
  const { cut, size } = useMemo(() => {
    const lines = text.split('\n').length;
    return { cut: cutOf(text), size: lines > 2 ? `${thousands(lines)} lines` : `${thousands(text.length)} characters` };
  }, [text]);
  const { isAll, more } = useMore(whole || cut === text.length, size);
  return { shown: isAll ? text : text.slice(0, cut), rest: more };
}

/** A button for the rest, until all is shown. */
function useMore(isShort: boolean, size: string): { isAll: boolean; more: ComponentChildren } {
  const [isOpen, setOpen] = useState(false);
  if (isShort || isOpen) return { isAll: true, more: null };
  const more = (
    <button type="button" class="more" onClick={() => setOpen(true)}>
      Show all {size}
    </button>
  );
  return { isAll: false, more };
}

/** A little more than the limit is not worth a button. */
function cutOf(text: string): number {
  let at = -1;
  for (let line = 0; line < foldedLines; line++) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) break;
  }
  const end = Math.min(at === -1 ? text.length : at, mostLetters);
  return text.length - end < mostLetters / 10 && at === -1 ? text.length : end;
}

/** Without the codes that colour a terminal; other control characters are shown as signs. */
export function plainOf(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (letter) =>
      String.fromCharCode(0x2400 + Math.min(letter.charCodeAt(0), 0x21)),
    );
}

// Formats numbers and times for people.

/** `2026-11-16 23:36`, in the time zone of the reader. */
export function dateText(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** `0:07.3`, `1:02:07`: the clock, always equally wide. */
export function clockText(ms: number, length: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${pad(seconds % 60)}${length < 600_000 ? `.${tenths % 10}` : ''}`;
  return hours > 0 || length >= 3_600_000 ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

export function prettyJson(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2);
}
