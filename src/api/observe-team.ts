// Observes a team: reports each message, request and change once.

import { MessageDeduplicator } from '../commands/messages/rows.js';
import type { Event, EventMap, Member } from '../core/event/event.js';
import { getOrCreate } from '../core/record/json.js';
import { type AgentsState, isAgentWork, newAgents, noteAgents } from '../core/tables/agents.js';
import { resolveAgent } from '../core/tables/directory.js';
import { isOlder } from '../core/tables/order.js';
import { newState, type State } from '../core/tables/reduce.js';
import { isSent, sightingIn } from '../core/tables/sends.js';
import { implicitTeam } from '../core/wire/sessions.js';
import { checkSource, refuse } from './arguments.js';
import { createParser, type ParserInput, type ParserOptions } from './parser.js';
import { type TeamMember, type TeamTask, teamMemberOf, withChange } from './team.js';

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
  { signal, ...options }: ObserverOptions = {},
): TeamObserver {
  checkSource('observeTeam', source);
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    refuse('observeTeam: signal has to be an AbortSignal', signal);
  const reported = createTeamEvents(options.state);
  const parser = createParser(options);

  async function* teamEvents(): AsyncGenerator<TeamEvent> {
    for await (const input of untilAborted(source, signal)) {
      for (const event of parser.push(input).flatMap(reported.read)) {
        if (signal?.aborted) return;
        yield event;
      }
    }
    if (!signal?.aborted) yield* parser.end().flatMap(reported.read);
  }

  return {
    get teamName() {
      return reported.teamName;
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

interface TeamEvents {
  /** Empty until the team is known. */
  readonly teamName: string;
  read(event: Event): TeamEvent[];
}

/** Events already in `from` are not reported again. */
function createTeamEvents(from: State = newState()): TeamEvents {
  const agents = newAgents();
  let teamName = '';
  const members = new MemberEvents();
  const tasks = new Map<string, TeamTask>();
  const messages = new MessageDeduplicator();
  const requests = new Set<string>();

  function once(event: Event, reported: TeamEvent & { requestId: string }): TeamEvent[] {
    const key = `${reported.type} ${reported.requestId || `${event.session_id} ${event.seq}`}`;
    if (requests.has(key)) return [];
    requests.add(key);
    return [reported];
  }

  function read(event: Event): TeamEvent[] {
    noteAgents(agents, event);
    if (event.event === 'team:created') teamName = event.name;
    else if (event.team !== null && event.event.startsWith('team:')) teamName = event.team;
    switch (event.event) {
      case 'team:message:sent':
      case 'team:message:received':
        return said(event);
      case 'team:shutdown:requested':
        return once(event, {
          type: 'shutdown_request',
          ...address(event),
          ...(event.reason !== null && { reason: event.reason }),
        });
      case 'team:shutdown:response':
        return once(event, {
          type: 'shutdown_response',
          from: event.from ?? '',
          requestId: event.request_id ?? '',
          approved: event.approved === true,
          ...(event.reason !== null && { reason: event.reason }),
        });
      case 'team:plan:requested':
        return once(event, { type: 'plan_approval_request', ...address(event), plan: event.plan ?? '' });
      case 'team:plan:resolved':
        return once(event, {
          type: 'plan_approval_response',
          ...address(event),
          approved: event.approved === true,
          ...(event.feedback !== null && { feedback: event.feedback }),
        });
      case 'team:task:created':
      case 'team:task:claimed':
      case 'team:task:updated':
      case 'team:task:completed':
      case 'team:task:deleted':
        return event.kind === 'board' ? changed(event) : [];
      default:
        return members.read(event, agents);
    }
  }

  function said(event: EventMap['team:message:sent' | 'team:message:received']): TeamEvent[] {
    const { type, from, to, content, summary, request_id } = event.message;
    // The recipient of a request gets no other event for it.
    if (type === 'shutdown_request' && event.event === 'team:message:received')
      return once(event, {
        type,
        ...address({ from, to, request_id }),
        ...(content !== null && { reason: content }),
      });
    const sighting = hasOwnEvent.has(type) ? null : sightingIn(event);
    if (sighting === null || !messages.isNews(sighting, agents)) return [];
    return [
      {
        type: 'message',
        from: named(event, from) ?? '',
        ...(type !== 'broadcast' && to !== null && { to: named(event, to) ?? to }),
        content: content ?? '',
        ...(summary !== null && { summary }),
      },
    ];
  }

  /** Turns an id into a name, because senders and recipients may be ids. */
  function named(event: Event, who: string | null): string | null {
    const { kind, name } = resolveAgent(agents, event, who);
    return who === null || kind === null || kind === 'lead' ? who : name;
  }

  function changed(event: EventMap[TaskEventName]): TeamTaskEvent[] {
    const key = `${boardOf(event)} ${event.task.id}`;
    const known = tasks.get(key);
    const task = withChange(known, event.task);
    if (task === known) return [];
    tasks.set(key, task);
    const isRepeated = event.event === 'team:task:created' && known !== undefined;
    return [{ type: isRepeated ? 'task_updated' : taskWords[event.event], task }];
  }

  for (const { event } of from.facts.values()) if (!event.event.startsWith('team:message:')) read(event);
  for (const sighting of from.messages.sightings.values()) {
    const { type, request_id } = sighting;
    if (!isSent(sighting)) continue;
    if (hasOwnEvent.has(type)) requests.add(`${type} ${request_id}`);
    else messages.isNews(sighting, agents);
  }

  return {
    get teamName() {
      return teamName;
    },
    read,
  };
}

type TaskEventName = keyof typeof taskWords;
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

/** A session without a team has a board too, and keeps it when agents make it an implicit team. */
function boardOf({ team, session_id }: Event): string {
  return team ?? (session_id === null ? '' : implicitTeam(session_id));
}

function address({ from, to, request_id }: { from: string | null; to: string | null; request_id: string | null }) {
  return { from: from ?? '', to: to ?? '', requestId: request_id ?? '' };
}

/** The members of the team and their status, without the lead. */
class MemberEvents {
  /** Members by all their ids, so that joining again under another id is not reported. */
  readonly #known = new Map<string, WatchedMember>();

  read(event: Event, agents: AgentsState): TeamEvent[] {
    switch (event.event) {
      case 'team:member:joined':
        return this.#join(event);
      case 'team:member:active':
        return this.#change(event, 'active');
      case 'team:member:shutdown':
        return this.#change(event, 'shutdown');
      case 'team:member:idle':
        return this.#idle(event);
      case 'agent:started':
        return event.resumed === true ? this.#work(event, agents, 'active') : [];
      case 'agent:finished':
        // A completed agent can be resumed. One that failed or was stopped is gone.
        return this.#work(event, agents, event.status === 'completed' ? 'idle' : 'shutdown');
      case 'team:deleted':
        return this.#all(event.name ?? event.team, event.time);
      default:
        return [];
    }
  }

  #join({ member, agent, tool_use_id, team }: EventMap['team:member:joined']): TeamMemberEvent[] {
    if (member.kind === 'lead') return [];
    const ids = [member.agent_id, agent, tool_use_id].filter((id) => id !== null);
    const known = ids.map((id) => this.#known.get(id)).find((found) => found !== undefined);
    const entry = known ?? newEntry(member, team, member.active === false ? 'idle' : 'active');
    for (const id of ids) this.#known.set(id, entry);
    if (known === undefined) return [{ type: 'member_joined', member: entry.member }];
    entry.member = { ...entry.member, ...teamMemberOf(member, entry.member.status) };
    return [];
  }

  #idle(event: EventMap['team:member:idle']): TeamEvent[] {
    const { member, completed_task_id } = event;
    const entry = this.#known.get(member.agent_id ?? '');
    if (entry?.member.status === 'shutdown') return [];
    const reported = this.#change(event, 'idle');
    if (reported.length === 0 && (completed_task_id === null || completed_task_id === entry?.completed)) return [];
    if (entry !== undefined) entry.completed = completed_task_id;
    const from = member.name ?? member.agent_id ?? '';
    return [
      { type: 'idle', from, ...(completed_task_id !== null && { completedTaskId: completed_task_id }) },
      ...reported,
    ];
  }

  #work(
    event: EventMap['agent:started' | 'agent:finished'],
    agents: AgentsState,
    status: TeamMember['status'],
  ): TeamMemberEvent[] {
    const { agent } = resolveAgent(agents, event, event.agent);
    const entry = this.#known.get(agent);
    // The runs of a teammate are its turns. It says itself when it is idle or leaves.
    if (entry === undefined || entry.kind === 'teammate' || !isAgentWork(event.task_type)) return [];
    return setStatus(entry, status, event.time);
  }

  #change(
    { member, time }: EventMap['team:member:active' | 'team:member:idle' | 'team:member:shutdown'],
    status: TeamMember['status'],
  ): TeamMemberEvent[] {
    if (member.kind === 'lead') return [];
    const id = member.agent_id ?? member.name ?? '';
    const entry = getOrCreate(this.#known, id, () => newEntry(member, null, 'active'));
    // A member that left comes back only when it is resumed.
    return entry.member.status === 'shutdown' ? [] : setStatus(entry, status, time);
  }

  /** Nobody is left in a deleted team. */
  #all(team: string | null, time: string | null): TeamMemberEvent[] {
    const entries = new Set([...this.#known.values()].filter((entry) => entry.team === team));
    return [...entries].flatMap((entry) => setStatus(entry, 'shutdown', time));
  }
}

interface WatchedMember {
  readonly team: string | null;
  readonly kind: Member['kind'];
  member: TeamMember;
  /** The task it completed when it last became idle. */
  completed: string | null;
  /** Since when it has its status. */
  since: string | null;
}

function newEntry(member: Member, team: string | null, status: TeamMember['status']): WatchedMember {
  return { team, kind: member.kind, member: teamMemberOf(member, status), completed: null, since: null };
}

function setStatus(entry: WatchedMember, status: TeamMember['status'], time: string | null): TeamMemberEvent[] {
  if (entry.member.status === status || isOlder(time, entry.since)) return [];
  entry.since = time ?? entry.since;
  entry.member = { ...entry.member, status };
  return [{ type: memberWords[status], member: entry.member }];
}

const memberWords = { active: 'member_active', idle: 'member_idle', shutdown: 'member_left' } as const;
