import { eventJsonSchema } from '../core/event/json-schema.js';
import { withMeanings } from '../core/event/meanings.js';
import { findingJsonSchema } from '../core/rows/finding.js';
import { memberJsonSchema } from '../core/rows/member.js';
import { messageJsonSchema } from '../core/rows/message.js';
import { stateJsonSchema } from '../core/rows/state-row.js';
import { taskJsonSchema } from '../core/rows/task.js';
import { teamJsonSchema } from '../core/rows/team.js';
import { usageJsonSchema } from '../core/rows/usage-schema.js';
import type { Command } from '../run/command.js';

/** One line per schema; what is not here is not offered. */
const schemas: Readonly<Record<string, () => unknown>> = {
  event: eventJsonSchema,
  finding: findingJsonSchema,
  member: memberJsonSchema,
  message: messageJsonSchema,
  state: stateJsonSchema,
  task: taskJsonSchema,
  team: teamJsonSchema,
  usage: usageJsonSchema,
};

export const schema: Command = {
  name: 'schema',
  kind: 'text',
  summary: 'print the JSON Schema of what cct writes',
  description:
    'The schema (draft 2020-12) is made from the one cct itself checks with. It allows fields it does not name: what cct writes only grows.',
  operand: {
    name: 'name',
    summary: 'what the schema describes',
    choices: Object.keys(schemas),
    default: 'event',
  },
  options: [],
  shared: [],
  examples: [
    {
      does: 'Which fields can a result have?',
      run: `cct schema event | jq '."$defs"["session:ended"].properties | keys'`,
    },
    { does: 'Keep it beside your types', run: 'cct schema event > cct-event.schema.json' },
  ],
  interest: () => ({ events: [] }),
  async run({ operands: [name = ''], out }) {
    out.write(`${JSON.stringify(withMeanings(schemas[name]?.(), name), null, 2)}\n`);
  },
};
