// AssemblyScript, compiled by `npm run build:scan`. Finds the lines of NDJSON and the positions of the wanted keys. It
// knows JSON but nothing about Claude Code. src/core/record/scan-engine.ts writes the table of keys and describes the
// memory layout. A line is odd unless it is one JSON object that JSON.parse accepts, with no wanted key twice or
// escaped.

// A key in the table.
const NEXT: usize = 0; // u32: the next key of the same object with the same length, 0 for none
const SLOT: usize = 4; // u32: its first word after the head of the entry; for a mark, its bit
const KIND: usize = 8; // u32
const CHILDREN: usize = 12; // u32: the keys of the object, or of the objects in the list
const NAME: usize = 32; // 32 bytes
// The keys of an object: for each length from 0 to 32, the first key, u32.

const PLACE: u32 = 0; // where the value begins and ends
const OBJECT: u32 = 1; // the same, plus its keys
const LIST: u32 = 2; // the same, plus the keys of each item
const HASH: u32 = 3; // the same, plus a hash of the bytes
const ID: u32 = 4; // the same, plus the hash of the text as core/record/hash.ts begins it; 0 if it is not plain text
const MARK: u32 = 5; // only whether it is present
const HASHED: u32 = 6; // an object with its keys, and a hash of its bytes
const COUNT: u32 = 7; // the same, plus its value and 1; both stay 0 if it is not a whole number below a billion
const TIME: u32 = 9; // the same, plus 1 if it is written like 2026-11-18T20:03:11.123Z and certainly a time
const SHARED: u32 = 8; // the same as HASH; the hash is also part of the hash that the entry has for all these values

const LONGEST_NAME: usize = 32;
const DEEPEST: i32 = 64;

const LF: u8 = 0x0a;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const OPEN_LIST: u8 = 0x5b;
const CLOSE_LIST: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;

/** Where the entries end. */
export let used: usize = 0;
/** Lines so far, blank ones included. */
export let lines: u32 = 0;
/** Makes hashes unpredictable. */
let seed: u64 = 0;
/** The hash of an id before its first character. */
let idHigh: u32 = 0;
let idLow: u32 = 0;

export function setSeed(value: u32, high: u32, low: u32): void {
  seed = (<u64>value << 32) | 0x9e3779b9;
  idHigh = high;
  idLow = low;
}

/** The hash of the shared values of the line. */
let shared: u64 = 0;
let nextItem: usize = 0;
let itemBytes: usize = 0;
let itemCount: i32 = 0;
let tapeEnd: usize = 0;

/**
 * Writes an entry for each line of [from, end) that is not blank, or longer than allowed. The last byte is a LF.
 * Returns where it stopped, which is before `end` if the tape is full.
 */
export function scan(from: usize, end: usize, tape: usize, room: usize, keys: usize, slotWords: u32, itemWords: u32, longest: usize): usize {
  let p = from;
  let entry = tape;
  const slotBytes = <usize>slotWords << 2;
  itemBytes = <usize>itemWords << 2;
  tapeEnd = room;
  while (p < end && entry + 36 + slotBytes < room) {
    const slots = entry + 36;
    memory.fill(entry + 32, 0, slotBytes + 4);
    shared = seed;
    nextItem = slots + slotBytes;
    itemCount = 0;
    lines++;
    const start = space(p);
    if (load<u8>(start) == LF && lengthOf(p, start) <= longest) {
      p = start + 1;
      continue;
    }
    let lineEnd: usize = 0;
    if (load<u8>(start) == OPEN_OBJECT) {
      const done = objectAt(start, keys, slots);
      if (done != 0) {
        const behind = space(done);
        if (load<u8>(behind) == LF) lineEnd = behind;
      }
    }
    const isOdd = lineEnd == 0;
    if (isOdd) {
      lineEnd = lineEndAt(start);
      nextItem = slots + slotBytes;
      itemCount = 0;
    }
    const to = p + lengthOf(p, lineEnd);
    store<u32>(entry, <u32>(nextItem - entry) >> 2);
    store<u32>(entry, <u32>p, 4);
    store<u32>(entry, <u32>to, 8);
    store<u32>(entry, isOdd ? 1 : 0, 12);
    store<u32>(entry, itemCount, 16);
    store<u32>(entry, lines, 20);
    store<u64>(entry, shared, 24);
    entry = nextItem;
    p = lineEnd + 1;
  }
  used = entry;
  return p;
}

