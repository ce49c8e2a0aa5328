import type { TeamPicture } from '../../core/rows/team-picture.js';
import { cut } from '../width.js';
import { agentList } from './agent-list.js';
import { agentCard } from './card.js';
import type { Look } from './look.js';
import { summaryCard, teamHead, timeline } from './team-head.js';

/**
 * The teams as lines no wider than the look: cards beside each other, or a line for each agent where cards are too high.
 * `whole`: the list leaves nobody out, however high it gets; what stays behind may scroll.
 */
export function teamFrame(pictures: readonly TeamPicture[], look: Look, { whole = false } = {}): string[] {
  const inCards = (messages: number) => frameOf(pictures, look, ({ cards }) => cardGrid(cards, look), messages);
  const asList = (messages: number, limit = Number.POSITIVE_INFINITY) =>
    frameOf(pictures, look, ({ cards }) => agentList(cards, limit, look), messages);
  const fits = (lines: readonly string[]) => lines.length <= look.height;

  const cards = [5, 2].map(inCards).find(fits);
  if (cards !== undefined) return cards;
  if (whole) return asList(5);
  const list = [5, 2, 0].map((messages) => asList(messages)).find(fits);
  if (list !== undefined) return list;
  const most = pictures.reduce((count, { cards }) => Math.max(count, cards.length), 1);
  for (let limit = Math.min(most - 1, look.height); limit >= 1; limit--) {
    const some = asList(0, limit);
    if (fits(some)) return some;
  }
  return cutOff(asList(0, 1), look);
}

function frameOf(
  pictures: readonly TeamPicture[],
  look: Look,
  agents: (picture: TeamPicture) => string[],
  messages: number,
): string[] {
  return pictures.flatMap((picture, index) => [
    ...(index === 0 ? [] : ['']),
    ...teamHead(picture, look),
    ...agents(picture),
    ...timeline(picture, messages, look),
    ...summaryCard(picture, look),
  ]);
}

function cutOff(lines: readonly string[], { height, width }: Look): string[] {
  const kept = lines.slice(0, Math.max(0, height - 1));
  return [...kept, cut(`… ${lines.length - kept.length} more lines`, width)];
}

/** As many cards beside each other as are still easy to read. */
function cardGrid(cards: TeamPicture['cards'], look: Look): string[] {
  const columns = Math.max(1, Math.floor((look.width + gap.length) / (narrowest + gap.length)));
  const width = Math.floor((look.width - gap.length * (columns - 1)) / columns);
  const drawn = cards.map((card) => agentCard(card, { ...look, width }));
  const lines: string[] = [];
  for (let at = 0; at < drawn.length; at += columns) lines.push(...beside(drawn.slice(at, at + columns), width));
  return lines;
}

/** Holds a model, a type and a subject: 60 columns have one card, 100 two, 160 three. */
const narrowest = 48;
const gap = '  ';

function beside(boxes: readonly string[][], width: number): string[] {
  const height = Math.max(...boxes.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    boxes
      .map((lines) => lines[at] ?? ' '.repeat(width))
      .join(gap)
      .trimEnd(),
  );
}
