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
  sqlTableOf('usage_messages', describedUsage, 'cct usage --by message', usageMessageRow),
  sqlTableOf('sessions', describedSession, 'cct sessions', sessionRow),
  sqlTableOf('teams', describedTeam, 'cct teams', teamRow),
  sqlTableOf(
    'members',
    describedMember,
    'cct teams --members',
    object({ team: text, session_id: maybeText, ...memberRow.fields }),
  ),
  sqlTableOf('tasks', describedTask, 'cct tasks --all', taskRow),
  sqlTableOf('messages', describedMessage, 'cct messages --settled', messageRow),
  sqlTableOf('calls', describedCall, 'cct calls --by call', callRow),
  sqlTableOf('findings', describedFinding, 'cct audit', findingRow),
  sqlTableOf('spans', describedSpan, 'cct trace', spanRow),
  sqlTableOf('agents', describedAccount, 'cct trace --by agent', accountRow),
];

function sqlTableOf(name: string, of: Described, command: string, { fields }: ObjectField<Shape, unknown>): SqlTable {
  return { name, of, command, fields };
}

/** Usage by some keys. Costs of messages and of results are settled in these rows, so their sums are right. */
function usageTable(name: string, by: Parameters<typeof rowFields>[0]): SqlTable {
  const all: Shape = usageRow.fields;
  const own = rowFields(by).flatMap((field) => (all[field] === undefined ? [] : [[field, all[field]] as const]));
  return sqlTableOf(name, describedUsage, `cct usage --by ${by.join()}`, object(Object.fromEntries(own)));
}
