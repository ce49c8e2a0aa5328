// Holds what every handler of records uses, and saves and restores it.
import type { EventName, Own } from '../event/event.js';
import { getOrCreate, idOf, type JsonObject } from '../record/json.js';
import { Seen } from './seen.js';
import { canonical, createSession, nowhere, type Place, type Session } from './sessions.js';

export interface Context extends Output {
  place: Place;
  /** A record of this source was recognized. */
  isOurs: boolean;
  /** Number of the last event. */
  seq: number;
  /** The session that records without one belong to. */
  current: string | null;
  sessions: Map<string | null, Session>;
  /** Calls waiting for their results. */
  calls: OpenCalls;
  seen: Seen;
  readonly memory: Remembered;
  /** The first and the last time of records since the last event that somebody wanted. */
  passed: { first: string | null; last: string | null };
}

/** The functions that a context gets from its normalizer. */
interface Output {
  emit<K extends EventName>(at: Omit<Origin, 'agent'> & { agent: string | null }, event: K, own: Own<K>): void;
  /** Whether anybody wants such an event. */
  wants(event: EventName): boolean;
  warn(text: string): void;
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

export interface Call {
  id: string;
  tool: string;
  input: JsonObject;
  /** Where it was called or, once it has returned, where its result is. */
  at: Origin;
  calledAt: string | null;
  /** Something showed that the agent it spawns is running. */
  seen: boolean;
  /** It comes from a saved state, which does not keep its record. */
  ofState?: boolean;
  /** It waits no longer. */
  isOver?: boolean;
}

/**
 * The open calls of all sources, by id. A call may stand in two of them, a stream and a transcript, and each result belongs to the
 * call of its own source; where that has none, to the one of another.
 */
class OpenCalls extends Map<string, Call> {
  /** Of the source that is being read. */
  #own = new Map<string, Call>();

  override set(id: string, call: Call): this {
    this.#own.set(id, call);
    return super.set(id, call);
  }

  override delete(id: string): boolean {
    const call = this.get(id);
    if (call !== undefined) call.isOver = true;
    this.#own.delete(id);
    return super.delete(id);
  }

