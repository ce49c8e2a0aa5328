// The schema command: prints the JSON Schema of events and rows.
import type { Command } from '../../cli/command.js';
import { textOf } from '../../cli/flags/flags.js';
import type { Described } from '../../core/record/describe.js';
import { describedSavedState } from '../../core/tables/saved-state.js';
import { UsageError } from '../../io/exit.js';
import { describedFinding } from '../audit/row.js';
import { describedCall } from '../calls/row.js';
import { describedLine } from '../log/row.js';
import { describedMessage } from '../messages/row.js';
import { describedReplay } from '../replay/row.js';
import { describedSession } from '../sessions/row.js';
import { describedTask } from '../tasks/row.js';
import { describedMember, describedTeam } from '../teams/row.js';
import { describedAccount, describedSpan } from '../trace/row.js';
import { describedUsage } from '../usage/row.js';
import { engines, sqlFor, tables } from './sql.js';

/** The rows that have a schema. The command offers these and `event`. */
export const describedRows: readonly Described[] = [
  describedAccount,
  describedCall,
  describedFinding,
  describedLine,
  describedMember,
  describedMessage,
  describedReplay,
  describedSession,
  describedSpan,
  describedSavedState,
  describedTask,
  describedTeam,
  describedUsage,
];

export const schema: Command = {
  name: 'schema',
  kind: 'text',
  summary: 'print the JSON Schema of events and rows, or SQL tables for rows',
  description: [
    'The schema (draft 2020-12) is generated from the one cct uses for its own checks. It allows fields that it does not name, because later versions may add some.',
    '--sql prints statements for DuckDB or ClickHouse instead. They create a table for each kind of row, load it from the file that the comment above it names, and create views: cost by agent type and by project and week, times of tools, failures by cause, and more. Money is exact, and times are timestamps in UTC. The manual page cct-fleet(7) shows the whole way.',
  ],
  operand: {
    name: 'name',
    summary: 'what the schema describes',
    choices: ['event', ...describedRows.map(({ title }) => title)],
    default: 'event; with --sql, every row that has a table',
  },
  options: [{ flags: '--sql <engine>', summary: 'print SQL for this database', choices: engines }],
  shared: [],
  examples: [
    {
      does: 'Which fields can a result have?',
      run: `cct schema event | jq '."$defs"["session:ended"].properties | keys'`,
    },
    {
      does: 'Load the calls of many runs into DuckDB',
      run: 'cct calls --by call runs > calls.ndjson; cct schema --sql duckdb call | duckdb fleet.db',
    },
    { does: 'Keep it next to your types', run: 'cct schema event > cct-event.schema.json' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [name], options, out }) {
    const engine = engines.find((each) => each === textOf(options, 'sql'));
    if (engine !== undefined) {
      const own = tables.filter(({ of }) => name === undefined || of.title === name);
      const titles = [...new Set(tables.map(({ of }) => of.title))];
      if (own.length === 0) throw new UsageError(`--sql has no table for ${name}, only for ${titles.join(', ')}`);
      out.write(sqlFor(engine, own));
      return;
    }
    // Imported here because it loads zod, and help and completion load every command.
    const { eventJsonSchema, rowJsonSchema } = await import('../../core/event/schema.js');
    const described = describedRows.find(({ title }) => title === name);
    const json = described === undefined ? eventJsonSchema() : rowJsonSchema(described);
    out.write(`${JSON.stringify(json, null, 2)}\n`);
  },
};
