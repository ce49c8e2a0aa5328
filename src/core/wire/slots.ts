// Reads the values of an entry of the line index. Nothing is parsed that need not be.
import { markAt, markOf } from '../record/hash.js';
import { countOf, idOf, type JsonObject, jsonBytes, parseJson, textOf, timeOf } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import { type Picked, pickFields } from '../record/pick.js';
import type { Seen } from './seen.js';
import { type Key, readerOf } from './spell.js';

/** Reads the slots of the index, and counts what it parses. */
export class Slots {
  /** Bytes that went through JSON.parse. */
  parsed = 0;
  /** The values of slots with a hash. Such values often repeat. */
  #known = new Map<number, Known>();
  #last: Known = { high: 0, low: 0, value: null };

  constructor(readonly index: LineIndex) {}

  parse(text: string): unknown {
    this.parsed += text.length;
    return parseJson(text);
  }

  /** Fields of the object that begins here in all bytes. */
  pick(from: number, wanted: Picked): JsonObject {
    return pickFields(this.index, from, wanted, (text) => this.parse(text));
  }

  /** undefined if the key is absent. */
  value(at: number): unknown {
    return this.index.words[at] === 0 ? undefined : this.parse(this.index.text(at));
  }

  /** The value of a slot with a hash, which is parsed once. */
  known(at: number): unknown {
    const { words } = this.index;
    const high = words[at + 2] ?? 0;
    const low = words[at + 3] ?? 0;
    const last = this.#last;
    if (low === last.low && high === last.high) return last.value;
    return this.#lookUp(at, high, low);
  }

  #lookUp(at: number, high: number, low: number): unknown {
    let found = this.#known.get(low);
    if (found === undefined || found.high !== high) {
      if (this.#known.size >= mostKnown) this.#known = new Map();
      found = { high, low, value: this.parse(this.index.text(at)) };
      this.#known.set(low, found);
    }
    this.#last = found;
    return found.value;
  }

  word(at: number): string | null {
    return this.index.words[at] === 0 ? null : textOf(this.known(at));
  }

  name(at: number): string | null {
    return this.index.words[at] === 0 ? null : idOf(this.known(at));
  }

  id(at: number): string | null {
    const { words } = this.index;
    if (words[at] === 0) return null;
    return this.#isPlainId(at) ? this.index.id(at) : idOf(this.value(at));
  }

  isId(at: number): boolean {
    return this.#isPlainId(at) || idOf(this.value(at)) !== null;
  }

  count(at: number): number | null {
    const { words } = this.index;
    if (words[at + 3] === 1) return words[at + 2] ?? 0;
    return words[at] === 0 ? null : countOf(this.value(at));
  }

  time(at: number): string | null {
    const { words } = this.index;
    if (words[at + 2] === 1) return this.index.id(at);
    return words[at] === 0 ? null : timeOf(this.value(at));
  }

  /** How a text begins: at least 200 characters of it. Empty for any other value. */
  head(at: number): string {
    const { index } = this;
    if (index.first(at) !== quote) return '';
    if (index.word(at + 1) - index.word(at) <= headBytes) return textOf(this.value(at)) ?? '';
    // Cut in the middle of an escape it is no JSON.
    const start = this.parse(`${index.text(at, headBytes)}"`);
    return textOf(start) ?? textOf(this.value(at)) ?? '';
  }

  /** Whether a text begins with these words, which are plain ASCII; null for any other value. */
  begins(at: number, words: string): boolean | null {
    const { index } = this;
    if (index.first(at) !== quote) return null;
    const from = index.word(at) + 1;
    for (let place = 0; place < words.length; place++) {
      const byte = index.byte(from + place);
      if (byte === backslash) return this.head(at).startsWith(words);
      if (byte !== words.charCodeAt(place)) return false;
    }
    return true;
  }

  /** False only if no text in the value has these ASCII letters, which might be escaped. */
  mayHold(at: number, letters: string): boolean {
    // Not decoded, and without its first and its last byte: letters are the same in every encoding.
    const raw = this.index.id(at);
    return raw.includes(letters) || raw.includes('\\u00');
  }

