import { createFramer, type FrameSink } from '../record/frame.js';
import type { JsonObject } from '../record/json.js';
import type { Place } from '../record/place.js';
import { createNormalizer, type Normalizer, type NormalizerOptions } from './normalize.js';

/** The one way from lines to events: every command, replay, the library's parser and the tests read with it. */
export interface Reader extends Omit<Normalizer, 'record' | 'skipped'> {
  /** Another source begins. A record that the one before left unfinished is dropped; call `end` first to have it reported. */
  begin(place: Place): void;
  /** Lines come without their ends. */
  line(text: string, number: number): void;
  /** A line that was too long to be held. `isAll`: these are all its bytes, and not only the first of them. */
  tooLong(number: number, bytes: number, isAll?: boolean): void;
  /** A record that somebody else parsed. */
  record(record: JsonObject, number: number): void;
  /** The source has ended. */
  end(): void;
  /** The next line may belong to what an earlier one began. */
  isPending(): boolean;
}

export interface ReaderOptions extends NormalizerOptions {
  /** Before the events of each record. */
  onRecord?(record: JsonObject): void;
  /** Before its event, input:skipped. */
  onDamage?(damage: Damage): void;
  onNoise?(line: number): void;
  /** So much of an unfinished record is held in memory. */
  mostHeld?: number;
}

/** Input that could not be read as it stands. */
export interface Damage {
  readonly line: number;
  /** In words that are the same each time: `not JSON`. */
  readonly what: string;
  /** What is special about this one: `unexpected end`. */
  readonly detail?: string;
  /** What was done about it: `line skipped`. */
  readonly done: string;
}

export function createReader({ onRecord, onDamage, onNoise, mostHeld, ...options }: ReaderOptions): Reader {
  const normalizer = createNormalizer(options);
  const sink: FrameSink = {
    record(record, line, time) {
      onRecord?.(record);
      normalizer.record(record, line, time);
    },
    damaged(line, reason, bytes, done) {
      onDamage?.({ line, ...splitReason(reason), done });
      normalizer.skipped(line, reason, bytes);
    },
    noise: (line) => onNoise?.(line),
  };
  let framer = createFramer(sink, mostHeld);
  return {
    ...normalizer,
    begin(place) {
      framer = createFramer(sink, mostHeld);
      normalizer.begin(place);
    },
    line: (text, number) => framer.push(text, number),
    tooLong(line, bytes, isAll = true) {
      const what = 'line too long';
      onDamage?.({ line, what, detail: `${bytes} bytes${isAll ? '' : ' and more'}`, done: 'line skipped' });
      normalizer.skipped(line, what, bytes);
    },
    record: (record, line) => sink.record(record, line, null),
    usage(record, line) {
      onRecord?.(record);
      normalizer.usage(record, line);
    },
    end: () => framer.end(),
    isPending: () => framer.isPending,
  };
}

/** `not JSON (unexpected end)` is one of a kind with every other `not JSON`. */
function splitReason(reason: string): Pick<Damage, 'what' | 'detail'> {
  const [, what = reason, detail] = /^(.*?) \((.*)\)$/s.exec(reason) ?? [];
  return detail === undefined ? { what } : { what, detail };
}
