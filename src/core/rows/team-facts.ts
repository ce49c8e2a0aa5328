import type { ResolvedAgent } from '../state/agents.js';
import { joinMessages } from '../state/messages-join.js';
import type { State } from '../state/reduce.js';
import type { TeamPlace } from './find-teams.js';
import { type MessageRow, noText, settledRow } from './message.js';
import { groupBy } from './pick.js';
import { remember } from './remember.js';
import { type TaskRow, taskRows } from './task.js';
import { type TeamFacts, type TeamRow, teamRows } from './team.js';
import { reportsOf, type UsageRow } from './usage.js';

/** The rows of `cct teams`, with what tasks, messages and usage add to the roster. `ended`: the input is over. */
export function teamRowsOf(state: State, over: { ended: boolean }): TeamRow[] {
  return teamRows(state.agents, state.teams, factsOf(state), over);
}

function factsOf(state: State): TeamFacts {
  const tasks = byTeam(boardTasks(state.tasks, state.agents));
  const messages = byTeam(messageRows(state.messages, state.agents));
  const current = perTeam((team) => ownersOf(tasks(team)));
  const exchanged = perTeam((team) => countMessages(messages(team)));
  const made = explicitTeams(state.teams);
  return {
    tasks: (team) => countTasks(tasks(team)),
    currentTask: (team, name) => current(team).get(name) ?? null,
    messages: (team) => messages(team).length,
    messagesOf: (team, name) => exchanged(team).get(name) ?? { sent: 0, received: 0 },
    tokens: (member) => tokensOf(spentBy(state.usage, state.agents).agents.get(memberKey(member)) ?? []),
    cost(team, members) {
      const { sessions, agents } = spentBy(state.usage, state.agents);
      if ((made.get(team.session_id) ?? 0) > 1)
        return total(members.flatMap((member) => agents.get(memberKey(member)) ?? []).map((row) => row.cost_usd));
      const own = [...new Set(team.scopes)].flatMap((scope) => sessions.get(scope) ?? []);
      return total(own.sort((a, b) => a.at - b.at).map(({ cost }) => cost));
    },
  };
}

/** How many teams each session made: with more than one, what it cost is nobody's alone. */
function explicitTeams({ teams }: State['teams']): Map<string | null, number> {
  const made = new Map<string | null, number>();
  for (const { protocol, session_id } of teams.values())
    if (protocol !== 'implicit') made.set(session_id, (made.get(session_id) ?? 0) + 1);
  return made;
}

// Whoever follows a stream asks after every event, and most events leave most of this alone.
const boardTasks = remember((tasks: State['tasks'], agents: State['agents']) =>
  taskRows(tasks, agents, { all: true }).filter((task) => task.kind === 'board'),
);
const messageRows = remember((messages: State['messages'], agents: State['agents']) =>
  joinMessages(messages, agents).map((message) => settledRow(message, () => noText, agents)),
);
const spentBy = remember((usage: State['usage'], agents: State['agents']) => {
  const [byAgent, bySession] = reportsOf({ usage, agents }, [['session', 'agent'], ['session']]);
  const sessions = new Map<string, { at: number; cost: number | null }>();
  for (const { session_id, cost_usd } of bySession?.rows ?? [])
    sessions.set(typeof session_id === 'string' ? session_id : '', { at: sessions.size, cost: cost_usd });
  return { agents: groupBy(byAgent?.rows ?? [], agentKey), sessions };
});

/** Rows of a team: of its lead's session, of the others that belong to it, and of its files, which name none. */
function byTeam<R extends { team: string | null; session_id: string | null }>(
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

function countMessages(messages: readonly MessageRow[]): Map<string, { sent: number; received: number }> {
  const counts = new Map<string, { sent: number; received: number }>();
  const of = (name: string) => {
    const count = counts.get(name) ?? { sent: 0, received: 0 };
    counts.set(name, count);
    return count;
  };
  for (const { from, recipients, status } of messages) {
    if (status === 'failed') continue;
    if (from !== null) of(from).sent++;
    if (status !== 'open') for (const name of recipients) of(name).received++;
  }
  return counts;
}

function agentKey(row: UsageRow): string {
  return `${row.session_id} ${row.agent}`;
}

function memberKey(member: ResolvedAgent): string {
  return `${member.session_id} ${member.agent}`;
}

/** null of an agent none of whose messages was seen. */
function tokensOf(rows: readonly UsageRow[]): number | null {
  const seen = rows.filter((row) => row.messages > 0);
  return seen.length === 0 ? null : seen.reduce((all, row) => all + row.total_tokens, 0);
}

/** Unknown as long as nothing is known. */
function total(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : known.reduce((all, cost) => all + cost, 0);
}
