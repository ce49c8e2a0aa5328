// The way from bytes to events, the same for every command: bytes → lines → records → events.
import type { Event } from '../core/event/event.js';
import type { LineIndex } from '../core/record/line-index.js';
import { scatter } from '../core/tables/calls/columns.js';
import type { Packed } from '../core/tables/merge.js';
import { endEvents, isEnd, wantedEvents } from '../core/tables/run-summary.js';
import { type Memory, noMemory } from '../core/wire/context.js';
import { type Delta, deltaIn } from '../core/wire/dialects/telling.js';
import { IndexedRecord } from '../core/wire/indexed.js';
import { asks, type Interest } from '../core/wire/interest.js';
import type { ReaderOptions } from '../core/wire/reader.js';
import { recordShape } from '../core/wire/spell.js';
import { type Diagnostics, type Reports, readInPart } from '../io/diagnostics.js';
import type { Output } from '../io/output.js';
import { closeIfEmpty, eachOnce, type Source } from '../io/sources.js';
import { startIdleWatch } from '../io/streams.js';
import { addCounts, type InputCounts, newCounts, sayMissing } from './counts.js';
import { type Division, HeldDiagnostics, type Part, sayHeld } from './division.js';
import { SessionChoice } from './flags/choice.js';
import { lineReader, openIndex, type ReadResult } from './lines.js';
import { openSourceReader, type SourceReader } from './source-reader.js';

