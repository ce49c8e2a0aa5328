import type { OpenCall } from '../../core/event/desk.js';
import type { Event } from '../../core/event/event.js';
import { createNormalizer } from '../../core/event/normalize.js';
import { createFramer, type Framer } from '../../core/record/frame.js';
import { nowhere, placeOf } from '../../core/record/place.js';
import type { Diagnostics } from '../../io/diagnostics.js';
import type { RawLine } from '../../io/raw-lines.js';
import type { Source } from '../../io/sources.js';
import { type Seen, splitReason } from '../input.js';
import { textOfLine } from './play.js';

/** Makes events of lines as they are played. */
export interface Follower {
  begin(source: Source): void;
  /** The events that are complete with this line. */
  line(line: RawLine): readonly Event[];
  endSource(): readonly Event[];
  /** The calls that have no result yet. */
  openCalls(): readonly OpenCall[];
}

export interface FollowOptions {
  readonly seen: Seen;
  readonly diagnostics: Diagnostics;
  /** Adds each event's record to it. */
  readonly raw?: boolean;
}

export function createFollower({ seen, diagnostics, raw = false }: FollowOptions): Follower {
  let events: Event[] = [];
  const normalizer = createNormalizer({
    emit(event) {
      seen.account.note(event);
      events.push(event);
    },
    warn: (text) => diagnostics.info(text),
    raw,
  });
  const damage = (source: string, line: number, reason: string, bytes: number, done: string) => {
    const [what, detail] = splitReason(reason);
    diagnostics.damage({ source, line, what, done, ...(detail === undefined ? {} : { detail }) });
    normalizer.skipped(line, what === 'line too long' ? what : reason, bytes);
  };
  const framerOf = (name: string): Framer =>
    createFramer({
      record: (record, line, time) => normalizer.record(record, line, time),
      damaged: (line, reason, bytes, done) => damage(name, line, reason, bytes, done),
      noise() {},
    });
  let name = 'stdin';
  let framer = framerOf(name);
  const take = () => {
    const taken = events;
    events = [];
    return taken;
  };
  return {
    begin(source) {
      name = source.name;
      framer = framerOf(name);
      normalizer.begin(source.path === null ? { ...nowhere, source: name } : placeOf(source.path));
    },
    line(line) {
      if (!line.tooLong) framer.push(textOfLine(line), line.number);
      else if (!line.continues)
        damage(
          name,
          line.number,
          `line too long (${line.bytes.length} bytes and more)`,
          line.bytes.length,
          'line skipped',
        );
      return take();
    },
    endSource() {
      framer.end();
      return take();
    },
    openCalls: normalizer.openCalls,
  };
}
