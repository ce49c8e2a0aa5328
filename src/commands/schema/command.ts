import type { Command } from '../../cli/command.js';
import { eventJsonSchema, withMeanings } from '../../core/event/schema.js';
import { findingJsonSchema } from '../audit/row.js';
import { messageJsonSchema } from '../messages/row.js';
import { stateJsonSchema } from '../replay/row.js';
import { taskJsonSchema } from '../tasks/row.js';
import { memberJsonSchema, teamJsonSchema } from '../teams/row.js';
import { usageJsonSchema } from '../usage/row.js';

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
