// Draws teams as cards or as a list, for a terminal.
import { endingText, isBad, toldEnding } from '../../core/tables/outcome.js';
import {
  clippedLine,
  joinedSpans,
  type PictureLook as Room,
  type Span,
  silencePaint,
  span,
  spread,
  ticking,
  widthOf,
} from '../../view/glyphs.js';
import { compact, cut, duration, money, paintName, paintWord, thousands, visibleName } from '../../view/text.js';
import type { MessageRow } from '../messages/rows.js';
import { columnsFor, messageLine, type Palette, saidIn } from '../messages/talk.js';
import { type AgentCard, type Call, doingOf, type TeamPicture, waitsForAgents } from './picture.js';

interface CardLook extends Room {
  /** For a live view: milliseconds since it began. A recording has no time of its own. */
  readonly time?: {
    readonly now: number;
    /** A longer silence ends the reading. */
    readonly silenceLimit: number;
  };
}

/**
 * The lines of all teams, no wider than the look: cards side by side, or one line per agent if cards are too high.
 * `whole`: the list shows every agent, even if it is higher than the screen.
 */
export function teamFrame(pictures: readonly TeamPicture[], look: CardLook, { whole = false } = {}): string[] {
  const inCards = (messages: number, narrowest: number) =>
    frameOf(pictures, look, ({ cards }) => cardGrid(cards, narrowest, look), messages);
  const asList = (messages: number, limit = Number.POSITIVE_INFINITY) =>
    frameOf(pictures, look, ({ cards }) => agentList(cards, limit, look), messages);
  const isLowEnough = (lines: readonly string[]) => lines.length <= look.height;

  // A layout that cannot fit is not tried: with hundreds of agents that would take longer than everything else.
  const counts = pictures.map(({ cards }) => cards.length);
  const leastLines = (perAgent: (agents: number) => number) =>
    counts.reduce((sum, agents) => sum + perAgent(agents), 0);
  for (const narrowest of cardWidths) {
    const atLeast = leastLines((agents) => 6 * Math.ceil(agents / fittingIn(narrowest, look)));
    for (const messages of atLeast > look.height ? [] : [5, 2, 0]) {
      const cards = inCards(messages, narrowest);
      if (isLowEnough(cards)) return cards;
    }
  }
  if (whole) return asList(5);
  for (const messages of leastLines((agents) => agents) > look.height ? [] : [5, 2, 0]) {
    const list = asList(messages);
    if (isLowEnough(list)) return list;
  }
  let best: string[] | null = null;
  let [least, most] = [1, Math.min(Math.max(1, ...counts) - 1, look.height)];
  while (least <= most) {
    const limit = Math.floor((least + most) / 2);
    const some = asList(0, limit);
    if (isLowEnough(some)) [best, least] = [some, limit + 1];
    else most = limit - 1;
  }
  return best ?? cutOff(asList(0, 1), look);
}

function frameOf(
  pictures: readonly TeamPicture[],
  look: CardLook,
  agents: (picture: TeamPicture) => string[],
  messages: number,
): string[] {
  return pictures.flatMap((picture, index) => [
    ...(index === 0 ? [] : ['']),
    ...teamHead(picture, look, index === 0),
    ...agents(picture),
    ...timeline(picture, messages, look),
    ...summaryCard(picture, look),
  ]);
}

function cutOff(lines: readonly string[], { height, width }: CardLook): string[] {
  const kept = lines.slice(0, Math.max(0, height - 1));
  return [...kept, cut(`… ${lines.length - kept.length} more lines`, width)];
}

/** As many cards side by side as stay readable. */
function cardGrid(cards: TeamPicture['cards'], narrowest: number, look: CardLook): string[] {
  const columns = Math.min(fittingIn(narrowest, look), Math.max(1, cards.length));
  const width = Math.floor((look.width - gap.length * (columns - 1)) / columns);
  const drawn = cards.map((card) => agentCard(card, { ...look, width }));
  const lines: string[] = [];
  for (let at = 0; at < drawn.length; at += columns) lines.push(...beside(drawn.slice(at, at + columns), width));
  return lines;
}

function fittingIn(narrowest: number, { width }: CardLook): number {
  return Math.max(1, Math.floor((width + gap.length) / (narrowest + gap.length)));
}

/**
 * Wide enough for a model, a type and a subject: 60 columns have room for one card, 100 for two, 160 for three. Where that
 * is too high, for a model and a word: 80 columns have room for two.
 */
