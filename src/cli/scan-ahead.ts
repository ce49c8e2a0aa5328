// A thread that reads a large file and finds its lines, ahead of the thread that handles them. Both see the same memory.
import type { LineIndex } from '../core/record/line-index.js';
import { carryBytes, lentPlace, readBytes, Scanner, type ScanSetup } from '../core/record/scan-engine.js';
import { coreCount, startThread } from '../io/helper.js';
import { type ByteHelper, isTurnDue, readInto, turn } from '../io/sources.js';

/** What the thread is given. */
export interface ScanTask {
  readonly setup: ScanSetup;
  readonly words: SharedArrayBuffer;
}

/**
 * The words that both threads share: what the thread has to do, then a set for each of its two places. `from` and `to`
 * are the bytes of a line whose end was not read yet.
 */
const task = { state: 0, fd: 1, lines: 2, from: 3, to: 4 } as const;
const part = { state: 0, used: 1, bytes: 2, lines: 3, from: 4, to: 5 } as const;
const setWords = 8;

/** Of the task; 0 while the thread starts. */
const ready = 1;
const asked = 2;

/** Of a place. It is `hasSomeLines` if its tape was too short for all lines: the others follow in the same place. */
const free = 0;
const hasAllLines = 1;
const hasSomeLines = 2;
/** The thread has reached the end of the file, or something that the other thread has to handle. */
const over = 3;

function placeWords(place: number): number {
  return setWords * (1 + place);
}

/**
 * The size of a file from which the thread pays. Starting it takes 20 ms of another core. With two cores, that one is busy
 * optimizing code and collecting garbage at first: of 256 MB nothing is gained, of 1 GB 8 %.
 */
export function leastScanned(): number {
  return (coreCount() > 2 ? 24 : 400) * 1024 * 1024;
}

/** Starts the thread; `program` is its file. null if the index cannot be shared. */
export function scanAhead(
  program: string,
  index: LineIndex,
  { signal, chunkEnd }: { signal: AbortSignal; chunkEnd(bytes: number): Promise<void> | void },
): ByteHelper | null {
  const setup = index.lendable();
  if (setup === null) return null;
  const words = new SharedArrayBuffer(4 * 3 * setWords);
  const shared = new Int32Array(words);
  const thread = startThread(program, { setup, words } satisfies ScanTask);
  return {
    get isReady() {
      return Atomics.load(shared, task.state) === ready && index.isLendable;
    },
    async takeOver(fd) {
      const { lines, from, to } = index.lend();
      shared.set([fd, lines, from, to], task.fd);
      Atomics.store(shared, task.state, asked);
      Atomics.notify(shared, task.state);
      for (let place = 0; !signal.aborted; ) {
        const at = placeWords(place);
        Atomics.wait(shared, at + part.state, free, longestWaitMs);
        const state = Atomics.load(shared, at + part.state);
        const [used = 0, bytes = 0, lines = 0, from = 0, to = 0] = shared.subarray(at + part.used, at + part.to + 1);
        if (state !== free) {
          if (state === over) index.takeBack({ lines, from, to });
          else index.deliver(lentPlace(place).tape, used);
          Atomics.store(shared, at + part.state, free);
          Atomics.notify(shared, at + part.state);
          if (state === hasAllLines) place ^= 1;
          const written = bytes === 0 ? undefined : chunkEnd(bytes);
          if (written !== undefined) await written;
          if (state === over) return;
        }
        if (isTurnDue()) await turn();
      }
    },
    stop: thread.stop,
  };
}

/** Signals and timers wait no longer than this. */
const longestWaitMs = 5;

/** In the thread: reads and scans one file after the other. */
export function scanFiles({ setup, words }: ScanTask): void {
  const shared = new Int32Array(words);
  const memory = Buffer.from(setup.memory.buffer);
  const scanner = new Scanner(setup);
  const waitWhile = (at: number, isBusy: (state: number) => boolean) => {
    for (let state = Atomics.load(shared, at); isBusy(state); state = Atomics.load(shared, at))
      Atomics.wait(shared, at, state);
  };
  for (;;) {
    Atomics.store(shared, task.state, ready);
    waitWhile(task.state, (state) => state !== asked);
    const [fd = 0, lines = 0, from = 0, to = 0] = shared.subarray(task.fd, task.to + 1);
    scanner.lines = lines;
    scanFile(fd, [from, to]);
  }

  function scanFile(fd: number, begun: readonly [from: number, to: number]): void {
    let held = begun;
    const publish = (place: number, state: number, bytes: number) => {
      const at = placeWords(place);
      shared.set([scanner.used, bytes, scanner.lines, ...held], at + part.used);
      Atomics.store(shared, at + part.state, state);
      Atomics.notify(shared, at + part.state);
    };
    for (let number = 0; ; number ^= 1) {
      waitWhile(placeWords(number) + part.state, (state) => state !== free);
      const place = lentPlace(number);
      const start = place.bytes - (held[1] - held[0]);
      // A long line, the end of the file and an error are for the other thread, which goes on from here.
      if (held[1] - held[0] > carryBytes) return publish(number, over, 0);
      memory.copyWithin(start, ...held);
      const read = readInto(memory.subarray(place.bytes, place.bytes + readBytes), fd);
      const bytes = typeof read === 'number' ? read : 0;
      held = [start, place.bytes + bytes];
      const end = memory.subarray(place.bytes, place.bytes + bytes).lastIndexOf(LF);
      if (end === -1) return publish(number, over, bytes);
      held = [place.bytes + end + 1, place.bytes + bytes];
      let next = start;
      for (let counted = bytes; next < held[0]; counted = 0) {
        if (next > start) waitWhile(placeWords(number) + part.state, (state) => state !== free);
        next = scanner.scan(next, held[0], place.tape, place.tapeEnd);
        publish(number, next < held[0] ? hasSomeLines : hasAllLines, counted);
      }
    }
  }
}

const LF = 0x0a;
