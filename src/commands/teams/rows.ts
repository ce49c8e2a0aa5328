import { costSources } from '../../core/event/usage-row.js';
import type { AgentsState, ResolvedAgent } from '../../core/state/agents.js';
import { findTeams, type Team, type TeamPlace } from '../../core/state/directory.js';
import { compare, earliestOf, first, groupBy, memoizeLast } from '../../core/state/order.js';
import type { SessionStatus, TeamsState } from '../../core/state/teams.js';
import type { WorkState } from '../../core/state/work.js';
import { type MessageRow, partiesOf, partyKeys, settledMessages } from '../messages/rows.js';
import { type State, settle } from '../reduce.js';
import { isInternal, type TaskRow, taskRows } from '../tasks/rows.js';
import { reportsOf, type UsageRow } from '../usage/rows.js';
import { type MemberRow, memberRows, type Roster, rosterOf } from './members.js';
import type { TeamRow } from './row.js';

export type { TeamRow } from './row.js';

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
  return rows.filter((row) => row.protocol !== 'implicit' || row.members.length > 1).sort(compareTeams);
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
      row.kind === 'lead' ? { ...row, joined_at: earliestOf([row.joined_at, created_at]) } : row,
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
  return earliestOf([created_at, ...members.filter(({ kind }) => kind !== 'lead').map(({ joined_at }) => joined_at)]);
}

function statusOf(session: SessionStatus | undefined, ended: boolean): TeamRow['status'] {
  if (session?.over) return 'ended';
  if (session === undefined || !session.stream || !ended) return 'active';
  return session.inTurn ? 'unfinished' : 'ended';
}

export function compareTeams(a: TeamRow, b: TeamRow): number {
  return compare(a.created_at, b.created_at) || compare(a.team, b.team) || compare(a.session_id, b.session_id);
}

/** The rows of `cct teams`, with what tasks, messages and usage add to the roster. `ended`: the input is over. */
export function teamRowsOf(known: State, over: { ended: boolean }): TeamRow[] {
  const state = settle(known);
  return teamRows(state.agents, state.teams, state.work, factsOf(state), over);
}

/** What was used, by agent of a session and by session. */
interface Spent {
  readonly agents: ReadonlyMap<string, readonly UsageRow[]>;
  readonly sessions: ReadonlyMap<string, UsageRow>;
}

function factsOf(state: State): TeamFacts {
  const spent = () => spentIn(state.usage, state.agents);
  const tasks = groupByTeam(boardTasks(state.tasks, state.agents));
  const mail = groupByTeam(mailIn(state.messages, state.agents));
  const current = perTeam((team) => ownersOf(tasks(team)));
  const exchanged = perTeam((team) => countMail(mail(team)));
  const made = explicitTeams(state.teams);
  const rowsOf = (places: readonly ResolvedAgent[]) =>
    places.flatMap((place) => spent().agents.get(memberKey(place)) ?? []);
  return {
    tasks: (team) => countTasks(tasks(team)),
    currentTask: (team, name) => current(team).get(name) ?? null,
    messages: (team) => mail(team).length,
    messagesOf: (team, agent) => exchanged(team)(agent),
    tokens: (places) => tokensOf(rowsOf(places)),
    cost(team, places) {
      if ((made.get(team.session_id) ?? 0) > 1) return total(rowsOf(places));
      const { sessions } = spent();
      const own = [...new Set(team.scopes)].filter((scope) => sessions.has(scope)).sort(namelessLast);
      return total(own.flatMap((scope) => sessions.get(scope) ?? []));
    },
  };
}

/** Sums of money are not always the same in another order: this is that of a report by session. */
function namelessLast(a: string, b: string): number {
  if (a === '' || b === '') return a === '' ? 1 : -1;
  return a < b ? -1 : 1;
}

/** How many teams each session made: with more than one, what it cost is nobody's alone. */
function explicitTeams({ teams }: State['teams']): Map<string | null, number> {
  const made = new Map<string | null, number>();
  for (const { protocol, session_id } of teams.values())
    if (protocol !== 'implicit') made.set(session_id, (made.get(session_id) ?? 0) + 1);
  return made;
}

// Whoever follows a stream asks after every event, and most events leave most of this alone.
const boardTasks = memoizeLast((tasks: State['tasks'], agents: State['agents']) =>
  taskRows(tasks, agents, { all: true }).filter((task) => task.kind === 'board' && !isInternal(task)),
);
const mailIn = memoizeLast((messages: State['messages'], agents: State['agents']): Mail[] =>
  settledMessages(messages, agents).map((message) => {
    const { team, session_id, status } = message.row;
    return { team, session_id, status, ...partiesOf(message, agents) };
  }),
);

