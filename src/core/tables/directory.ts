// Finds the agent behind an id and the team behind a name, for every command. Questions about agents need only the
// state of agents, because most commands do not follow teams.
import type { Member } from '../event/event.js';
import { implicitTeam } from '../wire/sessions.js';
import { type AgentsState, entryAt, inScope, rootOf, scopeOf } from './agents.js';
import { compare, earliestOf, groupBy, keyOf, type Place } from './order.js';
import { blankTeam, type MemberEntry, type SessionStatus, type TeamEntry, type TeamsState } from './teams.js';

export interface ResolvedAgent {
  /** Canonical id. */
  readonly agent: string;
  readonly name: string;
  readonly agent_type: string | null;
  readonly kind: Member['kind'];
  readonly team: string | null;
  readonly session_id: string | null;
  /** It has a name or a description; otherwise `name` is its type or its id. */
  readonly isNamed: boolean;
  /** Known only as one turn of another agent. */
  readonly isTurn: boolean;
}

/** Finds the agent with this id. An unknown id gives an agent with that id. */
export function resolveAgent(agents: AgentsState, place: Place, id: string | null): ResolvedAgent {
  const session = agents.sessions.get(scopeOf(place));
  const entry = entryAt(agents, inScope(scopeOf(place), id ?? 'main'));
  const isLead = id === null || id === 'main' || entry?.kind === 'lead';
  const ownName = entry?.name ?? entry?.description ?? null;
  const agent = entry?.id ?? id ?? 'main';
  return {
    agent,
    name: isLead ? (entry?.name ?? session?.leadName ?? 'main') : (ownName ?? entry?.agent_type ?? agent),
    agent_type: entry?.agent_type ?? null,
    kind: isLead ? 'lead' : entry === undefined || entry.turnOnly ? null : (entry.kind ?? 'subagent'),
    team: session?.team ?? place.team,
    session_id: isLead || entry === undefined ? place.session_id : entry.session_id,
    isNamed: ownName !== null,
    isTurn: entry?.turnOnly ?? false,
  };
}

/** One key for all ids of an agent. */
export function agentKey(agents: AgentsState, place: Place, id: string): string {
  return rootOf(agents, inScope(scopeOf(place), id));
}

/** The agent with this name; null if there is none. */
export function agentNamed(agents: AgentsState, place: Place, name: string): ResolvedAgent | null {
  const key = agents.names.get(inScope(scopeOf(place), name));
  const entry = key === undefined ? undefined : entryAt(agents, key);
  return entry === undefined ? null : resolveAgent(agents, place, entry.id);
}

/** The name of the team that a place belongs to, as far as known so far. */
export function teamOf(agents: AgentsState, place: Place): string | null {
  const { session_id, team } = place;
  // Until the lead's file is read, the team of a session may have only its implicit name.
  const isImplicit = session_id !== null && team === implicitTeam(session_id);
  return team === null || isImplicit ? resolveAgent(agents, place, null).team : team;
}

/** The session that leads the team of this name; null if none is known, or several are. */
export function leadSession({ sessions }: AgentsState, team: string | null): string | null {
  const led = sessions.values().filter((session) => session.team === team && session.leadSession !== null);
  const [first, ...others] = led.some(({ explicit }) => explicit) ? led.filter(({ explicit }) => explicit) : led;
  return first !== undefined && others.every((one) => one.leadSession === first.leadSession) ? first.leadSession : null;
}

/** A team is its name plus its lead's session. Other sessions and files may belong to it. */
export interface Team {
  readonly team: string;
  readonly session_id: string | null;
  readonly scope: string;
  /** The scope of its lead's session, then those of the other sessions and files that belong to it. */
  readonly scopes: readonly string[];
  readonly entries: readonly TeamEntry[];
  readonly lead: SessionStatus | undefined;
  /** The id of its lead, if the session leads several teams. */
  readonly lead_id: string | null;
  readonly created_at: string | null;
  /** Whether an entry of a session belongs to this team. A session may have several teams, one after the other. */
  owns(entry: { readonly scope: string; readonly team: string | null }): boolean;
}

/** An agent that Claude Code itself called a member, under one of its ids. */
interface JoinedMember {
  readonly entry: MemberEntry;
  readonly agent: ResolvedAgent;
}

/** The teams of a settled state and their members. Slow answers are computed once, on first use. */
export class Directory {
  readonly #agents: AgentsState;
  readonly #teams: TeamsState;
  #found: readonly Team[] | null = null;
  #joined: readonly JoinedMember[] | null = null;
  #homes: ReadonlyMap<string, string> | null = null;

  constructor({ agents, teams }: { readonly agents: AgentsState; readonly teams: TeamsState }) {
    this.#agents = agents;
    this.#teams = teams;
  }

  agent(place: Place, id: string | null): ResolvedAgent {
    return resolveAgent(this.#agents, place, id);
  }

  get teams(): readonly Team[] {
    this.#found ??= findTeams(this.#teams);
    return this.#found;
  }

  /** Everybody who joined, once for each known id. */
  get joined(): readonly JoinedMember[] {
    this.#joined ??= this.#teams.members
      .values()
      .filter((entry) => entry.joined)
      .map((entry) => ({ entry, agent: this.agent(entry, entry.id) }));
    return this.#joined;
  }

  /** A key of the team: two sessions may have teams of the same name, and one team several sessions and files. */
  homeOf(place: Place): string {
    this.#homes ??= new Map(
      this.teams.flatMap(({ team, session_id, scopes }) =>
        scopes.map((scope) => [keyOf(scope, team), keyOf(session_id, team)] as const),
      ),
    );
    const here = keyOf(scopeOf(place), teamOf(this.#agents, place));
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
    // Files and teammates' own sessions do not name the lead's session. With several teams of one name, theirs is
    // unknown.
    const [files, others] = led.length > 1 ? [[], []] : [loose, [...loose.map(({ scope }) => scope), ...guests]];
    for (const entry of led) {
      const siblings = explicit.get(entry.scope) ?? [];
      // In a stream that does not name a session, records from before the team was created belong to it too.
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
  // If the lead of teammates is not in the input, only the name of their team is known.
  for (const [name, group] of tagged) {
    if (byName.has(name)) continue;
    const scopes = guestScopes(group, []);
    const entry = blankTeam(scopes[0] ?? '', group[0]?.session_id ?? null, name, 'files');
    teams.push(describeTeam(entry, [entry], scopes));
  }
  return teams;
}

/** Whether a session leads it; otherwise it is known from files alone. */
function isLed({ session_id, protocol }: TeamEntry): boolean {
  return session_id !== null || protocol !== 'files';
}

/** Sessions whose members are tagged with a team that another session leads. */
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
    // A config is written when its team is created.
    created_at: earliestOf(entries.map(({ created_at }) => created_at)),
    owns: () => true,
  };
}

/** If a session has several teams, an entry belongs to the team it names, or to the first team if it names none. */
function ownerOf(entry: TeamEntry, siblings: readonly TeamEntry[]): Team['owns'] {
  if (siblings.length < 2) return () => true;
  const names = new Set(siblings.map(({ name }) => name));
  const [first] = siblings.toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.name, b.name));
  return ({ scope, team }) =>
    scope !== entry.scope || (team !== null && names.has(team) ? team === entry.name : first === entry);
}
