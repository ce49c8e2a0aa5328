import * as z from 'zod';
import { figures } from '../../core/event/usage-row.js';
import { taskRowSchema } from '../tasks/row.js';
import { teamRowSchema } from '../teams/row.js';

export function stateJsonSchema(): unknown {
  const text = z.string().nullable();
  const place = {
    cct: z.literal(1).describe('schema version'),
    at: text.describe('time of the event; where it has none, the last one known before it'),
    line: z.number().nullable().describe('line of the input, from 1'),
    event: text.describe('the event that made the state what it is; null at the end of the input'),
  };
  const state = z.object({
    ...place,
    teams: z.array(teamRowSchema).describe('the rows of cct teams'),
    tasks: z.array(taskRowSchema).describe('the rows of cct tasks'),
    usage: z.array(z.object({ model: text, ...figures() })).describe('the rows of cct usage, by model'),
  });
  const change = z.object({
    op: z.enum(['add', 'remove', 'replace']),
    path: z.string(),
    value: z.unknown().optional(),
  });
  const diff = z.object({
    ...place,
    changes: z
      .array(change)
      .describe('JSON Patch (RFC 6902) from the state before, the first from {"teams":[],"tasks":[],"usage":[]}'),
  });
  const { $schema, ...rest } = z.toJSONSchema(z.union([state, diff]), { io: 'input' });
  return { $schema, title: 'state', description: 'one line of cct replay --states or --at, or of --diff', ...rest };
}