export interface Input {
  /**
   * Calls back for every event, then for the chunk of input it came in. Output is flushed at the end of each chunk.
   * `onTime` gets the times of records whose events were not asked for. Resolves to what another reader knows of the files
   * that it read; null if there is none, or if this one read them too.
   */
  each(
    onEvent: (event: Event) => void,
    onChunk?: (bytes: number) => void,
    onTime?: (time: string, source: string) => void,
  ): Promise<Packed | null>;
  /** Calls back for pieces of messages that are being written. Nothing was taken out of them for privacy. */
  onDelta(heard: (delta: Delta) => void): void;
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

export interface InputOptions {
  sources: readonly Source[];
  session?: SessionChoice;
  interest: Interest;
  out: Output;
  /** Held, if this is another reader: who divided the files says what is missing. */
  diagnostics: Diagnostics | HeldDiagnostics;
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
  /** Ends the reading if no record came for this long. */
  idleTimeoutMs?: number;
  /** The name of the whole input in messages, if it is not the file or the number of files. */
  place?: string;
  /** Continues to read files as they grow, perhaps only to the end of a run. */
  follow?: { readonly operands: readonly string[]; readonly untilEnd: boolean };
  /** Another reader reads some of the files. */
  division?: Division | null;
  /** The program of a thread that reads large files ahead. */
  scanner?: string | undefined;
  /** Gets the sessions instead of `session`. */
  onSession?: (id: string) => unknown;
  /** Name the file in every event, even if there is only one. */
  several?: boolean;
}

/** Everything that reads the sources. */
export function openInput(options: InputOptions): Input {
  const { out, interest, follow, maxLineBytes, session = new SessionChoice(null), division = null } = options;
  const held = division === null ? null : new HeldDiagnostics(division.names);
  const diagnostics: Reports = held ?? options.diagnostics;
  const sources = eachOnce(options.sources);
  const { content = 'all', detail = 'all', sparing = false } = interest;
  // Where every word is needed, a record that is parsed at once is read sooner.
  const parsesAll = options.strict || (content === 'all' && !sparing && asks(interest, 'text:produced'));
  // A saved state needs the same seed again.
  const seed = parsesAll ? 0 : randomWord();
  scatter({ high: randomWord(), low: randomWord() });
  const stopped = new AbortController();
  const seen = newCounts();
  const warned = new Set<string>();
  let heard: ((delta: Delta) => void) | null = null;
  /** The sessions in the files that this reader read. */
  const met = new Set<string>();
  let memory: Memory | undefined;
  let reading: { reader: SourceReader; index: LineIndex; view: IndexedRecord | null } | null = null;

  const note = (id: string) => session.note(id);
  const open = (onEvent: (event: Event) => void, more: Partial<ReaderOptions> = {}) =>
    openSourceReader(
      {
        diagnostics,
        warned,
        seen,
        redact: options.redact,
        onSession(id) {
          met.add(id);
          (options.onSession ?? note)(id);
        },
        onEvent,
      },
      more,
    );

  const each: Input['each'] = async (onEvent, onChunk, onTime) => {
    const { signal, ...watch } = startIdleWatch(
      AbortSignal.any([options.signal, stopped.signal]),
      options.idleTimeoutMs,
      () => {
        seen.idle = true;
      },
    );
    const untilEnd = follow?.untilEnd === true;
    let isOver = false;
    let part: Part | null = null;

    const begin = (): NonNullable<typeof reading> => {
      // Records become events.
      const wants = wantedEvents(interest);
      const noteEnd = (event: Event) => {
        isOver ||= isEnd(event);
        if (wants(event.event)) onEvent(event);
      };
      const reader = open(untilEnd ? noteEnd : onEvent, {
        wants: (event) => wants(event) || (untilEnd && endEvents.has(event)),
        ...(onTime && { onTime }),
        content,
        detail,
        seed,
        raw: options.raw ?? false,
        ...(options.stamp && { stamp: options.stamp }),
        several: options.several ?? (sources.length > 1 || follow !== undefined),
        ...(memory && { memory }),
        ...(maxLineBytes !== undefined && { mostHeld: maxLineBytes }),
        onRecord(record) {
          seen.records++;
          watch.refresh();
          const delta = heard === null ? null : deltaIn(record);
          if (delta !== null) heard?.(delta);
        },
      });

      // Lines become records: a view of the bytes where that is enough, else parsed JSON.
      const index = openIndex({
        shape: parsesAll ? undefined : recordShape,
        seed,
        ...(maxLineBytes !== undefined && { maxLineBytes }),
        line(entry) {
          if (view !== null && !reader.isPending() && view.look(entry)) {
            seen.parsed += view.isStrange ? 1 : 0;
            return reader.record(view, index.number(entry));
          }
          const text = index.lineText(entry);
          seen.parsed++;
          seen.parsedBytes += text.length;
          reader.line(text, index.number(entry));
        },
        tooLong: (number, bytes) => reader.tooLong(number, bytes),
      });
      const view = index.isReading ? new IndexedRecord(index) : null;
      reading = { reader, index, view };
      return reading;
    };

    // Bytes become lines, source by source.
    const noteRead = (name: string, { lines, problem, damage }: ReadResult) => {
      seen.lines += lines;
      if (damage !== undefined) diagnostics.damage(readInPart(name, damage));
      if (problem === null) return;
      seen.unreadable++;
      diagnostics.error(`${name}: ${problem}`);
    };
    const chunkEnd = (bytes: number) => {
      if (bytes === 0) options.onBytes?.(0);
      onChunk?.(bytes);
      return out.flush();
    };
    if (follow === undefined) {
      const { onBytes: taken, scanner } = options;
      let readLines: ReturnType<typeof lineReader> | undefined;
      const readThose = async (some: readonly Source[]) => {
        for (const source of some) {
          if (signal.aborted) break;
          const opened = await source.open();
          if (!opened.ok) noteRead(source.name, { lines: 0, problem: opened.problem });
          // Loading and preparing all this takes time, so it begins with the first byte.
          else if (reading === null && memory === undefined && closeIfEmpty(opened.bytes)) await chunkEnd(0);
          else {
            const { reader, index } = reading ?? begin();
            readLines ??= lineReader(index, { signal, chunkEnd, scanner, ...(taken && { taken }) });
            reader.begin(source);
            const read = await readLines(opened.bytes);
            reader.end();
            noteRead(source.name, read);
          }
        }
      };
      if (division === null) await readThose(sources);
      else {
        const isTheirs = ({ name }: Source) => division.others.has(name);
        await readThose(sources.filter((source) => !isTheirs(source)));
        part = signal.aborted ? null : await division.part;
        // Where a session is in files of both, one reader has to know all of it.
        if (part?.sessions.some((id) => met.has(id))) {
          part = null;
          await readThose(sources.filter(isTheirs));
        }
      }
    } else {
      const { followInput } = await import('./follow.js');
      const isDone = () => untilEnd && isOver;
      const isLeft = () => signal.aborted && !seen.idle;
      await followInput(follow.operands, { ...begin(), signal, chunkEnd, noteRead, diagnostics, isDone, isLeft });
    }

    // The end.
    watch.stop();
    options.onBytes?.(0);
    await out.flush();
    seen.parsedBytes += reading?.view?.parsedBytes ?? 0;
    if (part !== null) takePart(part);
    if (held !== null) sayHeld([...held.list, ...(part?.said ?? [])], options.diagnostics);
    const wasStopped = options.signal.aborted || stopped.signal.aborted;
    if (!(options.diagnostics instanceof HeldDiagnostics))
      sayMissing(seen, reading?.reader.openCalls() ?? [], options.diagnostics, { ...options, sources, wasStopped });
    return part?.state ?? null;
  };

  /** Adds what the other reader saw. */
  function takePart({ counts, sessions }: Part): void {
    addCounts(seen, counts);
    for (const id of sessions) session.note(id);
  }

  return {
    each,
    open,
    onDelta(listener) {
      heard = listener;
    },
    session,
    stop: () => stopped.abort(),
    seen,
    resume(from) {
      memory = from;
    },
    memory: () => reading?.reader.memory() ?? memory ?? noMemory,
  };
}

function randomWord(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
