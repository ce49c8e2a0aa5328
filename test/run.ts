import { Readable, Writable } from 'node:stream';
import { cli } from '../src/cli.js';
import { type Clock, type OutputStream, outputStream, type Streams } from '../src/io/streams.js';
import { FakeClock } from './fake-clock.js';

export interface World {
  /** Which streams are terminals; true: all, but stdin only if nothing is sent to it. */
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean } | boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** stdin is a pipe that has not ended; otherwise it is a file. */
  readonly open?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a clock that never really waits. */
  readonly clock?: Clock;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process, over buffers. stdin is passed whole, or chunk by chunk. */
export async function cct(
  words: readonly string[],
  stdin: string | Buffer | Iterable<string | Buffer> | AsyncIterable<string | Buffer> = '',
  world: World = {},
): Promise<Ran> {
  const stdout = new Collected();
  const stderr = new Collected();
  const code = await cli(words, streamsOver(stdin, stdout, stderr, world));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The rows or events of a run that is expected to succeed. */
export async function rows(words: readonly string[], stdin?: string): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await cct(words, stdin);
  if (code !== 0) throw new Error(`cct ${words.join(' ')} exited with ${code}: ${stderr}`);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

export function streamsOver(
  stdin: Parameters<typeof cct>[1],
  stdout: Writable,
  stderr: Writable,
  { tty = false, columns, rows, open = false, env: added = {}, clock = new FakeClock() }: World,
): Streams {
  const terminals = typeof tty === 'boolean' ? { stdin: tty && stdin === '', stdout: tty, stderr: tty } : tty;
  const env = {
    TERM: 'xterm',
    ...(columns === undefined ? {} : { COLUMNS: String(columns) }),
    ...(rows === undefined ? {} : { LINES: String(rows) }),
    ...added,
  };
  const output = (stream: Writable, isTTY = false): OutputStream =>
    outputStream(Object.assign(stream, isTTY ? { isTTY, columns: columns ?? 80, rows: rows ?? 24 } : {}), env);
  return {
    stdin: {
      isTTY: terminals.stdin ?? false,
      isFile: !open,
      open: () => ({ ok: true, bytes: { kind: 'stream', stream: readable(stdin ?? '') } }),
    },
    stdout: output(stdout, terminals.stdout),
    stderr: output(stderr, terminals.stderr),
    env,
    clock,
  };
}

/** Keeps what is written to it. */
export class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}

function readable(stdin: NonNullable<Parameters<typeof cct>[1]>): Readable {
  return typeof stdin === 'string' || Buffer.isBuffer(stdin)
    ? Readable.from([Buffer.from(stdin)])
    : Readable.from(stdin);
}
