// Holds what all record handlers share, and saves and restores it.
import type { Event, EventName, Own } from '../event/event.js';
import { type HashStart, markOf } from '../record/hash.js';
import { getOrCreate, type JsonObject } from '../record/json.js';
import { Seen } from './seen.js';
import { canonical, createSession, nowhere, type Place, type Session } from './sessions.js';
import type { EarlyResults } from './tools/early-results.js';
import type { RecordView } from './view.js';

export interface Context extends Output {
  place: Place;
  /** Whether a record of this source was recognized. */
  isOurs: boolean;
  /** Who wrote the record that is being read. */
  program: string;
  /** Whether any session is of another program. */
  hasOthers: boolean;
  /** Number of the last event. */
  seq: number;
  /** The session of records that do not name one. */
  current: string | null;
  sessions: Map<string | null, Session>;
  /** The session whose file this is, if the source said when it began. Until then `noOpener`, so that it is never null. */
  opener: Session;
  /** Calls waiting for their results. */
  calls: OpenCalls;
  /** Results waiting for their calls. */
  early: EarlyResults | null;
  seen: Seen;
  /** How the calls of each tool are read. */
  readonly tools: Map<string, ToolReading>;
  readonly memory: Remembered;
  /** The last record that said what its message used. */
  last: Pick<Origin, 'agent' | 'time' | 'transcript'> & {
    readonly session: Session | null;
    readonly team: string | null;
    readonly mark: number;
  };
  /** What the keys begin with under which the counts of the last message are remembered. */
  counted: { readonly session: string | null; readonly kind: string; readonly start: HashStart } | null;
  /** The first and the last time of records since the last emitted event. */
  passed: { first: string | null; last: string | null };
}

/** The functions a context gets from its normalizer. */
interface Output {
  emit<K extends EventName>(at: EventPlace, event: K, own: Own<K>): void;
  /** The same for a wanted event that its handler made whole, because there are many such events. */
  tell(at: EventPlace, event: Event): void;
  /** Whether anybody wants such an event. */
  wants(event: EventName): boolean;
  /** The same for an event of this record. If not, only its time is noted, so the event need not be made. */
  isWanted(at: Pick<Origin, 'time'>, event: EventName): boolean;
  /** How much of what was said, called and returned the events have to repeat. */
  readonly content: ContentWish;
  readonly detail: Detail;
  warn(text: string): void;
}

/** Where an event comes from. It may belong to no agent. */
export type EventPlace = Omit<Origin, 'agent'> & { agent: string | null };

/**
 * How much content a command needs. `all`: as it was written. `brief`: what a story tells; of results only what says how
 * much came back, and no changes and hooks of which nothing is told. `sizes`: inputs, and the lengths of results. `none`: only what changes a team, a task or an
 * agent.
 */
export type ContentWish = 'all' | 'brief' | 'sizes' | 'none';

/**
 * How much a command needs of what sessions do besides. `rows`: of the directories that a transcript's session moves to
 * only the last, at the end of its source; without content, not what shells in the background do, nor what repeats what
 * a message used. `tasks`: only the first directory. `sums`: only the first directory, no shells in the background, and
 * nothing that repeats what a message used.
 */
export type Detail = 'all' | 'rows' | 'tasks' | 'sums';

/** Whether events have to repeat what was said. */
export function repeatsTexts({ content }: { readonly content: ContentWish }): boolean {
  return content === 'all' || content === 'brief';
}

/** Where something was said. */
interface Whereabouts {
  session: Session;
  agent: string;
  time: string | null;
  line: number;
  transcript: boolean;
}

/** Where an event comes from. */
export interface Origin extends Whereabouts {
  /** Dies with its line. */
  record: RecordView;
}

/** How the calls of a tool are read. */
export interface ToolReading {
  /** Its result matters to somebody. */
  readonly isFollowed: boolean;
  /** And so does its input. */
  readonly needsInput: boolean;
  /** It is named like a team tool, and cct does not know it. */
  readonly isUnknown: boolean;
  /** Who wrote the text of its results. */
  readonly words: 'program' | 'anybody' | 'output';
}

interface AnyCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly calledAt: string | null;
}

/** A call that has returned. */
export interface Call extends AnyCall {
  /** Where its result is; the agent is the one that called. */
  readonly at: Origin;
  /** Something showed that the agent it spawned is running. */
  readonly seen: boolean;
}

