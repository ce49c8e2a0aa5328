import { openIndex } from '../../src/cli/lines.js';
import { RunSummary, wantedEvents } from '../../src/core/tables/run-summary.js';
import { IndexedRecord } from '../../src/core/wire/indexed.js';
import { type Interest, matches } from '../../src/core/wire/interest.js';
import { createReader } from '../../src/core/wire/reader.js';
import { nowhere, placeOf } from '../../src/core/wire/sessions.js';
import { recordShape } from '../../src/core/wire/spell.js';
import { type Event, type EventName, eventNames } from '../../src/lib.js';
import type { JsonObject } from '../json.js';

/** One file of an input; stdin has no path. */
export interface Part {
  readonly path: string | null;
  readonly bytes: Buffer;
}

export interface Reading {
  readonly events: Event[];
  /** The record each event comes from; null for damage. */
  readonly origins: (JsonObject | null)[];
  readonly records: JsonObject[];
  readonly damaged: number;
  /** Lines that were not parsed whole. */
  readonly viewed: number;
  readonly missing: string | null;
  /** Who and what is open, in words. */
  readonly open: readonly string[];
}

export interface ReadingOptions {
  /** What is asked for; then records are viewed through the index. Default: everything, parsed. */
  readonly interest?: Interest;
  /** The lengths of the chunks in which the bytes arrive, repeated. */
  readonly chunks?: readonly number[];
  /** Name the file in every event, even if there is only one. */
  readonly several?: boolean;
}

/** Reads bytes to events as src/cli/input.ts does, without real files and streams. */
export function readAll(
  parts: readonly Part[],
  { interest: wish, chunks = [], several = false }: ReadingOptions = {},
): Reading {
  const events: Event[] = [];
  const origins: (JsonObject | null)[] = [];
  const records: JsonObject[] = [];
  let origin: JsonObject | null = null;
  let damaged = 0;
  let viewed = 0;
  const account = new RunSummary();
  const reader = createReader({
    emit(event) {
      account.note(event);
      events.push(event);
      origins.push(origin);
    },
    several: several || parts.length > 1,
    wants: wantedEvents(wish ?? { events: ['*'] }),
    content: wish?.content ?? 'all',
    detail: wish?.detail ?? 'all',
    onRecord(record) {
      origin = record.whole();
      records.push(origin);
    },
    onDamage() {
      damaged++;
      origin = null;
    },
  });
  const index = openIndex({
    shape: recordShape,
    line(entry) {
      if (wish === undefined || reader.isPending() || !view.look(entry))
        return reader.line(index.lineText(entry), index.number(entry));
      viewed++;
      reader.record(view, index.number(entry));
      // A view dies with its line: what is kept of it must be a copy.
      index.lineBytes(entry).fill(0x23);
    },
    tooLong() {},
  });
  const view = new IndexedRecord(index);
  const read = new Set<string>();
  for (const { path, bytes } of parts) {
    // A file that is named twice is read once.
    if (path !== null && read.has(path)) continue;
    if (path !== null) read.add(path);
    reader.begin(path === null ? nowhere : placeOf(path));
    index.begin();
    for (const chunk of cut(bytes, chunks)) index.write(chunk);
    index.end();
    reader.end();
  }
  const calls = reader.openCalls();
  const missing = account.missing(calls);
  return { events, origins, records, damaged, viewed, missing, open: account.open(calls) };
}

export function readText(text: string, options?: ReadingOptions): Reading {
  return readAll([{ path: null, bytes: Buffer.from(text) }], options);
}

/** As `cct normalize` writes it. */
export function written(events: readonly Event[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

export function namesLike(globs: readonly string[]): ReadonlySet<EventName> {
  return new Set(eventNames().filter((name) => globs.some((glob) => matches(glob, name))));
}

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const length = lengths[next % Math.max(1, lengths.length)] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + Math.max(1, length)));
    at += Math.max(1, length);
  }
  return chunks;
}
