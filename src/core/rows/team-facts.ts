import type { ResolvedAgent } from '../state/agents.js';
import { joinMessages } from '../state/messages-join.js';
import type { State } from '../state/reduce.js';
import type { TeamPlace } from './find-teams.js';
import { type MessageRow, noText, settledRow } from './message.js';
import { groupBy } from './pick.js';
import { type TaskRow, taskRows } from './task.js';
import { type TeamFacts, type TeamRow, teamRows } from './team.js';
import { reportUsage, type UsageRow } from './usage.js';

/** The rows of `cct teams`, with what tasks, messages and usage add to the roster. `ended`: the input is over. */
export function teamRowsOf(state: State, over: { ended: boolean }): TeamRow[] {
  return teamRows(state.agents, state.teams, factsOf(state), over);
}

function factsOf(state: State): TeamFacts {
  const tasks = byTeam(taskRows(state.tasks, state.agents, { all: true }).filter((task) => task.kind === 'board'));
  const messages = byTeam(joinMessages(state.messages, state.agents).map((message) => settledRow(message, () => noText, state.agents)));
  const spent = groupBy(reportUsage({ ...state, by: ['session', 'agent'] }).rows, (row) => agentKey(row));
  const sessions = new Map(reportUsage({ ...state, by: ['session'] }).rows.map((row) => [row.session_id, row.cost_usd]));
  return {
    tasks: (team) => countTasks(tasks(team)),
    currentTask: (team, name) => tasks(team).find((task) => task.owner === name && task.status === 'in_progress')?.id ?? null,
    messages: (team) => messages(team).length,
    messagesOf: (team, name) => countMessages(messages(team), name),
    tokens: (member) => sum(spent.get(memberKey(member)), (row) => row.total_tokens),
    cost(team, members) {
      const own = [...sessions.keys()].filter((id) => typeof id === 'string' && team.scopes.includes(id));
      const shared = state.teams.teams.values().filter((entry) => entry.protocol !== 'implicit' && entry.session_id === team.session_id).length > 1;
      if (!shared) return total(own.map((id) => sessions.get(id) ?? null));
      return total(members.flatMap((member) => spent.get(memberKey(member)) ?? []).map((row) => row.cost_usd));
    },
  };
}

/** Rows of a team: of its lead's session, of the others that belong to it, and of its files, which name none. */
function byTeam<R extends { team: string | null; session_id: string | null }>(rows: readonly R[]): (team: TeamPlace) => R[] {
  const groups = groupBy(rows, (row) => row.team ?? '');
  const found = new Map<string, R[]>();
  return (team) => {
    const key = `${team.session_id} ${team.team}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const own = (groups.get(team.team) ?? []).filter(
      (row) => row.session_id === null || row.session_id === team.session_id || team.scopes.includes(row.session_id),
    );
    found.set(key, own);
    return own;
  };
}

function countTasks(tasks: readonly TaskRow[]): TeamRow['tasks'] {
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  return { pending: count('pending'), in_progress: count('in_progress'), completed: count('completed'), deleted: count('deleted') };
}

function countMessages(messages: readonly MessageRow[], name: string): { sent: number; received: number } {
  const arrived = messages.filter((message) => message.status === 'sent' || message.status === 'delivered');
  return {
    sent: messages.filter((message) => message.from === name && message.status !== 'failed').length,
    received: arrived.filter((message) => message.recipients.includes(name)).length,
  };
}

function agentKey(row: UsageRow): string {
  return `${row.session_id} ${row.agent}`;
}

function memberKey(member: ResolvedAgent): string {
  return `${member.session_id} ${member.agent}`;
}

function sum(rows: readonly UsageRow[] | undefined, of: (row: UsageRow) => number): number | null {
  return rows === undefined ? null : rows.reduce((all, row) => all + of(row), 0);
}

/** Unknown as long as nothing is known. */
function total(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : known.reduce((all, cost) => all + cost, 0);
}
