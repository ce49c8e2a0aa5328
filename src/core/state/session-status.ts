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

const unheard: SessionStatus = {
  stream: false,
  inTurn: false,
  over: false,
  model: null,
  cwd: null,
  started_at: null,
  ended_at: null,
  last_seen_at: null,
};

export function noteSession(state: TeamsState, event: Event): TeamsState {
  const key = scopeOf(event);
  const known = state.sessions.get(key);
  const before = known ?? unheard;
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
  const started_at = now.started_at ?? event.time;
  const last_seen_at = latest(now.last_seen_at, event.time);
  if (now === known && started_at === known.started_at && last_seen_at === known.last_seen_at) return state;
  // Written out field by field: in a transcript every record has a time, and a spread takes ten times as long.
  const { stream, inTurn, over, model, cwd, ended_at } = now;
  const session = { stream, inTurn, over, model, cwd, started_at, ended_at, last_seen_at };
  return {
    teams: state.teams,
    members: state.members,
    sessions: state.sessions.set(key, session),
    calls: state.calls,
  };
}
