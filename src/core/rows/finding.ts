import { type AgentsState, resolveAgent } from '../state/agents.js';
import type { Spot } from '../state/audit-spot.js';
import { teamOf } from '../state/messages-join.js';
import { type RuleName, rules } from './finding-rules.js';
import type { FindingRow } from './finding-schema.js';
import { compare } from './pick.js';

export type { FindingRow } from './finding-schema.js';

/** In the order of the schema, which is not made just to print a row. */
export const findingFields = [
  'time',
  'session_id',
  'team',
  'rule',
  'severity',
  'agent',
  'task',
  'tool_use_id',
  'line',
  'detail',
] as const satisfies readonly (keyof FindingRow)[];

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
