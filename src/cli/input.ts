import type { Event, EventName } from '../core/event/event.js';
import { isSummarized, RunSummary } from '../core/state/run-summary.js';
import { type Memory, noMemory, type OpenCall } from '../core/wire/context.js';
import { IndexedRecord } from '../core/wire/indexed.js';
import { asks, type Interest } from '../core/wire/interest.js';
import { createReader, type Reader, type ReaderOptions } from '../core/wire/reader.js';
import { nowhere, placeOf } from '../core/wire/sessions.js';
import { recordShape } from '../core/wire/spell.js';
import type { Diagnostics, Problem } from '../io/diagnostics.js';
import type { Output } from '../io/output.js';
import type { Source } from '../io/sources.js';
import { startTimer } from '../io/streams.js';
import { visibleName } from '../view/text.js';
import { SessionChoice } from './choice.js';
import { lineReader, openIndex, type ReadResult } from './lines.js';

/** The way from bytes to events, the same for every command. */
export interface Input {
  /**
   * Calls back for every event, then for the chunk of input it came in. Output is flushed at the end of each chunk.
   * `onTime` gets the times of records whose events were not asked for.
   */
  each(
    onEvent: (event: Event) => void,
    onChunk?: (bytes: number) => void,
    onTime?: (time: string, source: string) => void,
  ): Promise<void>;
  /** Stops reading: no more events follow, and a producer in a pipe notices. */
  stop(): void;
  /** A reader for a command that reads the sources itself. Its events count for the exit code. */
  open(onEvent: (event: Event) => void, options?: Pick<ReaderOptions, 'raw'>): SourceReader;
  readonly seen: InputCounts;
  readonly session: SessionChoice;
  /** Continues where an earlier run stopped. Call it before each(). */
  resume(memory: Memory): void;
  /** What a later run needs to continue. */
  memory(): Memory;
}

export type SourceReader = Omit<Reader, 'begin'> & { begin(source: Pick<Source, 'name' | 'path' | 'found'>): void };

export interface InputCounts {
  lines: number;
  records: number;
  /** Records that were parsed whole; of the others only what was asked for. */
  parsed: number;
  /** Bytes that went through JSON.parse. */
  parsedBytes: number;
  noise: number;
  unreadable: number;
  /** Some file has records of Claude Code. */
  recognized: boolean;
  /** --idle-timeout ran out. */
  idle: boolean;
  /** Lines were read, and Claude Code wrote none of them. */
  isForeign: boolean;
  readonly account: RunSummary;
}

export interface InputOptions {
  sources: readonly Source[];
  session?: SessionChoice;
  interest: Interest;
  out: Output;
  diagnostics: Diagnostics;
  signal: AbortSignal;
  /** Called with the number of bytes read from a source; 0 at its end. */
  onBytes?: (bytes: number) => void;
  /** Parse every line, even those that nobody asked for. */
  strict?: boolean;
  raw?: boolean;
  stamp?: () => string;
  /** Replaces secrets before anything else sees the event. */
  redact?: (event: Event) => Event;
  maxLineBytes?: number;
  /** Ends the reading if no record came for this long. Every line is parsed, to know what is open then. */
  idleTimeoutMs?: number;
  /** The name of the whole input in messages, if it is not the file or the number of files. */
  place?: string;
  /** Continues to read files as they grow. */
  follow?: FollowOptions;
}

export interface FollowOptions {
  readonly operands: readonly string[];
  /** Stops at the end of a run. */
  readonly untilEnd: boolean;
}