/** The length of a line without its end: LF, or CR and LF. */
@inline function lengthOf(from: usize, lf: usize): usize {
  return lf > from && load<u8>(lf - 1) == 0x0d ? lf - 1 - from : lf - from;
}

/** Fills the slots of an object. Returns the place after it, 0 if something is odd. */
function objectAt(from: usize, keys: usize, slots: usize): usize {
  let p = space(from + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return p + 1;
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const name = p + 1;
    const nameEnd = stringEnd(name);
    if (nameEnd == 0) return 0;
    const length = nameEnd - name;
    p = space(nameEnd + 1);
    if (load<u8>(p) != COLON) return 0;
    p = space(p + 1);
    const key = length <= LONGEST_NAME ? keyNamed(keys, name, length) : 0;
    if (key == 0) {
      // A key with an escape may spell any name.
      if (hasBackslash(name, nameEnd)) return 0;
      p = valueEnd(p);
    } else p = wantedValue(p, key, slots);
    if (p == 0) return 0;
    p = space(p);
    const c = load<u8>(p);
    if (c == CLOSE_OBJECT) return p + 1;
    if (c != COMMA) return 0;
    p = space(p + 1);
  }
}

function wantedValue(start: usize, key: usize, slots: usize): usize {
  const kind = load<u32>(key, KIND);
  if (kind == MARK) {
    // The word before the slots.
    store<u32>(slots - 4, load<u32>(slots - 4) | load<u32>(key, SLOT));
    return valueEnd(start);
  }
  const slot = slots + (<usize>load<u32>(key, SLOT) << 2);
  // JSON.parse takes the last of two keys with the same name, so this is odd.
  if (load<u32>(slot) != 0) return 0;
  const first = load<u8>(start);
  let end: usize;
  if ((kind == OBJECT || kind == HASHED) && first == OPEN_OBJECT) end = objectAt(start, load<u32>(key, CHILDREN), slots);
  else if (kind == LIST && first == OPEN_LIST) end = listAt(start, load<u32>(key, CHILDREN));
  else end = valueEnd(start);
  if (end == 0) return 0;
  store<u32>(slot, <u32>start);
  store<u32>(slot, <u32>end, 4);
  if (kind == HASH || kind == HASHED) store<u64>(slot, hashOf(start, end), 8);
  else if (kind == ID && first == QUOTE) storeId(start + 1, end - 1, slot);
  else if (kind == COUNT) storeCount(start, end, slot);
  else if (kind == TIME) store<u32>(slot, end - start == 26 && isTime(start + 1) ? 1 : 0, 8);
  else if (kind == SHARED) {
    const hash = hashOf(start, end);
    store<u64>(slot, hash, 8);
    shared = (shared ^ hash ^ <u64>key) * 0xff51afd7ed558ccd;
    shared ^= shared >> 32;
  }
  return end;
}

/** An item has its place, its marks and its slots. */
function listAt(from: usize, keys: usize): usize {
  let p = space(from + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    const item = nextItem;
    if (item + itemBytes > tapeEnd) return 0;
    memory.fill(item, 0, itemBytes);
    nextItem += itemBytes;
    itemCount++;
    const start = p;
    p = load<u8>(p) == OPEN_OBJECT ? objectAt(p, keys, item + 12) : valueEnd(p);
    if (p == 0) return 0;
    store<u32>(item, <u32>start);
    store<u32>(item, <u32>p, 4);
    p = space(p);
    const c = load<u8>(p);
    if (c == CLOSE_LIST) return p + 1;
    if (c != COMMA) return 0;
    p = space(p + 1);
  }
}

