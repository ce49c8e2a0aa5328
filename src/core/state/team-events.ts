// What happens in a team, told once each to somebody who watches.
import type { Event, EventMap } from '../event/event.js';
import { withChange } from '../team/roster.js';
import type { TeamEvent, TeamTaskEvent } from '../team/team-event.js';
import type { TeamTask } from '../team/team-state.js';
import { noAgents, reduceAgents, resolveAgent } from './agents.js';
import { MemberEvents } from './member-events.js';
import { MessageOnce } from './message-once.js';
import { sightingIn } from './messages.js';
import { initialState, type State } from './reduce.js';

export interface TeamEvents {
  /** Empty until the team is known. */
  readonly teamName: string;
  read(event: Event): TeamEvent[];
}

/** What `from` tells of was told already. */
export function createTeamEvents(from: State = initialState): TeamEvents {
  let agents = noAgents;
  let teamName = '';
  const members = new MemberEvents();
  const tasks = new Map<string, TeamTask>();
  const messages = new MessageOnce();
  const requests = new Set<string>();

  function once(event: Event, told: TeamEvent & { requestId: string }): TeamEvent[] {
    const key = `${told.type} ${told.requestId || `${event.session_id} ${event.seq}`}`;
    if (requests.has(key)) return [];
    requests.add(key);
    return [told];
  }

  function read(event: Event): TeamEvent[] {
    agents = reduceAgents(agents, event);
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
          ...(event.reason === null ? {} : { reason: event.reason }),
        });
      case 'team:shutdown:response':
        return once(event, {
          type: 'shutdown_response',
          from: event.from ?? '',
          requestId: event.request_id ?? '',
          approved: event.approved === true,
          ...(event.reason === null ? {} : { reason: event.reason }),
        });
      case 'team:plan:requested':
        return once(event, { type: 'plan_approval_request', ...address(event), plan: event.plan ?? '' });
      case 'team:plan:resolved':
        return once(event, {
          type: 'plan_approval_response',
          ...address(event),
          approved: event.approved === true,
          ...(event.feedback === null ? {} : { feedback: event.feedback }),
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
    // Whoever receives a request is told of it by nothing else.
    if (type === 'shutdown_request' && event.event === 'team:message:received')
      return once(event, {
        type,
        ...address({ from, to, request_id }),
        ...(content === null ? {} : { reason: content }),
      });
    const sighting = hasOwnEvent.has(type) ? null : sightingIn(event);
    if (sighting === null || !messages.isNews(sighting, agents)) return [];
    return [
      {
        type: 'message',
        from: named(event, from) ?? '',
        ...(type === 'broadcast' || to === null ? {} : { to: named(event, to) ?? to }),
        content: content ?? '',
        ...(summary === null ? {} : { summary }),
      },
    ];
  }

  /** Messages may be addressed to an id, and be received by one. */
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
    const { type, request_id, status } = sighting;
    if (status === 'open' || status === 'failed') continue;
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

/** Messages of the program's own, which other events tell of. */
const hasOwnEvent = new Set([
  'idle_notification',
  'task_assignment',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
]);

/** A session without a team of its own has a board too, and keeps it when agents make it an implicit team. */
function boardOf({ team, session_id }: Event): string {
  return team ?? (session_id === null ? '' : `session-${session_id.slice(0, 8)}`);
}

function address({ from, to, request_id }: { from: string | null; to: string | null; request_id: string | null }) {
  return { from: from ?? '', to: to ?? '', requestId: request_id ?? '' };
}
