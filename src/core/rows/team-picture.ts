import { type State, settle } from '../state/reduce.js';
import { latest } from '../state/time.js';
import { type Activity, type LastCall, leadKey } from './activity.js';
import type { MemberRow } from './member.js';
import type { MessageRow } from './message.js';
import { type TaskRow, taskRows } from './task.js';
import type { TeamRow } from './team.js';
import { reportUsage, type UsageRow } from './usage.js';

/** A team as it is drawn while it works. */
export interface TeamPicture {
  readonly team: TeamRow;
  readonly cards: readonly AgentCard[];
  /** The last message to everybody. */
  readonly broadcast: MessageRow | null;
  /** The last ones, oldest first. */
  readonly messages: readonly MessageRow[];
  /** How the session went, once its turn has a result. */
  readonly summary: UsageRow | null;
}

export interface AgentCard {
  readonly member: MemberRow;
  /** The subject of the task it has in progress. */
  readonly subject: string | null;
  readonly call: LastCall | null;
  /** The last message from or to it. */
  readonly message: MessageRow | null;
  /** How long nothing was heard of it when its team was last heard: the clock is that of the stream. */
  readonly quietMs: number | null;
}

export function teamPictures(rows: readonly TeamRow[], known: State, activity: Activity): TeamPicture[] {
  const state = settle(known);
  const calls = activity.calls(state.agents);
  const messages = activity.messages(state.agents);
  const tasks = taskRows(state.tasks, state.agents);
  const sessions = reportUsage({ ...state, by: ['session'] }).rows;
  return rows.map((team) => {
    const isAlone = rows.filter((other) => other.team === team.team).length === 1;
    const said = (messages.get(team.team) ?? []).filter(
      ({ session_id }) => isAlone || session_id === null || session_id === team.session_id,
    );
    const session = sessions.find(({ session_id }) => session_id === team.session_id);
    const status = state.teams.sessions.get(team.session_id ?? '');
    const now = team.members.reduce<string | null>((time, member) => latest(time, member.last_seen_at), null);
    return {
      team,
      cards: team.members.map((member) => ({
        member,
        subject: subjectOf(tasks, team, member),
        call: calls.get(member.kind === 'lead' ? leadKey(team.session_id) : member.agent_id) ?? null,
        message: said.findLast((message) => concerns(message, member.name)) ?? null,
        quietMs: between(member.last_seen_at, now),
      })),
      broadcast: said.findLast(({ type, status }) => type === 'broadcast' && status !== 'failed') ?? null,
      messages: said,
      summary: session !== undefined && Number(session.results) > 0 && !status?.inTurn ? session : null,
    };
  });
}

function subjectOf(tasks: readonly TaskRow[], { team, session_id }: TeamRow, { task }: MemberRow): string | null {
  if (task === null) return null;
  const found = tasks.find(
    (row) =>
      row.kind === 'board' &&
      row.id === task &&
      row.team === team &&
      (row.session_id === null || row.session_id === session_id),
  );
  return found?.subject ?? null;
}

function concerns({ from, to, recipients }: MessageRow, name: string): boolean {
  return from === name || to === name || recipients.includes(name);
}

function between(time: string | null, now: string | null): number | null {
  const passed = Date.parse(now ?? '') - Date.parse(time ?? '');
  return Number.isNaN(passed) ? null : passed;
}