/** Returns the place after a value that nobody wants; 0 if it is not JSON or nested too deep. */
export function valueEnd(from: usize): usize {
  let p = from;
  let depth: i32 = 0;
  // The kinds of the open brackets, one bit each: 1 for an object.
  let open: u64 = 0;
  while (true) {
    const c = load<u8>(p);
    if (c == QUOTE) {
      p = stringEnd(p + 1);
      if (p == 0) return 0;
      p++;
    } else if ((c | 0x20) == OPEN_OBJECT) {
      if (depth == DEEPEST) return 0;
      const isObject = c == OPEN_OBJECT;
      depth++;
      open = (open << 1) | <u64>isObject;
      p = space(p + 1);
      if (load<u8>(p) != (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
        if (isObject) {
          p = keyEnd(p);
          if (p == 0) return 0;
        }
        continue;
      }
    } else {
      p = scalarEnd(p);
      if (p == 0) return 0;
    }
    while (true) {
      if (depth == 0) return p;
      p = space(p);
      const d = load<u8>(p);
      const isObject = (open & 1) != 0;
      if (d == COMMA) {
        p = space(p + 1);
        if (isObject) {
          p = keyEnd(p);
          if (p == 0) return 0;
        }
        break;
      }
      if (d != (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return 0;
      p++;
      depth--;
      open >>= 1;
    }
  }
}

/** Returns the place of the value after a key and its colon; 0 if there is none. */
@inline function keyEnd(from: usize): usize {
  if (load<u8>(from) != QUOTE) return 0;
  const end = stringEnd(from + 1);
  if (end == 0) return 0;
  const p = space(end + 1);
  return load<u8>(p) == COLON ? space(p + 1) : 0;
}

/** A number or a word. */
function scalarEnd(from: usize): usize {
  let p = from;
  let c = load<u8>(p);
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : 0; // true
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0; // null
  if (c == 0x66) return load<u32>(p, 1) == 0x65736c61 ? p + 5 : 0; // false
  if (c == 0x2d) c = load<u8>(++p);
  if (c == 0x30) c = load<u8>(++p);
  else if (isDigit(c)) p = digits(p);
  else return 0;
  if (load<u8>(p) == 0x2e) {
    if (!isDigit(load<u8>(++p))) return 0;
    p = digits(p);
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    c = load<u8>(++p);
    if (c == 0x2b || c == 0x2d) c = load<u8>(++p);
    if (!isDigit(c)) return 0;
    p = digits(p);
  }
  return p;
}

@inline function isDigit(c: u8): bool {
  return c - 0x30 < 10;
}

@inline function digits(from: usize): usize {
  let p = from;
  while (isDigit(load<u8>(p))) p++;
  return p;
}

@inline function space(from: usize): usize {
  let p = from;
  let c = load<u8>(p);
  while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++p);
  return p;
}

@inline function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)) | (<u64>(<u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)) << 32);
}

function lineEndAt(from: usize): usize {
  const lf = i8x16.splat(LF);
  let p = from;
  while (true) {
    const a = i8x16.eq(v128.load(p), lf), b = i8x16.eq(v128.load(p, 16), lf);
    const c = i8x16.eq(v128.load(p, 32), lf), d = i8x16.eq(v128.load(p, 48), lf);
    if (v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) return p + <usize>ctz<u64>(bits(a, b, c, d));
    p += 64;
  }
}

const EVEN: u64 = 0xaaaaaaaaaaaaaaaa;

@inline function isByte(text: v128, byte: u8): v128 {
  return i8x16.eq(text, i8x16.splat(byte));
}

@inline function isControl(text: v128): v128 {
  return i8x16.eq(i8x16.min_u(text, i8x16.splat(0x1f)), text);
}

/**
 * The closing quote of a string that begins at `from`; 0 if it has none, or a control character or an invalid escape. A
 * LF is a control character, so no string goes beyond its line.
 */
