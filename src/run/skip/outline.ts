import { parseJson } from '../../core/record/json.js';
import { backslash, quote } from './bytes.js';

/** A record without what is left out of it: what it says, where, and what always stands between. */
export interface Outline {
  /** For each stretch of it the bytes before, between and behind its values. */
  readonly stretches: readonly (readonly Uint8Array[])[];
  /** Its values, in their order; -1 owns those in lists, which are not kept. */
  readonly fields: readonly Field[];
  /** Values that tell one kind of record from another: they are part of the outline. */
  readonly constants: readonly (Place & { readonly value: unknown })[];
  /** The record, then the objects in it. */
  readonly objects: readonly Place[];
  /** Where its content would stand. */
  readonly content: Place;
}

export interface Field extends Place {
  /** The keys that lead to it. */
  readonly path: string;
}

export interface Place {
  readonly owner: number;
  readonly key: string;
}

/**
 * Reads the stretches [start, end) of one record, the first of which ends in the bracket that opens its content. Null for a record
 * that is not plain: with blanks, or with lists outside of its usage.
 */
export function outlineOf(bytes: Buffer, stretches: readonly (readonly [number, number])[]): Outline | null {
  const levels: Level[] = [];
  const outline = { stretches: [] as Uint8Array[][], fields: [] as Field[], constants: [] as Constant[] };
  const objects: Place[] = [];
  let content: Place | null = null;
  let key: string | null = null;
  const claimed = new Set<string>();

  function open(byte: number): boolean {
    const level = levels.at(-1);
    const isIn = level !== undefined && !level.isList && level.owner !== -1 && key !== null;
    if (level === undefined && objects.length > 0) return false;
    if (byte === bracket) {
      if (!isIn && !level?.isFree) return false;
      levels.push({ isList: true, isFree: true, owner: -1 });
      return true;
    }
    const owner = level === undefined || isIn ? objects.length : -1;
    if (owner !== -1) objects.push({ owner: level?.owner ?? -1, key: key ?? '' });
    levels.push({ isList: false, isFree: (level?.isFree ?? false) || key === 'usage', owner });
    key = null;
    return true;
  }

  function readStretch(start: number, end: number): boolean {
    const literals: Uint8Array[] = [];
    let from = start;
    for (let at = start; at < end; ) {
      const byte = bytes[at] ?? 0;
      const level = levels.at(-1);
      if (byte === curly || byte === bracket) {
        const isContent = byte === bracket && at + 1 === end && content === null;
        if (isContent) content = { owner: level?.owner ?? -1, key: key ?? '' };
        else if (byte === bracket && bytes[at + 1] !== closingBracket && !level?.isFree && key !== 'tool_result_meta')
          return false;
        if (!open(byte)) return false;
        at++;
      } else if (byte === closingCurly || byte === closingBracket) {
        if (levels.pop() === undefined) return false;
        at++;
      } else if (byte === comma) {
        key = level?.isList ? key : null;
        at++;
      } else if (byte === quote && level !== undefined && !level.isList && key === null) {
        const to = textEnd(bytes, at, end);
        const name = parseJson(bytes.toString('utf8', at, to));
        if (typeof name !== 'string' || name === '__proto__' || bytes[to] !== colon) return false;
        // Of two keys of one name the last counts: not worth telling which that is.
        const claim = `${level.owner} ${name}`;
        if (level.owner !== -1 && claimed.has(claim)) return false;
        claimed.add(claim);
        key = name;
        at = to + 1;
      } else {
        const to = byte === quote ? textEnd(bytes, at, end) : wordEnd(bytes, at, end);
        const value = parseJson(bytes.toString('utf8', at, to));
        if (value === undefined || level === undefined || to - at > longest) return false;
        const place = { owner: level.isList ? -1 : level.owner, key: key ?? '' };
        if (place.key === 'type' || place.key === 'role') outline.constants.push({ ...place, value });
        else {
          literals.push(bytes.subarray(from, at));
          outline.fields.push({ ...place, path: [...pathOf(objects, place.owner), place.key].join(' ') });
          from = to;
        }
        at = to;
      }
    }
    literals.push(bytes.subarray(from, end));
    outline.stretches.push(literals.map((literal) => Uint8Array.from(literal)));
    return true;
  }

  for (const [start, end] of stretches) if (!readStretch(start, end)) return null;
  if (content === null || levels.length > 0 || outline.fields.length > most) return null;
  return { ...outline, objects, content };
}

function pathOf(objects: readonly Place[], owner: number): string[] {
  const object = objects[owner];
  return object === undefined || owner === 0 ? [] : [...pathOf(objects, object.owner), object.key];
}

interface Level {
  readonly isList: boolean;
  /** Lists are of no account here. */
  readonly isFree: boolean;
  readonly owner: number;
}

type Constant = Place & { readonly value: unknown };

const curly = 0x7b;
const closingCurly = 0x7d;
const bracket = 0x5b;
const closingBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;
const longest = 500;
const most = 100;

/** Behind the quote that ends the text; the end, where none does. */
function textEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return end;
}

function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && !isEndOfWord(bytes[at])) at++;
  return at;
}

function isEndOfWord(byte: number | undefined): boolean {
  return byte === comma || byte === closingCurly || byte === closingBracket;
}
