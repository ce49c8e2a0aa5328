import * as z from 'zod';
import { type AgentsState, resolveAgent } from '../state/agents.js';
import type { Spot } from '../state/audit-spot.js';
import { teamOf } from '../state/messages-join.js';
import { type RuleName, ruleNames, rules } from './finding-rules.js';
import { compare } from './pick.js';

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

export const findingFields = Object.keys(findingRowSchema.shape);

export function findingJsonSchema(): unknown {
  // As input: the output form would forbid every field that is not there yet.
  const { $schema, ...rest } = z.toJSONSchema(findingRowSchema, { io: 'input' });
  return { $schema, title: 'finding', description: 'one row of cct teams, tasks or messages with --audit', ...rest };
}

type About = Partial<Omit<FindingRow, 'rule' | 'severity'>> & { detail: string };

/** A finding at a spot, about whoever the spot names unless `about` names another. */
export function finding(agents: AgentsState, rule: RuleName, spot: Spot, about: About): FindingRow {
  const agent = spot.agent === null ? null : resolveAgent(agents, spot, spot.agent).name;
  return findingAt(rule, { ...spot, team: teamOf(agents, spot) }, { agent, ...about });
}

/** A finding at a place whose team is known. */
export function findingAt(
  rule: RuleName,
  { time, session_id, team, line }: Pick<FindingRow, 'time' | 'session_id' | 'team' | 'line'>,
  about: About,
): FindingRow {
  const { severity } = rules[rule];
  return { time, session_id, team, rule, severity, agent: null, task: null, tool_use_id: null, line, ...about };
}

/** By time, then line, then rule; what is still alike, by what it says. */
export function inOrder(findings: readonly FindingRow[]): FindingRow[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.time, b.time) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.rule, b.rule) ||
      compare(a.tool_use_id, b.tool_use_id) ||
      compare(a.detail, b.detail) ||
      compare(JSON.stringify(a), JSON.stringify(b)),
  );
}
