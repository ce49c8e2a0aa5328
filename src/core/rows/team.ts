import type { AgentsState, ResolvedAgent } from '../state/agents.js';
import type { SessionStatus } from '../state/session-status.js';
import type { TeamsState } from '../state/teams.js';
import type { WorkState } from '../state/work.js';
import { findTeams, type Team, type TeamPlace } from './find-teams.js';
import { type MemberRow, memberRows, type Roster, rosterOf } from './member.js';
import { compare, earliest, first } from './pick.js';
import type { TeamRow } from './team-schema.js';

export type { TeamRow } from './team-schema.js';

/** In the order of the schema, which is not made just to print a row. */
export const teamFields = [
  'team',
  'session_id',
  'status',
  'protocol',
  'role',
  'lead',
  'description',
  'created_at',
  'ended_at',
  'error',
  'members',
  'tasks',
  'messages',
  'cost_usd',
  'cost_source',
] as const satisfies readonly (keyof TeamRow)[];

/** What other slices know of a team; each answers for a team row or for one of its members. */
export interface TeamFacts {
  tasks(team: TeamPlace): TeamRow['tasks'];
  currentTask(team: TeamPlace, name: string): string | null;
  messages(team: TeamPlace): number;
  messagesOf(team: TeamPlace, agent: ResolvedAgent): { sent: number; received: number };
  tokens(places: readonly ResolvedAgent[]): number | null;
  cost(team: TeamPlace, members: readonly ResolvedAgent[]): Pick<TeamRow, 'cost_usd' | 'cost_source'>;
}

/** `ended`: the input is over, so what is still open will stay so. */
export function teamRows(
  agents: AgentsState,
  teams: TeamsState,
  work: WorkState,
  facts: TeamFacts,
  { ended }: { ended: boolean },
): TeamRow[] {
  const roster = rosterOf(teams, work);
  const rows = findTeams(teams).map((place) => teamRow(place, agents, teams, roster, facts, ended));
  return rows.filter((row) => row.protocol !== 'implicit' || row.members.length > 1).sort(byTeam);
}

function teamRow(
  team: Team,
  agents: AgentsState,
  state: TeamsState,
  roster: Roster,
  facts: TeamFacts,
  ended: boolean,
): TeamRow {
  const [main] = team.entries;
  const deleted = team.entries.some((entry) => entry.deleted);
  const members = memberRows(team, agents, state, roster, facts, { ended, deleted });
  const lead = members.find(({ row }) => row.kind === 'lead');
  const isGuest = team.lead === undefined && team.session_id !== null;
  const rows = members.map(({ row }) => row);
  const created_at = createdAt(team, rows) ?? (isGuest ? null : (team.lead?.started_at ?? null));
  return {
    team: team.team,
    session_id: team.session_id,
    status: deleted ? 'cleaned_up' : statusOf(team.lead, ended),
    protocol: main?.protocol ?? 'files',
    role: isGuest ? 'teammate' : main?.protocol === 'files' ? null : 'lead',
    lead: lead?.row.name ?? null,
    description: first(team.entries.map((entry) => entry.description)),
    created_at,
    ended_at:
      first(team.entries.map((entry) => entry.ended_at)) ??
      (ended && !team.lead?.inTurn ? (team.lead?.ended_at ?? null) : null),
    error: first(team.entries.map((entry) => entry.error)),
    // Whoever leads it was there before anybody else.
    members: rows.map((row) =>
      row.kind === 'lead' ? { ...row, joined_at: earliest([row.joined_at, created_at]) } : row,
    ),
    tasks: facts.tasks(team),
    messages: facts.messages(team),
    ...facts.cost(
      team,
      members.flatMap(({ places }) => places),
    ),
  };
}

/** An implicit team begins with its first agent. */
function createdAt({ entries, created_at }: Team, members: readonly MemberRow[]): string | null {
  if (entries[0]?.protocol !== 'implicit') return created_at;
  return earliest([created_at, ...members.filter(({ kind }) => kind !== 'lead').map(({ joined_at }) => joined_at)]);
}

function statusOf(session: SessionStatus | undefined, ended: boolean): TeamRow['status'] {
  if (session?.over) return 'ended';
  if (session === undefined || !session.stream || !ended) return 'active';
  return session.inTurn ? 'unfinished' : 'ended';
}

export function byTeam(a: TeamRow, b: TeamRow): number {
  return compare(a.created_at, b.created_at) || compare(a.team, b.team) || compare(a.session_id, b.session_id);
}
