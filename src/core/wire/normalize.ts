// Turns records of every dialect into events.
import { type Event, type EventMap, type EventName, type Own, readEvent } from '../event/event.js';
import { isOfRun } from '../event/names.js';
import { getOrCreate, idOf, type JsonObject, objectOf, toJson } from '../record/json.js';
import type { Logged } from '../record/line.js';
import { labelsOf } from '../record/log-line.js';
import { noticeChild } from './agents.js';
import {
  agentOf,
  type ContentWish,
  type Context,
  createContext,
  type Detail,
  type EventPlace,
  forgetSource,
  labelledKey,
  leaveSource,
  type Memory,
  memoryOf,
  type OpenCall,
  type Origin,
  ofAgent,
  passTime,
  sessionOf,
} from './context.js';
import { assistant, user } from './dialects/conversation.js';
import { config, inbox, meta, taskFile } from './dialects/files.js';
import { control, otherFrame, result, spawn, system, unknown } from './dialects/frames.js';
import { hook } from './dialects/hooks.js';
import { recall } from './dialects/recall.js';
import { tellMoves, transcript } from './dialects/transcripts.js';
import { isCounted, mergeRow, streamEvent } from './dialects/usage.js';
import { workflowFile } from './dialects/workflows.js';
import { isKnown, isPlainRow, type Kind, kindOf } from './kinds.js';
import { joined, type Program, pieceOf, programNamed, programOf, translate } from './programs/programs.js';
import { canonical, createSession, type Place, type Session } from './sessions.js';
import { closeEarly } from './tools/early-results.js';
import { ParsedRecord, type RecordView, type Writer } from './view.js';

export interface NormalizerOptions {
  emit(event: Event): void;
  /** Protocol drift and similar: worth knowing, not an error. */
  warn?(text: string): void;
  /** Only these events are made; by default all. */
  wants?(event: EventName): boolean;
  /** How much content they repeat; by default all. */
  content?: ContentWish;
  /** How much of what sessions do besides they tell; by default all. */
  detail?: Detail;
  /** Add its record to each event. */
  raw?: boolean;
  /** The time at which records without a time are read. */
  stamp?: () => string;
  /** Add the file name to every event. */
  several?: boolean;
  /** Continue where another normalizer stopped. */
  memory?: Memory;
  /** Gets the times of records whose events nobody wants: a record without a time is ordered by the one before it. */
  onTime?(time: string, source: string): void;
  /** Called when records of this session follow. */
  onSession?(id: string): void;
  /** Makes the hashes of ids unpredictable. A saved state needs the same seed again. */
  seed?: number;
}

export interface Normalizer {
  /** A file begins. Its path may show whose records these are. */
  begin(place: Place): void;
  /** `log` is what the log around the record says. */
  record(record: RecordView, line: number, log: Logged | null): void;
  skipped(line: number, reason: string, bytes: number): void;
  /** The calls that have no result yet. */
  openCalls(): OpenCall[];
  /** The source has ended. */
  end(): void;
  /** Leaves a source that may continue. The returned function comes back to it. */
  leave(): () => void;
  /** Everything needed to continue later. */
  memory(): Memory;
  readonly context: Context;
}

