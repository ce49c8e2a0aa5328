// The schema command: prints the JSON Schema of events and rows.
import type { Command } from '../../cli/command.js';
import type { Described } from '../../core/record/describe.js';
import { describedSavedState } from '../../core/state/saved-state.js';
import { describedFinding } from '../audit/row.js';
import { describedCall } from '../calls/row.js';
import { describedMessage } from '../messages/row.js';
import { describedReplay } from '../replay/row.js';
import { describedTask } from '../tasks/row.js';
import { describedMember, describedTeam } from '../teams/row.js';
import { describedAccount, describedSpan } from '../trace/row.js';
import { describedUsage } from '../usage/row.js';

/** The rows that have a schema. The command offers these and `event`. */
export const describedRows: readonly Described[] = [
  describedAccount,
  describedCall,
  describedFinding,
  describedMember,
  describedMessage,
  describedReplay,
  describedSpan,
  describedSavedState,
  describedTask,
  describedTeam,
  describedUsage,
];

export const schema: Command = {
  name: 'schema',
  kind: 'text',
  summary: 'print the JSON Schema of events and rows',
  description:
    'The schema (draft 2020-12) is generated from the one cct uses for its own checks. It allows fields that it does not name, because later versions may add some.',
  operand: {
    name: 'name',
    summary: 'what the schema describes',
    choices: ['event', ...describedRows.map(({ title }) => title)],
    default: 'event',
  },
  options: [],
  shared: [],
  examples: [
    {
      does: 'Which fields can a result have?',
      run: `cct schema event | jq '."$defs"["session:ended"].properties | keys'`,
    },
    { does: 'Keep it next to your types', run: 'cct schema event > cct-event.schema.json' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [name = ''], out }) {
    // Imported here because it loads zod, and help and completion load every command.
    const { eventJsonSchema, rowJsonSchema } = await import('../../core/event/schema.js');
    const described = describedRows.find(({ title }) => title === name);
    const json = described === undefined ? eventJsonSchema() : rowJsonSchema(described);
    out.write(`${JSON.stringify(json, null, 2)}\n`);
  },
};
