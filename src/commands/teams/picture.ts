// Collects what a picture of a team shows: cards, messages and a summary.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { type AgentsState, scopeOf } from '../../core/tables/agents.js';
import { is } from '../../core/tables/calls/calls.js';
import { resolveAgent } from '../../core/tables/directory.js';
import { compare, groupBy, isLeadId, latest } from '../../core/tables/order.js';
import { type State, settle, type Watcher } from '../../core/tables/reduce.js';
import { isLost } from '../../core/tables/sends.js';
import { countedWork } from '../../core/tables/work.js';
import { implicitTeam } from '../../core/wire/sessions.js';
import { targetOf } from '../../core/wire/tools/about.js';
import { isSpawnTool } from '../../core/wire/tools/table.js';
import {
  MessageNews,
  type MessageRow,
  type MessageText,
  orderedByTime,
  type SeenMessage,
  seenRow,
} from '../messages/rows.js';
import { isInternal, type TaskRow, taskRows } from '../tasks/rows.js';
import { reportUsage, type UsageRow } from '../usage/rows.js';
import type { MemberRow, TeamRow } from './row.js';
import { leadStatus, sessionStatus, stopText } from './rows.js';

/** A team, or a session without agents, as it is drawn while it works. */
export interface TeamPicture {
  readonly team: Pick<TeamRow, 'team' | 'status' | 'description' | 'error' | 'messages' | 'cost_usd' | 'tasks'> & {
    /** What its name and status do not say. */
    readonly note?: string;
  };
  readonly cards: readonly AgentCard[];
  /** The last message to everybody. */
  readonly broadcast: MessageRow | null;
  /** The last messages, oldest first. */
  readonly messages: readonly MessageRow[];
  /** The usage of the session, after its turn has a result. */
  readonly summary: UsageRow | null;
  /** From its first record to its last, by their own times. */
  readonly ranMs: number | null;
}

export interface AgentCard {
  readonly member: Pick<
    MemberRow,
    | 'name'
    | 'kind'
    | 'agent_type'
    | 'model'
    | 'color'
    | 'status'
    | 'total_tokens'
    | 'tool_calls'
    | 'tool_errors'
    | 'error'
  >;
  /** What it works on: a task of the board, or the first task of its own list that it has begun. */
  readonly task: string | null;
  /** Its list, if it is shown whole. */
  readonly todos: readonly TaskRow[];
  /** The calls it waits for, oldest first, else its last call; for a session without agents, the last few. */
  readonly calls: readonly Call[];
  /** The last message from or to it; undefined if there is nobody else. */
  readonly message: MessageRow | null | undefined;
  /** The time from its last record to the last record of its team, by the clock of the stream. */
  readonly quietMs: number | null;
  readonly heard: Heard | null;
}

/** When an agent was last heard, by the clock of the live view. */
interface Heard {
  readonly at: number;
  /** A record of its own came, so more can be expected. For some agents the stream has only the beginning and the end. */
  readonly spoke: boolean;
}

export interface Call {
  readonly tool: string;
  readonly about: string | null;
  readonly status: 'open' | 'returned' | 'failed';
  /** When it was read, by the clock of the live view; null in a recording. */
  readonly at: number | null;
}

export function teamPictures(rows: readonly TeamRow[], known: State, activity: Activity): TeamPicture[] {
  const state = settle(known);
  const seen = activity.agents(state.agents);
  const messages = activity.messages(state.agents);
  const tasks = groupBy(taskRows(state.tasks, state.agents), ({ kind, owner, id }) =>
    kind === 'board' ? id : ownKey(owner),
  );
  const sessions = reportUsage({ ...state, by: ['session'] }).rows;
  const names = groupBy(rows, ({ team }) => team);
  return rows.map((team) => {
    const isAlone = names.get(team.team)?.length === 1;
    const said = (messages.get(team.team) ?? []).filter(
      ({ session_id }) => isAlone || session_id === null || session_id === team.session_id,
    );
    const lastSaid = lastByName(said);
    const result = resultOf(state, sessions, team.session_id);
    const now = team.members.reduce<string | null>((time, member) => latest(time, member.last_seen_at), null);
    return {
      team,
      cards: team.members.map((member) => {
        const { calls = [], heard = null } =
          seen.get(member.kind === 'lead' ? leadKey(team.session_id) : member.agent_id) ?? {};
        const open = calls.filter(({ status }) => status === 'open');
        return {
          member,
          task: taskOf(tasks, team, member),
          todos: [],
          calls: open.length > 0 ? open : calls.slice(-1),
          message: lastSaid.get(member.name) ?? null,
          quietMs: between(member.last_seen_at, now),
          // After its result, a lead has nothing to say until somebody speaks to it.
          heard: member.kind === 'lead' && result.summary !== null ? null : heard,
        };
      }),
      broadcast: said.findLast((message) => message.type === 'broadcast' && !isLost(message)) ?? null,
      messages: said,
      ...result,
    };
  });
}

