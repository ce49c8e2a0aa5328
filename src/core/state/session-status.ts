import type { Event } from '../event/event.js';
import { scopeOf } from './scope.js';
import type { TeamsState } from './teams.js';
import { earliest, latest } from './time.js';

export interface SessionStatus {
  /** Results tell when a stream is over; transcripts and files have none. */
  readonly stream: boolean;
  readonly inTurn: boolean;
  /** How its last result ended, if not well. */
  readonly broke: 'failed' | 'stopped' | null;
  readonly over: boolean;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The last time any fact of it says. */
  readonly last_at: string | null;
}

const unheard: SessionStatus = {
  stream: false,
  inTurn: false,
  broke: null,
  over: false,
  model: null,
  cwd: null,
  started_at: null,
  ended_at: null,
  last_at: null,
};

export function noteSession(state: TeamsState, event: Event, near: string | null): TeamsState {
  const key = scopeOf(event);
  const known = state.sessions.get(key) ?? unheard;
  const next = noted(known, event, near);
  const started_at = earliest(next.started_at, event.time);
  const last_at = latest(next.last_at, event.time);
  if (next === known && started_at === known.started_at && last_at === known.last_at && state.sessions.has(key))
    return state;
  return { ...state, sessions: state.sessions.set(key, { ...next, started_at, last_at }) };
}

function noted(before: SessionStatus, event: Event, near: string | null): SessionStatus {
  switch (event.event) {
    case 'session:started':
      return {
        ...before,
        stream: before.stream || !event.transcript,
        model: event.model ?? before.model,
        cwd: event.cwd ?? before.cwd,
      };
    // Only a stream says when a turn ends: a prompt of its transcript does not open it again.
    case 'turn:started':
      return event.transcript === true ? before : { ...before, inTurn: true, over: false, broke: null };
    case 'session:changed':
      return isLead(event) ? { ...before, broke: 'stopped', ended_at: latest(before.ended_at, event.time ?? near) } : before;
    case 'session:ended':
      return {
        ...before,
        stream: true,
        inTurn: false,
        broke: brokenBy(event),
        ended_at: latest(before.ended_at, event.time ?? latest(near, before.last_at)),
      };
    case 'hook:fired':
      return event.hook === 'SessionEnd' ? { ...before, over: true, ended_at: event.time ?? near } : before;
    default:
      return before;
  }
}

function isLead({ agent }: Event): boolean {
  return agent === null || agent === 'main' || agent.startsWith('team-lead@');
}

/** An interrupt stops a run, any other error makes it fail. */
function brokenBy({ is_error, subtype, terminal_reason }: Event & { event: 'session:ended' }): SessionStatus['broke'] {
  if (is_error !== true && !subtype?.startsWith('error')) return null;
  const aborted = terminal_reason === null ? subtype === 'error_during_execution' : /^aborted/.test(terminal_reason);
  return aborted ? 'stopped' : 'failed';
}
