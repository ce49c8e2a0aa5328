// Draws teams as cards or as a list, for a terminal.
import { joined, type Look, line, type Span, span, spread, widthOf } from '../../view/glyphs.js';
import { compact, cut, duration, money, paintName, paintWord, thousands, visibleName } from '../../view/text.js';
import { columnsFor, messageLine, type Palette, saidIn } from '../messages/talk.js';
import type { AgentCard, TeamPicture } from './picture.js';

/**
 * The lines of all teams, no wider than the look: cards side by side, or one line for each agent where cards are too high.
 * `whole`: the list shows every agent, even if it is higher than the screen.
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

/** As many cards side by side as stay readable. */
function cardGrid(cards: TeamPicture['cards'], look: Look): string[] {
  const columns = Math.max(1, Math.floor((look.width + gap.length) / (narrowest + gap.length)));
  const width = Math.floor((look.width - gap.length * (columns - 1)) / columns);
  const drawn = cards.map((card) => agentCard(card, { ...look, width }));
  const lines: string[] = [];
  for (let at = 0; at < drawn.length; at += columns) lines.push(...beside(drawn.slice(at, at + columns), width));
  return lines;
}

/** Wide enough for a model, a type and a subject: 60 columns have one card, 100 two, 160 three. */
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

/** The lines above the agents of a team: its name and state, its board, what is wrong, the last broadcast. */
function teamHead({ team, broadcast }: TeamPicture, look: Look): string[] {
  const { paint, glyphs, width } = look;
  const state = [
    span(team.status.replaceAll('_', ' '), (text) => paintWord(paint, team.status, text)),
    span(team.protocol),
  ];
  const about = team.description === null ? [] : [dot(look), span(team.description, paint.dim)];
  const figures = [
    span(team.cost_usd === null ? '' : money(team.cost_usd)),
    span(plural(team.members.length, 'agent')),
    span(plural(team.messages, 'message')),
  ];
  // Lines that change often come last: the terminal rewrites everything from the first changed line on.
  const lines = [
    [span(team.team, paint.bold), span('  '), ...joined(state, dot(look), width), ...about],
    joined(figures, dot(look), width),
  ];
  const board = boardLine(team.tasks, look);
  if (board.length > 0) lines.push(board);
  if (team.error !== null) lines.push([span(`${glyphs.wrong} error  ${team.error}`, paint.red)]);
  if (broadcast !== null) {
    const { from, recipients } = broadcast;
    const whom = recipients.length === 0 ? 'everybody' : recipients.join(', ');
    lines.push([
      span(`${glyphs.banner} broadcast`, (text) => paint.bold(paint.yellow(text))),
      span(`  ${from ?? 'somebody'} ${glyphs.to} ${whom}  `),
      ...saidIn(broadcast, look),
    ]);
  }
  return lines.map((spans) => line(spans, width).text);
}

function timeline({ messages, team }: TeamPicture, count: number, look: Look): string[] {
  const shown = count === 0 ? [] : messages.slice(-count);
  const colors: Palette = new Map(team.members.map(({ name, color }) => [name, color]));
  const columns = columnsFor(shown, look);
  return shown.map((message) => messageLine(message, look, colors, columns));
}

function summaryCard({ summary }: TeamPicture, look: Look): string[] {
  if (summary === null) return [];
  const { paint } = look;
  const { is_error, subtype, duration_ms, duration_api_ms, num_turns, cost_usd, cost_source } = summary;
  const words = subtype?.replaceAll('_', ' ') ?? '';
  const outcome = is_error
    ? span(words.startsWith('error') ? words : `failed ${words}`, paint.red)
    : span(words, paint.green);
  const cached = summary.cache_read_tokens + summary.cache_write_5m_tokens + summary.cache_write_1h_tokens;
  const run = [
    span(
      cost_usd === null ? 'cost unknown' : `${money(cost_usd)} ${cost_source?.replaceAll('_', ' ') ?? ''}`,
      paint.bold,
    ),
    span(typeof duration_ms === 'number' ? `${duration(duration_ms)} in turns` : ''),
    span(typeof duration_api_ms === 'number' ? `${duration(duration_api_ms)} in the API` : ''),
    span(typeof num_turns === 'number' ? plural(num_turns, 'turn') : ''),
  ];
  const tokens = [
    span(`${thousands(summary.total_tokens)} tokens`),
    span(`${thousands(summary.input_tokens)} in`),
    span(`${thousands(summary.output_tokens)} out`),
    span(`${thousands(cached)} cache`),
  ];
  const body = [run, tokens].map((spans) => spread(joined(spans, dot(look), inner(look)), [], inner(look)));
  return box([span('session', paint.bold)], [outcome], body, look);
}