/** The session that was read last, if no session has a team. */
export function sessionPicture(
  known: State,
  activity: Activity,
  { ended, isWanted }: { ended: boolean; isWanted: (session: string) => boolean },
): TeamPicture[] {
  const state = settle(known);
  const begun = state.teams.sessions.entries().map(([scope, { last_at }]) => ({ scope, last_at }));
  // A reader that joined late has not seen the session begin.
  const atWork = state.work.values().map(({ scope, last_seen_at }) => ({ scope, last_at: last_seen_at }));
  const wanted = (begun.length > 0 ? begun : atWork).filter(({ scope }) => isWanted(scope));
  const session = wanted.toSorted((a, b) => compare(a.last_at, b.last_at) || compare(a.scope, b.scope)).at(-1)?.scope;
  if (session === undefined) return [];
  const status = state.teams.sessions.get(session);
  const session_id = session === '' ? null : session;
  const sessions = reportUsage({ ...state, by: ['session'] }).rows;
  const usage = sessions.find((row) => row['session_id'] === session_id);
  const work = countedWork(state.work, state.calls).get(session) ?? [];
  const tasks = taskRows(state.tasks, state.agents).filter(
    (task) =>
      task.session_id === session_id && task.kind !== 'background' && task.status !== 'deleted' && !isInternal(task),
  );
  const withStatus = (wanted: string) => tasks.filter(({ status }) => status === wanted).length;
  const workSum = (field: 'calls' | 'errors') => work.reduce((total, { counts }) => total + counts[field], 0);
  const { calls = [], heard = null } = activity.agents(state.agents).get(leadKey(session_id)) ?? {};
  const result = resultOf(state, sessions, session_id);
  const mainStatus = leadStatus(status, ended, 0);
  return [
    {
      team: {
        team: session_id === null ? 'session' : implicitTeam(session_id),
        status: sessionStatus(status, ended),
        note: ended ? 'no agents' : 'no agents yet',
        description: null,
        error: null,
        messages: 0,
        cost_usd: usage?.cost_usd ?? null,
        tasks: {
          pending: withStatus('pending'),
          in_progress: withStatus('in_progress'),
          completed: withStatus('completed'),
          deleted: 0,
        },
      },
      cards: [
        {
          member: {
            name: 'main',
            kind: 'lead',
            agent_type: null,
            model: status?.model ?? null,
            color: null,
            status: mainStatus,
            total_tokens: usage?.total_tokens ?? null,
            tool_calls: workSum('calls'),
            tool_errors: workSum('errors'),
            error: stopText(status, mainStatus),
          },
          task: null,
          todos: tasks,
          calls,
          message: undefined,
          quietMs: null,
          heard: result.summary === null ? heard : null,
        },
      ],
      broadcast: null,
      messages: [],
      ...result,
    },
  ];
}

function resultOf(
  { teams }: State,
  sessions: readonly UsageRow[],
  session_id: string | null,
): Pick<TeamPicture, 'summary' | 'ranMs'> {
  const session = sessions.find((row) => row['session_id'] === session_id);
  const status = teams.sessions.get(session_id ?? '');
  return {
    summary: session !== undefined && Number(session.results) > 0 && !status?.inTurn ? session : null,
    ranMs: between(session?.started_at ?? null, session?.ended_at ?? null),
  };
}

export function leadKey(session_id: string | null): string {
  return `lead of ${session_id}`;
}

/**
 * `readAt` gives the time by the clock of a live view at which something happened; null if nobody knows, because it has no
 * time and may be old. A recording has no such clock.
 */
