import { type AgentsState, resolveAgent } from '../state/agents.js';
import type { Place } from '../state/tasks-place.js';

/** The name of an agent that is given by its name or by any of its ids. */
export function ownerName(agents: AgentsState, place: Place, owner: string | null): string | null {
  if (owner === null || owner === 'team-lead') return owner;
  const { name } = resolveAgent(agents, place, owner);
  return name === owner ? owner.replace(/^@/, '').replace(/(?<=.)@.*$/s, '') : name;
}
