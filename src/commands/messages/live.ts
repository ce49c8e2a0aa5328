// Writes messages as a conversation on a terminal, a line for each.
import type { Context } from '../../cli/command.js';
import { paintOf } from '../../cli/print.js';
import { hasUnicode } from '../../io/streams.js';
import { asciiGlyphs, unicodeGlyphs } from '../../view/glyphs.js';
import { createMessageNews, type MessageRow, type Noted, seenRow } from './rows.js';
import { type Columns, columnsFor, messageLine } from './talk.js';

export async function openConversation(context: Context) {
  const { out, streams, diagnostics } = context;
  const { stdout, stderr, env } = streams;
  const paint = await paintOf(context);
  const glyphs = hasUnicode(env) ? unicodeGlyphs : asciiGlyphs;
  const news = createMessageNews();
  const colors = new Map<string, string | null>();
  let columns: Columns = { time: 0, address: 0 };
  let rows = 0;
  return {
    /** Notes the colours of agents, and returns the message that the event shows, without waiting for the end. */
    news(step: Noted): MessageRow[] {
      const { event } = step;
      if (event.event === 'team:member:joined' && event.member.name !== null && event.member.color !== null)
        colors.set(event.member.name, event.member.color);
      const seen = news(step);
      return seen === null ? [] : [seenRow(seen, step.after.agents)];
    },
    row(row: MessageRow): void {
      const look = { width: stdout.columns ?? Number.POSITIVE_INFINITY, height: 1, paint, glyphs };
      // Columns only grow, so that the texts stay aligned.
      const { time, address } = columnsFor([row], look);
      columns = { time: Math.max(columns.time, time), address: Math.max(columns.address, address) };
      rows += 1;
      out.write(`${messageLine(row, look, colors, columns)}\n`);
    },
    end(_total?: undefined, _notShown?: number): void {
      if (rows === 0 && stderr.isTTY) diagnostics.warn('no messages');
    },
    get rows(): number {
      return rows;
    },
  };
}