export function openInput(options: InputOptions): Input {
  const { diagnostics, out, session = new SessionChoice(null) } = options;
  const sources = eachOnce(options.sources);
  const { content = 'all' } = options.interest;
  // Where every word is needed, a record that is parsed at once is read sooner.
  const parsesAll = options.strict || (content === 'all' && asks(options.interest, 'text:produced'));
  const account = new RunSummary();
  const stopped = new AbortController();
  const seen: InputCounts = {
    lines: 0,
    records: 0,
    parsed: 0,
    parsedBytes: 0,
    noise: 0,
    unreadable: 0,
    recognized: false,
    idle: false,
    isForeign: false,
    account,
  };

  const warned = new Set<string>();
  let memory: Memory = noMemory;
  let remember = () => memory;
  let count = () => 0;
  // A saved state needs the same seed again.
  const seed = parsesAll ? 0 : Math.floor(Math.random() * 2 ** 32);

  function open(onEvent: (event: Event) => void, more: Partial<ReaderOptions> = {}): SourceReader {
    let source = 'stdin';
    /** Messages about a file found in a directory, held until it is known that Claude Code wrote it; then null. */
    let held: (() => void)[] | null = null;
    /** The number of the last event before this source, unless other sources come between. */
    let began: number | null = null;
    const tell = (say: () => void) => {
      if (held === null) return say();
      if (held.length < mostHeld) held.push(say);
      if (reader.context.isOurs) release();
    };
    const release = () => {
      const [first, ...others] = held ?? [];
      held = null;
      first?.();
      for (const say of others) say();
    };
    const note = (event: Event) => {
      account.note(event);
      onEvent(event);
    };
    const reader = createReader({
      emit(read) {
        const event = options.redact?.(read) ?? read;
        if (held === null) note(event);
        else tell(() => note(event));
      },
      // Every file may say it again.
      warn(text) {
        if (!warned.has(text)) tell(() => diagnostics.warn(text));
        warned.add(text);
      },
      onSession: (id) => tell(() => session.note(id)),
      onDamage(damage) {
        const problem = { source, ...damage };
        tell(() => diagnostics.damage(problem));
      },
      onNoise: () => void seen.noise++,
      ...more,
    });
    return {
      ...reader,
      begin({ name, path, found = false }) {
        source = name;
        held = found ? [] : null;
        began = reader.context.seq;
        reader.begin(path === null ? { ...nowhere, source } : { ...placeOf(path), found });
      },
      end() {
        reader.end();
        const { program } = reader.context;
        if (program !== null && held === null) {
          seen.isForeign = true;
          diagnostics.warn(`${source}: this is ${program} output, not Claude Code's; cct does not read it`);
        }
        if (reader.context.isOurs) {
          seen.recognized = true;
          release();
        } else if (held !== null && began !== null) reader.context.seq = began;
      },
      leave() {
        const [left, holding, comeBack] = [source, held, reader.leave()];
        began = null;
        return () => {
          source = left;
          held = holding;
          comeBack();
        };
      },
    };
  }

  const each: Input['each'] = async (onEvent, onChunk, onTime) => {
    const watch = startWatch({ ...options, signal: AbortSignal.any([options.signal, stopped.signal]) }, seen);
    const { maxLineBytes } = options;
    const untilEnd = options.follow?.untilEnd === true;
    let isOver = false;
    const noteEnd = (event: Event) => {
      isOver ||= isEnd(event);
      if (event.event !== 'hook:fired' || wants(event.event)) onEvent(event);
    };
    const wants = wantedEvents(options.interest);
    const reader = open(untilEnd ? noteEnd : onEvent, {
      wants: untilEnd ? (event) => event === 'hook:fired' || wants(event) : wants,
      ...(onTime && { onTime }),
      content,
      seed,
      raw: options.raw ?? false,
      ...(options.stamp && { stamp: options.stamp }),
      several: sources.length > 1 || options.follow !== undefined,
      memory,
      ...(maxLineBytes === undefined ? {} : { mostHeld: maxLineBytes }),
      onRecord() {
        seen.records++;
        watch.seen();
      },
    });
    remember = reader.memory;
    const index = openIndex({
      shape: parsesAll ? undefined : recordShape,
      seed,
      ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
      line(entry) {
        if (view !== null && !reader.isPending() && view.look(entry)) return reader.record(view, index.number(entry));
        const text = index.lineText(entry);
        seen.parsed++;
        seen.parsedBytes += text.length;
        reader.line(text, index.number(entry));
      },
      tooLong: (number, bytes) => reader.tooLong(number, bytes),
    });
    const view = index.isReading ? new IndexedRecord(index) : null;
    count = () => seen.parsedBytes + (view?.parsedBytes ?? 0);
    const chunkEnd = (bytes: number) => {
      if (bytes === 0) options.onBytes?.(0);
      onChunk?.(bytes);
      return out.flush();
    };
    const { signal } = watch;
    const note = (name: string, { lines, problem, damage }: ReadResult) => {
      seen.lines += lines;
      if (damage !== undefined) diagnostics.damage(readInPart(name, damage));
      if (problem === null) return;
      seen.unreadable++;
      diagnostics.error(`${name}: ${problem}`);
    };
    if (options.follow === undefined) {
      const { onBytes: taken } = options;
      const readLines = lineReader(index, { signal, chunkEnd, ...(taken && { taken }) });
      for (const source of sources) {
        if (signal.aborted) break;
        const opened = await source.open();
        if (opened.ok) reader.begin(source);
        const read = opened.ok ? await readLines(opened.bytes) : { lines: 0, problem: opened.problem };
        if (opened.ok) reader.end();
        note(source.name, read);
      }
    } else {
      const { followInput } = await import('./follow.js');
      const { operands, untilEnd } = options.follow;
      const isDone = () => untilEnd && isOver;
      const isLeft = () => signal.aborted && !seen.idle;
      await followInput(operands, { reader, index, signal, chunkEnd, note, diagnostics, isDone, isLeft });
    }
    watch.stop();
    options.onBytes?.(0);
    await out.flush();
    sayMissing(reader.openCalls());
  };

  /** Says what is still open, or why there is nothing to show. */
  function sayMissing(calls: readonly OpenCall[]): void {
    const missing = account.missing(calls);
    const place = options.place ?? placeNameOf(sources);
    if (seen.idle) {
      const waited = `no record for ${(options.idleTimeoutMs ?? 0) / 1000} s`;
      diagnostics.error(`${place}: ${waited}; ${missing ?? 'nothing was open'}; reading stopped`);
      for (const text of account.open(calls, visibleName)) diagnostics.warn(`${place}: ${text}`);
    } else if (missing !== null && !options.signal.aborted && !stopped.signal.aborted)
      diagnostics.warn(`${place}: ${missing}`);
    else if (sources.some(({ found }) => !found) && isForeign() && !seen.isForeign) {
      seen.isForeign = true;
      const none = seen.lines === 1 ? 'the only line is not' : `none of the ${seen.lines} lines is`;
      diagnostics.warn(`${place}: ${none} Claude Code output; run claude with ${recordFlags}`);
    } else if (sources.every(({ found }) => found) && !seen.recognized && options.follow === undefined) {
      seen.isForeign = true;
      diagnostics.warn(
        `${place}: ${sources.length === 0 ? noFiles : `none of the ${sources.length} files is Claude Code output`}`,
      );
    }
    diagnostics.info(
      `${place}: ${seen.lines} lines, ${seen.records} records, ${seen.parsed} parsed whole, ${count()} bytes parsed, ${seen.noise} noise, ${diagnostics.damaged} damaged, ${account.unknown} unknown`,
    );
  }

  function isForeign(): boolean {
    const isEmpty = seen.noise + account.foreign === 0;
    return !isEmpty && seen.records === account.foreign && diagnostics.damaged === 0;
  }

  return {
    each,
    open,
    session,
    stop: () => stopped.abort(),
    seen,
    resume(from) {
      memory = from;
    },
    memory: () => remember(),
  };
}