function stringEnd(from: usize): usize {
  // Most keys and ids end within a few bytes.
  const head = v128.load(from);
  const found = <u32>i8x16.bitmask(v128.or(v128.or(isByte(head, QUOTE), isByte(head, BACKSLASH)), isControl(head)));
  if (found != 0) {
    const at = from + <usize>ctz<u32>(found);
    const c = load<u8>(at);
    if (c == QUOTE) return at;
    if (c != BACKSLASH) return 0;
  }
  let p = from;
  // Whether the first character of the block is escaped.
  let carry: u64 = 0;
  while (true) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const quotes = bits(isByte(a, QUOTE), isByte(b, QUOTE), isByte(c, QUOTE), isByte(d, QUOTE));
    const back = bits(isByte(a, BACKSLASH), isByte(b, BACKSLASH), isByte(c, BACKSLASH), isByte(d, BACKSLASH));
    const wrong = v128.or(v128.or(isControl(a), isControl(b)), v128.or(isControl(c), isControl(d)));
    let stop = quotes;
    if (v128.any_true(wrong)) stop |= bits(isControl(a), isControl(b), isControl(c), isControl(d));
    if ((back | carry) != 0) {
      // As in simdjson: the backslashes that are not escaped themselves, and what they escape.
      const open = back & ~carry;
      const code = (((open << 1) | EVEN) - open) ^ EVEN;
      const escaped = code ^ (back | carry);
      carry = (code & back) >> 63;
      stop &= ~(escaped & quotes);
      const before = stop == 0 ? escaped : escaped & ((stop & (0 - stop)) - 1);
      // The usual escapes at once, the others one by one.
      const others = before & ~(quotes | back | bits(isByte(a, 0x6e), isByte(b, 0x6e), isByte(c, 0x6e), isByte(d, 0x6e)));
      if (others != 0 && !areEscapes(p, others)) return 0;
    }
    if (stop != 0) {
      p += <usize>ctz<u64>(stop);
      return load<u8>(p) == QUOTE ? p : 0;
    }
    p += 64;
  }
}

// The characters that may follow a backslash, one bit each: "/ below 64, \\bfnrtu from there on.
const ESCAPABLE_LOW: u64 = (<u64>1 << 34) | (<u64>1 << 47);
const ESCAPABLE_HIGH: u64 = (<u64>1 << 28) | (<u64>1 << 34) | (<u64>1 << 38) | (<u64>1 << 46) | (<u64>1 << 50) | (<u64>1 << 52) | (<u64>1 << 53);

/** Whether all these characters of a block may follow a backslash. u needs four hexadecimal digits. */
@inline function areEscapes(block: usize, escaped: u64): bool {
  let left = escaped;
  while (left != 0) {
    const at = block + <usize>ctz<u64>(left);
    const c = load<u8>(at);
    const allowed = c < 64 ? ESCAPABLE_LOW : c < 128 ? ESCAPABLE_HIGH : 0;
    if (((allowed >> (c & 63)) & 1) == 0) return false;
    if (c == 0x75 && !(isHex(load<u8>(at, 1)) && isHex(load<u8>(at, 2)) && isHex(load<u8>(at, 3)) && isHex(load<u8>(at, 4)))) return false;
    left &= left - 1;
  }
  return true;
}

@inline function isHex(c: u8): bool {
  return isDigit(c) || (c | 0x20) - 0x61 < 6;
}

function hasBackslash(from: usize, end: usize): bool {
  for (let p = from; p < end; p++) if (load<u8>(p) == BACKSLASH) return true;
  return false;
}

@inline function keyNamed(keys: usize, name: usize, length: usize): usize {
  let key = <usize>load<u32>(keys + (length << 2));
  while (key != 0) {
    const low = <u32>i8x16.bitmask(i8x16.eq(v128.load(name), v128.load(key, NAME)));
    if (length <= 16) {
      const want: u32 = <u32>((<u64>1 << length) - 1);
      if ((low & want) == want) return key;
    } else if (low == 0xffff) {
      const want: u32 = <u32>((<u64>1 << (length - 16)) - 1);
      if ((<u32>i8x16.bitmask(i8x16.eq(v128.load(name, 16), v128.load(key, NAME + 16))) & want) == want) return key;
    }
    key = <usize>load<u32>(key, NEXT);
  }
  return 0;
}

/** A 64-bit hash of the bytes. Bytes read past the end are masked out. */
function hashOf(from: usize, end: usize): u64 {
  let h: u64 = seed ^ (end - from);
  let p = from;
  while (p + 8 <= end) {
    h = (h ^ load<u64>(p)) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
    p += 8;
  }
  const left = end - p;
  if (left > 0) {
    h = (h ^ (load<u64>(p) & ((<u64>1 << (left << 3)) - 1))) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
  }
  h *= 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 29);
}

function storeCount(from: usize, end: usize, slot: usize): void {
  if (end - from > 9) return;
  let count: u32 = 0;
  for (let p = from; p < end; p++) {
    const c = load<u8>(p);
    if (!isDigit(c)) return;
    count = 10 * count + (c - 0x30);
  }
  store<u32>(slot, count, 8);
  store<u32>(slot, 1, 12);
}

