// The messages command: lists what agents said to each other.

import { arrangementOf, arrangingFlag } from '../../cli/arrange.js';
import type { Command, Context, Options } from '../../cli/command.js';
import { flagOf, listOf, suggestion, textOf } from '../../cli/flags.js';
import { asTable, livenessOf, liveOption, wantsColumns } from '../../cli/fold.js';
import { formatOf, openPrinter } from '../../cli/print.js';
import { flagOfLastDay, timeRange } from '../../cli/times.js';
import { bareMessage } from '../../core/event/content.js';
import type { Event } from '../../core/event/event.js';
import { latest } from '../../core/state/order.js';
import { isOpenEnded } from '../../io/sources.js';
import { audit, auditInterest, auditOption } from '../audit/option.js';
import { type MessageRow, messageFields } from './row.js';
import { messageFilter, messageTypes, Timeline } from './rows.js';

export const messages: Command = {
  name: 'messages',
  kind: 'map',
  summary: 'list what agents said to each other',
  description:
    'Prints one row for each message, however often and wherever it was seen: in the call that sends it, in an inbox or a queue, in the conversation it reached. A row is written when the call came back, with what is known then. At the end of the input follow messages whose call never came back (open) and those known only from their delivery. In transcripts an agent may be named later than it speaks; its rows wait until then. With --settled, and in a table of files, all rows come at the end, in order of time, with what became of each message; a request that was answered was delivered. So they do with --sort, --reverse, --limit, and a time of --since or --until without its date. On a terminal, while a stream goes on, it writes a conversation instead, a line for each message as soon as either side shows it.',
  options: [
    { flags: '--from <name,...>', summary: 'only messages sent by one of these', kind: 'list' },
    { flags: '--to <name,...>', summary: 'only messages to one of these, broadcasts included', kind: 'list' },
    { flags: '--with <name,...>', summary: 'only messages sent by or to one of these', kind: 'list' },
    {
      flags: '--type <type,...>',
      summary: 'only these types, such as shutdown_request',
      kind: 'list',
      suggestions: () => messageTypes,
    },
    { flags: '--failed', summary: 'only messages that were refused' },
    {
      flags: '--settled',
      summary:
        'wait for the end of the input, and say which messages were delivered, and when, in order of time; a table of files always does',
    },
    liveOption,
    auditOption,
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: messageFields,
  examples: [
    { does: 'Watch a team talk', run: 'claude -p "…" --output-format stream-json --verbose | cct messages' },
    { does: 'What did the writer hear, and when?', run: 'cct messages --settled --to writer run.ndjson' },
    {
      does: 'The whole conversation of a session on disk',
      run: 'cct messages ~/.claude/projects/*/$SESSION{.jsonl,/**/*}',
    },
    { does: 'Who could not be reached?', run: "cct messages --failed run.ndjson | jq -r '[.to, .error_code] | @tsv'" },
  ],
  // A message that was delivered is known by what it says.
  judgesContent: () => true,
  interest: (options) =>
    auditInterest(options) ?? { events: ['team:message:*', 'team:created', 'team:member:joined', 'agent:*'] },
  async run(context) {
    const { input, options, diagnostics } = context;
    if (flagOf(options, 'audit')) return audit(context, 'messages');
    warnOfTypos(context);
    const live = livenessOf(context);
    const arrange = arrangementOf(options, { fields: messageFields });
    // These need all rows before they print one.
    const waits = flagOfLastDay(options) !== null || arrangingFlag(options) !== null;
    const settled = flagOf(options, 'settled') || waits || (live === 'rows' && isTableOfFiles(context));
    const isWanted = messageFilter(queryOf(options));
    const shown = flagOf(options, 'noContent') ? bareMessage<MessageRow> : (row: MessageRow) => row;
    const draws = live !== 'rows' && !wantsColumns(context);
    const talk = draws ? await (await import('./live.js')).openConversation(context) : null;
    const printer =
      talk ??
      (await openPrinter(live === 'rows' ? context : asTable(context), {
        name: 'messages',
        fields: messageFields,
        tableFields: ['time', 'from', 'to', 'type', 'status', 'summary', 'content'],
        streaming: !settled,
      }));
    let last: string | null = null;
    let range = timeRange(options);
    const chosen = (rows: readonly MessageRow[]) => rows.filter((row) => isWanted(row) && range.includes(row.time));
    const print = (rows: readonly MessageRow[]) => {
      for (const row of rows) printer.row(shown(row));
    };
    const timeline = new Timeline({ settled });
    const onEvent = (event: Event) => {
      const { messages } = timeline;
      const rows = timeline.follow(event);
      const said = talk?.news({ event, before: { messages }, after: timeline });
      print(chosen(settled ? rows : (said ?? rows)));
      last = latest(last, event.time);
    };
    await input.each(onEvent, undefined, (time) => {
      last = latest(last, time);
    });
    if (waits) range = timeRange(options, last);
    const rest = timeline.end();
    const left = arrange(chosen(talk === null || settled ? rest : rest.filter(({ status }) => status === 'open')));
    print(left.rows);
    printer.end(undefined, left.notShown);
    if (range.timeless > 0) diagnostics.warn(`messages without a time, left out: ${range.timeless}`);
    return { rows: printer.rows };
  },
};

/** A table of finished files is sorted by time. */
function isTableOfFiles(context: Context): boolean {
  const { operands, streams } = context;
  const isOver = operands.length > 0 && !operands.includes('-') && !isOpenEnded(operands, streams.stdin);
  return isOver && formatOf(context) === 'table';
}

/** Every type is allowed, since agents may invent their own. A type that is close to a known one is probably a typo. */
function warnOfTypos({ options, diagnostics }: Context): void {
  for (const type of listOf(options, 'type')) {
    const known = messageTypes.some((each) => each === type);
    const near = known ? '' : suggestion(type, messageTypes);
    if (near !== '') diagnostics.warn(`--type: '${type}' is looked for as it is spelled${near}`);
  }
}

function queryOf(options: Options) {
  return {
    from: listOf(options, 'from'),
    to: listOf(options, 'to'),
    with: listOf(options, 'with'),
    type: listOf(options, 'type'),
    team: textOf(options, 'team'),
    session: textOf(options, 'session'),
    failed: flagOf(options, 'failed'),
  };
}
