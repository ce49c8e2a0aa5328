// Decodes gzip, zstd, UTF-16 and pages of `cct report`. Only the first bytes are examined; plain bytes pass through.
import type { Transform } from 'node:stream';
import { type ByteSink, type ByteSource, readBytes } from './sources.js';

export interface Decoded {
  /** Why reading ended before the end of the source; else null. */
  readonly problem: string | null;
  /** `gzip` or `zstd`, if the compressed data ends too early. */
  readonly cut?: string | undefined;
}

/** Reads a source to its end, decoded, and closes it. */
export async function readDecoded(source: ByteSource, sink: ByteSink, signal: AbortSignal): Promise<Decoded> {
  const decoding = new DecodingSink(sink);
  try {
    const problem = await readBytes(source, decoding, signal);
    return { problem, cut: decoding.cut };
  } catch (error) {
    if (error instanceof Undecodable) return { problem: error.message };
    throw error;
  }
}

class Undecodable extends Error {}

/** Takes encoded bytes and passes them on to a sink, decoded. The bytes are valid until the promise resolves. */
interface Decoder {
  take(bytes: Uint8Array): Promise<void> | void;
  end(): Promise<void> | void;
}

/** There is one for each file, and there may be many small files. */
class DecodingSink implements ByteSink {
  readonly most: number | undefined;
  /** The compressed form of data that ends too early. */
  cut: string | undefined;
  readonly #sink: ByteSink;
  #isPlain = false;
  #decoder: Decoder | null = null;
  /** The first bytes, while they are too few to recognize. */
  #few: Uint8Array = noBytes;
  #room: Uint8Array = noBytes;
  /** Whether bytes go directly into the sink's room. */
  #isSinks = true;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.most = sink.most;
  }

  room(bytes: number): Uint8Array {
    // A pipe asks for the next room before the bytes read so far are decoded.
    this.#room = this.#isSinks ? this.#sink.room(bytes) : Buffer.allocUnsafe(bytes);
    return this.#room;
  }

  ahead(bytes: number): Uint8Array | null {
    // The room is full, and `filled` will be called for it.
    this.#isPlain ||= this.#isSinks && formOf(this.#room) === 'plain';
    return this.#isPlain ? (this.#sink.ahead?.(bytes) ?? null) : null;
  }

  filled(bytes: number): Promise<void> | void {
    const sink = this.#sink;
    sink.taken?.(bytes);
    if (this.#isPlain) return sink.filled(bytes);
    const came = this.#room.subarray(0, bytes);
    if (this.#decoder !== null) return this.#decoder.take(came);
    const start = this.#isSinks ? came : Buffer.concat([this.#few, came]);
    const form = formOf(start);
    if (form !== null && form !== 'plain') return this.#decode(form, Buffer.from(start));
    this.#isPlain = form === 'plain';
    if (this.#isPlain && this.#isSinks) return sink.filled(bytes);
    this.#isSinks = this.#isPlain;
    if (this.#isPlain) return put(sink, start);
    this.#few = Buffer.from(start);
  }

  async #decode(form: Form, first: Buffer): Promise<void> {
    this.#isSinks = false;
    this.#decoder = await decoderFor(form, this.#sink, (cut) => {
      this.cut = cut;
    });
    return this.#decoder.take(first);
  }

  end(): Promise<void> | void {
    if (this.#isPlain) return this.#sink.end();
    return this.#decoder === null ? this.#endFew() : this.#decoder.end();
  }

  async #endFew(): Promise<void> {
    await put(this.#sink, this.#few);
    return this.#sink.end();
  }
}

const noBytes = new Uint8Array(0);

function put(sink: ByteSink, bytes: Uint8Array): Promise<void> | void {
  if (bytes.length === 0) return;
  sink.room(bytes.length).set(bytes);
  return sink.filled(bytes.length);
}

type Form = 'gzip' | 'zstd' | 'utf-16le' | 'utf-16be' | 'page' | 'xz' | 'bzip2' | 'lz4' | 'zip';

const marks: readonly (readonly [form: Form, mark: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b, 0x08]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['page', [...Buffer.from('<!doctype html><!-- cct report 1 -->')]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

/** The form that the first bytes show; null if they are too few. */
export function formOf(bytes: Uint8Array): Form | 'plain' | null {
  const [first] = bytes;
  if (first === brace) return 'plain';
  for (const [form, mark] of marks) {
    if (mark[0] !== first) continue;
    const fits = mark.slice(0, bytes.length).every((byte, at) => byte === bytes[at]);
    if (fits) return bytes.length < mark.length ? null : form;
  }
  return 'plain';
}

const brace = 0x7b;

async function decoderFor(form: Form, sink: ByteSink, onCut: (form: string) => void): Promise<Decoder> {
  if (form === 'utf-16le' || form === 'utf-16be') return fromUtf16(form, sink);
  const zlib = await import('node:zlib');
  if (form === 'page')
    return fromPage(inflating('page', () => zlib.createInflate({ chunkSize }), textDecoder(sink), onCut));
  if (form === 'gzip') return inflating(form, () => zlib.createGunzip({ chunkSize }), textDecoder(sink), onCut);
  // Available since Node 22.15.
  const createZstd: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (form === 'zstd' && isMaker(createZstd))
    return inflating(form, () => createZstd({ chunkSize }), textDecoder(sink), onCut);
  throw new Undecodable(`compressed (${form}); pipe it through ${unpackers.get(form) ?? `${form} -dc`}`);
}

const chunkSize = 128 * 1024;
const unpackers: ReadonlyMap<string, string> = new Map([['zip', 'unzip -p']]);

function isMaker(value: unknown): value is (options: { chunkSize: number }) => Inflater {
  return typeof value === 'function';
}

/** The events in a page of `cct report`: base64 between a tag that names them and the next tag. */
function fromPage(inner: Decoder): Decoder {
  let before = '';
  let isInside = false;
  let isOver = false;
  let letters = '';
  return {
    take(bytes) {
      if (isOver) return;
      let text = Buffer.from(bytes).toString('latin1');
      if (!isInside) {
        before += text;
        const start = before.indexOf(eventsTag);
        isInside = start !== -1;
        text = isInside ? before.slice(start + eventsTag.length) : '';
        before = isInside ? '' : before.slice(-eventsTag.length);
      }
      const end = text.indexOf('<');
      isOver = end !== -1;
      letters += isOver ? text.slice(0, end) : text;
      const whole = isOver ? letters.length : letters.length - (letters.length % 4);
      const packed = Buffer.from(letters.slice(0, whole), 'base64');
      letters = letters.slice(whole);
      return packed.length === 0 ? undefined : inner.take(packed);
    },
    end: () => inner.end(),
  };
}

const eventsTag = 'id="events">';

/** Compressed text may be UTF-16. It is decompressed only once, because there are files that contain themselves. */
function textDecoder(sink: ByteSink): Decoder {
  let decoder: Decoder | null = null;
  return {
    take(bytes) {
      const form = decoder === null ? formOf(bytes) : null;
      decoder ??=
        form === 'utf-16le' || form === 'utf-16be'
          ? fromUtf16(form, sink)
          : { take: (more) => put(sink, more), end: () => sink.end() };
      return decoder.take(bytes);
    },
    end: () => (decoder ?? sink).end(),
  };
}

function fromUtf16(form: string, sink: ByteSink): Decoder {
  const decoder = new TextDecoder(form);
  return {
    take: (bytes) => put(sink, Buffer.from(decoder.decode(bytes, { stream: true }))),
    async end() {
      await put(sink, Buffer.from(decoder.decode()));
      return sink.end();
    },
  };
}

/** Decompresses one frame, or several in a row: for gzip zlib continues by itself, for zstd it does not. */
function inflating(form: string, make: () => Inflater, sink: Decoder, onCut: (form: string) => void): Decoder {
  let frame = openFrame(make(), sink);
  /** The first frame has ended, and what follows is not a frame. */
  let isOver = false;

  async function broken(error: unknown): Promise<never> {
    if (frame.thrown !== null) throw frame.thrown.error;
    await sink.end();
    throw new Undecodable(
      `damaged ${form} (${error instanceof Error ? error.message : String(error)}); the rest cannot be read`,
    );
  }

  async function take(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0 && !isOver; ) {
      const before = frame.stream.bytesWritten;
      await frame.write(rest).catch(broken);
      rest = rest.subarray(frame.stream.bytesWritten - before);
      if (rest.length === 0) return;
      await frame.delivered();
      isOver = formOf(rest) !== form;
      if (!isOver) frame = openFrame(make(), sink);
    }
  }

  async function end(): Promise<void> {
    await frame.delivered();
    frame.stream.end();
    const error = await frame.over;
    if (error !== null && !isCut(error)) return broken(error);
    if (error !== null) onCut(form);
    return sink.end();
  }

  return { take, end };
}

type Inflater = Transform & { readonly bytesWritten: number };

interface Frame {
  readonly stream: Inflater;
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the sink has everything that was decompressed. */
  delivered(): Promise<void>;
  /** Resolves to the reason it ended; null at its regular end. */
  readonly over: Promise<Error | null>;
  /** What the sink threw. */
  readonly thrown: { readonly error: unknown } | null;
}

function openFrame(stream: Inflater, sink: Decoder): Frame {
  let writing: Promise<void> | void;
  let thrown: Frame['thrown'] = null;
  const fail = (error: unknown) => {
    thrown ??= { error };
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  const over = new Promise<Error | null>((resolve) => {
    stream.on('end', () => resolve(null));
    stream.on('error', resolve);
  });
  stream.on('data', (bytes: Buffer) => {
    try {
      writing = sink.take(bytes);
    } catch (error) {
      return fail(error);
    }
    if (writing === undefined) return;
    stream.pause();
    writing.then(() => stream.resume(), fail);
  });
  return {
    stream,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()));
        // After an error, that callback is not called.
        over.then((error) => (error === null ? resolve() : reject(error)));
      }),
    async delivered() {
      do {
        await writing;
        await new Promise(setImmediate);
      } while (stream.readableLength > 0 && !stream.destroyed);
    },
    over,
    get thrown() {
      return thrown;
    },
  };
}

/** The data was good so far, but ends too early. */
function isCut(error: Error): boolean {
  return 'code' in error && error.code === 'Z_BUF_ERROR';
}
