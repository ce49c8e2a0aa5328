// Summarizes a run: its results, and what was still open when the input ended.

import type { Event, EventMap, EventName } from '../event/event.js';
import { eventNames } from '../event/names.js';
import type { Ending } from '../event/usage-row.js';
import { isAgentWork } from '../event/work.js';
import { getOrCreate, idOf, objectOf } from '../record/json.js';
import type { OpenCall } from '../wire/context.js';
import { isForHost } from '../wire/dialects/frames.js';
import { asks, type Interest } from '../wire/interest.js';
import { endAfter, endAfterRow, endingIn, isBad, noEnd, type SessionEnd } from './outcome.js';

export class RunSummary {
  events = 0;
  unknown = 0;
  /** Records that Claude Code did not write, in any version. */
  foreign = 0;
  readonly #sessions = new Map<string | null, SessionSummary>();
  /** Control requests without an answer, by id. */
  readonly #requests = new Map<string, ControlRequest>();

  note(event: Event): void {
    this.events++;
    // The most frequent events only show that somebody talks, which the id of a session shows too.
    if (event.session_id !== null && talk.has(event.event)) return;
    if (event.event === 'unknown') {
      this.unknown++;
      if (event.type === null) this.foreign++;
    } else
      noteInSession(
        getOrCreate(this.#sessions, event.session_id, () => newSession(event.session_id)),
        event,
      );
    if (event.event === 'session:ended') this.#answered((request) => request.session_id === event.session_id);
    if (event.event === 'control:requested' && event.request_id !== null)
      this.#requests.set(event.request_id, this.#asked(event));
    if ((event.event === 'control:responded' || event.event === 'control:cancelled') && event.request_id !== null)
      this.#requests.delete(event.request_id);
  }

  /** Everything it knows, to be sent to another thread. */
  pack(): PackedSummary {
    const { events, unknown, foreign } = this;
    return { events, unknown, foreign, sessions: this.#sessions, requests: this.#requests };
  }

  /** Adds what another reader saw of other files. */
  merge({ events, unknown, foreign, sessions, requests }: PackedSummary): void {
    this.events += events;
    this.unknown += unknown;
    this.foreign += foreign;
    for (const [id, session] of sessions) {
      const known = this.#sessions.get(id);
      if (known === undefined || known.end.stream !== true) this.#sessions.set(id, session);
    }
    for (const [id, request] of requests) this.#requests.set(id, request);
  }

  get results(): number {
    return [...this.#sessions.values()].reduce((total, session) => total + session.results, 0);
  }

  /** Whether a session is known to have failed, or was stopped, or a stream ended without a result. */
  get failed(): boolean {
    const sessions = [...this.#sessions.values()];
    // Only a stream has to have a result. Rows of transcripts and team files have none.
    const isStream = ({ end, talks }: SessionSummary) => end.stream === true || (talks && end.stream === null);
    if (sessions.length === 0 || (this.results === 0 && sessions.some(isStream))) return true;
    return sessions.some(({ end }) => isBad(endingIn(end)));
  }

  /** How the session ended that was read last and of which it is known; null if it is known of none. */
  get ending(): Ending | null {
    const endings = [...this.#sessions.values()].map(({ end }) => endingIn(end));
    return endings.findLast(isBad) ?? endings.findLast(({ outcome }) => outcome !== null) ?? null;
  }

  /** Streams that ended without the result of their last turn. */
  get unfinished(): number {
    return this.#unfinished().length;
  }

  /** What is missing, in words; null if nothing is. The reader gives the open calls, because not all calls are events. */
  missing(openCalls: readonly OpenCall[]): string | null {
    const unfinished = this.#unfinished();
    const agents = unfinished.reduce((total, session) => total + session.agents.size, 0);
    const open = [many(this.#openIn(openCalls).length, 'call'), many(agents, 'agent')].filter((text) => text !== null);
    const waiting = this.#waiting(openCalls);
    const unanswered = many(waiting.length, 'control request');
    const parts = [
      unfinished.length === 0
        ? null
        : unfinished.length === 1
          ? 'no result'
          : `no result in ${unfinished.length} sessions`,
      open.length === 0 ? null : `${open.join(' and ')} still open`,
      unanswered === null ? null : `${unanswered} unanswered (${[...new Set(waiting)].join(', ')})`,
    ].filter((text) => text !== null);
    return parts.length === 0 ? null : parts.join('; ');
  }

  /** The agents and calls still open, one line per kind, the latest first. `show` makes a name safe to print. */
  open(openCalls: readonly OpenCall[], show = (name: string) => name): string[] {
    const callerName = ({ session_id, agent }: OpenCall) =>
      show(this.#sessions.get(session_id)?.agents.get(agent) ?? agent);
    const agents = this.#unfinished().flatMap((session) => [...session.agents.values()].map(show));
    const calls = this.#openIn(openCalls).map((call) => {
      const place = call.line === null ? '' : ` at line ${call.line}`;
      return `${call.tool} ${call.id} by ${callerName(call)}${place}`;
    });
    return [...listing('open agents', agents), ...listing('open calls', calls)];
  }

  #asked(event: EventMap['control:requested']): ControlRequest {
    const { session_id, agent, subtype } = event;
    const call = idOf(event['tool_use_id']) ?? idOf(objectOf(event['input'])?.['tool_use_id']);
    // Claude Code asks the next question of a kind after the answer to the one before. Only calls may wait side by side.
    if (call === null)
      this.#answered(
        (one) => one.call === null && one.session_id === session_id && one.agent === agent && one.subtype === subtype,
      );
    return { session_id, agent, subtype, call };
  }

  /** The host answers on stdin, so a recording of stdout shows only that Claude Code went on. */
  #answered(isAnswered: (request: ControlRequest) => boolean): void {
    for (const [id, request] of this.#requests)
      if (isForHost(request.subtype) && isAnswered(request)) this.#requests.delete(id);
  }

  /** What the requests without an answer ask for. A call that returned had its answer. */
  #waiting(openCalls: readonly OpenCall[]): string[] {
    const open = new Set(this.#openIn(openCalls).map(({ id }) => id));
    return [...this.#requests.values()]
      .filter(({ subtype, call }) => call === null || !isForHost(subtype) || open.has(call))
      .map(({ subtype }) => subtype ?? 'control');
  }

  #unfinished(): SessionSummary[] {
    return [...this.#sessions.values()].filter(isUnfinished);
  }

  #openIn(calls: readonly OpenCall[]): OpenCall[] {
    return calls.filter(({ session_id }) => isUnfinished(this.#sessions.get(session_id)));
  }
}

/** Whether the summary needs events of this name. */
export function isSummarized(event: string): boolean {
  return summarized.has(event);
}

const summarized: ReadonlySet<string> = new Set([
  'unknown',
  'session:started',
  'turn:started',
  'session:ended',
  'run:stopped',
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

const talk: ReadonlySet<string> = new Set([
  'usage:recorded',
  'text:produced',
  'thinking:produced',
  'tool:called',
  'tool:returned',
]);

export interface PackedSummary {
  readonly events: number;
  readonly unknown: number;
  readonly foreign: number;
  readonly sessions: ReadonlyMap<string | null, SessionSummary>;
  readonly requests: ReadonlyMap<string, ControlRequest>;
}

interface ControlRequest {
  readonly session_id: string | null;
  readonly agent: string | null;
  readonly subtype: string | null;
  /** The call it is about. */
  readonly call: string | null;
}

interface SessionSummary {
  /** Whether somebody talks in it. Team files name no session. */
  talks: boolean;
  results: number;
  end: SessionEnd;
  /** Agents at work: id → name. */
  agents: Map<string, string>;
}

function newSession(id: string | null): SessionSummary {
  return { talks: id !== null, results: 0, end: noEnd, agents: new Map() };
}

function isUnfinished(session: SessionSummary | undefined): boolean {
  return session?.end.stream === true && session.end.inTurn;
}

function noteInSession(session: SessionSummary, event: Event): void {
  session.end = endAfter(session.end, event);
  switch (event.event) {
    case 'session:ended':
      session.results++;
      break;
    case 'usage:recorded':
    case 'text:produced':
    case 'tool:called':
      session.talks = true;
      break;
    case 'usage:merged':
      session.end = endAfterRow(session.end, event.row);
      if (event.row.reported !== null && event.row.transcript !== true) session.results++;
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

function startAgent(agents: Map<string, string>, event: EventMap['agent:started']): void {
  const ids = [event.tool_use_id, event.task_id, event.continues].filter((id) => id !== null);
  const before = ids.map((id) => agents.get(id)).find((name) => name !== undefined);
  for (const id of ids) agents.delete(id);
  if (event.turn_only || !isAgentWork(event.task_type)) return;
  const id = event.agent ?? '';
  agents.set(id, event.name ?? before ?? agents.get(id) ?? event.description ?? event.agent_type ?? id);
}

function many(count: number, noun: string): string | null {
  if (count === 0) return null;
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function listing(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(-mostShown).reverse().map(short);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  return [`${title}: ${shown.join(', ')}${more}`];
}

const mostShown = 10;

/** Shortens a name, which may be a whole description. */
function short(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
const longest = 120;

/** Those of isEnd that not every command asks for. */
export const endEvents: ReadonlySet<EventName> = new Set(['hook:fired', 'usage:reported'] as const);

/** A run ends with its result, the end of its session, the deletion of its team, or because `cct run` ended it. */
export function isEnd(event: Event): boolean {
  switch (event.event) {
    case 'hook:fired':
      return event.hook === 'SessionEnd';
    case 'session:ended':
    case 'team:deleted':
    case 'run:stopped':
    // A transcript ends with what its session cost.
    case 'usage:reported':
      return true;
  }
  return false;
}

/** The events the command asks for, and those that the summary of the run needs. */
export function wantedEvents(interest: Interest): (event: string) => boolean {
  const wanted = new Set<string>(eventNames().filter((event) => asks(interest, event) || isSummarized(event)));
  return (event) => wanted.has(event);
}
