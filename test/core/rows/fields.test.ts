import { expect, test } from 'vitest';
import { findingRowSchema } from '../../../src/commands/audit/row.js';
import { findingFields } from '../../../src/commands/audit/rows.js';
import { messageRowSchema } from '../../../src/commands/messages/row.js';
import { messageFields } from '../../../src/commands/messages/rows.js';
import { taskRowSchema } from '../../../src/commands/tasks/row.js';
import { taskFields } from '../../../src/commands/tasks/rows.js';

import { memberRowSchema, teamRowSchema } from '../../../src/commands/teams/row.js';
import { memberFields, teamFields } from '../../../src/commands/teams/rows.js';

test.each([
  ['finding', findingFields, findingRowSchema],
  ['member', memberFields, memberRowSchema],
  ['message', messageFields, messageRowSchema],
  ['task', taskFields, taskRowSchema],
  ['team', teamFields, teamRowSchema],
])('the fields of a %s are those of its schema, in its order', (_name, fields, schema) => {
  expect(fields).toEqual(Object.keys(schema.shape));
});
