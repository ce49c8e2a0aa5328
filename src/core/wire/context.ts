// Holds what every handler of records uses, and saves and restores it.
import type { EventName, Own } from '../event/event.js';
import { hashEnd, hashOf } from '../record/hash.js';
import { getOrCreate, idOf, type JsonObject } from '../record/json.js';
import { canonical, createSession, nowhere, type Place, type Session } from './sessions.js';

export interface Context extends Output {
  place: Place;
  /** Number of the last event. */
  seq: number;
  /** The session that records without one belong to. */
  current: string | null;
  sessions: Map<string | null, Session>;
  /** Calls waiting for their results. */
  calls: Map<string, Call>;
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
    seq: memory.seq,
    current: memory.current,
    sessions: new Map(memory.sessions),
    calls: new Map(),
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

/**
 * Remembers which records, calls and blocks were seen, by a hash of 16 bytes instead of a string for each key.
 * It holds at least the newest million; an older key may be forgotten, so an endless stream takes bounded memory.
 */
export class Seen {
  #fresh = new Slots();
  #old = new Slots();

  readonly seed: number;

  constructor(seed: number, saved: readonly number[] = []) {
    this.seed = seed;
    for (let at = 0; at + 2 < saved.length; at += 3) this.#put(saved[at] ?? 0, saved[at + 1] ?? 0, saved[at + 2] ?? 0);
  }

  /** True the first time a key is seen. */
  add(key: string): boolean {
    return this.raise(key, 1);
  }

  /** Everything remembered, as triples of numbers. */
  save(): number[] {
    return [...this.#old.triples(), ...this.#fresh.triples()];
  }

  has(key: string): boolean {
    const [high, low] = hashOf(key, this.seed);
    return this.#fresh.get(high, low) > 0 || this.#old.get(high, low) > 0;
  }

  /** The same for a key that begins with an id, from the hash that the index of lines began. */
  hasId(idHigh: number, idLow: number, rest: string): boolean {
    const [high, low] = hashEnd(idHigh, idLow, rest);
    return this.#fresh.get(high, low) > 0 || this.#old.get(high, low) > 0;
  }

  addId(idHigh: number, idLow: number, rest: string): boolean {
    return this.#raise(...hashEnd(idHigh, idLow, rest), 1);
  }

  /** True if the value is larger than any seen with this key; then it is remembered. */
  raise(key: string, value: number): boolean {
    return this.#raise(...hashOf(key, this.seed), value);
  }

  #raise(high: number, low: number, value: number): boolean {
    if (this.#fresh.get(high, low) >= value || this.#old.get(high, low) >= value) return false;
    this.#put(high, low, value);
    return true;
  }

  #put(high: number, low: number, value: number): void {
    if (this.#fresh.full) {
      this.#old = this.#fresh;
      this.#fresh = new Slots();
    }
    this.#fresh.set(high, low, value);
  }
}

const largest = 1 << 21;

/**
 * Open addressing over typed arrays; an empty slot has value 0. The 16 bytes of a slot, two halves of a key and a value, are
 * adjacent: every access misses the cache, and half as many misses take half the time.
 */
class Slots {
  #size = 0;
  #mask = smallest - 1;
  #keys = new Uint32Array(4 * smallest);
  #values = new Float64Array(this.#keys.buffer);

  /** One more key would make it grow beyond `largest`. */
  get full(): boolean {
    return this.#size >= largest / 2 - 1;
  }

  *triples(): Generator<number> {
    for (let slot = 0; slot <= this.#mask; slot++) {
      const value = this.#values[2 * slot + 1] ?? 0;
      if (value === 0) continue;
      yield this.#keys[4 * slot] ?? 0;
      yield this.#keys[4 * slot + 1] ?? 0;
      yield value;
    }
  }

  get(high: number, low: number): number {
    return this.#values[2 * this.#slot(high, low) + 1] ?? 0;
  }

  set(high: number, low: number, value: number): void {
    const slot = this.#slot(high, low);
    if (this.#values[2 * slot + 1] === 0 && ++this.#size > this.#mask / 2) {
      this.#grow();
      return this.set(high, low, value);
    }
    this.#keys[4 * slot] = high;
    this.#keys[4 * slot + 1] = low;
    this.#values[2 * slot + 1] = value;
  }

  #slot(high: number, low: number): number {
    let slot = low & this.#mask;
    while (this.#values[2 * slot + 1] !== 0 && (this.#keys[4 * slot] !== high || this.#keys[4 * slot + 1] !== low))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#mask = 2 * this.#mask + 1;
    this.#keys = new Uint32Array(2 * keys.length);
    this.#values = new Float64Array(this.#keys.buffer);
    this.#size = 0;
    for (let slot = 0; 4 * slot < keys.length; slot++) {
      const value = values[2 * slot + 1] ?? 0;
      if (value !== 0) this.set(keys[4 * slot] ?? 0, keys[4 * slot + 1] ?? 0, value);
    }
  }
}

const smallest = 1024;
