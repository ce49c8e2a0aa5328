import * as z from 'zod';
import { findingRow } from '../../src/commands/audit/row.js';
import { describedCall } from '../../src/commands/calls/row.js';
import { logRow } from '../../src/commands/log/row.js';
import { sessionRow } from '../../src/commands/sessions/row.js';
import { memberRow } from '../../src/commands/teams/row.js';
import { accountRow, spanRow } from '../../src/commands/trace/row.js';
import { zodOf } from '../../src/core/event/schema.js';
import { figures, usageMessageRow } from '../../src/core/event/usage-row.js';
import { loose, maybeText, object, text } from '../../src/core/record/describe.js';
import { eventNames, eventSchema, messageRowSchema, taskRowSchema, teamRowSchema } from '../../src/lib.js';

/** A command line, and what may come of it whatever the input is. */
export interface Way {
  readonly words: readonly string[];
  readonly codes: readonly number[];
  /** The shape of its rows; null if it writes text for people, `as it is` if it writes what it read. */
  readonly rows: z.ZodType | null | 'as it is';
  /** Reading the events of `cct normalize` instead gives the same rows. */
  readonly closed: boolean;
}

const events = z.union(eventNames().map((name) => eventSchema(name)));
const members = zodOf(object({ ...memberRow.fields, team: text, session_id: maybeText }));
const usageRows = zodOf(loose(figures));
const sessionRows = zodOf(sessionRow);
const callRows = z.union(describedCall.shapes.map((shape) => zodOf(shape)));
const findingRowSchema = zodOf(findingRow);
const states = z.looseObject({ cct: z.literal(1) });

const way = (line: string, rows: Way['rows'], codes: readonly number[] = [0], closed = false): Way => ({
  words: line.split(' '),
  codes,
  rows,
  closed,
});
const closed = (line: string, rows: z.ZodType) => way(line, rows, [0], true);

/** Stands for a file that does not exist yet. A second run continues from it. */
export const stateFile = 'STATE';

export const ways: readonly [Way, ...Way[]] = [
  closed('normalize', events),
  way('normalize --raw --redact --stamp', events),
  way('normalize --no-content -e', events, [0, 1]),
  way('normalize --raw --anonymize', events),
  way('normalize --strict', events, [0, 4]),
  way('normalize --max-line-bytes 300', events),
  closed('teams', teamRowSchema),
  closed('teams --members', members),
  way('audit --of teams -e', findingRowSchema, [0, 1]),
  way('teams --redact -f table', null),
  way('teams --watch', teamRowSchema),
  closed('tasks --all', taskRowSchema),
  way('audit --of tasks', findingRowSchema),
  way('tasks --all --board', null),
  way('tasks --all --redact', taskRowSchema),
  way('tasks --all --no-content --anonymize', taskRowSchema),
  way('tasks --all -f mermaid', null),
  way('tasks --all -f dot', null),
  closed('log -f ndjson', zodOf(logRow)),
  way('log', null),
  way('log --full --thinking --redact', null),
  way('log -f md', null),
  way('log -f md --no-content', null),
  way('log -f github --anonymize', null),
  closed('messages', messageRowSchema),
  closed('messages --settled', messageRowSchema),
  way('audit --of messages --strict', findingRowSchema, [0, 4]),
  way('audit -e --sort severity,time --limit 5', findingRowSchema, [0, 1]),
  way('messages --redact -f md', null),
  way('messages -f csv -e', null, [0, 1]),
  closed('trace', zodOf(spanRow)),
  closed('trace --by agent', zodOf(accountRow)),
  way('trace -f table --redact', null),
  way('trace -f otlp --anonymize', null),
  way('trace -f perfetto --no-content', 'as it is'),
  way('report -f md', null),
  way('report --no-content', null),
  closed('sessions', sessionRows),
  way('sessions --redact -f table', null),
  closed('calls', callRows),
  closed('calls --by call', callRows),
  closed('calls --by agent,server,session,day', callRows),
  way('calls --by server --redact -f table', null),
  way('calls --by call --no-content --anonymize', callRows),
  way('calls --watch --since 2020-01-01', callRows),
  closed('usage --by total', usageRows),
  closed('usage --by agent,model', usageRows),
  closed('usage --by message', zodOf(usageMessageRow)),
  way('usage --by session -f table', null),
  closed('usage --by session', usageRows),
  closed('usage --by turn', usageRows),
  way('usage --by project,branch,version,week,month --timezone Asia/Tokyo', usageRows),
  way('usage --by model --max-usd 0.01 --max-tokens 1000 --allow-unpriced', usageRows, [0, 3]),
  way('usage --by agent --max-usd 0.01 --allow-unpriced', usageRows, [0, 3]),
  way('usage --by day,turn --timezone Europe/Berlin -f md', null),
  way('usage --by session,team -f csv', null),
  way('usage --by agent -f github', null),
  way('usage --by agent -f prometheus', null),
  way('usage --by total --watch', usageRows),
  way('teams --live always', null),
  way('teams --members -f tsv', null),
  way('tasks --all -f table --since 2020-01-01', null),
  way(`teams --state ${stateFile}`, teamRowSchema),
  way(`tasks --all --redact --state ${stateFile}`, taskRowSchema),
  way(`usage --by agent --state ${stateFile}`, usageRows),
  way('replay --speed 1000', 'as it is'),
  way('replay --since 1s --until 1h', 'as it is'),
  way('replay --states --no-wait', states),
  way('replay --states --max-gap 1', states),
  way('replay --at 30s', states),
  way('replay --as-claude -', 'as it is', [0, 1]),
  way('usage --by agent --max-usd 0.01 --since 2020-01-01', usageRows, [0, 3]),
];
