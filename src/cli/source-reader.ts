// Reads the records of sources into events, and says what is wrong with them.
import type { Event } from '../core/event/event.js';
import { createReader, type Reader, type ReaderOptions } from '../core/wire/reader.js';
import { nowhere, placeOf } from '../core/wire/sessions.js';
import type { Reports } from '../io/diagnostics.js';
import type { Source } from '../io/sources.js';
import type { InputCounts } from './counts.js';
import { HeldDiagnostics } from './division.js';

export type SourceReader = Omit<Reader, 'begin'> & { begin(source: Pick<Source, 'name' | 'path' | 'found'>): void };

interface Around {
  readonly diagnostics: Reports;
  /** Warnings that were printed. Every file may say the same again. */
  readonly warned: Set<string>;
  readonly seen: InputCounts;
  /** Replaces secrets before anything else sees the event. */
  readonly redact: ((event: Event) => Event) | undefined;
  onSession(id: string): unknown;
  onEvent(event: Event): void;
}

export function openSourceReader(around: Around, options: Partial<ReaderOptions>): SourceReader {
  const { diagnostics, warned, seen, redact, onSession, onEvent } = around;
  let source = 'stdin';
  /** What a file found in a directory brings, held until it is known that Claude Code wrote it; then null. */
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
    seen.account.note(event);
    onEvent(event);
  };
  const reader = createReader({
    emit(read) {
      const event = redact?.(read) ?? read;
      if (held === null) note(event);
      else tell(() => note(event));
    },
    warn(text) {
      if (!warned.has(text)) tell(() => diagnostics.warn(text));
      warned.add(text);
    },
    onSession: (id) => tell(() => onSession(id)),
    onDamage(damage) {
      const problem = { source, ...damage };
      tell(() => diagnostics.damage(problem));
    },
    onNoise: () => void seen.noise++,
    ...options,
  });
  return {
    ...reader,
    begin({ name, path, found = false }) {
      source = name;
      if (diagnostics instanceof HeldDiagnostics) diagnostics.begin(name);
      held = found ? [] : null;
      began = reader.context.seq;
      reader.begin(path === null ? { ...nowhere, source } : { ...placeOf(path), found });
    },
    end() {
      reader.end();
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

/** How much is held for a file that Claude Code may not have written. */
const mostHeld = 10_000;