/** A call that waits for its result. */
export interface Waiting extends AnyCall {
  /** The number that stands for its id. */
  readonly mark: number;
  /** Where it was called. */
  readonly at: CallPlace;
  seen: boolean;
  /** A fork repeats it. */
  readonly copied?: boolean | undefined;
  /** It comes from a saved state, which does not keep its record. */
  readonly ofState?: boolean;
  /** It no longer waits. */
  isOver?: boolean;
}

/** An origin that outlives its record. */
export interface CallPlace extends Whereabouts {
  /** The number that stands for the record. */
  readonly said: number;
}

/**
 * The open calls of all sources, by id. A call may be in two sources, a stream and a transcript. A result belongs to
 * the call in its own source, or, if there is none, to the one in another source, whichever is read first.
 */
class OpenCalls {
  /** By the numbers that stand for their ids. */
  readonly #calls = new Map<number, Waiting>();
  readonly #seed: number;
  /** The calls of the source that is being read, once a source was left. */
  #own: Set<Waiting> | null = null;

  constructor(seed: number) {
    this.#seed = seed;
  }

  open(call: Waiting): void {
    this.#own?.add(call);
    this.#calls.set(call.mark, call);
  }

  named(id: string | null): Waiting | undefined {
    return id === null ? undefined : this.#calls.get(markOf(id, this.#seed));
  }

  /** Removes a call, which no longer waits. */
  take(mark: number): Waiting | undefined {
    const call = this.#calls.get(mark);
    if (call === undefined) return undefined;
    call.isOver = true;
    this.#own?.delete(call);
    this.#calls.delete(mark);
    return call;
  }

