// Observes a team: reports each message, request and change once.

import { MessageDeduplicator } from '../commands/messages/rows.js';
import { boardsOf, taskRows } from '../commands/tasks/rows.js';
import type { Event, EventMap } from '../core/event/event.js';
import { isAgentWork } from '../core/event/work.js';
import { type AgentsState, inScope, scopeOf } from '../core/tables/agents.js';
import { resolveAgent } from '../core/tables/directory.js';
import { keyOf, last } from '../core/tables/order.js';
import { newState, reducerOf, type State } from '../core/tables/reduce.js';
import { isSent, sightingIn } from '../core/tables/sends.js';
import { Table } from '../core/tables/table.js';
import { isSameValue, newTasks, type TaskEvent } from '../core/tables/tasks.js';
import type { MemberEntry } from '../core/tables/teams.js';
import { checkOptions, checkSource, is } from './arguments.js';
import { createParser, type ParserInput, type ParserOptions, parserOptions } from './parser.js';
import { type TeamMember, type TeamTask, teamMemberOf, withChange, wordOf } from './team.js';

/** An event of a team, for observers. */
export type TeamEvent =
  | TeamMessageEvent
  | TeamIdleEvent
  | TeamShutdownRequestEvent
  | TeamShutdownResponseEvent
  | TeamPlanApprovalRequestEvent
  | TeamPlanApprovalResponseEvent
  | TeamMemberEvent
  | TeamTaskEvent;

export interface TeamMessageEvent {
  type: 'message';
  from: string;
  /** Absent in a broadcast. */
  to?: string;
  content: string;
  summary?: string;
}

export interface TeamIdleEvent {
  type: 'idle';
  from: string;
  completedTaskId?: string;
}

export interface TeamShutdownRequestEvent {
  type: 'shutdown_request';
  from: string;
  to: string;
  requestId: string;
  reason?: string;
}

export interface TeamShutdownResponseEvent {
  type: 'shutdown_response';
  from: string;
  requestId: string;
  approved: boolean;
  reason?: string;
}

export interface TeamPlanApprovalRequestEvent {
  type: 'plan_approval_request';
  from: string;
  to: string;
  requestId: string;
  plan: string;
}

export interface TeamPlanApprovalResponseEvent {
  type: 'plan_approval_response';
  from: string;
  to: string;
  requestId: string;
  approved: boolean;
  feedback?: string;
}

export interface TeamMemberEvent {
  type: 'member_joined' | 'member_left' | 'member_idle' | 'member_active';
  member: TeamMember;
}

export interface TeamTaskEvent {
  type: 'task_created' | 'task_claimed' | 'task_completed' | 'task_updated';
  task: TeamTask;
}

export interface TeamObserver {
  /** The team of the last team event; empty before the first. */
  readonly teamName: string;
  /** Can be iterated once. It reads the source on demand. */
  readonly teamEvents: AsyncIterable<TeamEvent>;
}

export interface ObserverOptions extends ParserOptions {
  /** Ends the events at once, without an error. */
  signal?: AbortSignal;
}

/** Reports each event of a team once, however often the source shows it. */
export function observeTeam(
  source: AsyncIterable<ParserInput> | Iterable<ParserInput>,
  given: ObserverOptions = {},
): TeamObserver {
  checkSource('observeTeam', source);
  checkOptions('observeTeam', given, { ...parserOptions, signal: is.signal });
  const { signal, ...options } = given;
  const news = new TeamEvents(options.state);
  const parser = createParser(options);

  async function* teamEvents(): AsyncGenerator<TeamEvent> {
    for await (const input of untilAborted(source, signal)) {
      for (const event of parser.push(input).flatMap((event) => news.read(event))) {
        if (signal?.aborted) return;
        yield event;
      }
    }
    if (!signal?.aborted) yield* parser.end().flatMap((event) => news.read(event));
  }

  return {
    get teamName() {
      return news.teamName;
    },
    teamEvents: teamEvents(),
  };
}

