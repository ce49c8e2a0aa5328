// Writes messages as a conversation on a terminal, one line each.

import type { Context } from '../../cli/command.js';
import { isChosen } from '../../cli/flags/choice.js';
import { lookOf, openLiveView, type Picture } from '../../cli/live-drawing.js';
import type { Event } from '../../core/event/event.js';
import type { AgentsState } from '../../core/tables/agents.js';
import type { MessagesState } from '../../core/tables/sends.js';
import type { Ending } from '../../view/formats.js';
import { MessageNews, type MessageRow, seenRow } from './rows.js';
import { type Columns, columnsFor, messageLine } from './talk.js';

/** `moving`: on a terminal. A line shows the progress until the first message comes. */
export async function openConversation(context: Context, moving: boolean) {
  const { out, streams, diagnostics } = context;
  const { stdout, stderr } = streams;
  const style = await lookOf(context);
  const news = new MessageNews();
  const colors = new Map<string, string | null>();
  let columns: Columns = { time: 0, address: 0 };
  let rows = 0;
  const view = moving ? await openLiveView(context) : null;
  let show: (picture: Picture | null) => void = () => {};
  const waiting: Picture = ({ width }) => [view?.nothingYet('messages', width) ?? ''];
  return {
    /** Calls `reading`, which reports every chunk. */
    async while(reading: (onChunk: () => void) => Promise<unknown>): Promise<void> {
      const onChunk = () => {
        if (rows === 0) show(waiting);
      };
      if (view === null) return void (await reading(onChunk));
      await view.drawWhile((to) => {
        show = to;
        return reading(onChunk);
      });
      show = () => {};
    },
    before: (event: Event, messages: MessagesState) => news.before(event, messages),
    /** Notes the colours of agents, and returns the message the event shows, without waiting for the end. */
    news(event: Event, agents: AgentsState): MessageRow[] {
      if (event.event === 'team:member:joined' && event.member.name !== null && event.member.color !== null)
        colors.set(event.member.name, event.member.color);
      const seen = news.after(event, agents);
      return seen === null ? [] : [seenRow(seen, agents)];
    },
    row(row: MessageRow): void {
      const look = { ...style, width: stdout.columns ?? Number.POSITIVE_INFINITY, height: 1 };
      // Columns only grow, so that texts stay aligned.
      const { time, address } = columnsFor([row], look);
      columns = { time: Math.max(columns.time, time), address: Math.max(columns.address, address) };
      rows += 1;
      if (rows === 1) show(null);
      out.write(`${style.shown(messageLine(row, look, colors, columns))}\n`);
    },
    end(_total?: undefined, _ending?: Ending): void {
      if (rows === 0 && stderr.isTTY && !isChosen(context.options)) diagnostics.warn('no messages');
      if (view !== null) out.write(view.ending());
    },
    get rows(): number {
      return rows;
    },
  };
}
