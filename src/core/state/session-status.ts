import type { Event } from '../event/event.js';
import { scopeOf } from './agents.js';
import type { TeamsState } from './teams.js';
import { latest } from './time.js';

export interface SessionStatus {
  /** Results tell when a stream is over; transcripts and files have none. */
  readonly stream: boolean;
  readonly inTurn: boolean;
  readonly over: boolean;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly last_seen_at: string | null;
}

export function noteSession(state: TeamsState, event: Event): TeamsState {
  const key = scopeOf(event);
  const known = state.sessions.get(key);
  const before: SessionStatus = known ?? {
    stream: false,
    inTurn: false,
    over: false,
    model: null,
    cwd: null,
    started_at: null,
    ended_at: null,
    last_seen_at: null,
  };
  let now = before;
  if (event.event === 'session:started')
    now = {
      ...before,
      stream: before.stream || !event.transcript,
      model: event.model ?? before.model,
      cwd: event.cwd ?? before.cwd,
    };
  else if (event.event === 'turn:started') now = { ...before, inTurn: true, over: false };
  else if (event.event === 'session:ended')
    now = { ...before, stream: true, inTurn: false, ended_at: event.time ?? before.last_seen_at };
  else if (event.event === 'hook:fired' && event.hook === 'SessionEnd')
    now = { ...before, over: true, ended_at: event.time };
  if (now.started_at === null && event.time !== null) now = { ...now, started_at: event.time };
  const last_seen_at = latest(now.last_seen_at, event.time);
  if (known !== undefined && now === before && last_seen_at === before.last_seen_at) return state;
  return { ...state, sessions: state.sessions.set(key, { ...now, last_seen_at }) };
}
