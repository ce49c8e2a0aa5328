// Requests to shut down or to approve a plan, and whether anybody answered.
import { resolveAgent } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import type { Step } from '../state/audit-members.js';
import type { Request } from '../state/audit-messages.js';
import { isBefore, type Spot } from '../state/audit-spot.js';
import { keyOf } from '../state/tasks-place.js';
import { type FindingRow, finding } from './finding.js';
import type { HomeOf } from './finding-home.js';
import { isLead, plainName } from './finding-roster.js';
import { groupBy } from './pick.js';

export function requestFindings({ agents, audit }: Facts, homeOf: HomeOf): FindingRow[] {
  const { requests, answers } = audit.messages;
  const nameAt = (spot: Pick<Spot, 'session_id' | 'team'>, who: string) =>
    keyOf(homeOf(spot), isLead(who) ? 'main' : plainName(resolveAgent(agents, spot, who).name));
  const byAgent = groupBy(answers.values(), (answer) => keyOf(answer.kind, nameAt(answer, answer.from ?? 'main')));
  const ends = groupBy(
    audit.members.steps.values().filter(({ to }) => to === 'gone'),
    (step: Step) => nameAt(step, step.agent ?? 'main'),
  );
  const deleted = groupBy(audit.members.deleted.values(), (spot) => homeOf({ ...spot, team: spot.name }));

  function isAnswered(request: Request): boolean {
    if (request.id !== null && answers.has(request.id)) return true;
    // Some results do not say which id the request was given.
    const same = byAgent.get(keyOf(request.kind, nameAt(request, request.to ?? 'main'))) ?? [];
    return request.id === null && same.some((answer) => isBefore(request, answer));
  }

  /** Nobody waits any more: the agent that was to leave is gone, or the one that wanted to know, or the whole team. */
  function isOver(request: Request): boolean {
    const who = request.kind === 'shutdown' ? request.to : request.from;
    const ended = [...(ends.get(nameAt(request, who ?? 'main')) ?? []), ...(deleted.get(homeOf(request)) ?? [])];
    return ended.some((end) => isBefore(request, end));
  }

  return requests
    .values()
    .filter((request) => !isAnswered(request) && !isOver(request))
    .map((request) => {
      const what = request.kind === 'shutdown' ? 'the request to shut down' : 'the request to approve a plan';
      const which = request.id === null ? '' : ` (${request.id})`;
      return finding(agents, 'unanswered_request', request, {
        agent: request.to === null ? null : resolveAgent(agents, request, request.to).name,
        tool_use_id: request.tool_use_id,
        detail: `${what} has no answer${which}`,
      });
    });
}