/** A run ends with its result, the end of its session, or the deletion of its team. */
function isEnd(event: Event): boolean {
  if (event.event === 'hook:fired') return event.hook === 'SessionEnd';
  return event.event === 'session:ended' || event.event === 'team:deleted';
}

/** Compressed data that is cut off or damaged. */
export function readInPart(source: string, what: string): Problem {
  return { source, what, done: 'read as far as possible' };
}

/** How many messages are held for a file that Claude Code may not have written. */
const mostHeld = 10_000;

/** The name of the whole input in messages. */
export function placeNameOf(sources: readonly Source[]): string {
  return sources.length === 1 ? (sources[0]?.name ?? 'stdin') : `${sources.length} files`;
}

/** Drops repeated files: a file named twice says nothing new the second time. */
function eachOnce(sources: readonly Source[]): Source[] {
  const paths = new Set<string>();
  return sources.filter(({ path }) => path === null || (!paths.has(path) && paths.add(path)));
}

const noFiles = 'contains no .jsonl, .ndjson or .json file';
const recordFlags = '--output-format stream-json --verbose';

interface Watch {
  signal: AbortSignal;
  seen(): void;
  stop(): void;
}

/** Reading stops when the caller aborts it, or when --idle-timeout passes without a record. */
function startWatch({ signal, idleTimeoutMs }: InputOptions, seen: InputCounts): Watch {
  if (idleTimeoutMs === undefined) return { signal, seen() {}, stop() {} };
  const idle = new AbortController();
  const timer = startTimer(idleTimeoutMs, () => {
    seen.idle = true;
    idle.abort();
  });
  return { signal: AbortSignal.any([signal, idle.signal]), seen: timer.refresh, stop: timer.stop };
}

/** The events the command asks for, and those that the summary of the run needs. */
export function wantedEvents(interest: Interest): (event: EventName) => boolean {
  const known = new Map<string, boolean>();
  return (event) => {
    const answer = known.get(event) ?? (asks(interest, event) || isSummarized(event));
    known.set(event, answer);
    return answer;
  };
}
