// Reads lines into events. Every command, replay, the parser of the library and the tests use it.
import { createFramer, type FrameSink } from '../record/frame.js';
import type { Logged } from '../record/line.js';
import { createNormalizer, type Normalizer, type NormalizerOptions } from './normalize.js';
import type { Place } from './sessions.js';
import { ParsedRecord, type RecordView } from './view.js';

export interface Reader extends Omit<Normalizer, 'record' | 'skipped'> {
  /** Another source begins. An unfinished record of the previous one is dropped; call `end` first to have it reported. */
  begin(place: Place): void;
  /** `text` does not include the line end. */
  line(text: string, number: number): void;
  /** A line that was too long to hold. `isAll`: `bytes` counts the whole line, not only its start. */
  tooLong(number: number, bytes: number, isAll?: boolean): void;
  /** A record that is parsed, or indexed. */
  record(record: RecordView, number: number): void;
  end(): void;
  /** Whether the next line may continue a record of an earlier one. */
  isPending(): boolean;
}

export interface ReaderOptions extends NormalizerOptions {
  /** Called before the events of each record. */
  onRecord?(record: RecordView): void;
  /** Called before the event input:skipped. */
  onDamage?(damage: Damage): void;
  onNoise?(line: number): void;
  /** How much of an unfinished record is held in memory. */
  mostHeld?: number;
}

/** Input that could not be read. */
interface Damage {
  readonly line: number;
  /** The kind of damage: `not JSON`. */
  readonly what: string;
  /** What exactly is wrong: `unexpected end`. */
  readonly detail?: string;
  /** What was done about it: `line skipped`. */
  readonly done: string;
}

export function createReader({ onRecord, onDamage, onNoise, mostHeld, ...options }: ReaderOptions): Reader {
  const normalizer = createNormalizer(options);
  const sink: FrameSink = {
    record(record, line, log) {
      took(new ParsedRecord(record), line, log);
    },
    damaged(line, reason, bytes, done) {
      const problem = splitReason(reason);
      onDamage?.({ line, ...problem, done });
      normalizer.skipped(line, problem.what === tooLong ? tooLong : reason, bytes);
    },
    noise: (line) => onNoise?.(line),
  };
  function took(record: RecordView, line: number, log: Logged | null): void {
    onRecord?.(record);
    normalizer.record(record, line, log);
  }
  let framer = createFramer(sink, mostHeld);
  /** The framer of the source that has ended. It holds nothing, so the next source gets it. */
  let free: typeof framer | null = null;
  return {
    ...normalizer,
    begin(place) {
      framer = free ?? createFramer(sink, mostHeld);
      free = null;
      normalizer.begin(place);
    },
    line: (text, number) => framer.push(text, number),
    tooLong(line, bytes, isAll = true) {
      framer.lost(line);
      sink.damaged(line, `${tooLong} (${bytes} bytes${isAll ? '' : ' and more'})`, bytes, 'line skipped');
    },
    record: (record, line) => took(record, line, null),
    end() {
      framer.end();
      free = framer;
      normalizer.end();
    },
    leave() {
      free = null;
      const [left, comeBack] = [framer, normalizer.leave()];
      return () => {
        framer = left;
        comeBack();
      };
    },
    isPending: () => framer.isPending,
  };
}

/** A reason whose detail, the bytes, is a field of its own. */
const tooLong = 'line too long';

/** Splits `not JSON (unexpected end)` into its kind and its detail. */
function splitReason(reason: string): Pick<Damage, 'what' | 'detail'> {
  const [, what = reason, detail] = /^(.*?) \((.*)\)$/s.exec(reason) ?? [];
  return detail === undefined ? { what } : { what, detail };
}