export function createActivity(readAt: ((time: string | null, event: Event) => number | null) | null = null): Activity {
  const agents = new Map<string, SeenAgent>();
  const open = new Map<string, NotedCall>();
  const news = new MessageNews();
  let seen: SeenMessage[] = [];
  let count = 0;

  function keepCall(agent: SeenAgent, call: Omit<NotedCall, 'at' | 'place'>): void {
    // A new message comes after all calls of the previous one returned: older calls still open have lost their result.
    if (call.message !== null)
      for (const one of agent.calls) if (one.message !== call.message) closeCall(one, 'returned');
    const noted: NotedCall = { ...call, at: agent.at, place: count++ };
    agent.calls.push(noted);
    if (call.id !== null && call.status === 'open') open.set(call.id, noted);
    if (agent.calls.length <= keptCalls) return;
    const done = agent.calls.findIndex(({ status }) => status !== 'open');
    const [dropped] = done !== -1 || agent.calls.length > mostOpen ? agent.calls.splice(Math.max(0, done), 1) : [];
    closeCall(dropped, 'returned');
  }

  function closeCall(call: NotedCall | undefined, status: Call['status']): void {
    if (call?.status !== 'open') return;
    call.status = status;
    open.delete(call.id ?? '');
  }

  function noteCalls(event: Event, state: State, agent: SeenAgent): void {
    switch (event.event) {
      case 'tool:called': {
        const { tool_use_id: id, message_id: message, input } = event;
        // The result may have been written before the call.
        const isOpen = id !== null && (state.calls.endOf(id) & is.returned) === 0;
        const status = isOpen ? 'open' : 'returned';
        const about = targetOf(event.tool, input)?.trim().slice(0, longestAbout) ?? null;
        if (event.tool !== null) keepCall(agent, { tool: event.tool, about, id, message, status });
        break;
      }
      case 'tool:returned':
        closeCall(open.get(event.tool_use_id ?? ''), event.success ? 'returned' : 'failed');
        break;
      case 'session:changed':
        // Calls that were taken back.
        for (const id of Array.isArray(event.tool_use_ids) ? event.tool_use_ids : [])
          closeCall(open.get(String(id)), 'returned');
        break;
      case 'agent:progressed':
        // Progress names only the tool. The call itself may have come before it.
        if (event.last_tool !== null && agent.calls.at(-1)?.tool !== event.last_tool)
          keepCall(agent, { tool: event.last_tool, about: null, id: null, message: null, status: 'returned' });
    }
  }

  let noted = 0;
  let lead: SeenAgent | null = null;
  return {
    get noted() {
      return noted;
    },
    partial(at) {
      noted += 1;
      if (lead !== null) lead.at = at;
    },
    before: (event, { messages }) => news.before(event, messages),
    after(event, state, near) {
      noted += 1;
      if (!notWork.has(event.event)) {
        const { session_id, team } = event;
        const agent = getOrCreate(agents, `${scopeOf(event)} ${event.agent}`, () => ({
          ...{ session_id, team, agent: event.agent, calls: [], at: null, spoke: false },
        }));
        const at = readAt?.(event.time ?? near, event) ?? null;
        if (at !== null && (agent.at === null || at > agent.at)) agent.at = at;
        if (isLeadId(event.agent)) lead = agent;
        agent.spoke ||= own.has(event.event);
        noteCalls(event, state, agent);
      }
      const message = news.after(event, state.agents);
      if (message === null || quiet.has(message.sighting.type)) return;
      seen.push({ ...message, text: shortText(message.text) });
      if (seen.length > 2 * keptMessages) seen = seen.slice(-keptMessages);
    },
    agents(known) {
      const byAgent = groupBy(agents.values(), (one) => {
        const { kind, agent, session_id } = resolveAgent(known, one, one.agent);
        return kind === 'lead' ? leadKey(session_id) : agent;
      });
      return new Map(
        [...byAgent].map(([key, ids]) => {
          const calls = ids.flatMap((one) => one.calls).sort((a, b) => a.place - b.place);
          const times = ids.flatMap((one) => one.at ?? []);
          const heard = times.length === 0 ? null : { at: Math.max(...times), spoke: ids.some(({ spoke }) => spoke) };
          return [key, { calls, heard }];
        }),
      );
    },
    messages: (agents) =>
      groupBy(
        // Files that are followed are read one after the other.
        orderedByTime(seen.map((one) => seenRow(one, agents))),
        ({ team }) => team ?? '',
      ),
  };
}

