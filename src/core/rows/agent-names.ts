import { resolveAgent } from '../state/agents.js';
import { type State, settle } from '../state/reduce.js';
import type { TeamState } from '../team/team-state.js';
import { findTeams } from './find-teams.js';

/** Names of the agents of a team, or of all teams of a state that were not cleaned up. The lead is not counted; [] without a team. */
export function agentNames(state: TeamState | State | undefined): string[] {
  if (state === undefined) return [];
  if ('members' in state) return state.members.map((member) => member.name);
  const { agents, teams } = settle(state);
  const living = findTeams(teams).filter(({ entries }) => !entries.some((entry) => entry.deleted));
  const scopes = new Set(living.flatMap((team) => team.scopes));
  const names = new Map<string, string>();
  for (const member of teams.members.values()) {
    if (!member.joined || !scopes.has(member.scope)) continue;
    const { agent, name, kind } = resolveAgent(agents, member, member.id);
    if (kind === 'teammate' || kind === 'subagent') names.set(agent, name);
  }
  return [...names.values()];
}
