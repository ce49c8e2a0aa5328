// How teams and their members came and went, with the time of each step: their state keeps only the last.
import type { Event, EventMap } from '../event/event.js';
import { isAgentWork, scopeOf } from './agents.js';
import { type Spot, spotKey, spotOf } from './audit-spot.js';
import { Table } from './table.js';
import { keyOf } from './tasks-place.js';

export interface MembersLog {
  readonly founded: Table<Founded>;
  readonly deleted: Table<Deleted>;
  /** Agents with a name of their own, by the call that spawned them. */
  readonly spawned: Table<Spawned>;
  readonly steps: Table<Step>;
}

export interface Founded extends Spot {
  readonly scope: string;
  readonly name: string;
  readonly tool_use_id: string | null;
  readonly protocol: EventMap['team:created']['protocol'];
  /** Made before our eyes, or read from its config; other teams may have members that were never seen. */
  readonly fromStart: boolean;
}

export interface Deleted extends Spot {
  readonly scope: string;
  readonly name: string | null;
  readonly tool_use_id: string | null;
}

export interface Spawned extends Spot {
  readonly name: string;
  readonly tool_use_id: string;
}

/** What became of an agent; its id is that of the spot. */
export interface Step extends Spot {
  readonly scope: string;
  readonly to: 'active' | 'idle' | 'leaving' | 'gone';
}

export const noMembersLog: MembersLog = {
  founded: new Table(),
  deleted: new Table(),
  spawned: new Table(),
  steps: new Table(),
};

export function reduceMembersLog(log: MembersLog, event: Event): MembersLog {
  switch (event.event) {
    case 'team:created':
      return founded(log, event);
    case 'team:deleted': {
      const { name, tool_use_id } = event;
      const key = keyOf(scopeOf(event), tool_use_id ?? spotKey(event));
      if (log.deleted.has(key)) return log;
      const entry = { ...spotOf(event), scope: scopeOf(event), name: name ?? event.team, tool_use_id };
      return { ...log, deleted: log.deleted.set(key, entry) };
    }
    case 'team:member:joined':
    case 'team:member:active':
      return stepped(log, event, event.member.agent_id ?? event.agent, 'active');
    case 'team:member:idle':
      return stepped(log, event, event.member.agent_id ?? event.member.name, 'idle');
    case 'team:member:shutting_down':
      return stepped(log, event, event.member.agent_id ?? event.member.name, 'leaving');
    case 'team:member:shutdown':
      return stepped(log, event, event.member.agent_id ?? event.member.name, 'gone');
    case 'agent:started':
      return isAgentWork(event.task_type) && !event.turn_only ? started(log, event) : log;
    case 'agent:finished':
      return isAgentWork(event.task_type) ? stepped(log, event, event.agent, 'gone') : log;
    default:
      return log;
  }
}

function founded(log: MembersLog, event: EventMap['team:created']): MembersLog {
  const { name, protocol, tool_use_id, config_path } = event;
  const scope = scopeOf(event);
  const known = log.founded.get(keyOf(scope, name));
  const fromStart = protocol === 'files' || protocol === 'teammate-tool' || config_path !== null;
  if (known !== undefined && (known.fromStart || !fromStart)) return log;
  const entry = { ...spotOf(event), scope, name, tool_use_id, protocol, fromStart };
  return { ...log, founded: log.founded.set(keyOf(scope, name), entry) };
}

function started(log: MembersLog, event: EventMap['agent:started']): MembersLog {
  const { name, tool_use_id, resumed } = event;
  const next = stepped(log, event, event.agent, 'active');
  if (name === null || tool_use_id === null || resumed === true || next.spawned.has(tool_use_id)) return next;
  return { ...next, spawned: next.spawned.set(tool_use_id, { ...spotOf(event), name, tool_use_id }) };
}

function stepped(log: MembersLog, event: Event, agent: string | null, to: Step['to']): MembersLog {
  const scope = scopeOf(event);
  const key = keyOf(scope, agent, to, spotKey(event));
  return log.steps.has(key)
    ? log
    : { ...log, steps: log.steps.set(key, { ...spotOf(event), agent, scope, to }) };
}
