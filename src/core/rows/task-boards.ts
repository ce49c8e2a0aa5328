import type { TasksState } from '../state/tasks.js';
import { keyOf, type Place } from '../state/tasks-place.js';

/** One board: that of a team, or of a session without one. */
export interface Board extends Place {
  readonly key: string;
}

/**
 * Which board a place stands for. A team is its name and the session that leads it; sessions and files that only
 * name a team join the one of that name whose lead is known, and what a session said before it had a team is the team's.
 */
export function boardsOf({ teams, changes, work }: TasksState): (place: Place) => Board {
  const leaders = new Map<string, string[]>();
  const speakers = new Map<string, Set<string>>();
  const own = new Map<string | null, { made: string | null; named: string | null; implicit: string | null }>();
  for (const { session_id, team, created } of teams.values()) {
    const names = own.get(session_id) ?? { made: null, named: null, implicit: null };
    own.set(session_id, names);
    if (team === implicitTeam(session_id)) {
      names.implicit = team;
      continue;
    }
    if (created) names.made ??= team;
    else if (session_id !== null) names.named ??= team;
    if (session_id === null) continue;
    if (created) leaders.set(team, [...(leaders.get(team) ?? []), session_id]);
    speakers.set(team, (speakers.get(team) ?? new Set()).add(session_id));
  }
  const sessions = new Map<string, string>();
  for (const { session_id } of [...teams.values(), ...changes.values(), ...work.values()])
    if (session_id !== null) sessions.set(implicitTeam(session_id), session_id);

  function boardOf({ session_id, team }: Place): Board {
    if (session_id === null && team !== null) {
      const session = sessions.get(team);
      if (session !== undefined) return boardOf({ session_id: session, team: null });
    }
    const names = own.get(session_id);
    const named = team !== null && team !== implicitTeam(session_id) ? team : (names?.made ?? names?.named ?? null);
    if (named === null) return { key: keyOf(session_id), session_id, team: names?.implicit ?? null };
    const leads = leaders.get(named) ?? [];
    const lead = session_id !== null && leads.includes(session_id) ? session_id : only(leads);
    if (lead !== null) return { key: keyOf(lead, named), session_id: lead, team: named };
    return {
      key: keyOf(null, named),
      session_id: leads.length > 0 ? null : only([...(speakers.get(named) ?? [])]),
      team: named,
    };
  }

  const known = new Map<string, Board>();
  return (place) => {
    const key = keyOf(place.session_id, place.team);
    const board = known.get(key) ?? boardOf(place);
    known.set(key, board);
    return board;
  };
}

/** What a session's team is called when nobody named it. */
function implicitTeam(session: string | null): string {
  return `session-${(session ?? '').slice(0, 8)}`;
}

function only<T>(list: readonly T[]): T | null {
  return list.length === 1 ? (list[0] ?? null) : null;
}
