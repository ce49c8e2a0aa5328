import { expect, test } from 'vitest';
import { findingRowSchema } from '../../../src/commands/audit/row.js';
import { findingFields } from '../../../src/commands/audit/rows.js';
import { messageFields } from '../../../src/commands/messages/rows.js';
import { taskFields } from '../../../src/commands/tasks/rows.js';
import { memberFields } from '../../../src/commands/teams/members.js';
import { teamFields } from '../../../src/commands/teams/rows.js';
import { memberRowSchema, messageRowSchema, taskRowSchema, teamRowSchema } from '../../../src/lib.js';

test.each([
  ['finding', findingFields, findingRowSchema],
  ['member', memberFields, memberRowSchema],
  ['message', messageFields, messageRowSchema],
  ['task', taskFields, taskRowSchema],
  ['team', teamFields, teamRowSchema],
])('the fields of a %s are those of its schema, in its order', (_name, fields, schema) => {
  expect(fields).toEqual(Object.keys(schema.shape));
});
