import { textOf } from '../../record/fields.js';
import type { Call, Desk } from '../desk.js';
import type { Outcome } from '../outcome.js';
import { leadName, nameOf } from '../session.js';

/** ExitPlanMode of a teammate that needs its lead's approval. */
export function planSubmitted(desk: Desk, call: Call, outcome: Outcome): void {
  if (!outcome.success || outcome.data?.awaitingLeaderApproval !== true) return;
  const { session, agent } = call.at;
  const from = nameOf(session, agent);
  const request = textOf(outcome.data.requestId);
  if (request !== null) session.requests.set(request, from);
  desk.emit(call.at, 'team:plan:requested', {
    category: 'team_message',
    tool_use_id: call.id || null,
    request_id: request,
    from,
    to: leadName(session) === 'main' ? 'team-lead' : leadName(session),
    plan: textOf(outcome.data.plan) ?? textOf(call.input.plan),
  });
}
