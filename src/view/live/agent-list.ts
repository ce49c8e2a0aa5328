import type { AgentCard } from '../../core/rows/team-picture.js';
import { compact, duration } from '../amount.js';
import { badge, callIn, nameOf, statusOf, taskIn } from './card.js';
import type { Look } from './look.js';
import { line, type Span, span, spread, widthOf } from './spans.js';

/** One line for each agent; of more than `limit` those at work, and how many there are besides. */
export function agentList(cards: readonly AgentCard[], limit: number, look: Look): string[] {
  const shown = cards.length <= limit ? cards : mostTelling(cards, limit);
  const names = widest(shown.map((card) => nameOf(card, look)));
  const states = widest(shown.map((card) => statusOf(card, look)));
  const lines = shown.map((card) => agentLine(card, names, states, look));
  if (shown.length === cards.length) return lines;
  const rest = cards.filter((card) => !shown.includes(card));
  return [...lines, line([span(`… ${rest.length} more: ${countsOf(rest)}`, look.paint.dim)], look.width).text];
}

/** `● writer      active  2 Write the summary · Read notes.md      12.3k     4.0s` */
function agentLine(card: AgentCard, names: number, states: number, look: Look): string {
  const { total_tokens } = card.member;
  const tokens = total_tokens === null ? '-' : compact(total_tokens);
  const heard = card.quietMs === null ? '-' : card.quietMs < 1000 ? 'now' : duration(card.quietMs);
  const end = `${tokens.padStart(8)}${heard.padStart(8)}`;
  const room = look.width - 2 - names - states - 2 * gap.length - end.length;
  const mark = line([badge(card, look), span(' ')], 2).text;
  // Too narrow for columns: who, and how it is.
  if (room < 0)
    return line([badge(card, look), span(' '), statusOf(card, look), span(' '), nameOf(card, look)], look.width).text;
  const columns = [spread([nameOf(card, look)], [], names), spread([statusOf(card, look)], [], states)];
  return mark + [...columns, spread(doing(card, look), [], room)].join(gap) + end;
}

const gap = '  ';

function doing(card: AgentCard, look: Look): Span[] {
  const task = taskIn(card);
  const call = callIn(card, look);
  const mark = task.length > 0 && call.length > 0 ? [span(` ${look.glyphs.dot} `, look.paint.dim)] : [];
  return [...task, ...mark, ...call];
}

/** Who works or is in trouble comes before who is done; among those shown the order of the roster stays. */
function mostTelling(cards: readonly AgentCard[], limit: number): AgentCard[] {
  const ranked = new Set([...cards].sort((a, b) => rank(a) - rank(b)).slice(0, limit));
  return cards.filter((card) => ranked.has(card));
}

function rank({ member }: AgentCard): number {
  const place = ['failed', 'active', 'shutting_down', 'idle'].indexOf(member.status);
  return place === -1 ? 4 : place;
}

function countsOf(cards: readonly AgentCard[]): string {
  const counts = new Map<string, number>();
  for (const { member } of cards) counts.set(member.status, (counts.get(member.status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status.replaceAll('_', ' ')}`).join(', ');
}

function widest(cells: readonly Span[]): number {
  return Math.min(
    20,
    cells.reduce((width, cell) => Math.max(width, widthOf([cell])), 0),
  );
}