export function createNormalizer(options: NormalizerOptions): Normalizer {
  const wants = options.wants ?? (() => true);
  const { content = 'all', detail = 'all', warn = () => {} } = options;
  const output = { emit, tell, wants, isWanted, content, detail, warn };
  const context = createContext(output, options.memory, options.seed);

  function isWanted({ time }: Pick<Origin, 'time'>, event: EventName): boolean {
    if (wants(event)) return true;
    passTime(context, time);
    return false;
  }

  function emit<K extends EventName>(at: EventPlace, event: K, own: Own<K>): void {
    if (!isEssential(event, own) && !isWanted(at, event)) return;
    tellTime();
    const seq = ++context.seq;
    const time = at.time ?? options.stamp?.() ?? null;
    const { id: session_id, team } = at.session;
    const { agent, line } = at;
    // A literal with one spread at its end. This runs for every event, and Object.assign takes three times as long.
    const made: Record<string, unknown> = options.several
      ? { cct: 1, seq, event, time, session_id, team, agent, line, source: context.place.source, ...own }
      : { cct: 1, seq, event, time, session_id, team, agent, line, ...own };
    if (options.raw && !('raw' in own)) made.raw = (original ?? at.record).whole();
    options.emit(made as unknown as Event);
  }

  function tell(at: EventPlace, event: Event): void {
    tellTime();
    event.seq = ++context.seq;
    event.time ??= options.stamp?.() ?? null;
    if (options.several) event.source = context.place.source;
    if (options.raw) event.raw = at.record.whole();
    options.emit(event);
  }

  /** Reports the first and the last of the times that were passed over. */
  function tellTime(): void {
    const { passed } = context;
    const { first, last } = passed;
    if (first === null) return;
    const source = options.several ? context.place.source : '';
    options.onTime?.(first, source);
    if (last !== null && last !== first) options.onTime?.(last, source);
    passed.first = null;
    passed.last = null;
  }

  /** The origin of a record. A file that does not name a session belongs to the session in its path. */
  function locate(record: RecordView, line: number, prefixTime: string | null, isTranscript: boolean): Origin {
    const { agent, session: around } = context.place;
    // Documented, though no captured version writes it: an agent's file in its parent's folder names a session of its own.
    const isInside = agent !== null && around !== null && record.writer.isSidechain === true;
    const named = (isInside ? around : record.writer.session) ?? around;
    const session = sessionOf(context, named ?? context.current);
    const time = record.time ?? prefixTime;
    return {
      session,
      agent: agentOf(context, record, session, isTranscript),
      time,
      line,
      record,
      transcript: isTranscript,
    };
  }

  /** The main conversation of the current session. */
  function here(record: RecordView, line: number, time: string | null): Origin {
    const session = sessionOf(context, context.current);
    return { session, agent: session.lead, time, line, record, transcript: false };
  }

  function placeStop(record: RecordView, line: number, event: EventMap['run:stopped']): void {
    const { time, reason, limit, unit, spent, signal, ended } = event;
    emit(here(record, line, time), 'run:stopped', { reason, limit, unit, spent, signal, ended });
  }

  /** The record of another program whose translation is being read. */
  let original: RecordView | null = null;
  let told: string | null = null;
  function tellSession(id: string | null): void {
    if (id === told || id === null) return;
    told = id;
    options.onSession?.(id);
  }

  /** Says once per session and source what the log says about the session. */
  function tellLabels(at: Origin, log: Logged): void {
    const key = labelledKey(at.session.id);
    if (!wants('session:labelled') || context.seen.has(key)) return;
    const { ci, labels } = labelsOf(log);
    if (ci === null && Object.keys(labels).length === 0) return;
    context.seen.add(key);
    emit(ofAgent(at, at.session.lead), 'session:labelled', { ci, labels });
  }

  /** Who wrote the row before, if it is certain that they are known; null after other records. */
  let lastWriter: Writer | null = null;

  /**
   * Whether nothing is told of a row: nobody wants what its kind may tell, and what it says of its session is known from
   * the row before. Of real transcripts that is nearly every fourth row.
   */
  function isQuiet(view: RecordView): boolean {
    if (view.writer !== lastWriter || detail !== 'sums' || !isPlainRow(view) || wants('session:changed')) return false;
    const { started, since } = sessionOf(context, context.current);
    const isKnown = started?.cwd != null && (started.permission_mode !== null || view.permissionMode === null);
    const { time } = view;
    return isKnown && (time === null || (since !== null && time >= since));
  }

  /** Who wrote the piece of a partial stream before; null after other records. */
  let lastPiece: Writer | null = null;

  /** Whether a piece of a partial stream says nothing. Of a message there are hundreds, one for every few words. */
  function isQuietPiece(view: RecordView, log: Logged | null): boolean {
    if (view.writer !== lastPiece || log !== null || view.type !== 'stream_event' || view.isStrange) return false;
    return view.time === null && !isCounted(view.eventType) && !view.hasRowKeys;
  }

  function record(view: RecordView, line: number, log: Logged | null): void {
    if (isQuietPiece(view, log)) return;
    if (isQuiet(view)) return passTime(context, view.time);
    lastWriter = lastPiece = null;
    const kind = kindOf(view);
    if (kind === 'transcript') return readRecord(view, kind, line, log);
    if (kind === 'stream') {
      const { type } = view;
      const subtype = type === 'system' ? view.subtype : null;
      const isNamed = isKnown(kind, type, subtype);
      const program = otherProgram(view, isNamed && subtype !== 'init');
      return program === null ? readRecord(view, kind, line, log, isNamed) : readOther(program, view, line, log);
    }
    if (kind === 'row') tellSession(view.writer.session);
    if (kind === 'row' && mergeRow(context, view.whole(), line)) return noteOurs();
    if (kind === 'event' && readBack(view, line)) return;
    if (isFile(kind) && isTeamFile(kind, view.whole(), context.place)) {
      noteOurs();
      const session = fileSession(context.place);
      const time = log?.time ?? null;
      tellSession(session.id);
      return files[kind](context, { session, agent: session.lead, time, line, record: view, transcript: true });
    }
    readRecord(view, kind, line, log);
  }

  /** Reads an event that cct wrote; false if it is none. */
  function readBack(view: RecordView, line: number): boolean {
    const event = readEvent(view.whole());
    if (event === null) return false;
    noteOurs();
    // The same stream of events, read twice, counts once.
    if (context.seen.add(`event ${toJson(view.whole())}`)) retell(event, view, line);
    return true;
  }

  function retell(event: Event, view: RecordView, at: number): void {
    // cct run does not read what it passes on, so it cannot say whose run it stopped.
    if (event.event === 'run:stopped' && event.seq === 0) return placeStop(view, at, event);
    context.seq = Math.max(context.seq, event.seq);
    if (event.event !== 'unknown') tellSession(event.session_id);
    recall(context, event);
    const isAsked = isEssential(event.event, event) || wants(event.event);
    const passed = isOfRun(event.event) ? null : event.time;
    if (!isAsked && event.source === undefined) return passTime(context, passed);
    tellTime();
    if (!isAsked) {
      // Each source has its own clock.
      if (passed !== null) options.onTime?.(passed, event.source ?? '');
      return;
    }
    if (event.event !== 'run:started' || !options.several || event.source !== undefined) return options.emit(event);
    // A run belongs to the sessions of its file.
    const { cct, seq, event: name, time, session_id, team, agent, line, ...own } = event;
    options.emit({ cct, seq, event: name, time, session_id, team, agent, line, source: context.place.source, ...own });
  }

  /** Reads a record of another program: its translation into the shapes of Claude Code. */
  function readOther(program: Program, view: RecordView, line: number, log: Logged | null): void {
    const at = locate(view, line, log?.time ?? null, false);
    const session = view.writer.session ?? context.current;
    const records = translate(program, view.whole(), { session, started: at.session.started });
    if (records === null) return unknown(context, at);
    original = view;
    context.program = program.name;
    context.hasOthers = true;
    for (const one of records) {
      const piece = pieceOf(one);
      if (piece === null) {
        tellSaid(at.session);
        readRecord(new ParsedRecord(one), 'stream', line, log);
      } else if (context.seen.add(`piece ${idOf(one.uuid)}`)) {
        const { saying } = at.session;
        at.session.saying =
          saying === undefined ? { record: one, line } : { ...saying, record: joined(saying.record, piece) };
      }
    }
    context.program = 'claude';
    original = null;
  }

  /** What an agent said in pieces is told as a whole, when something else follows. */
  function tellSaid(session: Session): void {
    const { saying } = session;
    if (saying === undefined) return;
    delete session.saying;
    const { record, line } = saying;
    readRecord(new ParsedRecord(record), 'stream', line, null);
  }

  /** The other agent that wrote this record of a stream; null for Claude Code. `isPlain`: it does not show it. */
  function otherProgram(view: RecordView, isPlain: boolean): Program | null {
    const told = isPlain && context.isOurs ? undefined : programOf(view.whole());
    if (told !== undefined) return told;
    if (!context.hasOthers) return null;
    return programNamed(context.sessions.get(view.writer.session ?? context.current)?.started?.program);
  }

  /** Reads a record of Claude Code, or one in its shapes. */
  function readRecord(
    view: RecordView,
    kind: Kind,
    line: number,
    log: Logged | null,
    isNamed = isReadable(kind) && isKnown(kind, view.type, view.type === 'system' ? view.subtype : null),
  ): void {
    const { type } = view;
    const at = locate(view, line, log?.time ?? null, kind === 'transcript');
    // An unknown record must change nothing, not even the current session or the uuids seen.
    if (!isNamed) return unknown(context, at);
    noteOurs();
    context.current = at.session.id;
    tellSession(at.session.id);
    if (log !== null) tellLabels(at, log);
    // Most records of a partial stream say nothing, so nobody need know them again.
    const copy = type !== 'stream_event' && !view.isNew(context.seen);
    if (kind === 'hook') return hook(context, at);
    if (kind === 'spawn') return spawn(context, at);
    if (kind !== 'transcript') return streamRecord(at, type, copy);
    transcript(context, at, type, copy);
    // Every row of a teammate's turn may link it to another one.
    if (!context.memory.turnIds.has(view.writer.agentId ?? '')) lastWriter = view.writer;
  }

  function noteOurs(): void {
    context.isOurs = true;
  }

  function streamRecord(at: Origin, type: string, copy: boolean): void {
    const parent = at.record.writer.parentCall;
    if (parent !== null) {
      noticeChild(context, at, parent);
      at.agent = canonical(at.session, at.record.writer.namedAgent ?? parent);
    }
    if (type === 'assistant') return assistant(context, at, copy);
    if (copy) return;
    if (type === 'user') return user(context, at);
    if (type === 'system') return system(context, at);
    if (type === 'result') return result(context, at);
    if (type === 'stream_event') {
      lastPiece = at.record.writer;
      return streamEvent(context, at);
    }
    if (type.startsWith('control_')) return control(context, at, type);
    otherFrame(context, at, type);
  }

  /** Team files do not name a session. Each team gets one for its files, separate from the nameless session of streams. */
  function fileSession({ session: named, team }: Place): Session {
    if (named !== null) {
      const session = sessionOf(context, named);
      session.team ??= team;
      return session;
    }
    return getOrCreate(context.sessions, `files of ${team ?? ''}`, () => ({
      ...createSession(null),
      team,
      lead: team === null ? 'main' : `team-lead@${team}`,
    }));
  }

  let lastSession = context.current;
  let isFirst = true;
  return {
    begin(place) {
      // Only the first file continues where an earlier piece stopped.
      if (!isFirst && place.source !== context.place.source) forgetSource(context);
      lastWriter = lastPiece = null;
      isFirst = false;
      context.place = place;
      context.isOurs = false;
      context.current = place.session ?? lastSession;
      lastSession = null;
    },
    record,
    skipped: (line, reason, bytes) => emit(here(new ParsedRecord({}), line, null), 'input:skipped', { reason, bytes }),
    end() {
      for (const session of context.sessions.values()) tellSaid(session);
      tellMoves(context);
      tellTime();
      if (context.early !== null) closeEarly(context);
    },
    leave() {
      tellTime();
      lastWriter = lastPiece = null;
      return leaveSource(context);
    },
    openCalls: () =>
      context.calls.all().map(({ id, tool, at }) => ({
        session_id: at.session.id,
        tool: tool || 'a tool',
        id,
        agent: at.agent,
        line: at.line || null,
      })),
    memory: () => memoryOf(context),
    context,
  };
}

