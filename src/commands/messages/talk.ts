// Draws messages as lines of a conversation.
import { isLost } from '../../core/tables/sends.js';
import { clippedLine, type PictureLook, type Span, span, widthOf } from '../../view/signs.js';
import { paintName, visibleName } from '../../view/text.js';
import type { MessageRow } from './rows.js';

export type Palette = ReadonlyMap<string, string | null>;

/** The widths before the text: the time, if any message has one, and sender and recipient. */
export interface Columns {
  readonly time: number;
  readonly address: number;
}

/** `23:36:21 writer → team-lead  Task 2 finished`, no wider than the look. */
export function messageLine(message: MessageRow, look: PictureLook, colors: Palette, columns: Columns): string {
  const { paint, width } = look;
  const who = addressOf(message, look, colors);
  const space = ' '.repeat(Math.max(0, columns.address - widthOf(who)));
  const time = clockTime(message.time, look).padEnd(columns.time);
  const spans = [span(time, paint.dim), ...who, span(`${space}  `), ...saidIn(message, look)];
  return clippedLine(spans, width).text.trimEnd();
}

/** Aligns the texts of all messages, and leaves half of the line for them. */
export function columnsFor(messages: readonly MessageRow[], look: PictureLook): Columns {
  const most = (widths: readonly number[]) => widths.reduce((widest, width) => Math.max(widest, width), 0);
  const none: Palette = new Map();
  return {
    time: messages.some(({ time }) => clockTime(time, look) !== '') ? '23:59:59 '.length : 0,
    address: Math.min(most(messages.map((one) => widthOf(addressOf(one, look, none)))), Math.floor(look.width / 2)),
  };
}

/** The text, preceded by words for its type and status. */
export function saidIn(row: MessageRow, { paint, glyphs }: PictureLook): Span[] {
  const { type, status, summary, content, error, approve } = row;
  const text = summary ?? content ?? '';
  const failed = isLost(row) ? [span(`${glyphs.wrong} ${status}`, paint.red)] : [];
  const open = status === 'open' ? [span('not answered', paint.yellow)] : [];
  const kind = type === 'message' || type === 'broadcast' ? [] : [span(type.replaceAll('_', ' '), paint.dim)];
  const answer = approve === null ? [] : [span(approve ? 'approved' : 'rejected', approve ? paint.green : paint.red)];
  const words = [...failed, ...open, ...kind, ...answer].flatMap((word) => [word, span(' ')]);
  const why = isLost(row) && error !== null ? [span(text === '' ? error : `  (${error})`, paint.dim)] : [];
  const [last] = words.slice(-1);
  const head = last === undefined || text + (why[0]?.text ?? '') === '' ? words : [...words.slice(0, -1), span(': ')];
  return [...head, span(text), ...why];
}

function addressOf({ from, to, type }: MessageRow, { paint, glyphs }: PictureLook, colors: Palette): Span[] {
  const name = (who: string) => span(visibleName(who), (text) => paintName(paint, text, colors.get(who)));
  return [
    name(from ?? 'somebody'),
    span(` ${glyphs.to} `, paint.dim),
    type === 'broadcast' ? span('everybody', paint.bold) : name(to ?? 'somebody'),
  ];
}

/** `2026-11-15T23:36:21.547Z` → `23:36:21`. */
function clockTime(time: string | null, { local }: PictureLook): string {
  return /T(\d\d:\d\d:\d\d)/.exec(time === null ? '' : local(time))?.[1] ?? '';
}