/** Whether it waits for other agents, and not for a tool or its model. */
export function waitsForAgents(calls: readonly Call[]): boolean {
  const open = calls.filter(({ status }) => status === 'open');
  return open.length > 0 && open.every(({ tool }) => isSpawnTool(tool));
}

/** A task in progress is shown as what its owner is doing, `Writing the summary`, if that is known. */
export function doingOf({ active_form, subject }: TaskRow): string {
  return active_form ?? subject ?? '';
}

function ownKey(owner: string | null): string {
  return `list of ${owner}`;
}

function taskOf(
  tasks: ReadonlyMap<string, readonly TaskRow[]>,
  { team, session_id }: TeamRow,
  { task, name, status }: MemberRow,
): string | null {
  const isHere = (row: TaskRow) => row.session_id === null || row.session_id === session_id;
  if (task !== null) {
    const row = tasks.get(task)?.find((one) => one.kind === 'board' && one.team === team && isHere(one));
    const words = status === 'active' && row !== undefined ? doingOf(row) : row?.subject;
    return `${task} ${words ?? ''}`.trimEnd();
  }
  const list = tasks.get(ownKey(name))?.filter((one) => one.kind === 'todo' && isHere(one)) ?? [];
  const active = list.find(({ status }) => status === 'in_progress');
  if (active === undefined) return null;
  const done = list.filter(({ status }) => status === 'completed').length;
  const left = list.filter(({ status }) => status !== 'deleted').length;
  return `${done}/${left} ${doingOf(active)}`;
}

function lastByName(messages: readonly MessageRow[]): Map<string, MessageRow> {
  const last = new Map<string, MessageRow>();
  for (const message of messages)
    for (const name of [message.from, message.to, ...message.recipients]) if (name !== null) last.set(name, message);
  return last;
}

function between(time: string | null, now: string | null): number | null {
  const passed = Date.parse(now ?? '') - Date.parse(time ?? '');
  return Number.isNaN(passed) ? null : passed;
}

/** The latest calls and messages of a running stream. Its size is bounded, and saved states do not include it. */
export interface Activity extends Watcher {
  /** How many events it has taken. */
  readonly noted: number;
  /** A record came without an event: a part of a message. Only the lead's messages are streamed. */
  partial(at: number): void;
  /** The last calls of each agent, and when it was last heard; by `leadKey` for a lead and by id for others. */
  agents(known: AgentsState): ReadonlyMap<string, { readonly calls: readonly Call[]; readonly heard: Heard | null }>;
  /** The last messages by team name, in order of time. */
  messages(agents: AgentsState): ReadonlyMap<string, MessageRow[]>;
}

interface SeenAgent {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly calls: NotedCall[];
  /** When it was last heard, by the clock of the live view. */
  at: number | null;
  spoke: boolean;
}

interface NotedCall extends Call {
  readonly id: string | null;
  readonly message: string | null;
  readonly place: number;
  status: Call['status'];
}

/** How many finished calls are kept. An agent may have any number of open calls at once. */
const keptCalls = 5;
const mostOpen = 100;

/** What an agent receives, or others say about it, does not show that it is working. */
const notWork: ReadonlySet<string> = new Set([
  ...['team:message:received', 'session:labelled', 'unknown', 'input:skipped', 'run:started', 'run:stopped'],
]);
const own: ReadonlySet<string> = new Set([
  'tool:called',
  'tool:returned',
  'text:produced',
  'thinking:produced',
  'usage:recorded',
  'agent:progressed',
]);

/** Messages that Claude Code sends by itself. The status of their sender shows the same. */
const quiet: ReadonlySet<string> = new Set(['idle_notification', 'task_assignment']);

const keptMessages = 200;

/** A message may be megabytes long, and a picture shows only its beginning. */
function shortText({ summary, content, error }: MessageText): MessageText {
  const beginningOf = (words: string | null) => words?.slice(0, 1000) ?? null;
  return { summary: beginningOf(summary), content: beginningOf(content), error: beginningOf(error) };
}

const longestAbout = 400;
