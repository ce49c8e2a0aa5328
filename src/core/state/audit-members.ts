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
  readonly name: string;
  readonly tool_use_id: string | null;
  readonly protocol: EventMap['team:created']['protocol'];
  /** Made before our eyes, or read from its config; other teams may have members that were never seen. */
  readonly fromStart: boolean;
}

export interface Deleted extends Spot {
  readonly name: string | null;
  readonly tool_use_id: string | null;
}

export interface Spawned extends Spot {
  readonly name: string;
  readonly tool_use_id: string;
}

/** What became of an agent; its id is that of the spot. */
export interface Step extends Spot {
  readonly to: 'joined' | 'active' | 'idle' | 'leaving' | 'gone';
}

export const noMembersLog: MembersLog = {
  founded: new Table(),
  deleted: new Table(),
  spawned: new Table(),
  steps: new Table(),
};

export function reduceMembersLog(log: MembersLog, event: Event, at: string | null): MembersLog {
  switch (event.event) {
    case 'team:created':
      return founded(log, event, spotOf(event, at));
    case 'team:deleted':
      return deleted(log, event, spotOf(event, at));
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown': {
      const { agent_id, name } = event.member;
      return stepped(log, { ...spotOf(event, at), agent: agent_id ?? name ?? event.agent }, steps[event.event], null);
    }
    case 'agent:started':
      return isAgentWork(event.task_type) && !event.turn_only ? started(log, event, spotOf(event, at)) : log;
    case 'agent:finished':
      return isAgentWork(event.task_type) ? stepped(log, spotOf(event, at), 'gone', runOf(event)) : log;
    default:
      return log;
  }
}

const steps = {
  'team:member:joined': 'joined',
  'team:member:active': 'active',
  'team:member:idle': 'idle',
  'team:member:shutting_down': 'leaving',
  'team:member:shutdown': 'gone',
} as const;

function founded(log: MembersLog, event: EventMap['team:created'], spot: Spot): MembersLog {
  const { name, protocol, tool_use_id, config_path } = event;
  const scope = scopeOf(event);
  const known = log.founded.get(keyOf(scope, name));
  const fromStart = protocol === 'files' || protocol === 'teammate-tool' || config_path !== null;
  if (known !== undefined && (known.fromStart || !fromStart)) return log;
  const entry = { ...spot, name, tool_use_id, protocol, fromStart };
  return { ...log, founded: log.founded.set(keyOf(scope, name), entry) };
}

function deleted(log: MembersLog, event: EventMap['team:deleted'], spot: Spot): MembersLog {
  const { name, tool_use_id } = event;
  const key = keyOf(scopeOf(event), tool_use_id ?? spotKey(event));
  if (log.deleted.has(key)) return log;
  return { ...log, deleted: log.deleted.set(key, { ...spot, name: name ?? event.team, tool_use_id }) };
}

function started(log: MembersLog, event: EventMap['agent:started'], spot: Spot): MembersLog {
  const { name, tool_use_id, resumed } = event;
  const next = stepped(log, spot, runOf(event) === null ? 'active' : 'joined', runOf(event));
  if (name === null || tool_use_id === null || resumed === true || next.spawned.has(tool_use_id)) return next;
  return { ...next, spawned: next.spawned.set(tool_use_id, { ...spot, name, tool_use_id }) };
}

/** The same start or end may be told by several records, not all of which have a time. */
function runOf({ run_id, tool_use_id }: EventMap['agent:started' | 'agent:finished']): string | null {
  return run_id ?? tool_use_id;
}

function stepped(log: MembersLog, spot: Spot, to: Step['to'], run: string | null): MembersLog {
  const key = keyOf(scopeOf(spot), spot.agent, to, run ?? spotKey(spot));
  return log.steps.has(key) ? log : { ...log, steps: log.steps.set(key, { ...spot, to }) };
}
