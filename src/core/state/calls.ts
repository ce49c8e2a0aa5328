// Keeps the calls of tools: who made them, when, how long they took, how they ended. What several records and files say
// about a call is joined by its id, in any order. There may be ten million, so only recent ones are kept as objects.
import type { Event, EventMap } from '../event/event.js';
import { countOf, getOrCreate, idOf, jsonBytes, objectOf, textOf, textsOf } from '../record/json.js';
import { type Call, is, newCall, PackedCalls } from './packed-calls.js';
import { RepeatedCalls } from './repeated.js';
import { type Caller, isFirstCaller } from './work.js';

/** How the duration of a call was measured, the best way first. */
export const clocks = ['reported', 'hook', 'records'] as const;
export type Clock = (typeof clocks)[number];

export interface Tool {
  readonly tool: string;
  readonly server: string | null;
}

export interface CallFacts {
  /** The same object for all calls of a caller, and of a tool. */
  readonly caller: Caller;
  readonly tool: Tool;
  /** When it was made, else when it returned, in milliseconds since 1970; NaN if unknown. */
  readonly at: number;
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
  readonly about: string | null;
  readonly error: string | null;
  /** How many calls of the same agent were open when it began. */
  readonly parallel: number;
}

interface CallOptions {
  /** Says what a call with this input is about. Then all calls are kept unpacked, about 500 bytes each. */
  readonly details?: (input: unknown) => string | null;
  /** Makes the hashes of ids unpredictable. */
  readonly seed?: number;
  /** How many calls are kept unpacked. */
  readonly recent?: number;
}

export class Calls {
  readonly #loops = new RepeatedCalls((id) => this.#mark(id, is.repeated));
  readonly #packed: PackedCalls;
  readonly #about: CallOptions['details'];
  readonly #mostRecent: number;
  readonly #recent = new Map<string, Call>();
  readonly #callers = new Numbered<Caller>();
  readonly #tools = new Numbered<Tool & { readonly key: string }>();
  /** Most calls are made by whoever made the one before. */
  #last: { readonly caller: Caller; readonly number: number } | null = null;
  #withoutId = 0;

  constructor({ details, seed = 0, recent = 2 ** 13 }: CallOptions = {}) {
    this.#about = details;
    // Details cannot be packed.
    this.#mostRecent = details === undefined ? recent : Number.POSITIVE_INFINITY;
    this.#packed = new PackedCalls(seed, (known, news) => this.#join(known, news));
  }

  note(event: Event): void {
    const open = this.#loops.note(event);
    switch (event.event) {
      case 'tool:called':
        return this.#called(event, open);
      case 'tool:returned':
        return this.#returned(event);
      case 'hook:fired':
        return this.#timed(event);
      case 'session:ended':
        for (const denial of event.permission_denials ?? []) this.#mark(objectOf(denial)?.tool_use_id, is.denied);
        return;
      case 'session:changed':
        for (const id of textsOf(event.tool_use_ids) ?? []) this.#mark(id, is.retracted);
        if (event.subtype === 'permission_denied') this.#mark(event.tool_use_id, is.denied);
    }
  }

  get tools(): readonly Tool[] {
    return this.#tools.all;
  }

  /** How many bytes packed calls take. */
  get packedBytes(): number {
    return this.#packed.bytes;
  }

  /** Every call that was made and not taken back. If details are kept, in the order in which the ids were first seen. */
  *all(): Generator<CallFacts> {
    for (const call of this.#packed.with(this.#recent)) {
      const { flags, start, end, reported, hook, input_bytes, result_bytes } = call;
      const caller = this.#callers.all[call.caller - 1];
      const tool = this.#tools.all[call.tool - 1];
      if (caller === undefined || tool === undefined || (flags & is.retracted) !== 0) continue;
      const open = (flags & is.returned) === 0;
      const times = [reported, hook, start <= end && end < unknownTime ? end - start : -1];
      const best = times.findIndex((ms) => ms >= 0);
      const at = start < unknownTime ? start : end;
      yield {
        caller,
        tool,
        at: at < unknownTime ? at : Number.NaN,
        ms: times[best] ?? null,
        clock: clocks[best] ?? null,
        open,
        failed: (flags & is.failed) !== 0,
        denied: (flags & is.denied) !== 0,
        input_bytes,
        result_bytes: open ? null : result_bytes,
        repeated: (flags & is.repeated) !== 0,
        details: call.details,
      };
    }
  }

