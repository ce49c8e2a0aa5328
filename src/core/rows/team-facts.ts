import type { ResolvedAgent } from '../state/agents.js';
import { joinMessages } from '../state/messages-join.js';
import type { State } from '../state/reduce.js';
import type { TeamPlace } from './find-teams.js';
import { type MessageRow, noText, settledRow } from './message.js';
import { groupBy } from './pick.js';
import { remember } from './remember.js';
import { type TaskRow, taskRows } from './task.js';
import { type TeamFacts, type TeamRow, teamRows } from './team.js';
import { reportUsage, type UsageRow } from './usage.js';

/** The rows of `cct teams`, with what tasks, messages and usage add to the roster. `ended`: the input is over. */
export function teamRowsOf(state: State, over: { ended: boolean }): TeamRow[] {
  return teamRows(state.agents, state.teams, factsOf(state), over);
}

function factsOf(state: State): TeamFacts {
  const tasks = byTeam(boardTasks(state.tasks, state.agents));
  const messages = byTeam(messageRows(state.messages, state.agents));
  const current = perTeam((team) => ownersOf(tasks(team)));
  const exchanged = perTeam((team) => countMessages(messages(team)));
  return {
    tasks: (team) => countTasks(tasks(team)),
    currentTask: (team, name) => current(team).get(name) ?? null,
    messages: (team) => messages(team).length,
    messagesOf: (team, name) => exchanged(team).get(name) ?? { sent: 0, received: 0 },
    tokens: (member) => tokensOf(spentByAgent(state.usage, state.agents).get(memberKey(member)) ?? []),
    cost(team, members) {
      const sessions = costBySession(state.usage, state.agents);
      const own = [...sessions.keys()].filter((id) => team.scopes.includes(typeof id === 'string' ? id : ''));
      const shared =
        state.teams.teams
          .values()
          .filter((entry) => entry.protocol !== 'implicit' && entry.session_id === team.session_id).length > 1;
      if (!shared) return total(own.map((id) => sessions.get(id) ?? null));
      const spent = spentByAgent(state.usage, state.agents);
      return total(members.flatMap((member) => spent.get(memberKey(member)) ?? []).map((row) => row.cost_usd));
    },
  };
}

// Whoever follows a stream asks after every event, and most events leave most of this alone.
const boardTasks = remember((tasks: State['tasks'], agents: State['agents']) =>
  taskRows(tasks, agents, { all: true }).filter((task) => task.kind === 'board'),
);
const messageRows = remember((messages: State['messages'], agents: State['agents']) =>
  joinMessages(messages, agents).map((message) => settledRow(message, () => noText, agents)),
);
const spentByAgent = remember((usage: State['usage'], agents: State['agents']) =>
  groupBy(reportUsage({ usage, agents, by: ['session', 'agent'] }).rows, (row) => agentKey(row)),
);
const costBySession = remember(
  (usage: State['usage'], agents: State['agents']) =>
    new Map(reportUsage({ usage, agents, by: ['session'] }).rows.map((row) => [row.session_id, row.cost_usd])),
);

/** Rows of a team: of its lead's session, of the others that belong to it, and of its files, which name none. */
function byTeam<R extends { team: string | null; session_id: string | null }>(
  rows: readonly R[],
): (team: TeamPlace) => R[] {
  const groups = groupBy(rows, (row) => row.team ?? '');
  return perTeam((team) =>
    (groups.get(team.team) ?? []).filter(
      (row) => row.session_id === null || row.session_id === team.session_id || team.scopes.includes(row.session_id),
    ),
  );
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
