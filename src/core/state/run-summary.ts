import type { Event, EventMap } from '../event/event.js';
import type { OpenCall } from '../wire/context.js';

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
  /** What is missing, in words; null when nothing is. Which calls have no result knows who read the records: not all are events. */
  missing(calls: readonly OpenCall[]): string | null;
  /** Which agents and calls are open, in words; a line for each kind. `show` makes a name safe to be shown. */
  open(calls: readonly OpenCall[], show?: (name: string) => string): string[];
}

interface SessionAccount {
  stream: boolean;
  results: number;
  failed: boolean;
  inTurn: boolean;
  /** By id, with the name they go by. */
  agents: Map<string, string>;
}

export function createAccount(): Account {
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
      agents: new Map(),
    };
    sessions.set(id, session);
    return session;
  };
  const count = (test: (session: SessionAccount) => boolean) => [...sessions.values()].filter(test).length;
  const isUnfinished = (session: SessionAccount | undefined) => session?.stream === true && session.inTurn;
  const unfinishedSessions = () => [...sessions.values()].filter(isUnfinished);
  const inUnfinished = ({ session_id }: OpenCall) => isUnfinished(sessions.get(session_id));

  return {
    note(event) {
      events++;
      if (event.event === 'unknown') unknown++;
      else noteInSession(sessionOf(event.session_id), event);
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
      return [...sessions.values()].reduce((total, session) => total + session.results, 0);
    },
    get failed() {
      return count((session) => session.failed);
    },
    get unfinished() {
      return count(isUnfinished);
    },
    missing(openCalls) {
      const unfinished = unfinishedSessions();
      if (unfinished.length === 0 && requests.size === 0) return null;
      const calls = openCalls.filter(inUnfinished).length;
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
    open(openCalls, show = (name) => name) {
      const nameIn = (session: string | null, agent: string) => sessions.get(session)?.agents.get(agent) ?? agent;
      return describeOpen(
        unfinishedSessions().flatMap(({ agents }) => [...agents.values()].map(show)),
        openCalls.filter(inUnfinished).map((call) => ({ ...call, agent: show(nameIn(call.session_id, call.agent)) })),
      );
    },
  };
}

function noteInSession(session: SessionAccount, event: Event): void {
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

/** The events it is kept from. */
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

/** Who and what was still at work, a line for each kind, the last to begin first. */
export function describeOpen(agents: readonly string[], calls: readonly Omit<OpenCall, 'session_id'>[]): string[] {
  return [
    ...listed('open agents', agents),
    ...listed(
      'open calls',
      calls.map(({ tool, id, agent, line }) => `${tool} ${id} by ${agent}${line === null ? '' : ` at line ${line}`}`),
    ),
  ];
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(-mostShown).reverse().map(short);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  return [`${title}: ${shown.join(', ')}${more}`];
}

const mostShown = 10;

/** A name may be a whole description. */
function short(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
const longest = 120;
