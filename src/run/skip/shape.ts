import type { JsonObject } from '../../core/record/json.js';
import { backslash, find, quote, type Word, wordOf } from './bytes.js';
import { Literal } from './literal.js';
import { type Outline, outlineOf } from './outline.js';
import { Values } from './values.js';

/** What is left out of a record, [from, to) and [result, next): its content, and what a tool returned beside that. */
export interface Cuts {
  readonly from: number;
  readonly to: number;
  /** Both are -1 where there is no such thing. */
  readonly result: number;
  readonly next: number;
}

/**
 * Records of one kind are alike but for their values: once the keys of one were read, the next is known by comparing bytes, and its
 * values stand between. That goes from both ends of the line, and takes a fifth of the time of parsing it; what lies between,
 * which may be megabytes, is not touched.
 */
export class Shape {
  /** The shape of a record that is cut so; null when it is not plain enough. */
  static of(line: Buffer, start: number, end: number, { from, to, result, next }: Cuts): Shape | null {
    const outline = outlineOf(line, [[start, from], ...around(to, result, next, end)]);
    const shape = outline === null ? null : new Shape(outline);
    const fits = shape?.match(line, start, end) && shape.from === from && shape.to === to && shape.next === next;
    return fits ? shape : null;
  }

  /** The cuts of the record matched last. */
  from = 0;
  to = 0;
  result = -1;
  next = -1;

  /** Places of values, -1 where a record of this shape has none. */
  readonly session: number;
  readonly parent: number;
  readonly #id: number;
  readonly #time: number;
  readonly #uuid: number;

  readonly #outline: Outline;
  readonly #head: readonly Literal[];
  readonly #middle: readonly Literal[] | null;
  readonly #middleOpening: Word;
  readonly #tail: readonly Literal[];
  readonly #values: Values;
  readonly #all: readonly number[];
  readonly #spent: readonly number[];

  constructor(outline: Outline) {
    const { fields, stretches } = outline;
    const [head = [], ...others] = stretches.map((literals) => literals.map((bytes) => new Literal(bytes)));
    const placeOf = (path: string) => fields.findIndex((field) => field.path === path);
    this.session = placeOf('session_id');
    this.parent = placeOf('parent_tool_use_id');
    this.#id = placeOf('message id');
    this.#time = placeOf('timestamp');
    this.#uuid = placeOf('uuid');
    this.#outline = outline;
    this.#head = head;
    this.#tail = others.pop() ?? [];
    this.#middle = others[0] ?? null;
    this.#middleOpening = wordOf(stretches[1]?.[0] ?? '');
    this.#values = new Values(fields.length);
    this.#all = [...fields.keys()].filter((index) => fields[index]?.owner !== -1);
    this.#spent = this.#all.filter((index) => isSpending(fields[index]?.path ?? ''));
  }

