import { scopeOf } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import { teamOf } from '../state/messages-join.js';
import { keyOf, type Place } from '../state/tasks-place.js';
import { findTeams } from './find-teams.js';

/** Tells one team from another: two sessions may each have a team of the same name, and one team several sessions and files. */
export type HomeOf = (place: Place) => string;

export function homes({ agents, teams }: Facts): HomeOf {
  const known = new Map<string, string>();
  for (const { team, session_id, scopes } of findTeams(teams))
    for (const scope of scopes) known.set(keyOf(scope, team), keyOf(session_id, team));
  return (place) => {
    const here = keyOf(scopeOf(place), teamOf(agents, place));
    return known.get(here) ?? here;
  };
}
