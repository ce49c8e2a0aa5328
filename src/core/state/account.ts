import type { Event } from '../event/event.js';

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
}

interface SessionAccount {
  stream: boolean;
  results: number;
  failed: boolean;
  inTurn: boolean;
  calls: Set<string>;
  agents: Set<string>;
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
    const session = {
      stream: false,
      results: 0,
      failed: false,
      inTurn: false,
      calls: new Set<string>(),
      agents: new Set<string>(),
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
      if (countsCalls && event.tool_use_id !== null) session.calls.add(event.tool_use_id);
      break;
    case 'tool:returned':
      if (event.tool_use_id !== null) session.calls.delete(event.tool_use_id);
      break;
    case 'agent:started':
      for (const id of [event.tool_use_id, event.task_id, event.continues]) if (id !== null) session.agents.delete(id);
      if (!event.turn_only && isAgent(event.task_type)) session.agents.add(event.agent ?? '');
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