const cardWidths = [48, 38];
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
function teamHead({ team, cards, broadcast }: TeamPicture, look: CardLook, isFirst: boolean): string[] {
  const { paint, glyphs, width, time } = look;
  const state = [
    span(team.status.replaceAll('_', ' '), (text) => paintWord(paint, team.status, text)),
    span(team.note ?? ''),
  ];
  const about = team.description === null ? [] : [dot(look), span(team.description, paint.dim)];
  const figures = [
    span(team.cost_usd === null ? '' : money(team.cost_usd)),
    ...(cards[0]?.message === undefined
      ? []
      : [span(plural(cards.length, 'agent')), span(plural(team.messages, 'message'))]),
  ];
  const title = [span(team.team, paint.bold), span('  '), ...joinedSpans(state, dot(look), width), ...about];
  const elapsed = time === undefined || !isFirst ? [] : [span(ticking(time.now), paint.bold)];
  const lines = [joinedSpans(figures, dot(look), width)].filter((spans) => spans.length > 0);
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
  const first = elapsed.length === 0 ? clippedLine(title, width).text : spread(title, elapsed, width);
  return [first, ...lines.map((spans) => clippedLine(spans, width).text)];
}

function timeline({ messages, cards }: TeamPicture, count: number, look: CardLook): string[] {
  const shown = count === 0 ? [] : messages.slice(-count);
  const colors: Palette = new Map(cards.map(({ member: { name, color } }) => [name, color]));
  const columns = columnsFor(shown, look);
  return shown.map((message) => messageLine(message, look, colors, columns));
}

function summaryCard({ summary, ranMs }: TeamPicture, look: CardLook): string[] {
  if (summary === null) return [];
  const { paint } = look;
  const { duration_ms, duration_api_ms, num_turns, results, cost_usd, cost_source } = summary;
  // Each result has the duration of its own turn, and agents continue between turns.
  const whole = results === 1 ? duration_ms : ranMs;
  const inTurns = typeof duration_ms === 'number' ? `${duration(duration_ms)} in turns` : '';
  const ending = toldEnding(summary);
  const outcome = span(endingText(ending), isBad(ending) ? paint.red : paint.green);
  const cached = summary.cache_read_tokens + summary.cache_write_5m_tokens + summary.cache_write_1h_tokens;
  const run = [
    span(
      cost_usd === null ? 'cost unknown' : `${money(cost_usd)} ${cost_source?.replaceAll('_', ' ') ?? ''}`,
      paint.bold,
    ),
    span(typeof whole === 'number' ? duration(whole) : inTurns),
    span(typeof duration_api_ms === 'number' ? `${duration(duration_api_ms)} in the API` : ''),
    span(typeof num_turns === 'number' ? plural(num_turns, 'turn') : ''),
  ];
  const tokens = [
    span(`${thousands(summary.total_tokens)} tokens`),
    span(`${thousands(summary.input_tokens)} in`),
    span(`${thousands(summary.output_tokens)} out`),
    span(`${thousands(cached)} cache`),
  ];
  const body = [run, tokens].map((spans) =>
    spread(joinedSpans(spans, dot(look), innerWidth(look)), [], innerWidth(look)),
  );
  return box([span('session', paint.bold)], [outcome], body, look);
}

/** `tasks  ████▒▒▒▒░░░░  1/3 completed · 1 in progress · 1 pending` */
function boardLine({ pending, in_progress, completed }: TeamPicture['team']['tasks'], look: CardLook): Span[] {
  const { paint, glyphs } = look;
  const all = pending + in_progress + completed;
  if (all === 0) return [];
  const title = 'tasks  ';
  const barWidth = Math.max(6, Math.min(20, Math.floor(look.width / 6)));
  const done = Math.floor((completed * barWidth) / all);
  const doing = in_progress === 0 ? 0 : Math.round(((completed + in_progress) * barWidth) / all) - done;
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
    ...joinedSpans(counts, dot(look), look.width - title.length - barWidth - 2),
  ];
}

function dot({ paint, glyphs }: CardLook): Span {
  return span(` ${glyphs.dot} `, paint.dim);
}

