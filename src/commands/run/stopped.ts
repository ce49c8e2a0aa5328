// The event run:stopped, which tells those behind the pipe, and those who read later, why the command was ended.
import type { EventMap, Own } from '../../core/event/event.js';
import type { Alarm, Limits } from '../usage/budget.js';

type Stop = Own<'run:stopped'>;

/** Why it is ended, before it is known what it leaves behind. */
export type StopReason = Omit<Stop, 'ended'>;

const noLimit = { limit: null, unit: null, spent: null, signal: null };

export const readerLeft: StopReason = { reason: 'reader_left', ...noLimit };

export function afterSilence(seconds: number): StopReason {
  return { reason: 'idle', ...noLimit, limit: seconds, unit: 'seconds' };
}

export function afterSignal(signal: NodeJS.Signals): StopReason {
  return { reason: 'signal', ...noLimit, signal };
}

export function afterAlarm(alarm: Alarm, limits: Limits): StopReason {
  const unit = alarm.kind === 'passed' ? alarm.limit : 'usd';
  return {
    reason: 'budget',
    ...noLimit,
    limit: limits[unit],
    unit,
    spent: alarm.kind === 'passed' ? alarm.amount : null,
  };
}

/** Whose run it is, and its place, is known to those who read the stream. */
export function stoppedEvent(stop: StopReason, ended: readonly string[], time: string): EventMap['run:stopped'] {
  const place = { session_id: null, team: null, agent: null, line: null };
  return { cct: 1, seq: 0, event: 'run:stopped', time, ...place, ...stop, ended: [...ended] };
}
