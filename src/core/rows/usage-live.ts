import type { MessageUse, Origin } from '../state/usage/message-use.js';

/** One session, and how it stands in the reports. */
export interface Live {
  readonly key: string;
  /** The account it was added to the reports with. */
  account: string;
  /** Sessions are told in the order of their first messages. */
  at: number;
  readonly messages: Map<string, MessageUse>;
  /** All of its messages are of a stream; all of them name their model. */
  isStream: boolean;
  isNamed: boolean;
  readonly origins: Set<Origin>;
  /** Those of its agents whose usage was seen. */
  names: Set<string>;
  /** Those of its agents whose usage was not. */
  missing: readonly string[];
  isUnreported: boolean;
  /** The place of its last result. */
  lastResult: number | null;
  /** Its messages stand for themselves after that: it has no cost-state, and no other session in its account. */
  isPlain: boolean;
  /** Its turns came in the order of their times. */
  isOrdered: boolean;
  /** The last turn, when it began, and when the one before it did. */
  turn: number;
  began: string;
  beganBefore: string;
}

/** Turns are numbered by time: one that is read out of time changes the numbers of others. */
export function noteTurn(live: Live, { time, turn }: MessageUse): void {
  if (time === null || turn === null) return;
  if (turn > live.turn) Object.assign(live, { turn, began: time, beganBefore: live.began });
  else if (turn === live.turn && time < live.began) live.began = time;
  if (time < live.beganBefore) live.isOrdered = false;
}

export function newLive(key: string): Live {
  return {
    key,
    account: key,
    at: Number.POSITIVE_INFINITY,
    messages: new Map(),
    isStream: true,
    isNamed: true,
    origins: new Set(),
    names: new Set(),
    missing: [],
    isUnreported: true,
    lastResult: null,
    isPlain: true,
    isOrdered: true,
    turn: 0,
    began: '',
    beganBefore: '',
  };
}
