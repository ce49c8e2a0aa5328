import { Transform } from 'node:stream';
import split2 from 'split2';

/** What lines are given to. It must not throw because of a line. */
export interface LineParser<T> {
  line(text: string): void;
  tooLong(bytes: number): void;
  end(): void;
  /** What came of the lines since it was last asked. */
  take(): T[];
}

export interface ParseStreamOptions {
  /** A longer line is skipped; 64 MiB if nothing is said. */
  maxLineBytes?: number;
  /** Destroys the stream, with an AbortError. */
  signal?: AbortSignal;
}

/** Bytes in, what the parser makes of their lines out. Lines are parsed after a chunk was split, never while. */
export function parseStream<T>(
  parser: LineParser<T>,
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
 * split2 drops a line that outgrows its limit without a word, and lets one pass that comes whole in a chunk. Here both are
 * counted, so that line numbers stay true: the matcher sees every chunk, and puts a mark where a line was dropped.
 */
function splitLines(maxLineBytes: number): Lines {
  let lines: (string | TooLong)[] = [];
  let isFirst = true;
  let last = '';
  let dropped = 0;
  const matcher = {
    [Symbol.split](text: string): string[] {
      const pieces = text.split('\n');
      if (isDropping()) {
        dropped = (dropped || Buffer.byteLength(last)) + Buffer.byteLength(pieces[0] ?? '');
        if (pieces.length > 1) pieces.splice(1, 0, droppedMark);
      }
      if (pieces.length > 1 || !isDropping()) last = pieces.at(-1) ?? '';
      return pieces;
    },
  };
  const options = { maxLength: maxLineBytes, skipOverflow: true };
  const splitter = split2(
    matcher,
    (line: string) => {
      const text = isFirst && line.startsWith('\ufeff') ? line.slice(1) : line;
      isFirst = false;
      const isDropped = line === droppedMark || isDropping();
      lines.push(isDropped ? { bytes: dropped || Buffer.byteLength(line) } : measured(text, maxLineBytes));
      if (isDropped) dropped = 0;
    },
    options,
  );
  // Whoever writes is told of the error; nobody else has to be.
  splitter.on('error', () => {});

  /** Between the moment a line became too long and its end. */
  function isDropping(): boolean {
    return Reflect.get(splitter, 'overflow') === true;
  }

  return {
    splitter,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** No text that was decoded from bytes has half of a pair in it. */
const droppedMark = '\ud800';

function measured(line: string, maxLineBytes: number): string | TooLong {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length * 3 <= maxLineBytes) return text;
  const bytes = Buffer.byteLength(text);
  return bytes > maxLineBytes ? { bytes } : text;
}
