// A stream that turns bytes into what a parser makes of their lines.
import { Transform } from 'node:stream';
import split2 from 'split2';
import { defaultMaxLineBytes } from '../core/record/line.js';
import type { LineParser } from './parser.js';

/** The parser of a stream. It must not throw on any line. */
export type StreamParser<T> = Pick<LineParser, 'line' | 'tooLong' | 'end'> & { take(): T[] };

export interface ParseStreamOptions {
  /** A longer line is skipped; 256 MiB by default. */
  maxLineBytes?: number;
  /** Destroys the stream, with an AbortError. */
  signal?: AbortSignal;
}

/** Lines are parsed after a chunk was split, never during the split. */
export function parseStream<T>(
  parser: StreamParser<T>,
  { maxLineBytes = defaultMaxLineBytes, signal }: ParseStreamOptions = {},
): Transform {
  const lines = splitLines(maxLineBytes);
  const parseLines = (stream: Transform) => {
    for (const line of lines.take()) {
      if (typeof line === 'string') parser.line(line);
      else parser.tooLong(line);
    }
    for (const item of parser.take()) stream.push(item);
  };
  return new Transform({
    readableObjectMode: true,
    ...(signal === undefined ? {} : { signal }),
    transform(chunk, encoding, done) {
      lines.splitter.write(chunk, encoding, (error) => {
        if (!error) parseLines(this);
        done(error);
      });
    },
    flush(done) {
      lines.splitter.end(() => {
        parseLines(this);
        parser.end();
        parseLines(this);
        done();
      });
    },
    destroy(error, done) {
      lines.splitter.destroy();
      done(error);
    },
  });
}

/** A line, or the number of bytes of one that is too long. */
type Line = string | number;

/**
 * split2 silently drops a line above its limit. Here such a line is counted, so that line numbers stay right: the
 * matcher sees the unfinished line with each chunk, and replaces a line that is too long by the number of its bytes.
 */
function splitLines(maxLineBytes: number) {
  let lines: Line[] = [];
  let isFirst = true;
  const matcher = {
    [Symbol.split](text: string): string[] {
      const pieces = text.split('\n');
      const last = pieces.pop() ?? '';
      // One character more than the limit is allowed: it may be a CR, which is not part of the line.
      const isTooLong = last.length > maxLineBytes + 1 || last.startsWith(dropMark);
      pieces.push(isTooLong ? `${dropMark}${droppedBytes(last)}${dropMark}` : last);
      return pieces;
    },
  };
  const splitter = split2(matcher, (line: string) => {
    const text = isFirst && line.startsWith('\ufeff') ? line.slice(1) : line;
    isFirst = false;
    lines.push(line.startsWith(dropMark) ? droppedBytes(line) : checkLength(text, maxLineBytes));
  });
  // The writer gets the error. Nobody else needs it.
  splitter.on('error', () => {});
  return {
    splitter,
    take(): Line[] {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** Surrounds the number of dropped bytes. Decoded text never contains half of a surrogate pair. */
const dropMark = '\ud800';

/** The bytes of a line: its own text and, if it begins with a mark, the dropped bytes. */
function droppedBytes(line: string): number {
  if (!line.startsWith(dropMark)) return Buffer.byteLength(line);
  const end = line.indexOf(dropMark, 1);
  return Number(line.slice(1, end)) + Buffer.byteLength(line.slice(end + 1));
}

function checkLength(line: string, maxLineBytes: number): Line {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length * 3 <= maxLineBytes) return text;
  const bytes = Buffer.byteLength(text);
  return bytes > maxLineBytes ? bytes : text;
}
