import * as z from 'zod';
import { ruleNames, rules } from './finding-rules.js';

const text = z.string().nullable();

export const findingRowSchema = z.object({
  time: text,
  session_id: text,
  team: text,
  rule: z.enum(ruleNames).describe(ruleNames.map((name) => `${name}: ${rules[name].means}`).join('. ')),
  severity: z
    .enum(['problem', 'note'])
    .describe('a problem is something that went wrong; a note, a documented limit that was passed'),
  agent: text.describe(
    'who made the call or sent the message; of undelivered, delivered_twice and unanswered_request, who it was for; of a rule about a member or an owner, that one',
  ),
  task: text.describe('id of the task: on its board, or of work in the background'),
  tool_use_id: text.describe('the call it is about'),
  line: z.number().nullable().describe('of the result of that call, or where else it shows'),
  detail: z.string().describe('in words; of a failed call, the error as written, with its code where that is known'),
});
export type FindingRow = z.infer<typeof findingRowSchema>;

export function findingJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(findingRowSchema, { io: 'input' });
  return { $schema, title: 'finding', description: 'one row of cct teams, tasks or messages with --audit', ...rest };
}
