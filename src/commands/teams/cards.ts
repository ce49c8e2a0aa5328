// Draws teams as cards or as a list, for a terminal.
import { endingText, isBad, toldEnding } from '../../core/tables/outcome.js';
import { clippedLine, joinedSpans, type Span, span, spread, ticking, widthOf } from '../../view/signs.js';
import { compact, cut, duration, money, paintWord, plural, thousands } from '../../view/text.js';
import { columnsFor, messageLine, type Palette, saidIn } from '../messages/talk.js';
import {
  aboutSpans,
  ageOf,
  badge,
  type CardLook,
  callIn,
  dot,
  innerWidth,
  messageIn,
  nameSpan,
  silenceOf,
  statusSpan,
  taskIn,
} from './agent-spans.js';
import { type AgentCard, type Call, doingOf, type TeamPicture } from './picture.js';

/**
 * The lines of all teams, no wider than the look: cards side by side, or a list if cards are too high, with two lines
 * or one for each agent.
 * `whole`: the list shows every agent, even if it is higher than the screen.
 */
export function teamFrame(pictures: readonly TeamPicture[], look: CardLook, { whole = false } = {}): string[] {
  const inCards = (messages: number, narrowest: number) =>
    frameOf(pictures, look, ({ cards }) => cardGrid(cards, narrowest, look), messages);
  const asList = (messages: number, limit = Number.POSITIVE_INFINITY, perAgent = 1) =>
    frameOf(pictures, look, ({ cards }) => agentList(cards, limit, look, perAgent), messages);
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
  for (const [perAgent, choices] of [
    [2, [5, 2]],
    [1, whole ? [] : [5, 2, 0]],
  ] as const)
    for (const messages of leastLines((agents) => perAgent * agents) > look.height ? [] : choices) {
      const list = asList(messages, undefined, perAgent);
      if (isLowEnough(list)) return list;
    }
  if (whole) return asList(5);
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

/** An agent in a box, each line exactly as wide as the look. */
function agentCard(card: AgentCard, look: CardLook): string[] {
  const { member } = card;
  const { paint } = look;
  const mark = dot(look);
  const counts = [
    span(member.total_tokens === null ? '' : `${compact(member.total_tokens)} tokens`),
    span(member.tool_calls ? plural(member.tool_calls, 'call') : ''),
    span(member.tool_errors === 0 ? '' : `${thousands(member.tool_errors)} failed`, paint.red),
  ];
  const room = innerWidth(look);
  const counted = joinedSpans(counts, mark, room - 'just now '.length);
  const body = [
    spread(aboutSpans(card, look), [], room),
    ...(card.message === undefined ? todoLines(card.todos, look) : [entry('task', taskIn(card), look)]),
    ...callLines(card.calls, look),
    ...(card.message === undefined ? [] : [entry('message', messageIn(card.message, card, look), look)]),
    ...(member.error === null ? [] : [entry('error', [span(member.error, paint.red)], look)]),
    spread(counted, [lastHeard(card, room - widthOf(counted), look)], room),
  ];
  return box([badge(card, look), span(' '), nameSpan(card, look)], [statusSpan(card, look)], body, look);
}

/** Puts lines that are `innerWidth` wide into a frame with a title. If the frame does not fit, only the title. */
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

/** `silent 9s` for an agent from which more is expected; in a recording `heard 3.3s ago`, or shorter. */
function lastHeard(card: AgentCard, room: number, look: CardLook): Span {
  const { quietMs } = card;
  const { paint, time } = look;
  if (time !== undefined) return silenceOf(card, look, room);
  if (quietMs === null) return span('');
  const ago = quietMs < 1000 ? 'just now' : `${duration(quietMs)} ago`;
  return span('heard '.length + ago.length < room ? `heard ${ago}` : ago, paint.dim);
}

function entry(label: string, value: readonly Span[], look: CardLook, right: readonly Span[] = []): string {
  const { paint } = look;
  const shown = value.length === 0 ? [span('-', paint.dim)] : value;
  return spread([span(label.padEnd(labelWidth), paint.dim), ...shown], right, innerWidth(look));
}

const labelWidth = 9;

/** One or two lines per agent. Above `limit`, only the most important agents and a count of the rest. */
function agentList(cards: readonly AgentCard[], limit: number, look: CardLook, perAgent: number): string[] {
  const shown = cards.length <= limit ? cards : mostImportant(cards, limit);
  const names = widest(shown.map((card) => nameSpan(card, look)));
  const states = widest(shown.map((card) => statusSpan(card, look)));
  const lines = shown.flatMap((card) => [
    agentLine(card, names, states, look),
    ...(perAgent === 1 ? [] : [moreLine(card, look)]),
  ]);
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

/** `    claude-haiku-5-5 · general-purpose · ← main  shutdown request`, below the line of an agent. */
function moreLine(card: AgentCard, look: CardLook): string {
  const said = card.message == null ? [] : [dot(look), ...messageIn(card.message, card, look)];
  return clippedLine([span('    '), ...aboutSpans(card, look), ...said], look.width).text;
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
