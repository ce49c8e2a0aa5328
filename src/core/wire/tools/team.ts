import { coalesce, textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { createTeam } from '../agents.js';
import type { Call, Context } from '../context.js';
import { leadName, nameOf } from '../sessions.js';
import type { ToolResult } from './tool-result.js';

export function teamCreated(context: Context, call: Call, outcome: ToolResult): void {
  const { session } = call.at;
  const name = readTeamName(call.input, outcome);
  if (!outcome.success || name === null) return;
  session.lead = textOf(outcome.data?.lead_agent_id) ?? `team-lead@${name}`;
  session.leadType = textOf(call.input.agent_type);
  createTeam(context, call.at, {
    name,
    description: textOf(call.input.description),
    lead_agent_id: session.lead,
    config_path: textOf(outcome.data?.team_file_path),
    protocol: call.tool === 'Teammate' ? 'teammate-tool' : 'team-create',
    tool_use_id: call.id || null,
  });
}

export function teamDeleted(context: Context, call: Call, outcome: ToolResult): void {
  const name = readTeamName(call.input, outcome) ?? call.at.session.team;
  const own = { category: 'team_state_change' as const, tool_use_id: call.id || null, name };
  if (outcome.success) context.emit(call.at, 'team:deleted', own);
  else context.emit(call.at, 'team:cleanup_failed', { ...own, error: outcome.error });
}

/** The name the team really got; the one asked for may have been taken. */
export function readTeamName(input: JsonObject, outcome: ToolResult): string | null {
  return coalesce(textOf(outcome.data?.team_name), textOf(input.team_name));
}

/** ExitPlanMode of a teammate that needs its lead's approval. */
export function planSubmitted(context: Context, call: Call, outcome: ToolResult): void {
  if (!outcome.success || outcome.data?.awaitingLeaderApproval !== true) return;
  const { session, agent } = call.at;
  const from = nameOf(session, agent);
  const request = textOf(outcome.data.requestId);
  if (request !== null) session.requests.set(request, from);
  context.emit(call.at, 'team:plan:requested', {
    category: 'team_message',
    tool_use_id: call.id || null,
    request_id: request,
    from,
    to: leadName(session) === 'main' ? 'team-lead' : leadName(session),
    plan: textOf(outcome.data.plan) ?? textOf(call.input.plan),
  });
}
