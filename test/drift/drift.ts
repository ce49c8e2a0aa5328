import { createFramer } from '../../src/core/record/frame.js';
import { createNormalizer } from '../../src/core/wire/normalize.js';
import { placeOf } from '../../src/core/wire/sessions.js';
import { isUnknownTeamTool } from '../../src/core/wire/tools/table.js';
import { ParsedRecord } from '../../src/core/wire/view.js';
import type { Event } from '../../src/lib.js';
import { isObject } from '../json.js';
import { type Fields, Watcher } from './watcher.js';

export interface Drift {
  /** Record and block types that became `unknown`, with their counts. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Those of them, and tools, that look like the team protocol, which has then changed. */
  readonly ours: ReadonlySet<string>;
  /** By kind of record: fields that are never read, with their counts. */
  readonly unread: Fields;
  /** All fields, read or not. */
  readonly fields: Fields;
}

const nothing: Drift = { unknown: new Map(), ours: new Set(), unread: new Map(), fields: new Map() };

export interface Capture {
  readonly path: string;
  readonly text: string;
}

/** What cct does not read of these files, and what is not already in `before`. */
export function driftIn(captures: readonly Capture[], before: Drift = nothing): Drift {
  const watcher = new Watcher();
  const unknown = new Map<string, number>();
  const ours = new Set<string>();
  const emit = (event: Event) => {
    watcher.noteEvent(event);
    if (event.event === 'tool:called' && isUnknownTeamTool(event.tool ?? '')) ours.add(`tool ${event.tool}`);
    if (event.event !== 'unknown') return;
    const name = [event.type, event.subtype].filter((word) => word !== null).join('/') || keysOf(event.raw);
    unknown.set(name, (unknown.get(name) ?? 0) + 1);
    if ([event.type, event.subtype].some((word) => /^(?:team|task|agent)/i.test(word ?? '')))
      ours.add(`record ${name}`);
  };
  for (const { path, text } of captures) {
    // One per file: what is in both a stream and its transcript would be read only once.
    const normalizer = createNormalizer({ emit });
    const framer = createFramer({
      record: (record, line, log) => normalizer.record(new ParsedRecord(watcher.watch(record)), line, log),
      damaged() {},
      noise() {},
    });
    normalizer.begin(placeOf(path));
    for (const [index, line] of text.split('\n').entries()) framer.push(line, index + 1);
    framer.end();
  }
  const { fields } = watcher;
  const unread = [...watcher.unread(before.fields)].filter(([within]) => !isUnknown(within, unknown));
  for (const name of before.unknown.keys()) unknown.delete(name);
  for (const name of before.ours) ours.delete(name);
  return { unknown, ours, unread: new Map(unread), fields };
}

/** The name of a record without a type. */
function keysOf(raw: unknown): string {
  return `a record with ${Object.keys(isObject(raw) ? raw : {})
    .slice(0, 4)
    .join(', ')}`;
}

function isUnknown(within: string, unknown: ReadonlyMap<string, number>): boolean {
  return within === 'unknown' || unknown.has(within.replace(/^transcript /, '').replace(/ block /, '/'));
}
