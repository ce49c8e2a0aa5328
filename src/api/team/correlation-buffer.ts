import type { RecognizedTeamToolUse } from './recognize.js';

/** A tool_result block. `tool_use_result` is what its record may say beside it, in fields instead of text. */
export type ToolResultContent = {
  tool_use_id: string;
  type?: string;
  content?: unknown;
  is_error?: boolean;
  tool_use_result?: unknown;
};

export interface PendingToolUse {
  recognized: RecognizedTeamToolUse;
  receivedAt: number;
}

export interface CorrelatedToolUse {
  recognized: RecognizedTeamToolUse;
  /** Also when it is an error: whoever uses the pair looks. */
  result?: ToolResultContent;
}

/** Milliseconds: `Date`, `performance`, or any function. */
export type Clock = { now(): number } | (() => number);

/** Holds team calls until their results come. The library's own has a clock (lib.ts); the core knows none. */
export class TeamToolCorrelationBuffer {
  readonly #pending = new Map<string, PendingToolUse>();
  readonly #now: () => number;

  constructor(clock: Clock) {
    // Date is a function and a clock.
    this.#now = 'now' in clock ? () => clock.now() : clock;
  }

  /** A call with an id that is already waiting takes its place. */
  onToolUse(recognized: RecognizedTeamToolUse): void {
    this.#pending.set(recognized.toolUseId, { recognized, receivedAt: this.#now() });
  }

  /** The pair, or undefined when nobody waits for this result. */
  onToolResult(result: ToolResultContent): CorrelatedToolUse | undefined {
    const pending = this.#pending.get(result.tool_use_id);
    this.#pending.delete(result.tool_use_id);
    return pending === undefined ? undefined : { recognized: pending.recognized, result };
  }

  /** Forgets calls that have waited longer than this; returns how many. */
  flush(maxAgeMs = 30_000): number {
    const oldest = this.#now() - maxAgeMs;
    const late = [...this.#pending].filter(([, { receivedAt }]) => receivedAt < oldest);
    for (const [id] of late) this.#pending.delete(id);
    return late.length;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }
}
