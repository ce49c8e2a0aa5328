import type { Event, EventMap } from '../event/event.js';
import { describeOpen, type OpenCall } from './open-work.js';

/** What a run came to: the results it has, and what was still open when the input ended. */
export interface Account {
  note(event: Event): void;
  readonly events: number;
  readonly unknown: number;
  readonly results: number;
  /** Sessions whose last result is an error. */
  readonly failed: number;
  /** Streams that ended without the result of their last turn. */
  readonly unfinished: number;
  /** What is missing, in words; null when nothing is. */
  missing(): string | null;
  /** Which agents and calls are open, in words; a line for each kind. `show` makes a name safe to be shown. */
  open(show?: (name: string) => string): string[];
}

interface SessionAccount {
  stream: boolean;
  results: number;
  failed: boolean;
  inTurn: boolean;
  calls: Map<string, OpenCall>;
  /** By id, with the name they go by. */
  agents: Map<string, string>;
}

/** `countsCalls`: the results of all calls are read, so that an open one is really open. */
export function createAccount(countsCalls: boolean): Account {
  const sessions = new Map<string | null, SessionAccount>();
  const requests = new Map<string, string>();
  let events = 0;
  let unknown = 0;

  const sessionOf = (id: string | null) => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session: SessionAccount = {
      stream: false,
      results: 0,
      failed: false,
      inTurn: false,
      calls: new Map(),
      agents: new Map(),
    };
    sessions.set(id, session);
    return session;
  };
  const count = (test: (session: SessionAccount) => boolean) => [...sessions.values()].filter(test).length;
  const sum = (size: (session: SessionAccount) => number) =>
    [...sessions.values()].reduce((total, session) => total + size(session), 0);

  return {
    note(event) {
      events++;
      if (event.event === 'unknown') unknown++;
      else noteInSession(sessionOf(event.session_id), event, countsCalls);
      if (event.event === 'control:requested' && event.request_id !== null)
        requests.set(event.request_id, event.subtype ?? 'control');
      if ((event.event === 'control:responded' || event.event === 'control:cancelled') && event.request_id !== null)
        requests.delete(event.request_id);
    },
    get events() {
      return events;
    },
    get unknown() {
      return unknown;
    },
    get results() {
      return sum((session) => session.results);
    },
    get failed() {
      return count((session) => session.failed);
    },
    get unfinished() {
      return count((session) => session.stream && session.inTurn);
    },
    missing() {
      const unfinished = [...sessions.values()].filter((session) => session.stream && session.inTurn);
      if (unfinished.length === 0 && requests.size === 0) return null;
      const calls = unfinished.reduce((total, session) => total + session.calls.size, 0);
      const agents = unfinished.reduce((total, session) => total + session.agents.size, 0);
      const open = [many(calls, 'call'), many(agents, 'agent')].filter((text) => text !== null).join(' and ');
      const unanswered = many(requests.size, 'control request');
      return [
        unfinished.length > 0
          ? unfinished.length === 1
            ? 'no result'
            : `no result in ${unfinished.length} sessions`
          : null,
        open === '' ? null : `${open} still open`,
        unanswered === null ? null : `${unanswered} unanswered (${[...new Set(requests.values())].join(', ')})`,
      ]
        .filter((text) => text !== null)
        .join('; ');
    },
    open(show = (name) => name) {
      const unfinished = [...sessions.values()].filter((session) => session.stream && session.inTurn);
      return describeOpen(
        unfinished.flatMap(({ agents }) => [...agents.values()].map(show)),
        unfinished.flatMap(({ calls, agents }) =>
          [...calls.values()].map((call) => ({ ...call, agent: show(agents.get(call.agent) ?? call.agent) })),
        ),
      );
    },
  };
}

function noteInSession(session: SessionAccount, event: Event, countsCalls: boolean): void {
  switch (event.event) {
    case 'session:started':
      if (!event.transcript) session.stream = true;
      break;
    case 'turn:started':
      session.inTurn = true;
      break;
    case 'session:ended':
      session.stream = true;
      session.results++;
      session.inTurn = false;
      session.failed = isFailure(event);
      break;
    case 'usage:merged':
      if (event.row.reported === null) break;
      session.results++;
      session.failed = isFailure(event.row.reported);
      break;
    case 'tool:called':
      if (countsCalls && event.tool_use_id !== null) session.calls.set(event.tool_use_id, callOf(event));
      break;
    case 'tool:returned':
      if (event.tool_use_id !== null) session.calls.delete(event.tool_use_id);
      break;
    case 'agent:started':
      startAgent(session.agents, event);
      break;
    case 'agent:finished':
      for (const id of [event.agent, event.tool_use_id, event.task_id]) if (id !== null) session.agents.delete(id);
      break;
    case 'team:member:shutdown':
      session.agents.delete(event.member.agent_id ?? '');
      break;
    case 'team:deleted':
      session.agents.clear();
      break;
  }
}

/** The events it is kept from; calls apart, which are not counted when only some are read. */
export function isAccounted(event: string): boolean {
  return accounted.has(event);
}

const accounted: ReadonlySet<string> = new Set([
  'unknown',
  'session:started',
  'turn:started',
  'session:ended',
  'usage:merged',
  'control:requested',
  'control:responded',
  'control:cancelled',
  'agent:started',
  'agent:finished',
  'team:member:shutdown',
  'team:deleted',
  'input:skipped',
]);

function callOf({ tool, tool_use_id, agent, line }: EventMap['tool:called']): OpenCall {
  return { tool: tool ?? 'a tool', id: tool_use_id ?? '', agent: agent ?? 'main', line };
}

function startAgent(agents: Map<string, string>, event: EventMap['agent:started']): void {
  const ids = [event.tool_use_id, event.task_id, event.continues].filter((id) => id !== null);
  const before = ids.map((id) => agents.get(id)).find((name) => name !== undefined);
  for (const id of ids) agents.delete(id);
  if (event.turn_only || !isAgent(event.task_type)) return;
  const id = event.agent ?? '';
  agents.set(id, event.name ?? before ?? agents.get(id) ?? event.description ?? event.agent_type ?? id);
}

function isFailure({ is_error, subtype }: { is_error: boolean | null; subtype: string | null }): boolean {
  return is_error === true || (subtype?.startsWith('error') ?? false);
}

function isAgent(taskType: string | null): boolean {
  return taskType === null || /agent|teammate/.test(taskType);
}

function many(count: number, noun: string): string | null {
  if (count === 0) return null;
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
