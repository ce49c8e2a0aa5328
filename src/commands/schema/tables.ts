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

export interface Table {
  readonly name: string;
  /** The rows that `cct schema` knows by this title. */
  readonly of: Described;
  /** The command that writes them. */
  readonly command: string;
  readonly fields: Shape;
}

export const tables: readonly Table[] = [
  usageTable('usage_agents', ['session', 'project', 'agent', 'model', 'day']),
  usageTable('usage_sessions', ['session']),
  table('usage_messages', describedUsage, 'cct usage --by message', usageMessageRow),
  table('sessions', describedSession, 'cct sessions', sessionRow),
  table('teams', describedTeam, 'cct teams', teamRow),
  table(
    'members',
    describedMember,
    'cct teams --members',
    object({ team: text, session_id: maybeText, ...memberRow.fields }),
  ),
  table('tasks', describedTask, 'cct tasks --all', taskRow),
  table('messages', describedMessage, 'cct messages --settled', messageRow),
  table('calls', describedCall, 'cct calls --by call', callRow),
  table('findings', describedFinding, 'cct audit', findingRow),
  table('spans', describedSpan, 'cct trace', spanRow),
  table('agents', describedAccount, 'cct trace --by agent', accountRow),
];

function table(name: string, of: Described, command: string, { fields }: ObjectField<Shape, unknown>): Table {
  return { name, of, command, fields };
}

/** Usage by some keys. Costs of messages and of results are settled in these rows, so their sums are right. */
function usageTable(name: string, by: Parameters<typeof rowFields>[0]): Table {
  const all: Shape = usageRow.fields;
  const own = rowFields(by).flatMap((field) => (all[field] === undefined ? [] : [[field, all[field]] as const]));
  return table(name, describedUsage, `cct usage --by ${by.join()}`, object(Object.fromEntries(own)));
}
