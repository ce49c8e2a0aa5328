// Says how a session ended. Everybody who wants to know asks here: rows, audits, reports, pictures and exit codes.
import type { Event } from '../event/event.js';
import type { Ending, MessageRow } from '../event/usage-row.js';
import { endingByStop, endingOf, endingReportedBy, endingShownBy, finished, stoppedByCct } from '../wire/outcome.js';
import { isLeadId } from './order.js';

/** What records show about the end of a session. */
export interface SessionEnd {
  /** Only a stream has results. A transcript may show how a turn ended. null if nothing shows which of them it is. */
  readonly stream: boolean | null;
  /** Whether a turn of the stream began and has no result. */
  readonly inTurn: boolean;
  /** Whether a transcript shows a turn. The files of agents show none. */
  readonly asked: boolean;
  /** How the last turn ended, as its other records show it. */
  readonly shown: Ending | null;
  /** How the last result ended its turn. */
  readonly result: Ending | null;
}

export const noEnd: SessionEnd = { stream: null, inTurn: false, asked: false, shown: null, result: null };

/**
 * What is known after an event of the session. Give it all events of a file, or of a session, in order. What else is known
 * of the session stays.
 */
export function endAfter<E extends SessionEnd>(end: E, event: Event): E {
  switch (event.event) {
    case 'session:started':
      return end.stream === true || end.stream === !event.transcript ? end : { ...end, stream: !event.transcript };
    case 'turn:started':
      // Only a stream says when a turn ends, so a prompt in its transcript does not reopen the turn.
      if (event.transcript !== true) return { ...end, stream: true, inTurn: true, shown: null };
      return end.stream === true ? end : { ...end, stream: false, asked: true, shown: null };
    case 'session:ended':
      return { ...end, stream: true, inTurn: false, shown: null, result: endingOf(event) };
    case 'session:changed': {
      const shown = isLeadId(event.agent) ? endingShownBy(event) : null;
      // After its result, a stream may repeat why the turn ended.
      if (shown === null || (end.stream === true && !end.inTurn) || isByCct(end.shown)) return end;
      // A transcript says at once that it is one, so this is the rest of a stream that was cut.
      return end.stream === null ? { ...end, stream: true, inTurn: true, shown } : { ...end, shown };
    }
    case 'run:stopped': {
      const stop = endingByStop(event);
      const isOpen = end.inTurn || end.result === null;
      return isOpen ? { ...end, stream: true, inTurn: true, shown: stop } : { ...end, stream: true, result: stop };
    }
    case 'usage:reported':
      return closed(end, endingReportedBy(event));
    case 'hook:fired':
      return event.hook === 'SessionEnd' ? closed(end, finished) : end;
    default:
      return end;
  }
}

/** A session without a stream ended like this, unless its rows show something else. */
function closed<E extends SessionEnd>(end: E, shown: Ending | null): E {
  return end.stream === true || end.shown !== null || shown === null ? end : { ...end, shown };
}

/** The same for a row of `usage --by message`. The row of a result, or the first one of the session, says how it ended. */
export function endAfterRow(end: SessionEnd, { session, reported, transcript }: MessageRow): SessionEnd {
  const shown = toldEnding(session ?? reported);
  if (transcript === true) {
    const stream = end.stream ?? false;
    if (shown.outcome !== null) return { ...end, stream, asked: true, shown };
    return stream === end.stream ? end : { ...end, stream };
  }
  if (reported !== null) {
    if (shown.outcome === 'unfinished') return { ...end, stream: true, inTurn: true, shown: null };
    // Rows of older versions of cct do not say it.
    const result =
      shown.outcome === null ? endingOf({ ...unsaid, subtype: reported.subtype, is_error: reported.is_error }) : shown;
    return { ...end, stream: true, inTurn: false, shown: null, result };
  }
  return shown.outcome === null ? end : { ...end, stream: true, inTurn: true, shown };
}

/** How a session ended. */
export function endingIn({ stream, inTurn, shown, result }: SessionEnd): Ending {
  if (stream !== true) return shown ?? unknownEnding;
  return inTurn ? (shown ?? unfinished) : (result ?? unknownEnding);
}

const unsaid = { terminal_reason: null, stop_reason: null, api_error_status: null, result: null };

const unfinished: Ending = { outcome: 'unfinished', reason: null, api_error_status: null };
const unknownEnding: Ending = { outcome: null, reason: null, api_error_status: null };

export function isByCct(ending: Ending | null): boolean {
  return ending?.reason === stoppedByCct;
}

/** The ending that a row or a result tells, without its other fields. */
export function toldEnding(row: { readonly [K in keyof Ending]?: Ending[K] | undefined } | null | undefined): Ending {
  const { outcome = null, reason = null, api_error_status = null } = row ?? unknownEnding;
  return { outcome, reason, api_error_status };
}

export function isBad({ outcome }: Pick<Ending, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'stopped' || outcome === 'unfinished';
}

/** For people: `failed: API error 529`, `stopped by cct: passed $2`, `unfinished: no result`. */
export function endingText(ending: Ending): string {
  const why = reasonText(ending);
  return `${outcomeText(ending) ?? 'unknown'}${why === '' ? '' : `: ${why}`}`;
}

/** The first word of that; null if nothing shows it. */
export function outcomeText(ending: Ending): string | null {
  return isByCct(ending) ? 'stopped by cct' : ending.outcome;
}

/** Why it ended that way; '' if nothing has to be said. */
export function reasonText({ outcome, reason, api_error_status: status, stopped_for = '' }: Ending): string {
  if (reason === stoppedByCct) return stopped_for;
  if (outcome === 'unfinished') return 'no result';
  if (reason === 'api_error') return `API error${status === null ? '' : ` ${status}`}`;
  return reason?.replaceAll('_', ' ') ?? '';
}
