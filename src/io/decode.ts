// Decodes gzip, zstd, UTF-16 and pages of `cct report`. Only the first bytes are examined; plain bytes pass through.
import type { Transform } from 'node:stream';
import { type ByteHelper, type ByteSink, type ByteSource, readBytes } from './sources.js';

export interface Decoded {
  /** Why reading ended before the end of the source; else null. */
  readonly problem: string | null;
  /** What is wrong with compressed data that was read only in part. */
  readonly damage?: string | undefined;
}

/** Reads a source to its end, decoded, and closes it. */
export async function readDecoded(source: ByteSource, sink: ByteSink, signal: AbortSignal): Promise<Decoded> {
  const decoding = new DecodingSink(sink);
  try {
    const problem = await readBytes(source, decoding, signal);
    return { problem, damage: decoding.damage };
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
  damage: string | undefined;
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

  helper(size: number): ByteHelper | null {
    // The room is full, and `filled` will be called for it.
    this.#isPlain ||= this.#isSinks && formOf(this.#room) === 'plain';
    return this.#isPlain ? (this.#sink.helper?.(size) ?? null) : null;
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
    this.#decoder = await decoderFor(form, this.#sink, (damage) => {
      this.damage ??= damage;
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

const firstBytes: readonly (readonly [form: Form, mark: readonly number[]])[] = [
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
  for (const [form, mark] of firstBytes) {
    if (mark[0] !== first) continue;
    const fits = mark.slice(0, bytes.length).every((byte, at) => byte === bytes[at]);
    if (fits) return bytes.length < mark.length ? null : form;
  }
  return 'plain';
}

const brace = 0x7b;

type OnDamage = (what: string) => void;

async function decoderFor(form: Form, sink: ByteSink, onDamage: OnDamage): Promise<Decoder> {
  if (form === 'utf-16le' || form === 'utf-16be') return fromUtf16(form, sink);
  const zlib = await import('node:zlib');
  if (form === 'page')
    return fromPage(inflating('page', () => zlib.createInflate({ chunkSize }), textDecoder(sink), onDamage));
  if (form === 'gzip') return inflating(form, () => zlib.createGunzip({ chunkSize }), textDecoder(sink), onDamage);
  // Available since Node 22.15.
  const createZstd: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (form === 'zstd' && isMaker(createZstd))
    return inflating(form, () => createZstd({ chunkSize }), textDecoder(sink), onDamage);
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

/**
 * Decompresses one frame, or several in a row: for gzip zlib continues by itself, for zstd it does not. Node throws away
 * what it decompressed in the write that fails. So the compressed bytes are kept, to read them again up to the bad one.
 */
function inflating(form: string, make: () => Inflater, sink: Decoder, onDamage: OnDamage): Decoder {
  let frame = openFrame(make(), counting());
  /** The bytes of this frame; none if they became too many. */
  let kept: Buffer[] = [];
  /** Bytes taken before this frame, in this frame, and decompressed from this frame. */
  let before = 0;
  let taken = 0;
  let passed = 0;
  /** Nothing more can be read. */
  let isOver = false;
  /** The beginning of what may be another frame. */
  let few: Uint8Array = noBytes;

  /** Passes on what comes after the first bytes. */
  function counting(skipped = 0): Decoder {
    let left = skipped;
    return {
      take(bytes) {
        const news = bytes.subarray(Math.min(left, bytes.length));
        left -= bytes.length - news.length;
        passed += news.length;
        return news.length === 0 ? undefined : sink.take(news);
      },
      end: () => sink.end(),
    };
  }

  async function take(bytes: Uint8Array): Promise<void> {
    for (let rest = few.length === 0 ? bytes : Buffer.concat([few, bytes]); rest.length > 0; ) {
      few = noBytes;
      if (isOver) return follows(rest);
      // Wherever the source is cut into chunks, damage costs the same.
      const part = rest.subarray(0, partBytes - (taken % partBytes));
      if (taken + part.length <= mostKept) kept.push(Buffer.from(part));
      else {
        kept = [];
        await frame.delivered();
      }
      const written = frame.stream.bytesWritten;
      const error = await frame.write(part);
      if (error !== null) return broken(error, part.length);
      const used = frame.stream.bytesWritten - written;
      taken += used;
      rest = rest.subarray(used);
      if (used < part.length) rest = await next(rest);
    }
  }

  /** The frame has ended. Returns what is to be read next. */
  async function next(rest: Uint8Array): Promise<Uint8Array> {
    await frame.delivered();
    if (frame.thrown !== null) throw frame.thrown.error;
    const found = formOf(rest);
    if (found === null) few = Buffer.from(rest);
    if (found === null) return noBytes;
    if (found !== form) isOver = true;
    else {
      before += taken;
      [taken, passed, kept] = [0, 0, []];
      frame = openFrame(make(), counting());
    }
    return rest;
  }

  /** Archives may be filled up with zeros. */
  function follows(rest: Uint8Array): void {
    if (rest.some((byte) => byte !== 0)) onDamage(`something else follows the ${form} data at byte ${before + taken}`);
  }

  /** A write of this length failed. */
  async function broken(error: Error, length: number): Promise<void> {
    if (frame.thrown !== null) throw frame.thrown.error;
    isOver = true;
    await frame.delivered();
    let good = taken;
    if (kept.length > 0) {
      const bytes = Buffer.concat(kept);
      for (const step of [4096, 64, 1]) good = await readable(bytes, good, taken + length, step);
      const again = openFrame(make(), counting(passed));
      await again.write(bytes.subarray(0, good));
      await again.delivered();
      again.stream.destroy();
      if (again.thrown !== null) throw again.thrown.error;
    }
    const isOther = good > 1 && error.message === 'incorrect header check';
    // Two bytes are examined for that.
    taken = isOther ? good - 1 : good;
    if (isOther) onDamage(`something else follows the ${form} data at byte ${before + taken}`);
    else onDamage(`the ${form} data is damaged at byte ${before + taken} (${error.message})`);
  }

  /** How many bytes can be read, at least `good`: written step by step, up to the step that fails. */
  async function readable(bytes: Uint8Array, good: number, end: number, step: number): Promise<number> {
    const trial = openFrame(make(), { take() {}, end() {} });
    let [from, to] = [0, good];
    while (from < end && (await trial.write(bytes.subarray(from, to))) === null)
      [from, to] = [to, Math.min(to + step, end)];
    trial.stream.destroy();
    return from;
  }

  async function end(): Promise<void> {
    if (few.length > 0) follows(few);
    if (!isOver) {
      await frame.delivered();
      frame.stream.end();
      const error = await frame.over;
      if (frame.thrown !== null) throw frame.thrown.error;
      if (error !== null && isCut(error)) onDamage(`the ${form} data is cut off`);
      else if (error !== null) onDamage(`the ${form} data is damaged at its end (${error.message})`);
    }
    return sink.end();
  }

  return { take, end };
}

const partBytes = 64 * 1024;

const mostKept = 16 * 1024 * 1024;

type Inflater = Transform & { readonly bytesWritten: number };

function openFrame(stream: Inflater, sink: Decoder) {
  let writing: Promise<void> | void;
  /** What the sink threw. */
  let thrown: { readonly error: unknown } | null = null;
  const fail = (error: unknown) => {
    thrown ??= { error };
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  /** Resolves to the reason it ended; null at its regular end. */
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
    /** Resolves to the reason it failed; null if it did not. */
    write: (bytes: Uint8Array) =>
      new Promise<Error | null>((resolve) => {
        if (bytes.length === 0) return resolve(null);
        stream.write(bytes, (error) => resolve(error ?? null));
        // After an error, that callback is not called.
        over.then(resolve);
      }),
    /** Resolves when the sink has everything that was decompressed. */
    async delivered(): Promise<void> {
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
