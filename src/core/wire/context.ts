import type { EventName, Own } from '../event/event.js';
import type { JsonObject } from '../record/json.js';
import type { Place } from '../record/place.js';
import type { Seen } from './seen.js';
import type { Session } from './sessions.js';

/** What every handler of records works with. */
export interface Context {
  emit<K extends EventName>(at: Omit<Origin, 'agent'> & { agent: string | null }, event: K, own: Own<K>): void;
  /** Whether it is worth making such an event. */
  wants(event: EventName): boolean;
  warn(text: string): void;
  session(id: string | null): Session;
  /** The same place, for a record carried inside another. */
  within(at: Origin, record: JsonObject): Origin;
  /** Calls waiting for their results. */
  calls: CorrelationBuffer<Call>;
  /** Turns of each session, over all sources. */
  turns: Map<string | null, Turns>;
  seen: Seen;
  /** Last known state of each board task, by team or session: tells news in a snapshot from what is known. */
  boards: Map<string, Map<string, BoardTask>>;
  /** Agent ids that are turns of a teammate. */
  turnIds: Set<string>;
  /** Rows of teammates' turns: uuid → agent id, to find the files that belong to one agent. */
  turnRows: Map<string, string>;
  /** Parent uuid of a turn's first row → its agent id, for files read before the one they continue. */
  turnParents: Map<string, string>;
  /** Agents whose prompt was not seen yet → time of their first row. */
  firstRows: Map<string, string>;
  /** Message being streamed by an agent of a session, for its final usage. */
  partial: Map<string, PartialMessage>;
  /** Subtype of each control request that is still open. */
  controls: Map<string, string>;
  place: Place;
}

/** Where an event comes from. */
export interface Origin {
  session: Session;
  agent: string;
  time: string | null;
  line: number;
  record: JsonObject;
  transcript: boolean;
}

/** Stands for the input of a call that is not in the stream. */
export const noInput: JsonObject = {};

export interface Call {
  id: string;
  tool: string;
  input: JsonObject;
  /** Where it was called and, once it came back, where that was said. */
  at: Origin;
  calledAt: string | null;
  /** Something showed that the agent it spawns is running. */
  seen: boolean;
  /** It is known from a state, which does not keep its record. */
  ofState?: boolean;
}

export interface Turns {
  /** Init record, or prompt of its transcript → the number of the turn it began. One without an id cannot be told from its copy. */
  inits: Map<string, number>;
  prompts: Map<string, number>;
}

export function turnsOf(context: Context, session: string | null): Turns {
  const known = context.turns.get(session) ?? { inits: new Map(), prompts: new Map() };
  context.turns.set(session, known);
  return known;
}

/** A call without a result, as far as others want to know. */
export interface OpenCall {
  readonly session_id: string | null;
  readonly tool: string;
  readonly id: string;
  /** Who made it. */
  readonly agent: string;
  /** null where it is not known. */
  readonly line: number | null;
}

export interface BoardTask {
  subject: string | null;
  description: string | null;
  status: string | null;
  owner: string | null;
  blockedBy: Set<string>;
  blocks: Set<string>;
}

export interface PartialMessage {
  id: string | null;
  model: string | null;
  usage: JsonObject;
}

export const noAgentNews: Own<'agent:started'> = {
  agent_type: null,
  name: null,
  model: null,
  description: null,
  prompt: null,
  mode: null,
  isolation: null,
  worktree: null,
  parent: null,
  tool_use_id: null,
  task_id: null,
  task_type: null,
  run_id: null,
  background: null,
  resumed: null,
  transcript_path: null,
  continues: null,
  turn_only: false,
  color: null,
  ambient: false,
};

export const noAgentEnd: Own<'agent:finished'> = {
  task_id: null,
  task_type: null,
  run_id: null,
  tool_use_id: null,
  status: null,
  summary: null,
  result: null,
  model: null,
  total_tokens: null,
  tool_uses: null,
  duration_ms: null,
  worktree: null,
};

/** Pairs what opens with what closes it, by id. It has no clock: ages are measured against the times it is given. */
export class CorrelationBuffer<T> {
  #open = new Map<string, { value: T; since: number }>();

  /** An id opened twice is the later one. */
  open(id: string, value: T, since = 0): void {
    this.#open.set(id, { value, since });
  }

  get(id: string): T | undefined {
    return this.#open.get(id)?.value;
  }

  close(id: string): T | undefined {
    const entry = this.#open.get(id);
    this.#open.delete(id);
    return entry?.value;
  }

  /** Forgets what was opened before a time; returns how many. */
  dropBefore(time: number): number {
    let dropped = 0;
    for (const [id, entry] of this.#open) {
      if (entry.since >= time) continue;
      this.#open.delete(id);
      dropped++;
    }
    return dropped;
  }

  get size(): number {
    return this.#open.size;
  }

  *values(): Generator<T> {
    for (const entry of this.#open.values()) yield entry.value;
  }
}
