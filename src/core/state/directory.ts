// Who is who, and which team is which: the one place that answers, asked by every room.
import { type AgentsState, type ResolvedAgent, resolveAgent, scopeOf, teamOf } from './agents.js';
import { keyOf, type Place } from './keys.js';
import { compare, earliestOf, groupBy } from './order.js';
import { blankTeam, type MemberEntry, noTeams, type SessionStatus, type TeamEntry, type TeamsState } from './teams.js';

/** A team is its name plus its lead's session; other sessions and files may belong to it. */
export interface Team {
  readonly team: string;
  readonly session_id: string | null;
  readonly scope: string;
  /** Of its lead's session first, then of the other sessions and the files that belong to it. */
  readonly scopes: readonly string[];
  readonly entries: readonly TeamEntry[];
  readonly lead: SessionStatus | undefined;
  /** The id its lead goes by, where the session leads several teams. */
  readonly lead_id: string | null;
  readonly created_at: string | null;
  /** Whether what a session says of an agent is about this team: it may have had several, one after the other. */
  owns(said: { readonly scope: string; readonly team: string | null }): boolean;
}

/** Somebody the program itself called a member, under one of its ids. */
interface JoinedMember {
  readonly entry: MemberEntry;
  readonly agent: ResolvedAgent;
}

/** What a state knows of agents and teams. Whoever asks only about agents need not follow the teams. */
export class Directory {
  readonly #agents: AgentsState;
  readonly #teams: TeamsState;
  // Found when somebody first asks.
  #found: readonly Team[] | null = null;
  #joined: readonly JoinedMember[] | null = null;
  #homes: ReadonlyMap<string, string> | null = null;

  constructor({ agents, teams = noTeams }: { readonly agents: AgentsState; readonly teams?: TeamsState }) {
    this.#agents = agents;
    this.#teams = teams;
  }

  /** Any id of an agent → the agent. An id nobody knows stands for itself. */
  agent(place: Place, id: string | null): ResolvedAgent {
    return resolveAgent(this.#agents, place, id);
  }

  /** Every team, each once. */
  get teams(): readonly Team[] {
    this.#found ??= findTeams(this.#teams);
    return this.#found;
  }

  /** Everybody who joined, once for each id that was told of. */
  get joined(): readonly JoinedMember[] {
    this.#joined ??= this.#teams.members
      .values()
      .filter((entry) => entry.joined)
      .map((entry) => ({ entry, agent: this.agent(entry, entry.id) }));
    return this.#joined;
  }

  /** The name of the team a place belongs to, as far as it is known by now. */
  teamOf(place: Place): string | null {
    return teamOf(this.#agents, place);
  }

  /** Tells one team from another: two sessions may each have a team of the same name, and one team several sessions and files. */
  homeOf(place: Place): string {
    this.#homes ??= new Map(
      this.teams.flatMap(({ team, session_id, scopes }) =>
        scopes.map((scope) => [keyOf(scope, team), keyOf(session_id, team)] as const),
      ),
    );
    const here = keyOf(scopeOf(place), this.teamOf(place));
    return this.#homes.get(here) ?? here;
  }
}

function findTeams(state: TeamsState): Team[] {
  const all = state.teams.values();
  const explicit = groupBy(
    all.filter(({ protocol }) => protocol !== 'implicit'),
    ({ scope }) => scope,
  );
  const byName = groupBy(all, ({ name }) => name);
  const tagged = groupBy(
    state.members.values().filter(({ team, joined }) => team !== null && joined),
    ({ team }) => team ?? '',
  );
  const teams: Team[] = [];
  for (const [name, group] of byName) {
    const led = group.filter((entry) => isLed(entry) && !(entry.protocol === 'implicit' && explicit.has(entry.scope)));
    const loose = group.filter((entry) => !isLed(entry));
    const guests = guestScopes(tagged.get(name) ?? [], group);
    // Files and teammates' own sessions name no lead's session: with several teams of a name nobody can tell whose they are.
    const [files, others] = led.length > 1 ? [[], []] : [loose, [...loose.map(({ scope }) => scope), ...guests]];
    for (const entry of led) {
      const siblings = explicit.get(entry.scope) ?? [];
      // A stream that names no session: what came before its team was made belongs to it too.
      const nameless = entry.session_id === null ? [''] : [];
      teams.push({
        ...describeTeam(entry, [entry, ...files], [entry.scope, ...nameless, ...others]),
        lead: state.sessions.get(entry.scope) ?? state.sessions.get(''),
        lead_id: siblings.length > 1 ? entry.lead : null,
        owns: ownerOf(entry, siblings),
      });
    }
    const [first] = loose;
    if (led.length === 0 && first !== undefined) teams.push(describeTeam(first, loose, [first.scope, ...guests]));
  }
  // Teammates whose lead is not in the input: all that is known of their team is its name.
  for (const [name, group] of tagged) {
    if (byName.has(name)) continue;
    const scopes = guestScopes(group, []);
    const entry = blankTeam(scopes[0] ?? '', group[0]?.session_id ?? null, name, 'files');
    teams.push(describeTeam(entry, [entry], scopes));
  }
  return teams;
}

/** Some session leads it; otherwise it is known from files alone. */
function isLed({ session_id, protocol }: TeamEntry): boolean {
  return session_id !== null || protocol !== 'files';
}

/** Sessions whose members are tagged with a team that others lead. */
function guestScopes(tagged: readonly MemberEntry[], group: readonly TeamEntry[]): string[] {
  const own = new Set(group.map(({ scope }) => scope));
  return [...new Set(tagged.map(({ scope }) => scope))].filter((scope) => !own.has(scope));
}

function describeTeam(main: TeamEntry, entries: readonly TeamEntry[], scopes: readonly string[]): Team {
  return {
    team: main.name,
    session_id: main.session_id,
    scope: main.scope,
    scopes,
    entries,
    lead: undefined,
    lead_id: null,
    // A config is written when its team is made.
    created_at: earliestOf(entries.map(({ created_at }) => created_at)),
    owns: () => true,
  };
}

/** Of several teams of a session each has what was said of it; what names none belongs to the first. */
function ownerOf(entry: TeamEntry, siblings: readonly TeamEntry[]): Team['owns'] {
  if (siblings.length < 2) return () => true;
  const names = new Set(siblings.map(({ name }) => name));
  const [first] = siblings.toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.name, b.name));
  return ({ scope, team }) =>
    scope !== entry.scope || (team !== null && names.has(team) ? team === entry.name : first === entry);
}
