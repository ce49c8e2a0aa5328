// The pieces several events have, as the library gives them: as values. cct makes them only when a record asks for one.
import { eventSchemas } from './event.js';
import { tokenSchemas } from './usage-row.js';

export const { memberSchema, messageSchema, taskChangeSchema } = eventSchemas();
export const { tokens: tokensSchema, modelUsage: modelUsageSchema } = tokenSchemas();
