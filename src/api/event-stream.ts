import { Transform } from 'node:stream';
import split2 from 'split2';
import type { LineParser } from './parser.js';

/** What lines are given to. It must not throw because of a line. */
export type StreamParser<T> = Pick<LineParser, 'line' | 'tooLong' | 'end'> & { take(): T[] };

export interface ParseStreamOptions {
  /** A longer line is skipped; 64 MiB if nothing is said. */
  maxLineBytes?: number;
  /** Destroys the stream, with an AbortError. */
  signal?: AbortSignal;
}

/** Bytes in, what the parser makes of their lines out. Lines are parsed after a chunk was split, never while. */
export function parseStream<T>(
  parser: StreamParser<T>,
  { maxLineBytes = 64 * 1024 * 1024, signal }: ParseStreamOptions = {},
): Transform {
  const lines = splitLines(maxLineBytes);
  const handOn = (stream: Transform) => {
    for (const line of lines.take()) {
      if (typeof line === 'string') parser.line(line);
      else parser.tooLong(line.bytes);
    }
    for (const item of parser.take()) stream.push(item);
  };
  return new Transform({
    readableObjectMode: true,
    ...(signal === undefined ? {} : { signal }),
    transform(chunk, encoding, done) {
      lines.splitter.write(chunk, encoding, (error) => {
        if (!error) handOn(this);
        done(error);
      });
    },
    flush(done) {
      lines.splitter.end(() => {
        handOn(this);
        parser.end();
        handOn(this);
        done();
      });
    },
    destroy(error, done) {
      lines.splitter.destroy();
      done(error);
    },
  });
}

interface Lines {
  readonly splitter: Transform;
  take(): (string | TooLong)[];
}

interface TooLong {
  readonly bytes: number;
}

/**
 * split2 by itself would drop a line that outgrows its limit without a word. Here it is counted, so that line numbers stay true:
 * the matcher, which sees the unfinished line with each chunk, puts the number of its bytes in the place of one that is too long.
 */
function splitLines(maxLineBytes: number): Lines {
  let lines: (string | TooLong)[] = [];
  let isFirst = true;
  const matcher = {
    [Symbol.split](text: string): string[] {
      const pieces = text.split('\n');
      const last = pieces.pop() ?? '';
      // One character more than the limit may be a CR that is not part of the line.
      const isTooLong = last.length > maxLineBytes + 1 || last.startsWith(mark);
      pieces.push(isTooLong ? `${mark}${droppedBytes(last)}${mark}` : last);
      return pieces;
    },
  };
  const splitter = split2(matcher, (line: string) => {
    const text = isFirst && line.startsWith('\ufeff') ? line.slice(1) : line;
    isFirst = false;
    lines.push(line.startsWith(mark) ? { bytes: droppedBytes(line) } : measured(text, maxLineBytes));
  });
  // Whoever writes is told of the error; nobody else has to be.
  splitter.on('error', () => {});
  return {
    splitter,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** Stands around the bytes of a line that were dropped. No text that was decoded from bytes has half of a pair in it. */
const mark = '\ud800';

/** The bytes of a line: those that were dropped, if it begins with them, and those of its text. */
function droppedBytes(line: string): number {
  if (!line.startsWith(mark)) return Buffer.byteLength(line);
  const end = line.indexOf(mark, 1);
  return Number(line.slice(1, end)) + Buffer.byteLength(line.slice(end + 1));
}

function measured(line: string, maxLineBytes: number): string | TooLong {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length * 3 <= maxLineBytes) return text;
  const bytes = Buffer.byteLength(text);
  return bytes > maxLineBytes ? { bytes } : text;
}