/** `tasks  ████▒▒▒▒░░░░  1/3 completed · 1 in progress · 1 pending` */
function boardLine({ pending, in_progress, completed }: TeamPicture['team']['tasks'], look: Look): Span[] {
  const { paint, glyphs } = look;
  const all = pending + in_progress + completed;
  if (all === 0) return [];
  const title = 'tasks  ';
  const barWidth = Math.max(6, Math.min(20, Math.floor(look.width / 6)));
  const done = Math.floor((completed * barWidth) / all);
  const doing = Math.round(((completed + in_progress) * barWidth) / all) - done;
  const counts = [
    span(`${completed}/${all} completed`),
    span(in_progress === 0 ? '' : `${in_progress} in progress`),
    span(pending === 0 ? '' : `${pending} pending`),
  ];
  return [
    span(title, paint.dim),
    span(glyphs.done.repeat(done), paint.green),
    span(glyphs.doing.repeat(doing), paint.cyan),
    span(glyphs.waiting.repeat(barWidth - done - doing), paint.dim),
    span('  '),
    ...joined(counts, dot(look), look.width - title.length - barWidth - 2),
  ];
}

function dot({ paint, glyphs }: Look): Span {
  return span(` ${glyphs.dot} `, paint.dim);
}

/** An agent in a box, each line exactly as wide as the look. */
function agentCard(card: AgentCard, look: Look): string[] {
  const { member } = card;
  const { paint } = look;
  const mark = dot(look);
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
    spread(counted, [lastHeard(card, room - widthOf(counted), look)], room),
  ];
  return box([badge(card, look), span(' '), nameOf(card, look)], [statusOf(card, look)], body, look);
}

/** Puts lines as wide as `inner` into a frame with a title; only the title where the frame does not fit. */
function box(title: readonly Span[], right: readonly Span[], body: readonly string[], look: Look): string[] {
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
function inner({ width }: Look): number {
  return Math.max(0, width - 4);
}

function badge({ member }: AgentCard, { glyphs, paint }: Look): Span {
  return span(member.kind === 'lead' ? glyphs.lead : glyphs.agent, (text) => paintName(paint, text, member.color));
}

function nameOf({ member }: AgentCard, { paint }: Look): Span {
  return span(visibleName(member.name), (text) => paint.bold(paintName(paint, text, member.color)));
}

function statusOf({ member }: AgentCard, { paint }: Look): Span {
  return span(member.status.replaceAll('_', ' '), (text) => paintWord(paint, member.status, text));
}

function taskIn({ member, subject }: AgentCard): Span[] {
  return member.task === null ? [] : [span(subject === null ? member.task : `${member.task} ${subject}`)];
}

function callIn({ call }: AgentCard, { paint }: Look): Span[] {
  if (call === null) return [];
  return call.about === null ? [span(call.tool)] : [span(call.tool), span(' '), span(call.about, paint.dim)];
}

function messageIn({ message, member }: AgentCard, look: Look): Span[] {
  if (message === null) return [];
  const { glyphs, paint } = look;
  const sent = message.from === member.name;
  const other = sent ? (message.type === 'broadcast' ? 'everybody' : message.to) : message.from;
  return [span(`${sent ? glyphs.to : glyphs.from} ${other ?? 'somebody'}  `, paint.dim), ...saidIn(message, look)];
}

/** `heard 3.3s ago`, or less where there is less room. */
function lastHeard({ quietMs, member }: AgentCard, room: number, { paint }: Look): Span {
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
function plural(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${thousands(count)} ${what}s`;
}

/** One line for each agent. Above `limit`, only the most important agents and a count of the rest. */
function agentList(cards: readonly AgentCard[], limit: number, look: Look): string[] {
  const shown = cards.length <= limit ? cards : mostImportant(cards, limit);
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
  const room = look.width - 2 - names - states - 2 * listGap.length - end.length;
  const mark = line([badge(card, look), span(' ')], 2).text;
  // Too narrow for columns: only the status and the name.
  if (room < 0)
    return line([badge(card, look), span(' '), statusOf(card, look), span(' '), nameOf(card, look)], look.width).text;
  const columns = [spread([nameOf(card, look)], [], names), spread([statusOf(card, look)], [], states)];
  return mark + [...columns, spread(doing(card, look), [], room)].join(listGap) + end;
}

const listGap = '  ';

function doing(card: AgentCard, look: Look): Span[] {
  const task = taskIn(card);
  const call = callIn(card, look);
  const mark = task.length > 0 && call.length > 0 ? [dot(look)] : [];
  return [...task, ...mark, ...call];
}

/** Agents that failed or work come before agents that are done. The shown ones keep the order of the roster. */
function mostImportant(cards: readonly AgentCard[], limit: number): AgentCard[] {
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
