import type { AgentCard } from '../../core/rows/team-picture.js';
import { compact, duration, thousands } from '../amount.js';
import { visibleName } from '../name-text.js';
import { paintName, paintWord } from '../paint.js';
import type { Look } from './look.js';
import { saidIn } from './message-line.js';
import { joined, line, type Span, span, spread, widthOf } from './spans.js';

/** An agent in a box, each line exactly as wide as the look. */
export function agentCard(card: AgentCard, look: Look): string[] {
  const { member } = card;
  const { paint, glyphs } = look;
  const mark = span(` ${glyphs.dot} `, paint.dim);
  const about = [
    span(member.model ?? ''),
    span(member.agent_type ?? ''),
    span(member.color ?? '', (text) => paintName(paint, text, member.color)),
    span(member.kind),
  ];
  const counts = [
    span(member.total_tokens === null ? '' : `${compact(member.total_tokens)} tokens`),
    span(member.tool_calls === 0 ? '' : plural(member.tool_calls, 'call')),
    span(member.tool_errors === 0 ? '' : `${thousands(member.tool_errors)} failed`, paint.red),
  ];
  const room = inner(look);
  const counted = joined(counts, mark, room - 'just now '.length);
  const body = [
    spread(joined(about, mark, room), [], room),
    entry('task', taskIn(card), look),
    entry('tool', callIn(card, look), look),
    entry('message', messageIn(card, look), look),
    ...(member.error === null ? [] : [entry('error', [span(member.error, paint.red)], look)]),
    spread(counted, [heardOf(card, room - widthOf(counted), look)], room),
  ];
  return box([badge(card, look), span(' '), nameOf(card, look)], [statusOf(card, look)], body, look);
}

/** Lines in a frame with a title, each as wide as `inner` says; the title alone where there is room for no more. */
export function box(title: readonly Span[], right: readonly Span[], body: readonly string[], look: Look): string[] {
  const { glyphs, paint, width } = look;
  if (width < 8) return [line(title, width).text];
  const [topLeft, topRight, bottomLeft, bottomRight] = glyphs.corners;
  const side = paint.dim(glyphs.side);
  const head = spread(
    [span(' '), ...title, span(' ')],
    right.length === 0 ? [] : [span(' '), ...right, span(' ')],
    Math.max(0, width - 2),
    span(glyphs.line, paint.dim),
  );
  return [
    paint.dim(topLeft) + head + paint.dim(topRight),
    ...body.map((text) => `${side} ${text} ${side}`),
    paint.dim(bottomLeft + glyphs.line.repeat(Math.max(0, width - 2)) + bottomRight),
  ];
}

/** Columns inside a box. */
export function inner({ width }: Look): number {
  return Math.max(0, width - 4);
}

export function badge({ member }: AgentCard, { glyphs, paint }: Look): Span {
  return span(member.kind === 'lead' ? glyphs.lead : glyphs.agent, (text) => paintName(paint, text, member.color));
}

export function nameOf({ member }: AgentCard, { paint }: Look): Span {
  return span(visibleName(member.name), (text) => paint.bold(paintName(paint, text, member.color)));
}

export function statusOf({ member }: AgentCard, { paint }: Look): Span {
  return span(member.status.replaceAll('_', ' '), (text) => paintWord(paint, member.status, text));
}

export function taskIn({ member, subject }: AgentCard): Span[] {
  return member.task === null ? [] : [span(subject === null ? member.task : `${member.task} ${subject}`)];
}

export function callIn({ call }: AgentCard, { paint }: Look): Span[] {
  if (call === null) return [];
  return call.about === null ? [span(call.tool)] : [span(call.tool), span(' '), span(call.about, paint.dim)];
}

export function messageIn({ message, member }: AgentCard, look: Look): Span[] {
  if (message === null) return [];
  const { glyphs, paint } = look;
  const sent = message.from === member.name;
  const other = sent ? (message.type === 'broadcast' ? 'everybody' : message.to) : message.from;
  return [span(`${sent ? glyphs.to : glyphs.from} ${other ?? 'somebody'}  `, paint.dim), ...saidIn(message, look)];
}

/** `heard 3.3s ago`, or less where there is less room. */
function heardOf({ quietMs, member }: AgentCard, room: number, { paint }: Look): Span {
  if (quietMs === null || member.last_seen_at === null) return span('');
  const ago = quietMs < 1000 ? 'just now' : `${duration(quietMs)} ago`;
  return span('heard '.length + ago.length < room ? `heard ${ago}` : ago, paint.dim);
}

function entry(label: string, value: readonly Span[], look: Look): string {
  const { paint } = look;
  const shown = value.length === 0 ? [span('-', paint.dim)] : value;
  return spread([span(label.padEnd(labelWidth), paint.dim), ...shown], [], inner(look));
}

const labelWidth = 9;

/** `1 call`, `2 calls`. */
export function plural(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${thousands(count)} ${what}s`;
}