  match(line: Buffer, start: number, end: number): boolean {
    this.from = this.#forward(line, this.#head, start, 0);
    if (this.from === -1 || this.from > end) return false;
    if (this.#middle === null) {
      this.to = this.#backward(line, end, this.from);
      return this.to !== -1;
    }
    this.to = find(line, this.#middleOpening, this.from, end);
    this.result = this.to === -1 ? -1 : this.#forward(line, this.#middle, this.to, this.#head.length - 1);
    this.next = this.result === -1 ? -1 : this.#backward(line, end, this.result);
    return this.next !== -1;
  }

  /** The value at a place of the record matched last; undefined where it is damaged. */
  value(line: Buffer, place: number): unknown {
    return this.#values.read(line, place);
  }

  /**
   * Whether the record matched last says of its message what the one before said, no earlier: as the blocks of a message do one
   * after the other. A third of the records of a usage report end here.
   */
  isRepeat(line: Buffer): boolean {
    const values = this.#values;
    const before = values.last(this.#time);
    let isNew = false;
    for (const place of this.#all) {
      if (place === this.#uuid || values.isAsBefore(line, place)) continue;
      values.read(line, place);
      if (place !== this.#time) isNew = true;
    }
    if (isNew || !this.#hasId(line)) return false;
    return this.#time === -1 || isNoEarlier(values.last(this.#time), before);
  }

  /** The record matched last, with other content and without what was returned; null when a value is damaged. */
  record(line: Buffer, content: readonly JsonObject[]): JsonObject | null {
    return this.#make(line, this.#all, content);
  }

  /** What it says of the usage of its message, and whose that is; null for a message without an id, which is one with its record. */
  spent(line: Buffer): JsonObject | null {
    return this.#hasId(line) ? this.#make(line, this.#spent, []) : null;
  }

  #hasId(line: Buffer): boolean {
    const id = this.#id === -1 ? null : this.#values.read(line, this.#id);
    return typeof id === 'string' && id !== '';
  }

  #make(line: Buffer, places: readonly number[], content: readonly JsonObject[]): JsonObject | null {
    const { fields, objects, constants, content: list } = this.#outline;
    const made: JsonObject[] = [];
    for (const { owner, key } of objects) {
      const object: JsonObject = {};
      set(made[owner], key, object);
      made.push(object);
    }
    for (const { owner, key, value } of constants) set(made[owner], key, value);
    set(made[list.owner], list.key, content);
    for (const place of places) {
      const field = fields[place];
      const value = this.#values.read(line, place);
      if (field === undefined || value === undefined) return null;
      set(made[field.owner], field.key, value);
    }
    return made[0] ?? null;
  }

  #forward(line: Buffer, literals: readonly Literal[], start: number, first: number): number {
    const { starts, ends } = this.#values;
    let at = start;
    for (let index = 0; ; index++) {
      const literal = literals[index];
      if (literal === undefined || !literal.standsAt(line, at)) return -1;
      at += literal.length;
      if (index === literals.length - 1) return at;
      const to = line[at] === quote ? textEnd(line, at) : wordEnd(line, at);
      if (to === -1) return -1;
      starts[first + index] = at;
      ends[first + index] = to;
      at = to;
    }
  }

  /** The tail, from the end of the line; where it begins, which is not before the floor. */
  #backward(line: Buffer, end: number, floor: number): number {
    const { starts, ends } = this.#values;
    let at = end;
    let place = starts.length;
    for (let index = this.#tail.length - 1; ; index--) {
      const literal = this.#tail[index];
      if (literal === undefined) return -1;
      at -= literal.length;
      if (at < floor || !literal.standsAt(line, at)) return -1;
      if (index === 0) return at;
      const from = line[at - 1] === quote ? textStart(line, at, floor) : wordStart(line, at, floor);
      if (from === -1) return -1;
      starts[--place] = from;
      ends[place] = at;
      at = from;
    }
  }
}

function around(to: number, result: number, next: number, end: number): [number, number][] {
  if (result === -1) return [[to, end]];
  return [
    [to, result],
    [next, end],
  ];
}

function isSpending(path: string): boolean {
  return path.startsWith('message ') || spending.has(path);
}
const spending = new Set(['parent_tool_use_id', 'agent_id', 'session_id', 'timestamp', 'request_id']);

function set(object: JsonObject | undefined, key: string, value: unknown): void {
  if (object !== undefined) object[key] = value;
}

/** Times compare as text if they are spelled as Claude Code does. */
function isNoEarlier(now: unknown, before: unknown): boolean {
  return isTime(now) && isTime(before) && now >= before;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && value.length === 24 && value.endsWith('Z');
}

const longestText = 600;
const longestWord = 30;

function textEnd(line: Buffer, from: number): number {
  for (let at = from + 1; at < from + longestText; at++) {
    if (line[at] === backslash) at++;
    else if (line[at] === quote) return at + 1;
  }
  return -1;
}

/** The quote that opens a text is the one without a backslash before it. */
function textStart(line: Buffer, end: number, floor: number): number {
  const least = Math.max(floor, end - longestText);
  for (let at = end - 2; at > least; at--) if (line[at] === quote && line[at - 1] !== backslash) return at;
  return -1;
}

function wordEnd(line: Buffer, from: number): number {
  for (let at = from; at < from + longestWord; at++) if (!isInWord[line[at] ?? 0]) return at === from ? -1 : at;
  return -1;
}

function wordStart(line: Buffer, end: number, floor: number): number {
  const least = Math.max(floor, end - longestWord);
  for (let at = end; at > least; at--) if (!isInWord[line[at - 1] ?? 0]) return at === end ? -1 : at;
  return -1;
}

/** By byte: those of numbers, true, false and null. */
const isInWord = Uint8Array.from({ length: 256 }, (_, byte) => (/[-+.\dEa-z]/.test(String.fromCharCode(byte)) ? 1 : 0));