/** Ends at once on abort, even if the source is silent. */
async function* untilAborted<T>(
  source: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (signal === undefined) return yield* source;
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let onAbort = () => {};
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    for (;;) {
      const next = await Promise.race([aborted, iterator.next()]);
      if (next === null || next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs in next() would hang in return() too.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** Remembers what was told, so that nothing is told twice. What there is, is in the tables. */
class TeamEvents {
  /** Empty until the team is known. */
  teamName = '';
  readonly #state = newState();
  readonly #members = new ToldMembers();
  readonly #tasks = new Map<string, TeamTask>();
  readonly #messages = new MessageDeduplicator();
  readonly #requests = new Set<string>();

  /** Events already in `from` are not told again. */
  constructor(from: State = newState()) {
    for (const { event } of from.facts.values()) if (!event.event.startsWith('team:message:')) this.read(event);
    for (const sighting of from.messages.sightings.values()) {
      const { type, request_id } = sighting;
      if (!isSent(sighting)) continue;
      if (hasOwnEvent.has(type)) this.#requests.add(`${type} ${request_id}`);
      else this.#messages.isNews(sighting, reduceStory.settle(this.#state).agents);
    }
  }

  read(event: Event): TeamEvent[] {
    reduceStory(this.#state, event);
    if (event.event === 'team:created') this.teamName = event.name;
    else if (event.team !== null && event.event.startsWith('team:')) this.teamName = event.team;
    switch (event.event) {
      case 'team:message:sent':
      case 'team:message:received':
        return this.#messageNews(event);
      case 'team:shutdown:requested':
        return this.#requestNews(event, {
          type: 'shutdown_request',
          ...parties(event),
          ...(event.reason !== null && { reason: event.reason }),
        });
      case 'team:shutdown:response':
        return this.#requestNews(event, {
          type: 'shutdown_response',
          from: event.from ?? '',
          requestId: event.request_id ?? '',
          approved: event.approved === true,
          ...(event.reason !== null && { reason: event.reason }),
        });
      case 'team:plan:requested':
        return this.#requestNews(event, { type: 'plan_approval_request', ...parties(event), plan: event.plan ?? '' });
      case 'team:plan:resolved':
        return this.#requestNews(event, {
          type: 'plan_approval_response',
          ...parties(event),
          approved: event.approved === true,
          ...(event.feedback !== null && { feedback: event.feedback }),
        });
      case 'team:task:created':
      case 'team:task:claimed':
      case 'team:task:updated':
      case 'team:task:completed':
      case 'team:task:deleted':
        return event.kind === 'board' ? this.#taskNews(event) : [];
      default:
        return this.#members.news(event, this.#state);
    }
  }

  #requestNews(event: Event, reported: TeamEvent & { requestId: string }): TeamEvent[] {
    const key = `${reported.type} ${reported.requestId || `${event.session_id} ${event.seq}`}`;
    if (this.#requests.has(key)) return [];
    this.#requests.add(key);
    return [reported];
  }

  #messageNews(event: EventMap['team:message:sent' | 'team:message:received']): TeamEvent[] {
    const { type, from, to, content, summary, request_id } = event.message;
    // The recipient of a request gets no other event for it.
    if (type === 'shutdown_request' && event.event === 'team:message:received')
      return this.#requestNews(event, {
        type,
        ...parties({ from, to, request_id }),
        ...(content !== null && { reason: content }),
      });
    const sighting = hasOwnEvent.has(type) ? null : sightingIn(event);
    const { agents } = reduceStory.settle(this.#state);
    if (sighting === null || !this.#messages.isNews(sighting, agents)) return [];
    return [
      {
        type: 'message',
        from: nameInTeam(agents, event, from) ?? '',
        ...(type !== 'broadcast' && to !== null && { to: nameInTeam(agents, event, to) ?? to }),
        content: content ?? '',
        ...(summary !== null && { summary }),
      },
    ];
  }

  #taskNews(event: TaskEvent): TeamTaskEvent[] {
    const { key, task } = taskNow(event, reduceStory.settle(this.#state));
    const known = this.#tasks.get(key);
    if (task === null || isSameValue(known, task)) return [];
    this.#tasks.set(key, task);
    const isRepeated = event.event === 'team:task:created' && known !== undefined;
    return [{ type: isRepeated ? 'task_updated' : taskWords[event.event], task }];
  }
}

/** Turns an id into a name, because senders and recipients may be ids. */
function nameInTeam(agents: AgentsState, place: Event, who: string | null): string | null {
  const { kind, name } = resolveAgent(agents, place, who);
  return who === null || kind === null || kind === 'lead' ? who : name;
}

const reduceStory = reducerOf({ story: true });

const taskWords = {
  'team:task:created': 'task_created',
  'team:task:claimed': 'task_claimed',
  'team:task:updated': 'task_updated',
  'team:task:completed': 'task_completed',
  'team:task:deleted': 'task_updated',
} as const;

/** Messages of Claude Code that other events report. */
const hasOwnEvent = new Set([
  'idle_notification',
  'task_assignment',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
]);

/** The task of an event as the tables have it. */
function taskNow(event: TaskEvent, { tasks, agents }: State): { key: string; task: TeamTask | null } {
  const { id } = event.task;
  // Only what is said of this task: a stream may have thousands of them.
  const changes = tasks.changes.entries().filter(([, { kind, task }]) => kind === 'board' && task.id === id);
  const own = { ...newTasks(), teams: tasks.teams, changes: new Table(changes) };
  const board = boardsOf(own)(event);
  const row = taskRows(own, agents, { all: true }).find(
    ({ team, session_id }) => team === board.team && session_id === board.session_id,
  );
  return { key: keyOf(board.key, id), task: row === undefined ? null : withChange(undefined, row) };
}

function parties({ from, to, request_id }: { from: string | null; to: string | null; request_id: string | null }) {
  return { from: from ?? '', to: to ?? '', requestId: request_id ?? '' };
}

/** What was told of the members, without the lead. What they are is in the tables. */
class ToldMembers {
  /** By all their ids, so that joining again under another id is not told again. */
  readonly #told = new Map<string, Told>();

  news(event: Event, state: State): TeamEvent[] {
    if (event.event === 'team:deleted') return this.#deleted(event.name ?? event.team);
    const asked = idsIn(event);
    if (asked.length === 0) return [];
    const { agents, teams } = reduceStory.settle(state);
    const ids = [...new Set(asked.flatMap((id) => [id, resolveAgent(agents, event, id).agent]))];
    const entries = ids.flatMap((id) => teams.members.get(inScope(scopeOf(event), id)) ?? []);
    const now = viewOf(event, entries, agents);
    if (now === null) return [];
    const known = ids.map((id) => this.#told.get(id)).find((found) => found !== undefined);
    const told = known ?? { team: event.team, member: now, completed: null };
    for (const id of ids) this.#told.set(id, told);
    const before = known?.member.status ?? null;
    told.member = { ...told.member, ...now };
    if (before === null) return [{ type: 'member_joined', member: now }];
    const idle = event.event === 'team:member:idle' && before !== 'shutdown' ? idleIn(event, before, told) : [];
    return [...idle, ...(before === now.status ? [] : [{ type: memberWords[now.status], member: told.member }])];
  }

  /** Nobody is left in a deleted team. */
  #deleted(team: string | null): TeamMemberEvent[] {
    const left = new Set([...this.#told.values()].filter((one) => one.team === team));
    return [...left].flatMap((one) => {
      if (one.member.status === 'shutdown') return [];
      one.member = { ...one.member, status: 'shutdown' };
      return [{ type: 'member_left', member: one.member }];
    });
  }
}

interface Told {
  readonly team: string | null;
  member: TeamMember;
  /** The task it completed when it last became idle. */
  completed: string | null;
}

/** The ids of the member that an event is about; none if it is about no member. */
function idsIn(event: Event): string[] {
  switch (event.event) {
    case 'team:member:joined':
      return event.member.kind === 'lead' ? [] : textsIn(event.member.agent_id, event.agent, event.tool_use_id);
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutdown':
      return event.member.kind === 'lead' ? [] : textsIn(event.member.agent_id ?? event.member.name);
    case 'agent:started':
    case 'agent:finished':
      return isAgentWork(event.task_type) ? textsIn(event.agent) : [];
    default:
      return [];
  }
}

function textsIn(...ids: (string | null)[]): string[] {
  return ids.filter((id) => id !== null);
}

/** A member as the tables have it, under all its ids; null if it has not joined. */
function viewOf(place: Event, entries: readonly MemberEntry[], agents: AgentsState): TeamMember | null {
  const [first] = entries;
  if (first === undefined || !entries.some(({ joined }) => joined)) return null;
  const { name, agent, agent_type, kind } = resolveAgent(agents, place, first.id);
  if (kind === 'lead' || kind === null) return null;
  const told = entries.toSorted((a, b) => a.told - b.told);
  const status = (told.find((entry) => entry.status === 'shutdown') ?? told.at(-1))?.status ?? 'active';
  const [model, color] = [last(told.map((entry) => entry.model)), last(told.map((entry) => entry.color))];
  const type = agent_type ?? last(told.map((entry) => entry.agent_type));
  return teamMemberOf({ name, agent_id: agent, agent_type: type, model, color }, wordOf({ kind, status }));
}

function idleIn({ member, completed_task_id: done }: EventMap['team:member:idle'], before: string, told: Told) {
  if (before === 'idle' && (done === null || done === told.completed)) return [];
  told.completed = done;
  const from = member.name ?? member.agent_id ?? '';
  return [{ type: 'idle' as const, from, ...(done !== null && { completedTaskId: done }) }];
}

const memberWords = { active: 'member_active', idle: 'member_idle', shutdown: 'member_left' } as const;
