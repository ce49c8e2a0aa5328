import * as z from 'zod';
import { findingRow } from '../../src/commands/audit/row.js';
import { memberRow } from '../../src/commands/teams/row.js';
import { zodOf } from '../../src/core/event/schema.js';
import { figures, usageMessageRow } from '../../src/core/event/usage-row.js';
import { loose, maybeText, object, text } from '../../src/core/record/describe.js';
import { eventNames, eventSchema, messageRowSchema, taskRowSchema, teamRowSchema } from '../../src/lib.js';

/** A command line, and what may come of it whatever the input is. */
export interface Way {
  readonly words: readonly string[];
  readonly codes: readonly number[];
  /** The shape of its rows; null where it writes no NDJSON. */
  readonly rows: z.ZodType | null;
  /** The same rows come when the events of `cct normalize` are read instead. */
  readonly closed: boolean;
}

const events = z.union(eventNames().map((name) => eventSchema(name)));
const members = zodOf(object({ ...memberRow.fields, team: text, session_id: maybeText }));
const usageRows = zodOf(loose(figures));
const findingRowSchema = zodOf(findingRow);

const way = (line: string, rows: z.ZodType | null, codes: readonly number[] = [0], closed = false): Way => ({
  words: line.split(' '),
  codes,
  rows,
  closed,
});
const closed = (line: string, rows: z.ZodType) => way(line, rows, [0], true);

export const ways: readonly [Way, ...Way[]] = [
  closed('normalize', events),
  way('normalize --raw --redact --stamp', events),
  way('normalize --no-content -e', events, [0, 1]),
  way('normalize --strict', events, [0, 4]),
  way('normalize --max-line-bytes 300', events),
  closed('teams', teamRowSchema),
  closed('teams --members', members),
  way('teams --audit -e', findingRowSchema, [0, 1]),
  way('teams --redact -f table', null),
  way('teams --watch', teamRowSchema),
  closed('tasks --all', taskRowSchema),
  way('tasks --audit', findingRowSchema),
  way('tasks --all --board', null),
  way('tasks --all --redact', taskRowSchema),
  way('tasks --all -f mermaid', null),
  way('tasks --all -f dot', null),
  closed('messages', messageRowSchema),
  closed('messages --settled', messageRowSchema),
  way('messages --audit --strict', findingRowSchema, [0, 4]),
  way('messages --redact -f md', null),
  way('messages -f csv -e', null, [0, 1]),
  closed('usage --by total', usageRows),
  closed('usage --by agent,model', usageRows),
  closed('usage --by message', zodOf(usageMessageRow)),
  way('usage --by session -f table', null),
  way('usage --by model --max-usd 0.01 --max-tokens 1000 --allow-unpriced', usageRows, [0, 3]),
  way('usage --by agent --max-usd 0.01 --since 2020-01-01', usageRows, [0, 3]),
];