  takeNamed(id: string | null): void {
    if (id !== null) this.take(markOf(id, this.#seed));
  }

  all(): Waiting[] {
    return [...this.#calls.values()];
  }

  /** Leaves this source. The returned function comes back to it. */
  leave(): () => void {
    const own = this.#own ?? new Set(this.#calls.values());
    this.#own = new Set();
    return () => {
      this.#own = own;
      for (const call of own) if (!call.isOver) this.#calls.set(call.mark, call);
    };
  }
}

/** The key under which a session counts as labelled by the log of its source. */
export function labelledKey(session: string | null): string {
  return `labels of ${session}`;
}

/** Used for a call whose input is not in the stream. */
export const noInput: JsonObject = {};

/** An open call, as other layers see it. */
export interface OpenCall {
  readonly session_id: string | null;
  readonly tool: string;
  readonly id: string;
  /** Who made it. */
  readonly agent: string;
  readonly line: number | null;
}

/** Maps and sets that handlers keep between records. All are saved and restored. */
interface Remembered {
  /** The turns of each session, over all sources. */
  turns: Map<string | null, Turns>;
  /** Last known state of each board task, by team or session. It shows what is new in a snapshot. */
  boards: Map<string, Map<string, BoardTask>>;
  /** Agent ids that are turns of a teammate. */
  turnIds: Set<string>;
  /** Rows of teammates' turns: uuid → agent id. They show which files belong to one agent. */
  turnRows: Map<string, string>;
  /** Uuid of a file's first row, and of its parent → agent ids, for files read before the file they repeat or continue. */
  turnParents: Map<string, readonly string[]>;
  /** Agents whose prompt has not been seen → the time of their first row. */
  firstRows: Map<string, string>;
  /** The message an agent is streaming, for its final usage. */
  partial: Map<string, PartialMessage>;
  /** The subtype of each open control request. */
  controls: Map<string, string>;
}

interface Turns {
  /** Init record, or prompt of the transcript → number of its turn. Without an id, a copy cannot be recognized. */
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

/** What a context needs to continue a stream that comes in pieces, as plain values, maps and sets. */
export interface Memory extends Readonly<Remembered> {
  readonly seq: number;
  readonly current: string | null;
  readonly sessions: ReadonlyMap<string | null, Session>;
  readonly calls: readonly SavedCall[];
  /** Hashes of the records, calls and blocks seen, so that a piece read twice counts once. */
  readonly seen: readonly number[];
}

/** A call without its record. */
interface SavedCall extends Omit<Waiting, 'at' | 'calledAt' | 'mark'>, Omit<CallPlace, 'session'> {
  readonly session: string | null;
}

export const noMemory: Memory = { seq: 0, current: null, sessions: new Map(), calls: [], ...remembered(), seen: [] };

export function createContext(output: Output, memory: Memory = noMemory, seed = 0): Context {
  const { emit, tell, wants, isWanted, content, detail, warn } = output;
  const context: Context = {
    emit,
    tell,
    wants,
    isWanted,
    content,
    detail,
    warn,
    place: nowhere,
    isOurs: false,
    program: 'claude',
    hasOthers: [...memory.sessions.values()].some(({ started }) => (started?.program ?? 'claude') !== 'claude'),
    seq: memory.seq,
    current: memory.current,
    sessions: new Map(memory.sessions),
    opener: [...memory.sessions.values()].findLast(({ opened }) => opened !== null) ?? noOpener,
    calls: new OpenCalls(seed),
    early: null,
    seen: new Seen(seed, memory.seen),
    tools: new Map(),
    memory: remembered(memory),
    last: { mark: Number.NaN, agent: '', session: null, team: null, time: null, transcript: false },
    counted: null,
    passed: { first: null, last: null },
  };
  for (const { session, said, agent, time, line, transcript, ...call } of memory.calls) {
    const at = { session: sessionOf(context, session), agent, time, line, said, transcript };
    context.calls.open({ ...call, mark: markOf(call.id, seed), calledAt: time, at });
  }
  return context;
}

export function memoryOf({ seq, current, sessions, calls, memory, seen }: Context): Memory {
  return { seq, current, sessions, calls: calls.all().map(savedCall), ...memory, seen: seen.save() };
}

/**
 * The events of a file depend on that file alone, so the order of files changes no event. Only turn numbers, calls that
 * return in a later file, and links between the files of one teammate are kept. They are the same in any order.
 */
export function forgetSource(context: Context): void {
  context.seen = new Seen(context.seen.seed);
  context.sessions = new Map();
  context.opener = noOpener;
  const { boards, firstRows, partial, controls } = remembered();
  Object.assign(context.memory, { boards, firstRows, partial, controls });
}

/** A session that nothing is known of. */
const noOpener: Session = createSession(null);

/** Saves what `begin` and `forgetSource` change. The returned function comes back to this source. */
export function leaveSource(context: Context): () => void {
  const { place, isOurs, current, seen, sessions, opener } = context;
  const { boards, firstRows, partial, controls } = context.memory;
  const backToCalls = context.calls.leave();
  return () => {
    backToCalls();
    Object.assign(context, { place, isOurs, current, seen, sessions, opener });
    Object.assign(context.memory, { boards, firstRows, partial, controls });
  };
}

/** Notes the time of a record whose events nobody wants. */
export function passTime({ passed }: Context, time: string | null): void {
  if (time === null) return;
  passed.first ??= time;
  passed.last = time;
}

/** Does not use getOrCreate: every record calls this, and getOrCreate would need a new closure each time. */
export function sessionOf({ sessions }: Context, id: string | null): Session {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const session = createSession(id);
  sessions.set(id, session);
  return session;
}

/** The origin of a record inside another one. */
export function within(context: Context, at: Origin, record: RecordView): Origin {
  const { time, line, transcript } = at;
  const named = record.writer.session;
  const session = named === null ? at.session : sessionOf(context, named);
  return { session, agent: agentOf(context, record, session, transcript), time, line, record, transcript };
}

/** The same origin of another agent. Not a spread: V8 would take the two for objects of different shapes. */
export function ofAgent(at: Origin, agent: string, time = at.time): Origin {
  const { session, line, record, transcript } = at;
  return { session, agent, time, line, record, transcript };
}

/** The same origin at another time. */
export function atTime(at: Origin, time: string | null): Origin {
  return ofAgent(at, at.agent, time);
}

/** The agent that a record names, or that the call above it spawned. */
export function agentOf({ place }: Context, record: RecordView, session: Session, transcript: boolean): string {
  const { agent } = place;
  const { namedAgent, isSidechain, agentId, parentCall } = record.writer;
  const id = namedAgent ?? (transcript && isSidechain ? (agentId ?? agent) : null) ?? parentCall;
  return id === null ? session.lead : canonical(session, id);
}

export function turnsOf({ memory }: Context, session: string | null): Turns {
  return getOrCreate(memory.turns, session, () => ({ inits: new Map(), prompts: new Map() }));
}

/** The fields are in the order of saved states. */
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

function savedCall({ id, tool, input, seen, copied, at, ofState = false }: Waiting): SavedCall {
  const { session, agent, time, line, said, transcript } = at;
  return {
    id,
    tool,
    input,
    seen,
    copied,
    session: session.id,
    agent,
    time,
    line,
    said,
    transcript,
    ofState,
  };
}
