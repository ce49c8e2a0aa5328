// Keeps the calls of tools: who made them, when, how long they took, how they ended. What several records and files say
// about a call is joined by its id, in any order. There may be ten million, so they are columns of numbers.
import type { Event, EventMap } from '../event/event.js';
import { hash, hashed } from '../record/hash.js';
import { countOf, idOf, jsonBytes, objectOf, textOf, textsOf } from '../record/json.js';
import { scopeOf } from './agents.js';
import { RepeatedCalls } from './repeated.js';
import { isFirstOwner, type Owner } from './work.js';

/** How the duration of a call was measured, the best way first. */
export const clocks = ['reported', 'hook', 'records'] as const;
export type Clock = (typeof clocks)[number];

/** What calls of the same agent and tool share; one object for all of them. */
export interface CallKind {
  readonly session_id: string | null;
  readonly team: string | null;
  /** As the events name it. */
  readonly agent: string | null;
  readonly tool: string;
  readonly server: string | null;
}

export interface CallFacts {
  readonly kind: CallKind;
  /** Times of the call and its result, in milliseconds since 1970; NaN if unknown. */
  readonly start: number;
  readonly end: number;
  readonly ms: number | null;
  readonly clock: Clock | null;
  readonly open: boolean;
  readonly failed: boolean;
  readonly denied: boolean;
  readonly input_bytes: number;
  readonly result_bytes: number | null;
  /** Part of a loop (repeated.ts). */
  readonly repeated: boolean;
  /** null unless details are kept. */
  readonly details: CallDetails | null;
}

export interface CallDetails {
  readonly id: string;
  /** If copies are in several files, the first line. */
  readonly line: number | null;
  readonly message_id: string | null;
  readonly about: string | null;
  readonly error: string | null;
  /** How many calls of the same agent were open when it began. */
  readonly parallel: number;
}

interface CallOptions {
  /** Keeps an object per call too. Returns what a call with this input is about. */
  readonly details?: (input: unknown) => string | null;
  /** Makes the hashes of ids unpredictable. */
  readonly seed?: number;
}

export class Calls {
  readonly repeated = new RepeatedCalls();
  readonly #ids: IdTable;
  readonly #keep: CallOptions['details'];
  readonly #details: (Mutable<CallDetails> | undefined)[] = [];
  readonly #kinds: OwnedKind[] = [];
  readonly #kindNumbers = new Map<string, number>();
  /** The number of the kind, from 1; 0 while only a result or a hook is known. */
  readonly #kind = new Column(Uint32Array, 0);
  readonly #flags = new Column(Uint8Array, 0);
  readonly #start = new Column(Float64Array, Number.NaN);
  readonly #end = new Column(Float64Array, Number.NaN);
  readonly #inputBytes = new Column(Uint32Array, 0);
  readonly #resultBytes = new Column(Uint32Array, 0);
  readonly #reportedMs = new Column(Uint32Array, unknownMs);
  readonly #hookMs = new Column(Uint32Array, unknownMs);

  constructor({ details, seed = 0 }: CallOptions = {}) {
    this.#keep = details;
    this.#ids = new IdTable(seed);
  }

  note(event: Event): void {
    const open = this.repeated.note(event);
    switch (event.event) {
      case 'tool:called':
        return this.#called(event, open);
      case 'tool:returned':
        return this.#returned(event);
      case 'hook:fired':
        return this.#timed(event);
      case 'session:ended':
        for (const denial of event.permission_denials ?? []) this.#mark(objectOf(denial)?.tool_use_id, flags.denied);
        return;
      case 'session:changed':
        for (const id of textsOf(event.tool_use_ids) ?? []) this.#mark(id, flags.retracted);
        if (event.subtype === 'permission_denied') this.#mark(event.tool_use_id, flags.denied);
    }
  }

  get kinds(): CallKind[] {
    return this.#kinds.map(({ kind }) => kind);
  }

