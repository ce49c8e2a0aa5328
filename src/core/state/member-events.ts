import type { Event, EventMap, Member } from '../event/event.js';
import type { TeamEvent, TeamMemberEvent } from '../team/team-event.js';
import type { TeamMember } from '../team/team-state.js';
import { type AgentsState, isAgentWork, resolveAgent } from './agents.js';
import { isOlder } from './time.js';

/** Who is in the team and how they are; the lead is not counted among them. */
export class MemberEvents {
  /** Every id of a member → the member, so that joining again under another id is not joining. */
  readonly #known = new Map<string, Entry>();

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
        // What is done can be resumed, what failed or was stopped is gone.
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
    const entry: Entry = known ?? {
      team,
      kind: member.kind,
      member: memberOf(member, member.active === false ? 'idle' : 'active'),
      completed: null,
      since: null,
    };
    for (const id of ids) this.#known.set(id, entry);
    if (known === undefined) return [{ type: 'member_joined', member: entry.member }];
    entry.member = { ...entry.member, ...memberOf(member, entry.member.status) };
    return [];
  }

  #idle(event: EventMap['team:member:idle']): TeamEvent[] {
    const { member, completed_task_id } = event;
    const entry = this.#known.get(member.agent_id ?? '');
    if (entry?.member.status === 'shutdown') return [];
    const told = this.#change(event, 'idle');
    if (told.length === 0 && (completed_task_id === null || completed_task_id === entry?.completed)) return [];
    if (entry !== undefined) entry.completed = completed_task_id;
    const from = member.name ?? member.agent_id ?? '';
    return [
      { type: 'idle', from, ...(completed_task_id === null ? {} : { completedTaskId: completed_task_id }) },
      ...told,
    ];
  }

  #work(
    event: EventMap['agent:started' | 'agent:finished'],
    agents: AgentsState,
    status: TeamMember['status'],
  ): TeamMemberEvent[] {
    const { agent } = resolveAgent(agents, event, event.agent);
    const entry = this.#known.get(agent);
    // The runs of a teammate are its turns: it says itself when it is idle or leaves.
    if (entry === undefined || entry.kind === 'teammate' || !isAgentWork(event.task_type)) return [];
    return turn(entry, status, event.time);
  }

  #change(
    { member, time }: EventMap['team:member:active' | 'team:member:idle' | 'team:member:shutdown'],
    status: TeamMember['status'],
  ): TeamMemberEvent[] {
    if (member.kind === 'lead') return [];
    const id = member.agent_id ?? member.name ?? '';
    const entry: Entry = this.#known.get(id) ?? {
      team: null,
      kind: member.kind,
      member: memberOf(member, 'active'),
      completed: null,
      since: null,
    };
    this.#known.set(id, entry);
    // Who has left comes back only when it is resumed.
    return entry.member.status === 'shutdown' ? [] : turn(entry, status, time);
  }

  /** A team that was deleted has nobody left in it. */
  #all(team: string | null, time: string | null): TeamMemberEvent[] {
    const entries = new Set([...this.#known.values()].filter((entry) => entry.team === team));
    return [...entries].flatMap((entry) => turn(entry, 'shutdown', time));
  }
}

interface Entry {
  readonly team: string | null;
  readonly kind: Member['kind'];
  member: TeamMember;
  /** Task with which it last became idle. */
  completed: string | null;
  /** When it became what it is. */
  since: string | null;
}

function turn(entry: Entry, status: TeamMember['status'], time: string | null): TeamMemberEvent[] {
  if (entry.member.status === status || isOlder(time, entry.since)) return [];
  entry.since = time ?? entry.since;
  entry.member = { ...entry.member, status };
  const type = status === 'idle' ? 'member_idle' : status === 'active' ? 'member_active' : 'member_left';
  return [{ type, member: entry.member }];
}

function memberOf(member: Member, status: TeamMember['status']): TeamMember {
  const name = member.name ?? member.agent_id ?? '';
  return {
    name,
    agentId: member.agent_id ?? name,
    agentType: member.agent_type ?? 'general-purpose',
    status,
    ...(member.model === null ? {} : { model: member.model }),
    ...(member.color === null ? {} : { color: member.color }),
  };
}
