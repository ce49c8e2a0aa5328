// The rows of commands as tables of a database: which command writes the rows, and the description of a row.

import { usageMessageRow } from '../../core/event/usage-row.js';
import { type Described, maybeText, type ObjectField, object, type Shape, text } from '../../core/record/describe.js';
import { describedFinding, findingRow } from '../audit/row.js';
import { callRow, describedCall } from '../calls/row.js';
import { describedMessage, messageRow } from '../messages/row.js';
import { describedSession, sessionRow } from '../sessions/row.js';
import { describedTask, taskRow } from '../tasks/row.js';
import { describedMember, describedTeam, memberRow, teamRow } from '../teams/row.js';
import { accountRow, describedAccount, describedSpan, spanRow } from '../trace/row.js';
import { describedUsage, usageRow } from '../usage/row.js';
import { rowFields } from '../usage/rows.js';

export interface SqlTable {
  readonly name: string;
  /** The rows that `cct schema` knows by this title. */
  readonly of: Described;
  /** The command that writes them. */
  readonly command: string;
  readonly fields: Shape;
}

export const tables: readonly SqlTable[] = [
  usageTable('usage_agents', ['session', 'project', 'agent', 'model', 'day']),
  usageTable('usage_sessions', ['session']),
  tableOf('usage_messages', describedUsage, 'cct usage --by message', usageMessageRow),
  tableOf('sessions', describedSession, 'cct sessions', sessionRow),
  tableOf('teams', describedTeam, 'cct teams', teamRow),
  tableOf(
    'members',
    describedMember,
    'cct teams --members',
    object({ team: text, session_id: maybeText, ...memberRow.fields }),
  ),
  tableOf('tasks', describedTask, 'cct tasks --all', taskRow),
  tableOf('messages', describedMessage, 'cct messages --settled', messageRow),
  tableOf('calls', describedCall, 'cct calls --by call', callRow),
  tableOf('findings', describedFinding, 'cct audit', findingRow),
  tableOf('spans', describedSpan, 'cct trace', spanRow),
  tableOf('agents', describedAccount, 'cct trace --by agent', accountRow),
];

function tableOf(name: string, of: Described, command: string, { fields }: ObjectField<Shape, unknown>): SqlTable {
  return { name, of, command, fields };
}

/** Usage by some keys. Costs of messages and of results are settled in these rows, so their sums are right. */
function usageTable(name: string, by: Parameters<typeof rowFields>[0]): SqlTable {
  const all: Shape = usageRow.fields;
  const own = rowFields(by).flatMap((field) => (all[field] === undefined ? [] : [[field, all[field]] as const]));
  return tableOf(name, describedUsage, `cct usage --by ${by.join()}`, object(Object.fromEntries(own)));
}