/** The last days of a month need a closer look. */
function isTime(p: usize): bool {
  // A quote before it would be odd, so these are 24 characters: 0000-00-00T00:00:00.000Z
  if (load<u8>(p, 4) != 0x2d || load<u8>(p, 7) != 0x2d || load<u8>(p, 10) != 0x54 || load<u8>(p, 13) != 0x3a) return false;
  if (load<u8>(p, 16) != 0x3a || load<u8>(p, 19) != 0x2e || load<u8>(p, 23) != 0x5a) return false;
  if (!isDigit(load<u8>(p)) || !isDigit(load<u8>(p, 1)) || !isDigit(load<u8>(p, 20)) || !isDigit(load<u8>(p, 22))) return false;
  if (!isDigit(load<u8>(p, 21))) return false;
  const month = twoDigits(p + 5), day = twoDigits(p + 8);
  if (twoDigits(p + 2) > 99 || month < 1 || month > 12 || day < 1 || day > 28) return false;
  return twoDigits(p + 11) < 24 && twoDigits(p + 14) < 60 && twoDigits(p + 17) < 60;
}

/** 100 or more if these are not two digits. */
@inline function twoDigits(p: usize): u32 {
  const tens = <u32>load<u8>(p) - 0x30, ones = <u32>load<u8>(p, 1) - 0x30;
  return tens > 9 || ones > 9 ? 100 : 10 * tens + ones;
}

/** Both halves stay 0 for a text with escapes or characters other than ASCII. */
function storeId(from: usize, end: usize, slot: usize): void {
  let high = idHigh;
  let low = idLow;
  for (let p = from; p < end; p++) {
    const code = <u32>load<u8>(p);
    if (code == BACKSLASH || code >= 0x80) return;
    low = (low ^ code) * 0x01000193;
    high = (high ^ code) * 0x85ebca6b + (high >> 13);
  }
  store<u32>(slot, high, 8);
  store<u32>(slot, low, 12);
}

/** How many lines the string in [from, end) has, quotes included. A line end at its end begins no other line. */
export function linesIn(from: usize, end: usize): u32 {
  const close = end - 1;
  // Behind the last line end.
  let last = from + 1;
  let count: u32 = 0;
  let carry: u64 = 0;
  for (let p = from + 1; p < close; p += 64) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const back = bits(isByte(a, BACKSLASH), isByte(b, BACKSLASH), isByte(c, BACKSLASH), isByte(d, BACKSLASH));
    if ((back | carry) == 0) continue;
    // As in stringEnd.
    const open = back & ~carry;
    const code = (((open << 1) | EVEN) - open) ^ EVEN;
    let escaped = code ^ (back | carry);
    carry = (code & back) >> 63;
    if (close - p < 64) escaped &= (<u64>1 << (close - p)) - 1;
    const ends = escaped & bits(isByte(a, 0x6e), isByte(b, 0x6e), isByte(c, 0x6e), isByte(d, 0x6e));
    if (ends != 0) {
      count += <u32>popcnt<u64>(ends);
      last = p + 64 - <usize>clz<u64>(ends);
    }
    let codes = escaped & bits(isByte(a, 0x75), isByte(b, 0x75), isByte(c, 0x75), isByte(d, 0x75));
    while (codes != 0) {
      const at = p + <usize>ctz<u64>(codes);
      codes &= codes - 1;
      // u000a
      if ((load<u32>(at, 1) | 0x20000000) != 0x61303030) continue;
      count++;
      if (at + 5 > last) last = at + 5;
    }
  }
  return last < close ? count + 1 : count;
}

// Whether JSON.stringify would write a value with the same bytes. If so, its length is known without parsing.

/** Memory for the keys of open objects, below the tape: for each open object its first key, then a hash for each key. */
const OPEN_KEYS: usize = 48 * 1024;
const KEY_HASHES: usize = OPEN_KEYS + 4 * 64;
const MOST_HASHES: u32 = 1024;
const MOST_KEYS: u32 = 64;

