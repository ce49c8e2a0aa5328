import type { Event } from '../event/event.js';
import { initialState, settle, type State } from '../state/reduce.js';
import { once } from './once.js';

/** One event, and what it did to the state of everything. */
export interface Step {
  readonly event: Event;
  readonly before: State;
  readonly after: State;
}

/** Sessions that have nothing to do with each other, each with a state of its own: what one does changes no row of another. */
export interface SessionStates {
  note(step: Step): void;
  /** Makes a session one of those that changed. */
  touch(session_id: string): void;
  /** The states of those that changed since it was asked last; `now`, that of everything, where only that tells. */
  changed(now: State): readonly State[];
}

/**
 * Sessions have to do with each other when they speak of one team that not each of them made for itself, or repeat each
 * other's calls; files of a team name no session at all. Then there is only one state, that of everything. So it is, if
 * `messages` are of interest, where a message arrives in one of several sessions with a team of that name: another may have sent it.
 */
export function createSessionStates(
  follow: (state: State, event: Event) => State,
  { messages }: { messages: boolean },
): SessionStates {
  const states = new Map<string, State>();
  const makers = new Map<string, Set<string>>();
  const guests = new Map<string, string>();
  /** Teams in which a message arrived. */
  const reached = new Set<string>();
  const changed = new Set<string>();
  let isStarted = false;
  let areTied = false;

  /** What was there before any event cannot be told apart any more. */
  function start(from: State): void {
    if (isStarted) return;
    isStarted = true;
    areTied = !isEmpty(from);
  }

  function isTie({ event, after }: Step, session: string): boolean {
    for (const name of teamsIn(event)) {
      if (messages && isArrival(event)) reached.add(name);
      const made = once(makers, name, newSet);
      if (event.event === 'team:created' && event.name === name && event.protocol !== 'implicit') made.add(session);
      if (made.size > 1 && reached.has(name)) return true;
      if (!made.has(session)) {
        if (made.size > 0) return true;
        if (once(guests, name, () => session) !== session) return true;
      } else if (guests.size > 0 && (guests.get(name) ?? session) !== session) return true;
    }
    const call = 'tool_use_id' in event ? event.tool_use_id : null;
    if (typeof call !== 'string') return false;
    const sent = after.messages.sightings.get(`call ${call}`);
    const caller = after.work.agents.get(after.work.calls.get(call)?.owner ?? '');
    return (
      (sent !== undefined && sent.session_id !== session) || (caller !== undefined && caller.session_id !== session)
    );
  }

  return {
    note(step) {
      if (areTied) return;
      const session = step.event.session_id;
      start(step.before);
      if (session === null || areTied || isTie(step, session)) {
        areTied = true;
        states.clear();
        makers.clear();
        guests.clear();
        reached.clear();
        return;
      }
      const known = states.get(session) ?? initialState;
      const next = follow(known, step.event);
      if (next === known) return;
      states.set(session, next);
      changed.add(session);
    },
    touch: (session) => void changed.add(session),
    changed(now) {
      start(now);
      const found = [...changed].flatMap((session) => states.get(session) ?? []);
      changed.clear();
      return (areTied ? [now] : found).map(settle);
    },
  };
}

function isArrival(event: Event): boolean {
  return event.event === 'team:message:received' || (event.event === 'team:message:sent' && event.tool_use_id === null);
}

const newSet = () => new Set<string>();

function isEmpty({ agents, teams, tasks, messages }: State): boolean {
  return (
    agents.entries.size + agents.sessions.size === 0 &&
    teams.members.size + teams.teams.size + teams.sessions.size === 0 &&
    tasks.changes.size + tasks.work.size + tasks.teams.size === 0 &&
    messages.sightings.size === 0
  );
}

function teamsIn(event: Event): string[] {
  const names = event.team === null ? [] : [event.team];
  if (event.event === 'team:created' || event.event === 'team:deleted' || event.event === 'team:cleanup_failed')
    if (event.name !== null) names.push(event.name);
  return names;
}