/** An agent in a box, each line exactly as wide as the look. */
function agentCard(card: AgentCard, look: CardLook): string[] {
  const { member } = card;
  const { paint } = look;
  const mark = dot(look);
  const about = [
    span(member.model ?? ''),
    span(member.agent_type ?? ''),
    span(member.color ?? '', (text) => paintName(paint, text, member.color)),
    span(card.message === undefined ? '' : member.kind),
  ];
  const counts = [
    span(member.total_tokens === null ? '' : `${compact(member.total_tokens)} tokens`),
    span(member.tool_calls ? plural(member.tool_calls, 'call') : ''),
    span(member.tool_errors === 0 ? '' : `${thousands(member.tool_errors)} failed`, paint.red),
  ];
  const room = innerWidth(look);
  const counted = joinedSpans(counts, mark, room - 'just now '.length);
  const body = [
    spread(joinedSpans(about, mark, room), [], room),
    ...(card.message === undefined ? todoLines(card.todos, look) : [entry('task', taskIn(card), look)]),
    ...callLines(card.calls, look),
    ...(card.message === undefined ? [] : [entry('message', messageIn(card.message, card, look), look)]),
    ...(member.error === null ? [] : [entry('error', [span(member.error, paint.red)], look)]),
    spread(counted, [lastHeard(card, room - widthOf(counted), look)], room),
  ];
  return box([badge(card, look), span(' '), nameSpan(card, look)], [statusSpan(card, look)], body, look);
}

