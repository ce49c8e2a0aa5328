// Reads files that grow. They take turns: each has its own place in the index of lines and in the reader.

import { isObject, parseJson } from '../core/record/json.js';
import type { IndexPlace, LineIndex } from '../core/record/line-index.js';
import type { Skimmer } from '../core/wire/skim.js';
import type { Diagnostics } from '../io/diagnostics.js';
import { type Followed, type FollowSink, follow } from '../io/follow.js';
import type { SourceReader } from './input.js';
import { readLines } from './lines.js';

interface Following {
  readonly reader: SourceReader;
  readonly index: LineIndex;
  readonly skimmer: Skimmer | null;
  readonly signal: AbortSignal;
  readonly diagnostics: Diagnostics;
  chunkEnd(bytes: number): Promise<void> | void;
  note(name: string, read: Awaited<ReturnType<typeof readLines>>): void;
  isDone(): boolean;
  /** Somebody ended it who knows that lines may be half written. */
  isLeft(): boolean;
}

/** A file that was left, and the way back to it. */
interface Turn {
  readonly file: Followed;
  place: IndexPlace | null;
  comeBack: (() => void) | null;
  /** Its last line was complete, but its line end had not come yet. */
  lacksLineEnd: boolean;
}

/** Reads until the signal says so, or the input is done. */
export async function followInput(
  operands: readonly string[],
  { reader, index, skimmer, signal, diagnostics, chunkEnd, note, isDone, isLeft }: Following,
): Promise<void> {
  const turns = new Map<string, Turn>();
  let current: Turn | null = null;
  let room: Uint8Array = new Uint8Array(0);

  function enter(file: Followed, again: boolean): Turn {
    let turn = turns.get(file.path);
    if (turn === current && turn !== undefined && !again) return turn;
    if (current !== null) Object.assign(current, { place: index.leave(), comeBack: reader.leave() });
    if (turn === undefined) {
      turn = { file, place: null, comeBack: null, lacksLineEnd: false };
      turns.set(file.path, turn);
    }
    turn.comeBack?.();
    // What was read of it before is still known, so that the same records again add nothing.
    if (again) reader.begin({ ...file, name: file.path });
    if (again) turn.lacksLineEnd = false;
    index.begin(again || turn.place === null ? undefined : turn.place);
    skimmer?.begin();
    current = turn;
    return turn;
  }

  const sink: FollowSink = {
    most: index.most,
    begin: enter,
    room(bytes) {
      room = index.room(bytes);
      return room;
    },
    filled(bytes) {
      let count = bytes;
      if (current?.lacksLineEnd) {
        const end = lineEnd(room);
        room.copyWithin(0, end, bytes);
        count -= end;
        current.lacksLineEnd = false;
      }
      index.push(count);
    },
    pause() {
      if (current === null || !isWholeRecord(index.held)) return;
      index.end();
      current.lacksLineEnd = true;
    },
    async whole(file, bytes) {
      enter(file, true);
      const read = await readLines(bytes, index, { signal });
      reader.end();
      note(file.path, { ...read, lines: 0 });
    },
    isJson: (text) => parseJson(text) !== undefined,
    problem: ({ path }, problem) => note(path, { lines: 0, problem }),
    notice: ({ path }, text) => diagnostics.warn(`${path}: ${text}`),
    looked: async () => chunkEnd(0),
    isDone,
  };
  const missing = await follow(operands, sink, signal);
  for (const path of missing) note(path, { lines: 0, problem: 'no such file' });
  for (const { file } of turns.values()) {
    enter(file, false);
    if (!isLeft()) index.end();
    reader.end();
    note(file.path, { lines: index.lines, problem: null });
  }
}

/** Whether a line that has no end yet is a record: then nothing of it is missing. */
function isWholeRecord(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== closeBrace || bytes.length > mostTried) return false;
  return isObject(parseJson(Buffer.from(bytes).toString()));
}

const closeBrace = 0x7d;
const mostTried = 16 * 1024 * 1024;

/** The length of a line end that bytes begin with. */
function lineEnd(bytes: Uint8Array): number {
  const [first, second] = bytes;
  return first === 0x0a ? 1 : first === 0x0d && second === 0x0a ? 2 : 0;
}
