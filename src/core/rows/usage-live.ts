import type { MessageUse, Origin } from '../state/usage/message-use.js';

/** One session, and how it stands in the reports. */
export interface Live {
  readonly key: string;
  session_id: string | null;
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
}

export function newLive(key: string): Live {
  return {
    key,
    session_id: null,
    at: Number.POSITIVE_INFINITY,
    messages: new Map(),
    isStream: true,
    isNamed: true,
    origins: new Set(),
    names: new Set(),
    missing: [],
    isUnreported: true,
    lastResult: null,
  };
}