/** The value is in a line that is not odd, so it is valid JSON. Also false if it is hard to tell. */
export function isCanonical(from: usize, end: usize): bool {
  let p = from;
  let depth: u32 = 0;
  let known: u32 = 0;
  while (p < end) {
    const c = load<u8>(p);
    if (c == QUOTE) {
      const close = canonicalString(p + 1);
      if (close == 0) return false;
      if (load<u8>(close, 1) == COLON && close + 1 < end) {
        if (!isNewKey(hashOf(p + 1, close), depth, known)) return false;
        known++;
      }
      p = close + 1;
    } else if (c == OPEN_OBJECT) {
      if (depth == DEEPEST) return false;
      store<u32>(OPEN_KEYS + (<usize>depth << 2), known);
      depth++;
      p++;
    } else if (c == CLOSE_OBJECT) {
      depth--;
      known = load<u32>(OPEN_KEYS + (<usize>depth << 2));
      p++;
    } else if (c == COMMA || c == COLON || c == OPEN_LIST || c == CLOSE_LIST) p++;
    else if (c == 0x74 || c == 0x6e) p += 4;
    else if (c == 0x66) p += 5;
    else {
      p = canonicalNumber(p);
      if (p == 0) return false;
    }
  }
  return true;
}

/** Remembers a key of the innermost object; false if the object already has it, or has too many. */
@inline function isNewKey(hash: u64, depth: u32, known: u32): bool {
  const first = load<u32>(OPEN_KEYS + (<usize>(depth - 1) << 2));
  if (known - first == MOST_KEYS || known == MOST_HASHES) return false;
  for (let at = first; at < known; at++) if (load<u64>(KEY_HASHES + (<usize>at << 3)) == hash) return false;
  store<u64>(KEY_HASHES + (<usize>known << 3), hash);
  return true;
}

/** The closing quote of a string that is spelled as JSON.stringify does and is valid UTF-8; else 0. */
function canonicalString(from: usize): usize {
  let p = from;
  while (true) {
    const text = v128.load(p);
    // The highest bit of a byte says that it is not ASCII.
    const found = <u32>i8x16.bitmask(v128.or(v128.or(isByte(text, QUOTE), isByte(text, BACKSLASH)), text));
    if (found == 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz<u32>(found);
    const c = load<u8>(p);
    if (c == QUOTE) return p;
    const length = c == BACKSLASH ? escapeLength(p) : characterLength(p);
    if (length == 0) return 0;
    p += length;
  }
}

/** The length of an escape; 0 if JSON.stringify would write it differently. */
@inline function escapeLength(at: usize): usize {
  const c = load<u8>(at, 1);
  if (c != 0x75) return c == 0x2f ? 0 : 2;
  // \u0000 to \u001f in lower case, except those with a short form: \b \t \n \f \r.
  const last = load<u8>(at, 5);
  if (load<u16>(at, 2) != 0x3030 || (last > 0x39 && last < 0x61)) return 0;
  const tens = load<u8>(at, 4);
  if (tens == 0x31) return 6;
  return tens == 0x30 && (last < 0x38 || last == 0x62 || last >= 0x65) ? 6 : 0;
}

/** The length of a character that is not ASCII; 0 if it is not valid UTF-8. */
@inline function characterLength(at: usize): usize {
  const c = load<u8>(at);
  const next = load<u8>(at, 1);
  if (c < 0xc2 || c > 0xf4 || !isFollowing(next)) return 0;
  if (c < 0xe0) return 2;
  if (!isFollowing(load<u8>(at, 2))) return 0;
  if (c < 0xf0) return (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ? 0 : 3;
  if (!isFollowing(load<u8>(at, 3))) return 0;
  return (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f) ? 0 : 4;
}

@inline function isFollowing(c: u8): bool {
  return (c & 0xc0) == 0x80;
}

/** The place after a number of at most 15 digits that is spelled as JSON.stringify does; else 0. */
function canonicalNumber(from: usize): usize {
  let p = from;
  if (load<u8>(p) == 0x2d) p++;
  const start = p;
  p = digits(p);
  if (p == start) return 0;
  const isZero = load<u8>(start) == 0x30;
  if (load<u8>(p) != 0x2e) {
    if ((load<u8>(p) | 0x20) == 0x65 || p - start > 15) return 0;
    return isZero && start > from ? 0 : p;
  }
  const fraction = p + 1;
  p = digits(fraction);
  if ((load<u8>(p) | 0x20) == 0x65 || p - start > 16 || load<u8>(p - 1) == 0x30) return 0;
  // Small numbers are written with an exponent.
  return isZero && load<u32>(fraction) == 0x30303030 ? 0 : p;
}
