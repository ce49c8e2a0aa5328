import { wantedEvents } from '../../src/cli/input.js';
import { openIndex } from '../../src/cli/lines.js';
import { RunSummary } from '../../src/core/state/run-summary.js';
import { type Interest, matches, rulesFor } from '../../src/core/wire/interest.js';
import { createReader } from '../../src/core/wire/reader.js';
import { recordShape } from '../../src/core/wire/record-index.js';
import { nowhere, placeOf } from '../../src/core/wire/sessions.js';
import { createSkimmer } from '../../src/core/wire/skim.js';
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
  /** Lines dropped unparsed. */
  readonly skipped: number;
  readonly missing: string | null;
  /** Who and what is open, in words. */
  readonly open: readonly string[];
}

export interface ReadingOptions {
  /** Lines that cannot produce these events are skipped. Default: everything. */
  readonly interest?: Interest;
  /** The lengths of the chunks in which the bytes arrive, repeated. */
  readonly chunks?: readonly number[];
}

/** Reads bytes to events as src/cli/input.ts does, without real files and streams. */
export function readAll(
  parts: readonly Part[],
  { interest: wish = { events: ['*'] }, chunks = [] }: ReadingOptions = {},
): Reading {
  const events: Event[] = [];
  const origins: (JsonObject | null)[] = [];
  const records: JsonObject[] = [];
  let origin: JsonObject | null = null;
  let damaged = 0;
  let skipped = 0;
  const rules = rulesFor(wish);
  const account = new RunSummary();
  const reader = createReader({
    emit(event) {
      account.note(event);
      events.push(event);
      origins.push(origin);
    },
    several: parts.length > 1,
    wants: wantedEvents(rules),
    onRecord(record) {
      records.push(record);
      origin = record;
    },
    onDamage() {
      damaged++;
      origin = null;
    },
  });
  const index = openIndex({
    shape: recordShape,
    line(entry) {
      if (rules.everything) reader.line(index.lineText(entry), index.number(entry));
      else if (!skimmer.line(entry)) skipped++;
    },
    tooLong() {},
  });
  const skimmer = createSkimmer(index, rules, reader);
  const read = new Set<string>();
  for (const { path, bytes } of parts) {
    // A file that is named twice is read once.
    if (path !== null && read.has(path)) continue;
    if (path !== null) read.add(path);
    reader.begin(path === null ? nowhere : placeOf(path));
    index.begin();
    skimmer.begin();
    for (const chunk of cut(bytes, chunks)) index.write(chunk);
    index.end();
    reader.end();
  }
  const calls = reader.openCalls();
  const missing = account.missing(calls);
  return { events, origins, records, damaged, skipped, missing, open: account.open(calls) };
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