  /** Gives the way back to the calls of this source. */
  leave(): () => void {
    const own = this.#own;
    this.#own = new Map();
    return () => {
      this.#own = own;
      for (const [id, call] of own) if (!call.isOver) super.set(id, call);
    };
  }
}

/** Under these keys calls and results count as seen. They begin with the id, so that the index of lines can hash it. */
export const wasCalled = ' called';
export const wasReturned = ' returned';

export function calledKey(id: string): string {
  return id + wasCalled;
}

export function returnedKey(id: string): string {
  return id + wasReturned;
}

/** Stands for the input of a call that is not in the stream. */
export const noInput: JsonObject = {};

/** A call without a result, for other layers. */
export interface OpenCall {
  readonly session_id: string | null;
  readonly tool: string;
  readonly id: string;
  /** Who made it. */
  readonly agent: string;
  readonly line: number | null;
}

/** Maps and sets that handlers keep from record to record. All of them are saved and restored. */
interface Remembered {
  /** Turns of each session, over all sources. */
  turns: Map<string | null, Turns>;
  /** Last known state of each board task, by team or session: it shows what is new in a snapshot. */
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
}

interface Turns {
  /** Init record, or prompt of its transcript → the number of its turn. Without an id, a copy cannot be recognized. */
  inits: Map<string, number>;
  prompts: Map<string, number>;
}

export interface BoardTask {
  subject: string | null;
  description: string | null;
  status: string | null;
  owner: string | null;
  blockedBy: Set<string>;
  blocks: Set<string>;
}

interface PartialMessage {
  id: string | null;
  model: string | null;
  usage: JsonObject;
}

/** What a context needs to continue, as plain values, maps and sets: a stream may come in pieces. */
export interface Memory extends Readonly<Remembered> {
  readonly seq: number;
  readonly current: string | null;
  readonly sessions: ReadonlyMap<string | null, Session>;
  readonly calls: readonly SavedCall[];
  /** Hashes of the records, calls and blocks seen: the same piece twice counts once. */
  readonly seen: readonly number[];
}

/** A call without the record it stood in. */
interface SavedCall extends Omit<Call, 'at' | 'calledAt'>, Pick<Origin, 'agent' | 'time' | 'line' | 'transcript'> {
  readonly session: string | null;
  readonly uuid: unknown;
}

export const noMemory: Memory = { seq: 0, current: null, sessions: new Map(), calls: [], ...remembered(), seen: [] };

export function createContext(output: Output, memory: Memory = noMemory, seed = 0): Context {
  const { emit, wants, warn } = output;
  const context: Context = {
    emit,
    wants,
    warn,
    place: nowhere,
    isOurs: false,
    seq: memory.seq,
    current: memory.current,
    sessions: new Map(memory.sessions),
    calls: new OpenCalls(),
    seen: new Seen(seed, memory.seen),
    memory: remembered(memory),
    passed: { first: null, last: null },
  };
  for (const { session, uuid, agent, time, line, transcript, ...call } of memory.calls) {
    const at = { session: sessionOf(context, session), agent, time, line, record: { uuid }, transcript };
    context.calls.set(call.id, { ...call, calledAt: time, at });
  }
  return context;
}

export function memoryOf({ seq, current, sessions, calls, memory, seen }: Context): Memory {
  return { seq, current, sessions, calls: [...calls.values()].map(savedCall), ...memory, seen: seen.save() };
}

/**
 * The events of a file depend on that file alone, so that the order of files changes no event. Only the numbers of turns, calls
 * that return in a later file, and the links between files of one teammate are kept; they are the same in any order.
 */
export function forgetSource(context: Context): void {
  context.seen = new Seen(context.seen.seed);
  context.sessions = new Map();
  const { boards, firstRows, partial, controls } = remembered();
  Object.assign(context.memory, { boards, firstRows, partial, controls });
}

/** Gives the way back to the source as it is now: what `begin` and `forgetSource` change. */
export function leaveSource(context: Context): () => void {
  const { place, isOurs, current, seen, sessions } = context;
  const { boards, firstRows, partial, controls } = context.memory;
  const backToCalls = context.calls.leave();
  return () => {
    backToCalls();
    Object.assign(context, { place, isOurs, current, seen, sessions });
    Object.assign(context.memory, { boards, firstRows, partial, controls });
  };
}

/** A record has this time, and nobody wants its events. */
export function passTime({ passed }: Context, time: string | null): void {
  if (time === null) return;
  passed.first ??= time;
  passed.last = time;
}

/** Does not use getOrCreate: every record calls this, and a closure would be created each time. */
export function sessionOf({ sessions }: Context, id: string | null): Session {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const session = createSession(id);
  sessions.set(id, session);
  return session;
}

/** The origin of a record at the same place: the agent it names, or the one spawned by its parent call. */
export function within(context: Context, at: Origin, record: JsonObject): Origin {
  const named = idOf(record.session_id);
  const session = named === null || named === at.session.id ? at.session : sessionOf(context, named);
  const sidechain = at.transcript && record.isSidechain === true;
  const id =
    idOf(record.agent_id) ??
    (sidechain ? (idOf(record.agentId) ?? context.place.agent) : null) ??
    idOf(record.parent_tool_use_id);
  const agent = id === null ? session.lead : canonical(session, id);
  return { session, agent, time: at.time, line: at.line, record, transcript: at.transcript };
}

export function turnsOf({ memory }: Context, session: string | null): Turns {
  return getOrCreate(memory.turns, session, () => ({ inits: new Map(), prompts: new Map() }));
}

/** The order of the fields is that of saved states. */
function remembered(from: Partial<Memory> = {}): Remembered {
  return {
    turns: new Map(from.turns),
    boards: new Map(from.boards),
    turnIds: new Set(from.turnIds),
    turnRows: new Map(from.turnRows),
    turnParents: new Map(from.turnParents),
    firstRows: new Map(from.firstRows),
    partial: new Map(from.partial),
    controls: new Map(from.controls),
  };
}

function savedCall({ id, tool, input, seen, at, ofState = false }: Call): SavedCall {
  const { session, agent, time, line, record, transcript } = at;
  return {
    id,
    tool,
    input,
    seen,
    session: session.id,
    agent,
    time,
    line,
    uuid: record.uuid ?? null,
    transcript,
    ofState,
  };
}
