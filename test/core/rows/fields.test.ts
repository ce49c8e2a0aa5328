import { expect, test } from 'vitest';
import { findingFields } from '../../../src/core/rows/finding.js';
import { findingRowSchema } from '../../../src/core/rows/finding-schema.js';
import { memberFields } from '../../../src/core/rows/member.js';
import { memberRowSchema } from '../../../src/core/rows/member-schema.js';
import { messageFields } from '../../../src/core/rows/message.js';
import { messageRowSchema } from '../../../src/core/rows/message-schema.js';
import { taskFields } from '../../../src/core/rows/task.js';
import { taskRowSchema } from '../../../src/core/rows/task-schema.js';
import { teamFields } from '../../../src/core/rows/team.js';
import { teamRowSchema } from '../../../src/core/rows/team-schema.js';

test.each([
  ['finding', findingFields, findingRowSchema],
  ['member', memberFields, memberRowSchema],
  ['message', messageFields, messageRowSchema],
  ['task', taskFields, taskRowSchema],
  ['team', teamFields, teamRowSchema],
])('the fields of a %s are those of its schema, in its order', (_name, fields, schema) => {
  expect(fields).toEqual(Object.keys(schema.shape));
});