/**
 * Whether an event changes what others mean, so that everybody needs it: a message that is never sent is known only by
 * its call, and a call that was taken back, an interruption, an error of the API or a limit only by that change.
 */
function isEssential(event: EventName, own: object): boolean {
  if (event === 'tool:called') return 'message' in own && own.message !== null;
  return event === 'session:changed' && isEssentialChange(own);
}

function isEssentialChange(own: object): boolean {
  return 'subtype' in own && essential.has(own.subtype);
}
const essential: ReadonlySet<unknown> = new Set([
  'retracted',
  'interrupted',
  'call_detached',
  'api_error',
  'max_turns_reached',
  'structured_output',
]);

const files = { inbox, config, task: taskFile, meta, workflow: workflowFile };

function isFile(kind: Kind): kind is keyof typeof files {
  return kind in files;
}

function isReadable(kind: Kind): kind is 'transcript' | 'stream' | 'hook' | 'spawn' {
  return kind === 'transcript' || kind === 'stream' || kind === 'hook' || kind === 'spawn';
}

/** Some files found in a directory only look like team files: a ticket has a subject and a status, a chat has a `from`. */
function isTeamFile(kind: keyof typeof files, record: JsonObject, place: Place): boolean {
  if (place.found !== true) return true;
  switch (kind) {
    case 'inbox':
      return place.inbox !== null || typeof record.read === 'boolean';
    case 'config':
      return Array.isArray(record.members) && record.members.some((member) => idOf(objectOf(member)?.agentId) !== null);
    case 'task':
      return Array.isArray(record.blocks) || Array.isArray(record.blockedBy);
    case 'meta':
      return place.agent !== null;
    case 'workflow':
      return typeof record.taskId === 'string';
  }
}
