import { type Event, type EventName, type Own, readEvent } from '../event/event.js';
import { idOf, objectOf, textOf, textsOf, timeOf } from '../record/fields.js';
import { type JsonObject, toJson } from '../record/json.js';
import { nowhere, type Place } from '../record/place.js';
import { noticeChild } from './agents.js';
import { type Context, CorrelationBuffer, noInput, type OpenCall, type Origin } from './context.js';
import { assistant, user } from './dialects/conversation.js';
import { config, inbox, meta, taskFile } from './dialects/files.js';
import { control, isKnown, otherFrame, result, spawn, system, unknown } from './dialects/frames.js';
import { hook } from './dialects/hooks.js';
import { transcript } from './dialects/transcripts.js';
import { mergeRow, streamEvent, usageOnly } from './dialects/usage.js';
import { kindOf } from './kind.js';
import { type Memory, memoryOf, recall } from './memory.js';
import { Seen } from './seen.js';
import { canonical, createSession, joinSession, type Session } from './sessions.js';

export interface NormalizerOptions {
  emit(event: Event): void;
  /** Protocol drift and the like: worth knowing, not an error. */
  warn?(text: string): void;
  /** Only these are made; all, unless said. */
  wants?(event: EventName): boolean;
  /** Adds each event's record to it. */
  raw?: boolean;
  /** Read time, for records that have none. */
  stamp?: () => string;
  /** Names the file in every event. */
  several?: boolean;
  /** Goes on where another normalizer stopped. */
  memory?: Memory;
}

export interface Normalizer {
  /** A file begins; its path may say whose records these are. */
  begin(place: Place): void;
  /** `time` is what stood before the record in a log. */
  record(record: JsonObject, line: number, time: string | null): void;
  /** A record of the current session of which nothing is asked but the usage of its message. */
  usage(record: JsonObject, line: number): void;
  skipped(line: number, reason: string, bytes: number): void;
  /** The tool of a call that was seen and has no result yet. */
  toolOf(toolUseId: string): string | null;
  /** False for a call that was seen before, in a copy or another file. */
  isNewCall(toolUseId: string): boolean;
  /** A call was seen that nobody looked at any further, in the record with this uuid. */
  called(toolUseId: string, tool: string, uuid: string | null): void;
  /** Its result was not looked at; it is not open any more. */
  dismiss(toolUseId: string): void;
  /** The calls that have no result yet. */
  openCalls(): OpenCall[];
  /** The session that records without one belong to, if its beginning was seen. */
  follows(sessionId: string): boolean;
  /** All it would need to go on later. */
  memory(): Memory;
}

/** What is remembered of one source. */
export function newSource(): Pick<Context, 'seen' | 'boards' | 'firstRows' | 'partial' | 'controls'> {
  return {
    seen: new Seen(),
    boards: new Map(),
    firstRows: new Map(),
    partial: new Map(),
    controls: new Map(),
  };
}

