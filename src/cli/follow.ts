// Reads files that grow. They take turns; each has its own place in the line index and in the reader.
import { isObject, parseJson } from '../core/record/json.js';
import type { IndexPlace, LineIndex } from '../core/record/line-index.js';
import type { Reports } from '../io/diagnostics.js';
import { type Followed, type FollowSink, followFiles } from '../io/follow.js';
import { lineReader, type ReadResult } from './lines.js';
import type { SourceReader } from './source-reader.js';

interface Following extends Readers {
  readonly signal: AbortSignal;
  readonly diagnostics: Reports;
  chunkEnd(bytes: number): Promise<void> | void;
  noteRead(name: string, read: ReadResult): void;
  isDone(): boolean;
  /** Whether it was ended by somebody who knows that lines may be half written. */
  isLeft(): boolean;
}

/** Reads until the signal aborts or the input is done. */
export async function followInput(operands: readonly string[], following: Following): Promise<void> {
  const { reader, index, signal, diagnostics, chunkEnd, noteRead, isDone, isLeft } = following;
  const turns = createTurns(following);
  const readLines = lineReader(index, { signal });
  let room: Uint8Array = new Uint8Array(0);
  const sink: FollowSink = {
    most: index.most,
    begin: turns.enter,
    room(bytes) {
      room = index.room(bytes);
      return room;
    },
    filled: (bytes) => index.push(turns.withoutLineEnd(room, bytes)),
    pause: turns.pause,
    async wholeFile(file, bytes) {
      turns.enter(file, true);
      const read = await readLines(bytes);
      reader.end();
      noteRead(file.path, { ...read, lines: 0 });
    },
    isJson: (text) => parseJson(text) !== undefined,
    problem: ({ path }, problem) => noteRead(path, { lines: 0, problem }),
    notice: ({ path }, text) => diagnostics.warn(`${path}: ${text}`),
    looked: async () => chunkEnd(0),
    isDone,
  };
  const missing = await followFiles(operands, sink, signal);
  for (const path of missing) noteRead(path, { lines: 0, problem: 'no such file' });
  turns.end((path) => {
    if (!isLeft()) index.end();
    noteRead(path, { lines: index.lines, problem: null });
  });
}

interface Readers {
  readonly reader: Pick<SourceReader, 'begin' | 'end' | 'leave'>;
  readonly index: LineIndex;
}

interface Turn {
  readonly file: Followed;
  place: IndexPlace | undefined;
  comeBack: (() => void) | null;
  lacksLineEnd: boolean;
}

export function createTurns({ reader, index }: Readers) {
  const turns = new Map<string, Turn>();
  let current: Turn | null = null;

  /** The bytes that follow belong to this file; `again`: from its start. */
  function enter(file: Followed, again: boolean): void {
    const turn = turns.get(file.path) ?? { file, place: undefined, comeBack: null, lacksLineEnd: false };
    turns.set(file.path, turn);
    if (turn === current && !again) return;
    if (current !== null) Object.assign(current, { place: index.leavePlace(), comeBack: reader.leave() });
    turn.comeBack?.();
    // What was read of it before is still known, so the same records again add nothing.
    if (again) {
      reader.begin({ ...file, name: file.path });
      turn.lacksLineEnd = false;
    }
    index.begin(again ? undefined : turn.place);
    current = turn;
  }

  return {
    enter,
    /** All bytes of the file so far were read. Its last line may be complete even without a line end. */
    pause(): void {
      if (current === null || !isWholeRecord(index.held)) return;
      index.end();
      current.lacksLineEnd = true;
    },
    /** Removes the line end of a line that was already read without it. Returns the number of bytes left. */
    withoutLineEnd(bytes: Uint8Array, count: number): number {
      if (!current?.lacksLineEnd) return count;
      current.lacksLineEnd = false;
      const [first, second] = bytes;
      const length = first === LF ? 1 : first === CR && second === LF ? 2 : 0;
      bytes.copyWithin(0, length, count);
      return count - length;
    },
    /** Ends all files. `onEnd` is called for each before it is left for good. */
    end(onEnd: (path: string) => void): void {
      for (const { file } of turns.values()) {
        enter(file, false);
        onEnd(file.path);
        reader.end();
      }
    },
  };
}

/** Whether a line without a line end is a complete record. */
function isWholeRecord(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== closeBrace || bytes.length > mostTried) return false;
  return isObject(parseJson(Buffer.from(bytes).toString()));
}

const [closeBrace, LF, CR] = [0x7d, 0x0a, 0x0d];
const mostTried = 16 * 1024 * 1024;
