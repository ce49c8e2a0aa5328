// Which teams there are: a team is its name plus its lead's session; files and other sessions may belong to it.
import type { MemberEntry } from './members.js';
import { compare, earliestOf, groupBy } from './order.js';
import type { SessionStatus, TeamEntry, TeamsState } from './teams.js';

/** A team is its name plus its lead's session; other sessions and files may belong to it. */
export interface TeamPlace {
  team: string;
  session_id: string | null;
  scopes: readonly string[];
}

export interface Team extends TeamPlace {
  entries: TeamEntry[];
  lead: SessionStatus | undefined;
  scope: string;
  /** The id its lead goes by, where the session leads several teams. */
  lead_id: string | null;
  created_at: string | null;
  /** Whether what a session says of an agent is about this team: it may have had several, one after the other. */
  owns(said: { readonly scope: string; readonly team: string | null }): boolean;
}

export function findTeams(state: TeamsState): Team[] {
  const entries = state.teams.values();
  const explicit = groupBy(
    entries.filter((entry) => entry.protocol !== 'implicit'),
    (entry) => entry.scope,
  );
  const byName = groupBy(entries, (entry) => entry.name);
  const tagged = groupBy(
    state.members.values().filter((member) => member.team !== null && member.joined),
    (member) => member.team ?? '',
  );
  const teams: Team[] = [];
  for (const [name, group] of byName) {
    const isLed = (entry: TeamEntry) => entry.session_id !== null || entry.protocol !== 'files';
    const led = group.filter((entry) => isLed(entry) && !(entry.protocol === 'implicit' && explicit.has(entry.scope)));
    const loose = group.filter((entry) => !isLed(entry));
    const guests = guestScopes(tagged.get(name) ?? [], new Set(group.map((entry) => entry.scope)));
    for (const entry of led) {
      // Files and teammates' own sessions name no lead's session: with several teams of a name nobody can tell whose they are.
      const others = led.length === 1 ? [...loose.map((one) => one.scope), ...guests] : [];
      const siblings = explicit.get(entry.scope) ?? [];
      teams.push({
        team: name,
        session_id: entry.session_id,
        scope: entry.scope,
        scopes: [entry.scope, ...nameless(entry), ...others],
        entries: led.length === 1 ? [entry, ...loose] : [entry],
        lead: state.sessions.get(entry.scope) ?? state.sessions.get(''),
        lead_id: siblings.length > 1 ? entry.lead : null,
        created_at: createdAt(led.length === 1 ? [entry, ...loose] : [entry]),
        owns: ownerOf(entry, siblings),
      });
    }
    const [first] = loose;
    if (led.length === 0 && first !== undefined) teams.push(teamOf(first, loose, [first.scope, ...guests], null));
  }
  return [...teams, ...teamsOfGuests(tagged, byName)];
}

/** Of several teams of a session each has what was said of it; what names none belongs to the first. */
function ownerOf(entry: TeamEntry, siblings: readonly TeamEntry[]): Team['owns'] {
  if (siblings.length < 2) return () => true;
  const names = new Set(siblings.map(({ name }) => name));
  const [first] = siblings.toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.name, b.name));
  return ({ scope, team }) =>
    scope !== entry.scope || (team !== null && names.has(team) ? team === entry.name : first === entry);
}

/** The earliest any record says; a config is written when its team is made. */
function createdAt(entries: readonly TeamEntry[]): string | null {
  return earliestOf(entries.map((entry) => entry.created_at));
}

function teamOf(entry: TeamEntry, entries: TeamEntry[], scopes: readonly string[], session_id: string | null): Team {
  return {
    team: entry.name,
    session_id,
    scope: entry.scope,
    scopes,
    entries,
    lead: undefined,
    lead_id: null,
    created_at: createdAt(entries),
    owns: () => true,
  };
}

/** A stream that names no session: what came before its team was made belongs to it too. */
function nameless(entry: TeamEntry): string[] {
  return entry.session_id === null ? [''] : [];
}

/** Sessions whose rows are tagged with a team that others lead. */
function guestScopes(tagged: readonly MemberEntry[], own: ReadonlySet<string>): string[] {
  const scopes = tagged.filter((member) => !own.has(member.scope));
  return [...new Set(scopes.map((member) => member.scope))];
}

/** Teammates whose lead is not in the input: all that is known of their team is its name. */
function teamsOfGuests(
  tagged: ReadonlyMap<string, readonly MemberEntry[]>,
  known: ReadonlyMap<string, unknown>,
): Team[] {
  const led = [...tagged].filter(([team]) => !known.has(team));
  return led.map(([team, group]) => {
    const scopes = [...new Set(group.map((member) => member.scope))];
    const entry: TeamEntry = {
      scope: scopes[0] ?? '',
      session_id: group[0]?.session_id ?? null,
      name: team,
      protocol: 'files',
      description: null,
      lead: null,
      created_at: null,
      ended_at: null,
      deleted: false,
      error: null,
    };
    return teamOf(entry, [entry], scopes, entry.session_id);
  });
}