/** Records in, events out: the one place where the dialects of the wire become our words. */
export function createNormalizer(options: NormalizerOptions): Normalizer {
  let sessions = new Map(options.memory?.sessions);
  let current = options.memory?.current ?? null;
  let seq = options.memory?.seq ?? 0;

  const wants = options.wants ?? (() => true);
  const context: Context = {
    emit,
    wants,
    warn: options.warn ?? (() => {}),
    session: sessionOf,
    within,
    calls: new CorrelationBuffer(),
    turns: new Map(),
    turnIds: new Set(),
    turnRows: new Map(),
    turnParents: new Map(),
    ...newSource(),
    place: nowhere,
  };

  function emit<K extends EventName>(
    at: Omit<Origin, 'agent'> & { agent: string | null },
    event: K,
    own: Own<K>,
  ): void {
    if (!wants(event)) return;
    const whole: Record<string, unknown> = {
      cct: 1,
      seq: ++seq,
      event,
      time: at.time ?? options.stamp?.() ?? null,
      session_id: at.session.id,
      team: at.session.team,
      agent: at.agent,
      line: at.line,
    };
    if (options.several) whole.source = context.place.source;
    // Spreading the own fields into it would take three times as long.
    Object.assign(whole, own);
    if (options.raw && !('raw' in own)) whole.raw = at.record;
    options.emit(whole as unknown as Event);
  }

  function sessionOf(id: string | null): Session {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = createSession(id);
    sessions.set(id, session);
    return session;
  }

  /** The place a record speaks from. Files that name no session speak for the one their path names. */
  function locate(record: JsonObject, line: number, prefixTime: string | null, isTranscript: boolean): Origin {
    const named = idOf(record.session_id) ?? idOf(record.sessionId) ?? context.place.session;
    const session = sessionOf(named ?? current);
    const time = timeOf(record.timestamp) ?? prefixTime;
    return within({ session, agent: session.lead, time, line, record, transcript: isTranscript }, record);
  }

  /** Whose record it is: the agent it names, or the one spawned by the call it stands under. */
  function within(at: Origin, record: JsonObject): Origin {
    const named = idOf(record.session_id);
    const session = named === null || named === at.session.id ? at.session : sessionOf(named);
    const sidechain = at.transcript && record.isSidechain === true;
    const id =
      idOf(record.agent_id) ??
      (sidechain ? (idOf(record.agentId) ?? context.place.agent) : null) ??
      idOf(record.parent_tool_use_id);
    const agent = id === null ? session.lead : canonical(session, id);
    return { session, agent, time: at.time, line: at.line, record, transcript: at.transcript };
  }

  function record(value: JsonObject, line: number, time: string | null): void {
    const kind = kindOf(value);
    if (kind === 'row' && mergeRow(context, value, line)) return;
    if (kind === 'event') {
      const event = readEvent(value);
      if (event !== null) {
        // The same stream of events twice is still one stream.
        if (!context.seen.add(`event ${toJson(value)}`)) return;
        seq = Math.max(seq, event.seq);
        noteCall(event);
        return options.emit(event);
      }
    }
    if (kind === 'inbox' || kind === 'config' || kind === 'task' || kind === 'meta')
      return fileRecord(kind, value, line, time);
    const at = locate(value, line, time, kind === 'transcript');
    const type = textOf(value.type) ?? '';
    // What we do not know must change nothing: not even whose records come next, or which uuids were seen.
    if (kind === 'unknown' || kind === 'event' || kind === 'row' || !isKnown(kind, type, textOf(value.subtype)))
      return unknown(context, at);
    current = at.session.id;
    const uuid = idOf(value.uuid);
    const copy = uuid !== null && !context.seen.add(uuid);
    if (kind === 'hook') return hook(context, at);
    if (kind === 'spawn') return spawn(context, at);
    if (kind === 'transcript') {
      joinSession(context, at);
      return transcript(context, at, type, copy);
    }
    streamRecord(at, type, copy);
  }

  /** An event read back says which calls are open, as the record it came from did. */
  function noteCall(event: Event): void {
    if (event.event === 'tool:returned' && event.tool_use_id !== null) context.calls.close(event.tool_use_id);
    if (event.event === 'session:changed' && event.subtype === 'retracted')
      for (const id of textsOf(event.tool_use_ids) ?? []) context.calls.close(id);
    if (event.event !== 'tool:called' || event.tool_use_id === null) return;
    const { tool_use_id: id, tool, input, session_id, agent, time, line } = event;
    const session = sessionOf(session_id);
    const at = { session, agent: agent ?? 'main', time, line: line ?? 0, record: noInput, transcript: false };
    context.calls.open(id, {
      id,
      tool: tool ?? '',
      input: objectOf(input) ?? noInput,
      at,
      calledAt: time,
      seen: false,
    });
  }

  function streamRecord(at: Origin, type: string, copy: boolean): void {
    const parent = idOf(at.record.parent_tool_use_id);
    if (parent !== null) {
      noticeChild(context, at, parent);
      at.agent = canonical(at.session, idOf(at.record.agent_id) ?? parent);
    }
    if (type === 'assistant') return assistant(context, at, copy);
    if (copy) return;
    if (type === 'user') return user(context, at);
    if (type === 'system') return system(context, at);
    if (type === 'result') return result(context, at);
    if (type === 'stream_event') return streamEvent(context, at);
    if (type.startsWith('control_')) return control(context, at, type);
    otherFrame(context, at, type);
  }

  /** Team files name no session; what they say belongs to the team of their folder. */
  function fileRecord(
    kind: 'inbox' | 'config' | 'task' | 'meta',
    value: JsonObject,
    line: number,
    time: string | null,
  ): void {
    const session = fileSession(context.place);
    const at: Origin = { session, agent: session.lead, time, line, record: value, transcript: true };
    if (kind === 'inbox') inbox(context, at);
    else if (kind === 'config') config(context, at);
    else if (kind === 'task') taskFile(context, at);
    else meta(context, at);
  }

  /** Kept apart from the nameless session of streams, one for each team. */
  function fileSession(place: Place): Session {
    if (place.session !== null) {
      const session = sessionOf(place.session);
      session.team ??= place.team;
      return session;
    }
    const key = `files of ${place.team ?? ''}`;
    const lead = place.team === null ? 'main' : `team-lead@${place.team}`;
    const session = sessions.get(key) ?? { ...createSession(null), team: place.team, lead };
    sessions.set(key, session);
    return session;
  }

  if (options.memory !== undefined) recall(context, options.memory);
  let remembered = current;
  let isFirst = true;
  return {
    begin(place) {
      // What a file says is worked out from that file alone, so that the order of files changes no event. Only the first
      // goes on where an earlier piece stopped. Over all files go the numbers of turns, calls
      // that return in a later file, and the links between files of one teammate, which are the same either way.
      if (!isFirst && place.source !== context.place.source) {
        Object.assign(context, newSource());
        sessions = new Map();
      }
      isFirst = false;
      context.place = place;
      current = place.session ?? remembered;
      remembered = null;
    },
    record,
    usage(value, line) {
      const session = sessionOf(current);
      const at = {
        session,
        agent: session.lead,
        time: timeOf(value.timestamp),
        line,
        record: value,
        transcript: false,
      };
      usageOnly(context, within(at, value));
    },
    skipped(line, reason, bytes) {
      const session = sessionOf(current);
      emit({ session, agent: session.lead, time: null, line, record: {}, transcript: false }, 'input:skipped', {
        reason,
        bytes,
      });
    },
    toolOf: (id) => context.calls.get(id)?.tool ?? null,
    isNewCall: (id) => context.seen.add(`call ${id}`),
    called(id, tool, uuid) {
      const session = sessionOf(current);
      const at = { session, agent: session.lead, time: null, line: 0, record: { uuid }, transcript: false };
      context.calls.open(id, { id, tool, input: noInput, at, calledAt: null, seen: false });
    },
    dismiss: (id) => void context.calls.close(id),
    openCalls: () =>
      [...context.calls.values()].map(({ id, tool, at }) => ({
        session_id: at.session.id,
        tool: tool || 'a tool',
        id,
        agent: at.agent,
        line: at.line || null,
      })),
    follows: (id) => id === current && sessions.get(id)?.streamed === true,
    memory: () => memoryOf(context, sessions, seq, current),
  };
}