  /** How many lines a text has; null for any other value. */
  lines(at: number): number | null {
    const { index } = this;
    if (index.first(at) !== quote) return null;
    return index.values.linesIn(index.word(at), index.word(at + 1));
  }

  /** Marks an id with a suffix as seen; false if it was seen before. */
  isNew(at: number, seen: Seen, rest: string): boolean {
    const { words } = this.index;
    if (this.#isPlainId(at)) return seen.addId(words[at + 2] ?? 0, words[at + 3] ?? 0, rest);
    const id = idOf(this.value(at));
    return id === null || seen.add(id + rest);
  }

  /** The number that stands for an id; 0 if there is none. */
  mark(at: number, seed: number): number {
    const { words } = this.index;
    if (this.#isPlainId(at)) return markAt(words[at + 2] ?? 0, words[at + 3] ?? 0);
    const id = words[at] === 0 ? null : idOf(this.value(at));
    return id === null ? 0 : markOf(id, seed);
  }

  flag(at: number): boolean | null {
    const first = this.index.first(at);
    return first === letterT ? true : first === letterF ? false : null;
  }

  /** How many bytes the value takes when normalize writes it. */
  bytesAt(at: number): number {
    const { index } = this;
    const [from, end] = [index.word(at), index.word(at + 1)];
    if (from === 0) return 'null'.length;
    return index.values.isCanonical(from, end) ? end - from : jsonBytes(this.value(at));
  }

  /** Whether the slot has an id that is text without escapes. Only a text has a hash. */
  #isPlainId(at: number): boolean {
    const { words } = this.index;
    if (((words[at + 2] ?? 0) | (words[at + 3] ?? 0)) === 0) return false;
    // Not the empty text.
    return (words[at + 1] ?? 0) - (words[at] ?? 0) > 2;
  }
}

interface Known {
  readonly high: number;
  readonly low: number;
  readonly value: unknown;
}

/** What the index says of a record or a block: its slots, from this place on. */
interface SlotView {
  readonly slots: Slots;
  readonly base: number;
}

/**
 * Lets the views of a class answer each key that the class does not answer itself. The getters belong to the class, so
 * that V8 sees all its views as one shape.
 */
export function answer(prototype: object, keys: Readonly<Record<string, Key>>, slot: (path: string) => number): void {
  for (const [name, key] of Object.entries(keys)) {
    if (name in prototype) continue;
    const read = slotReader(key, slot);
    Object.defineProperty(prototype, name, {
      get(this: SlotView) {
        return read(this.slots, this.base);
      },
    });
  }
}

/** Reads the value of a key in the entry that begins at a place: that of the first of its spellings that has one. */
export function slotReader({ kind, paths }: Key, slot: (path: string) => number) {
  const read = readSlot(kind);
  const [first = 0, second] = paths.map(slot);
  if (second === undefined)
    return (slots: Slots, base: number) => (slots.index.words[base + first] === 0 ? null : read(slots, base + first));
  return (slots: Slots, base: number) => read(slots, base + first) ?? read(slots, base + second);
}

function readSlot(kind: Key['kind']): (slots: Slots, at: number) => unknown {
  const read = readerOf(kind);
  switch (kind) {
    case 'word':
      return (slots, at) => slots.word(at);
    case 'name':
      return (slots, at) => slots.name(at);
    case 'id':
      return (slots, at) => slots.id(at);
    case 'flag':
      return (slots, at) => slots.flag(at);
    case 'time':
      return (slots, at) => slots.time(at);
    case 'count':
      return (slots, at) => slots.count(at);
    default:
      return (slots, at) => read(slots.value(at));
  }
}

/** How many values are remembered. Hostile input may invent any number. */
const mostKnown = 4096;

/** Four bytes for each of 200 characters. */
const headBytes = 800;

export const quote = 0x22;
const backslash = 0x5c;
export const bracket = 0x5b;
export const curly = 0x7b;
const letterF = 0x66;
export const letterN = 0x6e;
const letterT = 0x74;
