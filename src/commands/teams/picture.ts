// Collects what a picture of a team shows: cards, messages and a summary.
import type { Event } from '../../core/event/event.js';
import { type AgentsState, scopeOf } from '../../core/state/agents.js';
import { resolveAgent } from '../../core/state/directory.js';
import { groupBy, latest } from '../../core/state/order.js';
import { briefOf } from '../../core/wire/tools/tool-result.js';
import {
  createMessageNews,
  type MessageRow,
  type MessageText,
  type Noted,
  type Seen,
  seenRow,
} from '../messages/rows.js';
import { type State, settle } from '../reduce.js';
import { type TaskRow, taskRows } from '../tasks/rows.js';
import { reportUsage, type UsageRow } from '../usage/rows.js';
import type { MemberRow, TeamRow } from './row.js';

/** A team as it is drawn while it works. */
export interface TeamPicture {
  readonly team: TeamRow;
  readonly cards: readonly AgentCard[];
  /** The last message to everybody. */
  readonly broadcast: MessageRow | null;
  /** The last ones, oldest first. */
  readonly messages: readonly MessageRow[];
  /** The usage of the session, once its turn has a result. */
  readonly summary: UsageRow | null;
}

export interface AgentCard {
  readonly member: MemberRow;
  /** The subject of the task it has in progress. */
  readonly subject: string | null;
  readonly call: LastCall | null;
  /** The last message from or to it. */
  readonly message: MessageRow | null;
  /** Time from its last record to the last record of its team, by the clock of the stream. */
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

export function leadKey(session_id: string | null): string {
  return `lead of ${session_id}`;
}

export function createActivity(): Activity {
  const calls = new Map<string, Called>();
  const news = createMessageNews();
  let seen: Seen[] = [];

  function called(event: Event, call: LastCall): void {
    const { session_id, team, agent } = event;
    const key = callKey(event);
    // Deleted first, so that the last caller comes last in the map.
    calls.delete(key);
    calls.set(key, { session_id, team, agent, call });
  }

  return {
    note(step) {
      const { event } = step;
      if (event.event === 'tool:called' && event.tool !== null)
        called(event, { tool: event.tool, about: briefOf(event.input) });
      // Progress names only the tool; the call itself may have come before it.
      if (event.event === 'agent:progressed' && event.last_tool !== null)
        if (calls.get(callKey(event))?.call.tool !== event.last_tool)
          called(event, { tool: event.last_tool, about: null });
      const message = news(step);
      if (message === null || quiet.has(message.sighting.type)) return;
      seen.push({ ...message, text: shortened(message.text) });
      if (seen.length > 2 * keptMessages) seen = seen.slice(-keptMessages);
    },
    calls: (agents) =>
      new Map(
        [...calls.values()].map((one) => {
          const { kind, agent, session_id } = resolveAgent(agents, one, one.agent);
          return [kind === 'lead' ? leadKey(session_id) : agent, one.call];
        }),
      ),
    messages: (agents) =>
      groupBy(
        seen.map((one) => seenRow(one, agents)),
        ({ team }) => team ?? '',
      ),
  };
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

/** The latest calls and messages of a running stream. Its size is bounded, and no saved state includes it. */
interface Activity {
  /** Takes every event, with the state before and after it. */
  note(step: Noted): void;
  /** The last call of each agent, by `leadKey` for a lead and by id for others. */
  calls(agents: AgentsState): ReadonlyMap<string, LastCall>;
  /** Messages by the name of their team, the last ones only, in the order they were seen. */
  messages(agents: AgentsState): ReadonlyMap<string, MessageRow[]>;
}

interface LastCall {
  readonly tool: string;
  readonly about: string | null;
}

function callKey(event: Event): string {
  return `${scopeOf(event)} ${event.agent}`;
}

/** Messages that the program sends by itself. The status of their sender shows the same. */
const quiet: ReadonlySet<string> = new Set(['idle_notification', 'task_assignment']);

const keptMessages = 200;

interface Called {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly call: LastCall;
}

/** A message may hold megabytes, and a picture shows only its beginning. */
function shortened({ summary, content, error }: MessageText): MessageText {
  const short = (words: string | null) => words?.slice(0, 1000) ?? null;
  return { summary: short(summary), content: short(content), error: short(error) };
}
