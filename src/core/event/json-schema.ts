import * as z from 'zod';
import { eventNames, eventSchema } from './event.js';
import { withMeanings } from './meanings.js';
import { memberSchema, messageSchema, modelUsageSchema, taskChangeSchema, tokensSchema } from './parts.js';

/** The JSON Schema of a line of `cct normalize`: one definition per event, and per piece that several of them have. */
export function eventJsonSchema(): unknown {
  const definitions = {
    ...Object.fromEntries(eventNames().map((name) => [name, eventSchema(name)])),
    member: memberSchema,
    message: messageSchema,
    model_usage: modelUsageSchema,
    task: taskChangeSchema,
    tokens: tokensSchema,
  };
  // A registry of our own: ids in zod's global one would be seen by everybody who uses zod beside us.
  const ids = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(definitions)) ids.add(schema, { id });
  const { $schema, ...rest } = z.toJSONSchema(z.union(eventNames().map(eventSchema)), {
    // As input: the output form would forbid every field that is not there yet.
    io: 'input',
    metadata: ids,
    override({ zodSchema, jsonSchema }) {
      const description = z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  return withMeanings({ $schema, title: 'event', description: 'one line of cct normalize', ...rest }, 'event');
}
