import { coalesce, textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { createTeam } from '../agents.js';
import type { Call, Desk } from '../desk.js';
import type { Outcome } from '../outcome.js';
import { sent } from './send.js';

export function teamCreated(desk: Desk, call: Call, outcome: Outcome): void {
  const { session } = call.at;
  const name = readTeamName(call.input, outcome);
  if (!outcome.success || name === null) return;
  session.lead = textOf(outcome.data?.lead_agent_id) ?? `team-lead@${name}`;
  session.leadType = textOf(call.input.agent_type);
  createTeam(desk, call.at, {
    name,
    description: textOf(call.input.description),
    lead_agent_id: session.lead,
    config_path: textOf(outcome.data?.team_file_path),
    protocol: call.tool === 'Teammate' ? 'teammate-tool' : 'team-create',
    tool_use_id: call.id || null,
  });
}

export function teamDeleted(desk: Desk, call: Call, outcome: Outcome): void {
  const name = readTeamName(call.input, outcome) ?? call.at.session.team;
  const own = { category: 'team_state_change' as const, tool_use_id: call.id || null, name };
  if (outcome.success) desk.emit(call.at, 'team:deleted', own);
  else desk.emit(call.at, 'team:cleanup_failed', { ...own, error: outcome.error });
}

/** The one tool of 2.1.16 to 2.1.32: what it did is in `operation`. */
export function teammateReturned(desk: Desk, call: Call, outcome: Outcome): void {
  const operation = textOf(call.input.operation);
  if (operation === 'spawnTeam') teamCreated(desk, call, outcome);
  else if (operation === 'cleanup') teamDeleted(desk, call, outcome);
  else sent(desk, call, outcome);
}

/** The name the team really got; the one asked for may have been taken. */
export function readTeamName(input: JsonObject, outcome: Outcome): string | null {
  return coalesce(textOf(outcome.data?.team_name), textOf(input.team_name));
}
