import type { Event } from '../event/event.js';
import { initialState, type State } from '../state/reduce.js';
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
  /** The states of those that changed since it was asked last; null where only the state of everything tells. */
  changed(): readonly State[] | null;
}

/**
 * Sessions have to do with each other when they speak of one team that not each of them made for itself, or repeat each
 * other's calls; files of a team name no session at all. Then there is only one state, that of everything.
 */
export function createSessionStates(follow: (state: State, event: Event) => State): SessionStates {
  const states = new Map<string, State>();
  const makers = new Map<string, Set<string>>();
  const guests = new Map<string, string>();
  const changed = new Set<string>();
  let areTied = false;

  function isTie({ event, after }: Step, session: string): boolean {
    for (const name of teamsIn(event)) {
      const made = once(makers, name, newSet);
      if (event.event === 'team:created' && event.name === name && event.protocol !== 'implicit') made.add(session);
      if (!made.has(session)) {
        if (made.size > 0) return true;
        if (once(guests, name, () => session) !== session) return true;
      } else if (guests.size > 0 && (guests.get(name) ?? session) !== session) return true;
    }
    const call = 'tool_use_id' in event ? event.tool_use_id : null;
    if (typeof call !== 'string') return false;
    const sent = after.messages.sightings.get(`call ${call}`);
    const caller = after.teams.calls.get(call);
    return (
      (sent !== undefined && sent.session_id !== session) || (caller !== undefined && !caller.startsWith(`${session} `))
    );
  }

  return {
    note(step) {
      if (areTied) return;
      const session = step.event.session_id;
      const goesOn = states.size === 0 && step.before !== initialState && !isNew(step.before);
      if (session === null || goesOn || isTie(step, session)) {
        areTied = true;
        states.clear();
        makers.clear();
        guests.clear();
        return;
      }
      const known = states.get(session) ?? initialState;
      const next = follow(known, step.event);
      if (next === known) return;
      states.set(session, next);
      changed.add(session);
    },
    touch: (session) => void changed.add(session),
    changed() {
      const found = [...changed].flatMap((session) => states.get(session) ?? []);
      changed.clear();
      return areTied ? null : found;
    },
  };
}

const newSet = () => new Set<string>();

function isNew({ agents, teams, tasks, messages }: State): boolean {
  return (
    agents.entries.size + agents.sessions.size === 0 &&
    teams.members.size + teams.teams.size + teams.sessions.size === 0 &&
    tasks.tasks.size + tasks.work.size + tasks.teams.size === 0 &&
    messages.sightings.size === 0
  );
}

function teamsIn(event: Event): string[] {
  const names = event.team === null ? [] : [event.team];
  if (event.event === 'team:created' || event.event === 'team:deleted' || event.event === 'team:cleanup_failed')
    if (event.name !== null) names.push(event.name);
  return names;
}