  /** Every call that was made and not taken back, in the order in which the ids were first seen. */
  *all(): Generator<CallFacts> {
    const looped = new Set(
      this.repeated.all.flatMap(({ tool_use_ids }) => [...tool_use_ids].map((id) => this.#ids.add(id))),
    );
    for (let at = 0; at < this.#ids.size; at++) {
      const kind = this.#kinds[this.#kind.get(at) - 1];
      const is = this.#flags.get(at);
      if (kind === undefined || (is & flags.retracted) !== 0) continue;
      const start = this.#start.get(at);
      const end = this.#end.get(at);
      const open = (is & flags.returned) === 0;
      const times = [this.#reportedMs.get(at), this.#hookMs.get(at), end >= start ? end - start : unknownMs];
      const best = times.findIndex((ms) => ms !== unknownMs);
      yield {
        kind: kind.kind,
        start,
        end,
        ms: times[best] ?? null,
        clock: clocks[best] ?? null,
        open,
        failed: (is & flags.failed) !== 0,
        denied: (is & flags.denied) !== 0,
        input_bytes: this.#inputBytes.get(at),
        result_bytes: open ? null : this.#resultBytes.get(at),
        repeated: looped.has(at),
        details: this.#details[at] ?? null,
      };
    }
  }

  #called(event: EventMap['tool:called'], parallel: number): void {
    const { tool_use_id: id, input, time, line, message_id } = event;
    // A call without an id cannot come twice, and cannot return.
    const at = id === null ? this.#ids.addNew() : this.#ids.add(id);
    const number = this.#kindOf(event);
    const known = this.#kind.get(at);
    const [before, now] = [this.#kinds[known - 1], this.#kinds[number - 1]];
    if (before === undefined || (now !== undefined && isFirstOwner(now, before))) this.#kind.set(at, number);
    this.#start.set(at, earliest(this.#start.get(at), time));
    this.#inputBytes.set(at, Math.max(this.#inputBytes.get(at), bounded(event.input_bytes ?? jsonBytes(input))));
    if (this.#keep === undefined) return;
    const details = this.#detailsAt(at, id ?? '');
    details.parallel = Math.max(details.parallel, parallel);
    details.line = least(details.line, line);
    details.message_id = least(details.message_id, message_id);
    details.about = least(details.about, this.#keep(input));
  }

  #returned(event: EventMap['tool:returned']): void {
    const { tool_use_id: id, success, denied = false, duration_ms, time, error = null } = event;
    if (id === null) return;
    const at = this.#ids.add(id);
    const now = flags.returned | (success ? 0 : flags.failed) | (denied ? flags.denied : 0);
    this.#flags.set(at, this.#flags.get(at) | now);
    this.#end.set(at, earliest(this.#end.get(at), time));
    const bytes = bounded(event.result_bytes ?? jsonBytes(event.result));
    this.#resultBytes.set(at, Math.max(this.#resultBytes.get(at), bytes));
    longer(this.#reportedMs, at, duration_ms ?? null);
    if (this.#keep === undefined || error === null) return;
    const details = this.#detailsAt(at, id);
    details.error = least(details.error, error);
  }

  /** A hook that ran after a call says how long the call took, without its own time. */
  #timed({ hook, tool_use_id, duration_ms }: EventMap['hook:fired']): void {
    const id = idOf(tool_use_id);
    if (id === null || hook === null || !afterCall.has(hook)) return;
    longer(this.#hookMs, this.#ids.add(id), countOf(duration_ms));
  }

  #mark(id: unknown, flag: number): void {
    const text = textOf(id);
    if (!text) return;
    const at = this.#ids.add(text);
    this.#flags.set(at, this.#flags.get(at) | flag);
  }

  #kindOf({ session_id, team, agent, tool, server: named }: EventMap['tool:called']): number {
    const server = named ?? null;
    const key = `${session_id}\0${team}\0${agent}\0${tool}\0${server}`;
    const known = this.#kindNumbers.get(key);
    if (known !== undefined) return known;
    const kind = { session_id, team, agent, tool: tool ?? '', server };
    const number = this.#kinds.push({ kind, scope: scopeOf(kind), agent: agent ?? '', key });
    this.#kindNumbers.set(key, number);
    return number;
  }

  #detailsAt(at: number, id: string): Mutable<CallDetails> {
    const known = this.#details[at];
    if (known !== undefined) return known;
    const made: Mutable<CallDetails> = {
      id,
      line: null,
      message_id: null,
      about: null,
      error: null,
      parallel: 0,
    };
    this.#details[at] = made;
    return made;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OwnedKind extends Owner {
  readonly kind: CallKind;
}

const flags = { returned: 1, failed: 2, denied: 4, retracted: 8 } as const;

const afterCall = new Set(['PostToolUse', 'PostToolUseFailure']);

/** Stands for an unknown duration; no real one is this long. */
const unknownMs = 2 ** 32 - 1;

function bounded(count: number): number {
  return Math.min(Math.max(count, 0), 2 ** 32 - 1);
}

function earliest(known: number, time: string | null): number {
  const now = time === null ? Number.NaN : Date.parse(time);
  return now < known || Number.isNaN(known) ? now : known;
}

function longer(column: Column, at: number, said: number | null): void {
  const ms = said === null ? -1 : Math.round(said);
  if (!(ms >= 0 && ms < unknownMs)) return;
  const known = column.get(at);
  if (known === unknownMs || ms > known) column.set(at, ms);
}

/** The same whichever copy comes first. */
function least<T extends string | number>(a: T | null, b: T | null): T | null {
  return a === null || (b !== null && b < a) ? b : a;
}

type Numbers = Uint8Array | Uint32Array | Float64Array;

/** One number per call, in pieces that are allocated on first write. */
class Column {
  readonly #make: new (
    length: number,
  ) => Numbers;
  readonly #missing: number;
  readonly #pieces: (Numbers | undefined)[] = [];

  constructor(make: new (length: number) => Numbers, missing: number) {
    this.#make = make;
    this.#missing = missing;
  }

  get(at: number): number {
    return this.#pieces[at >>> pieceBits]?.[at & pieceMask] ?? this.#missing;
  }

  set(at: number, value: number): void {
    const number = at >>> pieceBits;
    let piece = this.#pieces[number];
    if (piece === undefined) {
      piece = new this.#make(pieceMask + 1).fill(this.#missing);
      // A sparse array would be slow.
      while (this.#pieces.length < number) this.#pieces.push(undefined);
      this.#pieces[number] = piece;
    }
    piece[at & pieceMask] = value;
  }
}

const pieceBits = 15;
const pieceMask = (1 << pieceBits) - 1;

/** Gives each id a number, from 0. Ids are compared by 64-bit hashes. */
class IdTable {
  size = 0;
  readonly #seed: number;
  readonly #high = new Column(Uint32Array, 0);
  readonly #low = new Column(Uint32Array, 0);
  /** The number plus 1 of the id with this hash or a nearby one; 0 is free. */
  #slots = new Uint32Array(1024);

  constructor(seed: number) {
    this.#seed = seed;
  }

  add(id: string): number {
    hash(id, this.#seed);
    const { high, low } = hashed;
    const mask = this.#slots.length - 1;
    let slot = low & mask;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      if (this.#low.get(found - 1) === low && this.#high.get(found - 1) === high) return found - 1;
      slot = (slot + 1) & mask;
    }
    const at = this.addNew();
    this.#high.set(at, high);
    this.#low.set(at, low);
    this.#slots[slot] = at + 1;
    if (this.size * 4 > this.#slots.length * 3) this.#grow();
    return at;
  }

  /** A number for a call without an id. */
  addNew(): number {
    return this.size++;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#slots.length);
    for (const found of this.#slots) {
      if (found === 0) continue;
      let slot = this.#low.get(found - 1) & (larger.length - 1);
      while (larger[slot] !== 0) slot = (slot + 1) & (larger.length - 1);
      larger[slot] = found;
    }
    this.#slots = larger;
  }
}