  #called(event: EventMap['tool:called'], parallel: number): void {
    const { tool_use_id: id, input, time, line } = event;
    const news = newCall();
    news.caller = this.#callerOf(event);
    news.tool = this.#toolOf(event);
    news.start = millis(time);
    news.input_bytes = bounded(event.input_bytes ?? jsonBytes(input));
    if (this.#about !== undefined)
      news.details = { id: id ?? '', line, about: this.#about(input), error: null, parallel };
    // A call without an id cannot come twice, and cannot return.
    this.#learn(id ?? `\0 ${this.#withoutId++}`, news);
  }

  #returned(event: EventMap['tool:returned']): void {
    const { tool_use_id: id, success, denied = false, duration_ms, time, error = null } = event;
    if (id === null) return;
    const news = newCall();
    news.flags = is.returned | (success ? 0 : is.failed) | (denied ? is.denied : 0);
    news.end = millis(time);
    news.result_bytes = bounded(event.result_bytes ?? jsonBytes(event.result));
    news.reported = durationOf(duration_ms ?? null);
    if (this.#about !== undefined) news.details = { id, line: null, about: null, error, parallel: 0 };
    this.#learn(id, news);
  }

  /** A hook that ran after a call says how long the call took, without its own time. */
  #timed({ hook, tool_use_id, duration_ms }: EventMap['hook:fired']): void {
    const id = idOf(tool_use_id);
    if (id === null || hook === null || !afterCall.has(hook)) return;
    const news = newCall();
    news.hook = durationOf(countOf(duration_ms));
    this.#learn(id, news);
  }

  #mark(id: unknown, flag: number): void {
    const text = textOf(id);
    if (!text) return;
    const news = newCall();
    news.flags = flag;
    this.#learn(text, news);
  }

  #learn(id: string, news: Call): void {
    const known = this.#recent.get(id);
    if (known !== undefined) return this.#join(known, news);
    this.#recent.set(id, news);
    if (this.#recent.size <= this.#mostRecent) return;
    this.#packed.add(this.#recent);
    this.#recent.clear();
  }

  /** The same whichever comes first, and however often. */
  #join(known: Call, news: Call): void {
    if (this.#isFirst(news, known)) {
      known.caller = news.caller;
      known.tool = news.tool;
    }
    known.flags |= news.flags;
    known.start = Math.min(known.start, news.start);
    known.end = Math.min(known.end, news.end);
    known.reported = Math.max(known.reported, news.reported);
    known.hook = Math.max(known.hook, news.hook);
    known.input_bytes = Math.max(known.input_bytes, news.input_bytes);
    known.result_bytes = Math.max(known.result_bytes, news.result_bytes);
    known.details = joinDetails(known.details, news.details);
  }

  /** Several conversations may contain a call. */
  #isFirst({ caller, tool }: Call, before: Call): boolean {
    if (caller === before.caller)
      return (this.#tools.all[tool - 1]?.key ?? '') < (this.#tools.all[before.tool - 1]?.key ?? '');
    const [now, known] = [this.#callers.all[caller - 1], this.#callers.all[before.caller - 1]];
    return now !== undefined && (known === undefined || isFirstCaller(now, known));
  }

  #callerOf({ session_id, team, agent }: EventMap['tool:called']): number {
    const last = this.#last?.caller;
    if (this.#last === null || last?.session_id !== session_id || last.team !== team || last.agent !== agent) {
      const key = `${session_id}\0${team}\0${agent}`;
      const caller = { session_id, team, agent };
      const number = this.#callers.of(key, () => caller);
      this.#last = { caller, number };
    }
    return this.#last.number;
  }

  #toolOf(event: EventMap['tool:called']): number {
    const tool = event.tool ?? '';
    const server = event.server ?? null;
    const key = server === null ? tool : `${tool}\0${server}`;
    return this.#tools.of(key, () => ({ tool, server, key }));
  }
}

/** Gives things numbers from 1. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string, make: () => T): number {
    return getOrCreate(this.#numbers, key, () => this.all.push(make()));
  }
}

const afterCall = new Set(['PostToolUse', 'PostToolUseFailure']);

const unknownTime = Number.POSITIVE_INFINITY;

function millis(time: string | null): number {
  const at = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? unknownTime : at;
}

function bounded(count: number): number {
  return Math.min(Math.max(Math.trunc(count) || 0, 0), 2 ** 32 - 1);
}

/** -1 if it cannot be one. */
function durationOf(said: number | null): number {
  const ms = said === null ? -1 : Math.round(said);
  return ms >= 0 && ms < 2 ** 32 - 1 ? ms : -1;
}

function joinDetails(a: CallDetails | null, b: CallDetails | null): CallDetails | null {
  if (a === null || b === null) return a ?? b;
  return {
    id: a.id,
    line: least(a.line, b.line),
    about: least(a.about, b.about),
    error: least(a.error, b.error),
    parallel: Math.max(a.parallel, b.parallel),
  };
}

/** The same whichever copy comes first. */
function least<T extends string | number>(a: T | null, b: T | null): T | null {
  return a === null || (b !== null && b < a) ? b : a;
}
