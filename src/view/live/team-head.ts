import type { TeamPicture } from '../../core/rows/team-picture.js';
import { duration, money, thousands } from '../amount.js';
import { paintWord } from '../paint.js';
import { box, inner, plural } from './card.js';
import type { Look } from './look.js';
import { columnsFor, messageLine, type Palette, saidIn } from './message-line.js';
import { joined, line, type Span, span, spread } from './spans.js';

/** What stands above the agents of a team: its name and state, its board, what is wrong, the last broadcast. */
export function teamHead({ team, broadcast }: TeamPicture, look: Look): string[] {
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
  // What changes often stands below what does not: from the first change on the lines are written anew.
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

/** The last messages of a team, as a conversation. */
export function timeline({ messages, team }: TeamPicture, count: number, look: Look): string[] {
  const shown = count === 0 ? [] : messages.slice(-count);
  const colors: Palette = new Map(team.members.map(({ name, color }) => [name, color]));
  const columns = columnsFor(shown, look);
  return shown.map((message) => messageLine(message, look, colors, columns));
}

/** How the session went, once its result is there. */
export function summaryCard({ summary }: TeamPicture, look: Look): string[] {
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
    span(typeof duration_ms === 'number' ? duration(duration_ms) : ''),
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