/** Puts lines that are `inner` wide into a frame with a title. If the frame does not fit, only the title. */
function box(title: readonly Span[], right: readonly Span[], body: readonly string[], look: CardLook): string[] {
  const { glyphs, paint, width } = look;
  if (width < 8) return [clippedLine(title, width).text];
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

function innerWidth({ width }: CardLook): number {
  return Math.max(0, width - 4);
}

function badge({ member }: AgentCard, { glyphs, paint }: CardLook): Span {
  return span(member.kind === 'lead' ? glyphs.lead : glyphs.agent, (text) => paintName(paint, text, member.color));
}

function nameSpan({ member }: AgentCard, { paint }: CardLook): Span {
  return span(visibleName(member.name), (text) => paint.bold(paintName(paint, text, member.color)));
}

function statusSpan({ member }: AgentCard, { paint }: CardLook): Span {
  return span(member.status.replaceAll('_', ' '), (text) => paintWord(paint, member.status, text));
}

function taskIn({ task }: AgentCard): Span[] {
  return task === null ? [] : [span(task)];
}

/** What it does now and what comes next. The bar of the board shows how much is done. */
function todoLines(todos: AgentCard['todos'], look: CardLook): string[] {
  const { paint } = look;
  const left = todos.filter(({ status }) => status !== 'completed');
  const lines = left.slice(0, mostListed).map((todo, at) => {
    const isActive = todo.status === 'in_progress';
    const what = isActive ? span(doingOf(todo)) : span(todo.subject ?? '', paint.dim);
    return entry(at === 0 ? 'todo' : '', [what], look, [span(isActive ? 'in progress' : '', paint.cyan)]);
  });
  if (left.length > mostListed) lines.push(entry('', [span(`… ${left.length - mostListed} more`, paint.dim)], look));
  return lines;
}

/** One line per call, with the age of open calls. */
function callLines(calls: readonly Call[], look: CardLook): string[] {
  const open = calls.filter(({ status }) => status === 'open');
  // The oldest open calls show what takes long. Of the others, the last ones are news.
  const shown = open.length >= mostListed ? open.slice(0, mostListed) : calls.slice(-Math.max(mostListed, open.length));
  const lines = shown.map((call, at) => entry(at === 0 ? 'tool' : '', callIn(call, look), look, [ageOf(call, look)]));
  if (open.length > mostListed)
    lines.push(entry('', [span(`… ${open.length - mostListed} more open`, look.paint.dim)], look));
  return lines.length === 0 ? [entry('tool', [], look)] : lines;
}

const mostListed = 5;

function callIn({ tool, about }: Call, { paint }: CardLook): Span[] {
  return [span(tool), ...(about === null ? [] : [span(' '), span(about, paint.dim)])];
}

/** How long it has been open (in a recording only `open`), or that it failed. */
function ageOf({ status, at }: Call, { time, paint }: CardLook): Span {
  if (status !== 'open') return span(status === 'failed' ? 'failed' : '', paint.red);
  return span(time === undefined || at === null ? 'open' : ticking(time.now - at), paint.cyan);
}

function messageIn(message: MessageRow | null, { member }: AgentCard, look: CardLook): Span[] {
  if (message === null) return [];
  const { glyphs, paint } = look;
  const sent = message.from === member.name;
  const other = sent ? (message.type === 'broadcast' ? 'everybody' : message.to) : message.from;
  return [span(`${sent ? glyphs.to : glyphs.from} ${other ?? 'somebody'}  `, paint.dim), ...saidIn(message, look)];
}

/** `silent 9s` for an agent from which more is expected; in a recording `heard 3.3s ago`, or shorter. */
function lastHeard(card: AgentCard, room: number, look: CardLook): Span {
  const { quietMs } = card;
  const { paint, time } = look;
  if (time !== undefined) return silenceOf(card, look, room);
  if (quietMs === null) return span('');
  const ago = quietMs < 1000 ? 'just now' : `${duration(quietMs)} ago`;
  return span('heard '.length + ago.length < room ? `heard ${ago}` : ago, paint.dim);
}

/** An agent that waits for other agents is silent because of them, and an idle agent has nothing to say. */
function silenceOf({ heard, member, calls }: AgentCard, { time, paint }: CardLook, room: number): Span {
  if (time === undefined || heard === null || !maySpeak.has(member.status)) return span('');
  const ms = time.now - heard.at;
  if (ms < 1000) return span('just now'.length < room ? 'just now' : 'now', paint.dim);
  const isWaiting = waitsForAgents(calls);
  const long = `${isWaiting ? 'waiting' : 'silent'} ${ticking(ms)}`;
  const words = long.length < room ? long : ticking(ms);
  // Older versions do not write what teammates do.
  const isUnwritten = member.kind === 'teammate' && !heard.spoke;
  const isExpected = isWaiting || isUnwritten || member.status === 'idle';
  return span(words, isExpected ? paint.dim : silencePaint(ms, paint, time.silenceLimit));
}

const maySpeak: ReadonlySet<string> = new Set(['active', 'idle', 'shutting_down', 'unknown']);

function entry(label: string, value: readonly Span[], look: CardLook, right: readonly Span[] = []): string {
  const { paint } = look;
  const shown = value.length === 0 ? [span('-', paint.dim)] : value;
  return spread([span(label.padEnd(labelWidth), paint.dim), ...shown], right, innerWidth(look));
}

const labelWidth = 9;

/** `1 call`, `2 calls`. */
function plural(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${thousands(count)} ${what}s`;
}

/** One line per agent. Above `limit`, only the most important agents and a count of the rest. */
function agentList(cards: readonly AgentCard[], limit: number, look: CardLook): string[] {
  const shown = cards.length <= limit ? cards : mostImportant(cards, limit);
  const names = widest(shown.map((card) => nameSpan(card, look)));
  const states = widest(shown.map((card) => statusSpan(card, look)));
  const lines = shown.map((card) => agentLine(card, names, states, look));
  if (shown.length === cards.length) return lines;
  const rest = cards.filter((card) => !shown.includes(card));
  return [...lines, clippedLine([span(`… ${rest.length} more: ${countsOf(rest)}`, look.paint.dim)], look.width).text];
}

/** `● writer      active  2 Write the summary · Read notes.md      12.3k     4.0s` */
function agentLine(card: AgentCard, names: number, states: number, look: CardLook): string {
  const { quietMs, member } = card;
  const tokens = member.total_tokens === null ? '-' : `${compact(member.total_tokens)} tok`;
  const quiet = quietMs === null ? '-' : quietMs < 1000 ? 'now' : duration(quietMs);
  const heard = look.time === undefined ? span(quiet) : silenceOf(card, look, 0);
  const end = spread([span(tokens.padStart(11))], [heard], 19);
  const room = look.width - 2 - names - states - 2 * listGap.length - 19;
  const mark = clippedLine([badge(card, look), span(' ')], 2).text;
  // Too narrow for columns: only the status and the name.
  if (room < 0)
    return clippedLine(
      [badge(card, look), span(' '), statusSpan(card, look), span(' '), nameSpan(card, look)],
      look.width,
    ).text;
  const columns = [spread([nameSpan(card, look)], [], names), spread([statusSpan(card, look)], [], states)];
  return mark + [...columns, spread(doing(card, look), [], room)].join(listGap) + end;
}

const listGap = '  ';

function doing(card: AgentCard, look: CardLook): Span[] {
  const todo = card.todos.find(({ status }) => status === 'in_progress');
  const open = card.calls.filter(({ status }) => status === 'open');
  const calls = (open.length > 0 ? open : card.calls.slice(-1)).map((call) => {
    const age = ageOf(call, look);
    // The age comes first, because the end of the line is cut off.
    return age.text === '' ? callIn(call, look) : [age, span(' '), ...callIn(call, look)];
  });
  const parts = [taskIn(card), todo === undefined ? [] : [span(doingOf(todo))], ...calls];
  return parts.filter((spans) => spans.length > 0).flatMap((spans, at) => (at === 0 ? spans : [dot(look), ...spans]));
}

/** Agents that failed or are working come before agents that are done. The shown ones keep the order of the roster. */
function mostImportant(cards: readonly AgentCard[], limit: number): AgentCard[] {
  const ranked = new Set([...cards].sort((a, b) => importanceOf(a) - importanceOf(b)).slice(0, limit));
  return cards.filter((card) => ranked.has(card));
}

function importanceOf({ member }: AgentCard): number {
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
