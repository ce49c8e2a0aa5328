// The messages command: lists what agents said to each other.

import type { Command, Context, Options } from '../../cli/command.js';
import { arrangementOf, arrangingFlag } from '../../cli/flags/arrange.js';
import { agentChoice, type Choice, Matches, placeChoices } from '../../cli/flags/choice.js';
import { flagOf, listOf, textOf } from '../../cli/flags/flags.js';
import { flagOfLastDay, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { asTable, livenessOf, liveOption, wantsColumns } from '../../cli/live.js';
import { formatOf, openPrinter, type PrintedRows } from '../../cli/print.js';
import type { Event } from '../../core/event/event.js';
import { bareMessage } from '../../core/privacy/content.js';
import { keyOf, latest } from '../../core/tables/order.js';
import { isLost } from '../../core/tables/sends.js';
import { isOpenEnded } from '../../io/sources.js';
import type { Sections } from '../../view/table.js';
import { thousands } from '../../view/text.js';
import { type MessageRow, messageFields } from './row.js';
import { messageFilter, messageTypes, orderedByTime, receiversOf, Timeline } from './rows.js';

export const messages: Command = {
  name: 'messages',
  kind: 'map',
  summary: 'list what agents said to each other',
  description: [
    'Prints one row for each message, no matter how often or where it was seen: in the call that sent it, in an inbox or queue, or in the conversation it reached.',
    'A row is printed when the call returns, with what is known at that point. Messages whose call never returned (status open), and those known only from their delivery, come at the end of the input. In transcripts an agent can send messages before its name is known; its rows wait for the name.',
    'With --follow, rows of everything that was found at the same time come in order of time, whichever file they are from.',
    'With --settled all rows come at the end, in order of time, and say what became of each message. A request that was answered counts as delivered. A table of files is always settled. So are rows with --sort, --reverse, --limit, or a --since or --until time without a date.',
    'On a terminal, while a stream is open, messages prints a conversation instead: one line for each message, as soon as either side shows it.',
  ],
  options: [
    { flags: '--from <name,...>', summary: 'only messages sent by one of these', kind: 'list' },
    { flags: '--to <name,...>', summary: 'only messages to one of these, including broadcasts', kind: 'list' },
    { flags: '--with <name,...>', summary: 'only messages sent by or to one of these', kind: 'list' },
    {
      flags: '--type <type,...>',
      summary: 'only these types, such as shutdown_request',
      kind: 'list',
      suggestions: () => messageTypes,
    },
    { flags: '--failed', summary: 'only messages that could not be sent' },
    {
      flags: '--settled',
      summary:
        'print all rows at the end, in order of time, with whether and when each message was delivered; always on in a table of files',
    },
    liveOption,
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: messageFields,
  examples: [
    { does: 'Watch a team talk', run: 'claude -p "…" --output-format stream-json --verbose | cct messages' },
    { does: 'What did the writer hear, and when?', run: 'cct messages --settled --to writer run.ndjson' },
    { does: 'The whole conversation of the last session here', run: 'cct messages --last' },
    { does: 'Who could not be reached?', run: "cct messages --failed run.ndjson | jq -r '[.to, .error_code] | @tsv'" },
  ],
  // Delivered messages are matched by their content.
  judgesContent: () => true,
  interest: () => ({
    events: ['team:message:*', 'team:created', 'team:member:joined', 'agent:*'],
    content: 'none',
    detail: 'sums',
  }),
  async run(context) {
    const { input, options } = context;
    const live = livenessOf(context);
    const arrange = arrangementOf(options, { fields: messageFields });
    // These need all rows before the first is printed.
    const waits = flagOfLastDay(options) !== null || arrangingFlag(options) !== null;
    const settled = flagOf(options, 'settled') || waits || (live === 'rows' && isTableOfFiles(context));
    const isWanted = messageFilter(queryOf(options));
    const shown = flagOf(options, 'noContent') ? bareMessage<MessageRow> : (row: MessageRow) => row;
    const draws = live !== 'rows' && !wantsColumns(context);
    const talk = draws ? await (await import('./live.js')).openConversation(context, live === 'moving') : null;
    const printer =
      talk ??
      (await openPrinter(live === 'rows' ? context : asTable(context), {
        name: 'messages',
        fields: messageFields,
        tableFields: ['time', 'from', 'to', 'status', 'text'],
        columns,
        sections,
        streaming: !settled,
      }));
    let last: string | null = null;
    let range = timeRange(options);
    const chosen = (rows: readonly MessageRow[]) =>
      rows.filter((row) => {
        matches.note(row);
        return isWanted(row) && input.session.includes(row.session_id) && range.includes(row.time);
      });
    const print = (rows: readonly MessageRow[]) => {
      for (const row of rows) printer.row(shown(row));
    };
    // Files that grow are read in turns. What is new in all of them is printed together, in order of time.
    const isFollowing = flagOf(options, 'follow');
    let held: MessageRow[] = [];
    const printHeld = () => {
      print(orderedByTime(held));
      held = [];
    };
    const timeline = new Timeline({ settled });
    const matches = new Matches(choicesOf(context, timeline));
    const onEvent = (event: Event) => {
      talk?.before(event, timeline.messages);
      const rows = timeline.follow(event);
      const said = talk?.news(event, timeline.known);
      const due = chosen(settled ? rows : (said ?? rows));
      if (isFollowing) for (const row of due) held.push(row);
      else print(due);
      last = latest(last, event.time);
    };
    const onTime = (time: string) => {
      last = latest(last, time);
    };
    const read = (onChunk?: () => void) =>
      input.each(
        onEvent,
        () => {
          printHeld();
          onChunk?.();
        },
        onTime,
      );
    await (talk?.while(read) ?? read());
    printHeld();
    if (waits) range = timeRange(options, last);
    const rest = isFollowing ? orderedByTime(timeline.end()) : timeline.end();
    const left = arrange(chosen(talk === null || settled ? rest : rest.filter(({ status }) => status === 'open')));
    print(left.rows);
    printer.end(undefined, left);
    warnOfTimes(context, range, 'message');
    matches.say(context, 'messages', printer.rows);
    return { rows: printer.rows };
  },
};

const columns: NonNullable<PrintedRows['columns']> = {
  to: {
    value: ({ type, to, recipients: [only, ...others] }: MessageRow) =>
      type === 'broadcast' ? '*' : others.length === 0 ? (only ?? to) : to,
  },
  type: { expect: 17 },
  status: { says: (status) => `all ${status}` },
  text: { title: 'MESSAGE', rank: 2, value: messageText },
};

/** `Ask for line counts: Please also note the line count of each file.`, `(shutdown_request) All tasks are done.` */
function messageText({ type, summary, content }: MessageRow): string {
  const words = [summary, content].filter((part) => part !== null && part !== '').join(': ');
  return type === 'message' ? words : `(${type}) ${words}`;
}

const sections: Sections<MessageRow> = {
  keyOf: ({ team, session_id }) => keyOf(team, session_id),
  heading(rows) {
    const [first] = rows;
    const place = first?.team ?? (first?.session_id ? `session ${first.session_id.slice(0, 8)}` : null);
    const failed = rows.filter(isLost).length;
    const count = `${thousands(rows.length)} ${rows.length === 1 ? 'message' : 'messages'}`;
    const parts = [place, count, failed === 0 || failed === rows.length ? null : `${failed} failed`];
    return { parts: parts.filter((part) => part !== null), twin: first?.session_id?.slice(0, 8), says: [] };
  },
};

/** A table of finished files is sorted by time. */
function isTableOfFiles(context: Context): boolean {
  const { operands, options, streams } = context;
  if (flagOf(options, 'follow')) return false;
  const isOver = operands.length > 0 && !operands.includes('-') && !isOpenEnded(operands, streams.stdin);
  return isOver && formatOf(context) === 'table';
}

function choicesOf(context: Context, timeline: Timeline): Choice<MessageRow>[] {
  const { from, to, with: either, type } = queryOf(context.options);
  const agents = () => timeline.known;
  return [
    ...placeChoices(context, agents),
    agentChoice('--from', from, 'from', agents, (row) => [row.from]),
    agentChoice('--to', to, 'to', agents, receiversOf),
    agentChoice('--with', either, 'from or to', agents, (row) => [row.from, ...receiversOf(row)]),
    { flag: '--type', wanted: type, one: 'type', many: 'types', relation: 'of type', valuesOf: (row) => [row.type] },
  ];
}

function queryOf(options: Options) {
  return {
    from: listOf(options, 'from'),
    to: listOf(options, 'to'),
    with: listOf(options, 'with'),
    type: listOf(options, 'type'),
    team: textOf(options, 'team'),
    failed: flagOf(options, 'failed'),
  };
}