/** A message, by the agents it went between. */
interface Mail extends Pick<MessageRow, 'team' | 'session_id' | 'status'> {
  readonly from: string | null;
  readonly to: readonly string[];
}
const spentIn = memoizeLast((usage: State['usage'], agents: State['agents']): Spent => {
  const [byAgent, bySession] = reportsOf({ usage, agents }, [['session', 'agent'], ['session']]);
  return {
    agents: groupBy(byAgent?.rows ?? [], agentKey),
    sessions: new Map(bySession?.rows.map((row) => [sessionOf(row), row])),
  };
});

/** Rows of a team: of its lead's session, of the others that belong to it, and of its files, which name none. */
function groupByTeam<R extends { team: string | null; session_id: string | null }>(
  rows: readonly R[],
): (team: TeamPlace) => R[] {
  const placed = rows.map((row, at) => ({ row, at }));
  const groups = groupBy(placed, ({ row }) => placeKey(row.team ?? '', row.session_id));
  return perTeam(({ team, session_id, scopes }) => {
    const sessions = new Set([null, session_id, ...scopes]);
    const found = [...sessions].flatMap((session) => groups.get(placeKey(team, session)) ?? []);
    return found.sort((a, b) => a.at - b.at).map(({ row }) => row);
  });
}

function placeKey(team: string, session: string | null): string {
  return session === null ? `nowhere ${team}` : `in ${session} ${team}`;
}

/** Worked out once for each team, however many of its members ask. */
function perTeam<T>(of: (team: TeamPlace) => T): (team: TeamPlace) => T {
  const known = new Map<TeamPlace, T>();
  return (team) => {
    const found = known.get(team) ?? of(team);
    known.set(team, found);
    return found;
  };
}

function ownersOf(tasks: readonly TaskRow[]): Map<string | null, string> {
  const busy = tasks.filter((task) => task.status === 'in_progress');
  return new Map(busy.toReversed().map((task) => [task.owner, task.id]));
}

function countTasks(tasks: readonly TaskRow[]): TeamRow['tasks'] {
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  return {
    pending: count('pending'),
    in_progress: count('in_progress'),
    completed: count('completed'),
    deleted: count('deleted'),
  };
}

function countMail(mail: readonly Mail[]): (agent: ResolvedAgent) => { sent: number; received: number } {
  const sent = new Map<string, number>();
  const received = new Map<string, number>();
  const count = (counts: Map<string, number>, who: string) => counts.set(who, (counts.get(who) ?? 0) + 1);
  for (const { from, to, status } of mail) {
    if (status === 'failed') continue;
    if (from !== null) count(sent, from);
    if (status !== 'open') for (const who of to) count(received, who);
  }
  return (agent) => {
    const keys = partyKeys(agent);
    const sum = (counts: Map<string, number>) => keys.reduce((all, key) => all + (counts.get(key) ?? 0), 0);
    return { sent: sum(sent), received: sum(received) };
  };
}

type RowKeys = Readonly<Record<string, unknown>>;

function agentKey(row: RowKeys): string {
  return `${row['session_id']} ${row['agent']}`;
}

function sessionOf({ session_id }: RowKeys): string {
  return typeof session_id === 'string' ? session_id : '';
}

function memberKey(member: ResolvedAgent): string {
  return `${member.session_id} ${member.agent}`;
}

/** null of an agent none of whose messages was seen. */
function tokensOf(rows: readonly UsageRow[]): number | null {
  const seen = rows.filter((row) => row.messages > 0);
  return seen.length === 0 ? null : seen.reduce((all, row) => all + row.total_tokens, 0);
}

/** Unknown as long as nothing is known; the weakest word of what is counted. */
function total(rows: readonly UsageRow[]): Pick<TeamRow, 'cost_usd' | 'cost_source'> {
  const known = rows.filter((row) => row.cost_usd !== null);
  const priced = known.length === 0 ? rows : known;
  const cost_source = costSources.findLast((word) => priced.some((row) => row.cost_source === word)) ?? null;
  return {
    cost_usd: known.length === 0 ? null : known.reduce((all, row) => all + (row.cost_usd ?? 0), 0),
    cost_source,
  };
}
