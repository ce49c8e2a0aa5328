// Reads the values of an entry of the line index. Nothing is parsed that need not be.
import { countOf, getOrCreate, idOf, type JsonObject, jsonBytes, parseJson, textOf, timeOf } from '../record/json.js';
import type { LineIndex } from '../record/line-index.js';
import { type Picked, pickFields } from '../record/pick.js';
import type { Seen } from './seen.js';
import { type Key, readerOf } from './spell.js';

/** Reads the slots of the index, and counts what it parses. */
export class Slots {
  /** Bytes that went through JSON.parse. */
  parsed = 0;
  readonly #often = new Map<string, unknown>();
  /** The value of a slot with a hash. Such values often repeat. */
  readonly known: (at: number) => unknown;

  constructor(readonly index: LineIndex) {
    this.known = memo(index, (text) => this.parse(text));
  }

  parse(text: string): unknown {
    this.parsed += text.length;
    return parseJson(text);
  }

  /** Fields of the object that begins here in all bytes. */
  pick(from: number, wanted: Picked, parse = (text: string) => this.parse(text)): JsonObject {
    return pickFields(this.index, from, wanted, parse);
  }

  /** The same of a record: many sessions name the same tools. */
  pickOften(from: number, wanted: Picked): JsonObject {
    return this.pick(from, wanted, (text) => {
      if (text.length < longText) return this.parse(text);
      if (this.#often.size >= mostOften) this.#often.clear();
      return getOrCreate(this.#often, text, () => this.parse(text));
    });
  }

  /** undefined if the key is absent. */
  value(at: number): unknown {
    return this.index.word(at) === 0 ? undefined : this.parse(this.index.text(at));
  }

  word(at: number): string | null {
    return this.index.word(at) === 0 ? null : textOf(this.known(at));
  }

  id(at: number): string | null {
    if (this.index.word(at) === 0) return null;
    return this.#isPlainId(at) ? this.index.id(at) : idOf(this.value(at));
  }

  isId(at: number): boolean {
    return this.#isPlainId(at) || idOf(this.value(at)) !== null;
  }

  count(at: number): number | null {
    const { index } = this;
    const [from, to] = [index.word(at), index.word(at + 1)];
    if (from === 0) return null;
    let count = 0;
    for (let place = from; place < to; place++) {
      const digit = index.byte(place) - zero;
      if (digit < 0 || digit > 9 || to - from > mostDigits) return countOf(this.value(at));
      count = 10 * count + digit;
    }
    return count;
  }

  time(at: number): string | null {
    const { index } = this;
    if (index.word(at) === 0) return null;
    // The usual length of a time, in quotes.
    if (index.word(at + 1) - index.word(at) !== timeBytes || index.first(at) !== quote) return timeOf(this.value(at));
    const text = index.id(at);
    // An escape, or anything else that is no plain time, is left to the parser.
    return timeOf(text) === text ? text : timeOf(this.value(at));
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
    if (this.#isPlainId(at)) return seen.addId(this.index.word(at + 2), this.index.word(at + 3), rest);
    const id = idOf(this.value(at));
    return id === null || seen.add(id + rest);
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

  /** Whether the slot has an id that is text without escapes. */
  #isPlainId(at: number): boolean {
    const { index } = this;
    if (index.first(at) !== quote || index.word(at + 1) - index.word(at) === 2) return false;
    return (index.word(at + 2) | index.word(at + 3)) !== 0;
  }
}

/** Shorter values are parsed each time. */
const longText = 100;
const mostOften = 100;

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
    const read = readSlot(key.kind);
    const [first = 0, second] = key.paths.map(slot);
    const words = isWord(key.kind) ? new Words(key, slot) : null;
    Object.defineProperty(prototype, name, {
      get(this: SlotView) {
        const { slots, base } = this;
        if (words !== null) return words.at(slots, base);
        return read(slots, base + first) ?? (second === undefined ? null : read(slots, base + second));
      },
    });
  }
}

function isWord(kind: Key['kind']): kind is 'word' | 'name' {
  return kind === 'word' || kind === 'name';
}

function readSlot(kind: Key['kind']): (slots: Slots, at: number) => unknown {
  const read = readerOf(kind);
  switch (kind) {
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

/** A key whose values repeat. Most rows have the value of the row before, so that one is compared first. */
export class Words {
  readonly #first: number;
  readonly #second: number;
  readonly #read: (value: unknown) => string | null;
  #high = 0;
  #low = 0;
  #last: string | null = null;

  constructor({ kind, paths }: Key, slot: (path: string) => number) {
    const [first = 0, second = first] = paths.map(slot);
    this.#first = first;
    this.#second = second;
    this.#read = kind === 'name' ? idOf : textOf;
  }

  at(slots: Slots, base: number): string | null {
    const { index } = slots;
    let at = base + this.#first;
    if (index.word(at) === 0) {
      at = base + this.#second;
      if (index.word(at) === 0) return null;
    }
    const high = index.word(at + 2);
    const low = index.word(at + 3);
    if (low === this.#low && high === this.#high) return this.#last;
    const value = this.#read(slots.known(at));
    // The first spelling has no value: the second counts.
    if (value === null && at !== base + this.#second) return this.#read(slots.value(base + this.#second));
    this.#high = high;
    this.#low = low;
    this.#last = value;
    return value;
  }
}

/** Calls `make` with the text of a slot with a hash, once per distinct text. */
function memo<T>(index: LineIndex, make: (text: string) => T): (at: number) => T {
  let known = new Map<number, Made<T>>();
  let last: Made<T> | undefined;
  return (at) => {
    const high = index.word(at + 2);
    const low = index.word(at + 3);
    if (last !== undefined && last.low === low && last.high === high) return last.value;
    last = known.get(low);
    if (last === undefined || last.high !== high) {
      if (known.size >= mostKnown) known = new Map();
      last = { high, low, value: make(index.text(at)) };
      known.set(low, last);
    }
    return last.value;
  };
}

interface Made<T> {
  readonly high: number;
  readonly low: number;
  readonly value: T;
}

/** How many values are remembered. Hostile input may invent any number. */
const mostKnown = 4096;

/** Four bytes for each of 200 characters. */
const headBytes = 800;

const timeBytes = '"2026-11-18T03:27:15.000Z"'.length;

/** More could be inexact. */
const mostDigits = 15;
const zero = 0x30;
export const quote = 0x22;
const backslash = 0x5c;
export const bracket = 0x5b;
export const curly = 0x7b;
const letterF = 0x66;
export const letterN = 0x6e;
const letterT = 0x74;
