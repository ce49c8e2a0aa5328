// The table of calls: who made them, when, how long they took, how they ended. What several records and files say about a
// call is joined by its id, in any order. There may be millions, so they are kept in columns of numbers.
import type { Event, EventMap } from '../../event/event.js';
import { hash, hashed } from '../../record/hash.js';
import { countOf, idOf, jsonBytes, objectOf, textOf, textsOf } from '../../record/json.js';
import { scopeOf } from '../agents.js';
import { momentOf } from '../moments.js';
import { isLeadId, keyOf } from '../order.js';
import {
  bounded,
  type CallCounts,
  type Columns,
  durationOf,
  HashIndex,
  millis,
  Numbered,
  newColumns,
  noCalls,
  unknownTime,
  withRoom,
} from './columns.js';
import { type CallDetails, type CallTexts, joinDetails } from './details.js';
import { RepeatedCalls } from './repeated.js';

/** How the duration of a call was measured, the best way first. */
export const clocks = ['reported', 'hook', 'records'] as const;
export type CallClock = (typeof clocks)[number];

/** A conversation that contains a call, as events name it. */
export interface Caller {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  /** A fork only repeats what the session made that it was forked from. */
  readonly copied?: boolean | undefined;
}

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
  readonly clock: CallClock | null;
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

export interface CallOptions {
  /** Says what a call of this tool with this input is about. Then the details of each call are kept, about 500 bytes each. */
  readonly details?: (tool: string | null, input: unknown) => string | null;
  /** Says which texts of a call are kept with its details. */
  readonly texts?: (event: CallEvent) => CallTexts | null;
  /** Find calls that are repeated, for which their inputs are compared. */
  readonly loops?: boolean;
  /** Nobody asks when the calls were made, only how many. */
  readonly counts?: boolean;
  /** Keep the text of each id, to save the table. */
  readonly ids?: boolean;
  /** Makes the hashes of ids unpredictable. */
  readonly seed?: number;
}

/** The last two tell of a call that failed, even if it is not in the input. */
export type CallEvent = EventMap['tool:called' | 'tool:returned' | 'team:message:failed' | 'team:cleanup_failed'];

export const is = { returned: 1, failed: 2, denied: 4, retracted: 8, repeated: 16 } as const;

/** What one record says about a call. */
interface News {
  readonly caller?: number;
  readonly tool?: number;
  readonly flags?: number;
  readonly start?: number;
  readonly end?: number;
  readonly reported?: number;
  readonly hook?: number;
  readonly input_bytes?: number;
  readonly result_bytes?: number;
}

export class Calls {
  /** Grows with every change. */
  version = 0;
  readonly #options: CallOptions;
  readonly #seed: number;
  readonly #loops: RepeatedCalls | null;
  #index: HashIndex;
  #columns: Columns;
  readonly #callers = new Numbered<Caller>();
  readonly #tools = new Numbered<Tool & { readonly key: string }>();
  #ids: string[] = [];
  #details: (CallDetails | undefined)[] = [];
  /** Most calls are made by whoever made the one before. */
  #last: { readonly caller: Caller; readonly number: number } | null = null;
  #withoutId = 0;

  constructor(options: CallOptions = {}) {
    this.#options = options;
    this.#seed = options.seed ?? 0;
    this.#loops = options.loops ? new RepeatedCalls((id) => this.#learn(id, { flags: is.repeated })) : null;
    this.#index = new HashIndex();
    this.#columns = newColumns(64);
  }

  /** `near`: the time of the nearest record before it in its source. */
  note(event: Event, near: string | null): void {
    const open = this.#loops?.note(event) ?? 0;
    switch (event.event) {
      case 'tool:called':
        this.#called(event, near, open);
        return this.#keepTexts(event, near);
      case 'tool:returned':
        this.#returned(event, near);
        return this.#keepTexts(event, near);
      case 'team:message:failed':
      case 'team:cleanup_failed':
        return this.#keepTexts(event, near);
      case 'hook:fired':
        return this.#timed(event);
      case 'session:ended':
        for (const denial of event.permission_denials ?? [])
          this.#mark(textOf(objectOf(denial)?.tool_use_id), is.denied);
        return;
      case 'session:changed':
        for (const id of textsOf(event.tool_use_ids) ?? []) this.#mark(id, is.retracted);
        if (event.subtype === 'permission_denied') this.#mark(textOf(event.tool_use_id), is.denied);
    }
  }

  get size(): number {
    return this.#index.size;
  }

  get tools(): readonly Tool[] {
    return this.#tools.all;
  }

  /** Calls that kept failing; empty unless they are looked for. */
  get loops() {
    return this.#loops?.all ?? [];
  }

  /** How many bytes the columns take. */
  get bytes(): number {
    return this.#index.bytes + Object.values(this.#columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** How a call ended, in the bits of `is`. */
  endOf(id: string): number {
    hash(id, this.#seed);
    const row = this.#index.find(this.#columns, hashed.high, hashed.low);
    return row === -1 ? 0 : this.#flags(row);
  }

  /** How many calls each caller made; those that were taken back were never made. */
  counts(): ReadonlyMap<Caller, CallCounts> {
    const counts = this.#callers.all.map(() => ({ calls: 0, errors: 0, open: 0 }));
    for (let row = 0; row < this.size; row++) {
      const count = counts[(this.#columns.caller[row] ?? 0) - 1];
      const flags = this.#flags(row);
      if (count === undefined || (flags & is.retracted) !== 0) continue;
      count.calls++;
      if ((flags & is.returned) === 0) count.open++;
      else if ((flags & is.failed) !== 0) count.errors++;
    }
    return new Map(this.#callers.all.map((caller, at) => [caller, counts[at] ?? noCalls]));
  }

  /** Every call that was made and not taken back, in the order in which the ids were first seen. */
  *all(): Generator<CallFacts> {
    const { caller: callers, tool: tools, start, end, reported, hook, input_bytes, result_bytes } = this.#columns;
    for (let row = 0; row < this.size; row++) {
      const flags = this.#flags(row);
      const caller = this.#callers.all[(callers[row] ?? 0) - 1];
      const tool = this.#tools.all[(tools[row] ?? 0) - 1];
      if (caller === undefined || tool === undefined || (flags & is.retracted) !== 0) continue;
      const open = (flags & is.returned) === 0;
      const [from = unknownTime, to = unknownTime] = [start[row], end[row]];
      const times = [(reported[row] ?? 0) - 1, (hook[row] ?? 0) - 1, from <= to && to < unknownTime ? to - from : -1];
      const best = times.findIndex((ms) => ms >= 0);
      const at = from < unknownTime ? from : to;
      yield {
        caller,
        tool,
        at: at < unknownTime ? at : Number.NaN,
        ms: times[best] ?? null,
        clock: clocks[best] ?? null,
        open,
        failed: (flags & is.failed) !== 0,
        denied: (flags & is.denied) !== 0,
        input_bytes: input_bytes[row] ?? 0,
        result_bytes: open ? null : (result_bytes[row] ?? 0),
        repeated: (flags & is.repeated) !== 0,
        details: this.#details[row] ?? null,
      };
    }
  }

  /** The ids of calls, and whether each was made and has returned. They are kept only if asked for. */
  *known(): Generator<{ readonly id: string; readonly called: boolean; readonly returned: boolean }> {
    for (const [row, id] of this.#ids.entries())
      yield { id, called: this.#columns.caller[row] !== 0, returned: (this.#flags(row) & is.returned) !== 0 };
  }

  copy(): Calls {
    const copy = new Calls({ ...this.#options, loops: false });
    copy.#index = this.#index.copyIndex();
    copy.#columns = withRoom(this.#columns, this.#columns.flags.length);
    copy.#callers.take(this.#callers);
    copy.#tools.take(this.#tools);
    copy.#ids = [...this.#ids];
    copy.#details = [...this.#details];
    copy.#withoutId = this.#withoutId;
    return copy;
  }

  /** Everything it knows, to be sent to another thread or merged into another table. */
  pack(): PackedCalls {
    const { size } = this;
    const [callers, tools] = [this.#callers.all, this.#tools.all];
    return { size, callers, tools, columns: this.#columns, details: this.#details, ids: this.#ids };
  }

  /** Joins what another table with the same seed says. The same in any order, and however often. */
  merge({ size, callers: made, tools: named, columns: all, details, ids }: PackedCalls): void {
    const { caller: callers, tool: tools, flags, start, end, ...columns } = all;
    for (let row = 0; row < size; row++) {
      const caller = made[(callers[row] ?? 0) - 1];
      const tool = named[(tools[row] ?? 0) - 1];
      const own = this.#join(columns.high[row] ?? 0, columns.low[row] ?? 0, ids[row], {
        ...(caller !== undefined &&
          tool !== undefined && { caller: this.#callerOf(caller), tool: this.#toolOf(tool.tool, tool.server) }),
        flags: flags[row] ?? 0,
        start: start[row] ?? unknownTime,
        end: end[row] ?? unknownTime,
        reported: columns.reported[row] ?? 0,
        hook: columns.hook[row] ?? 0,
        input_bytes: columns.input_bytes[row] ?? 0,
        result_bytes: columns.result_bytes[row] ?? 0,
      });
      this.#detail(own, details[row]);
    }
  }

  /** As plain values. */
  save(): SavedCalls {
    const { high: _high, low: _low, ...saved } = this.#columns;
    const columns = Object.entries(saved).map(([name, column]) => [name, [...column.subarray(0, this.size)]]);
    return {
      ids: this.#ids,
      callers: this.#callers.all,
      tools: this.#tools.all.map(({ tool, server }) => ({ tool, server })),
      columns: Object.fromEntries(columns),
    };
  }

  load({ ids, callers, tools, columns: saved }: SavedCalls): void {
    // In the order in which they were saved.
    for (const caller of callers) this.#callerOf(caller);
    for (const { tool, server } of tools) this.#toolOf(tool, server);
    const columns = newColumns(ids.length);
    for (const [name, column] of Object.entries(columns)) column.set(saved[name] ?? []);
    for (const [row, id] of ids.entries()) {
      hash(id, this.#seed);
      columns.high[row] = hashed.high;
      columns.low[row] = hashed.low;
    }
    this.merge({ size: ids.length, callers, tools, columns, details: [], ids });
  }

  #called(event: EventMap['tool:called'], near: string | null, parallel: number): void {
    const { tool_use_id, input, time, message_id, line } = event;
    const { details } = this.#options;
    // A call without an id cannot come twice, and cannot return.
    const id = tool_use_id ?? `\0 ${event.source} ${line} ${this.#withoutId++}`;
    const row = this.#learn(id, {
      caller: this.#callerOf(event),
      tool: this.#toolOf(event.tool ?? '', event.server ?? null),
      start: this.#options.counts ? unknownTime : millis(time),
      input_bytes: this.#measures ? bounded(event.input_bytes ?? jsonBytes(input)) : 0,
    });
    if (details === undefined) return;
    const called = momentOf(event, near);
    this.#detail(row, {
      ...noDetails,
      id: tool_use_id ?? '',
      line,
      message_id,
      called,
      about: details(event.tool, input),
      parallel,
    });
  }

  #returned(event: EventMap['tool:returned'], near: string | null): void {
    const { tool_use_id: id, success, denied = false, duration_ms, time, error = null } = event;
    if (id === null) return;
    const row = this.#learn(id, {
      flags: is.returned | (success ? 0 : is.failed) | (denied ? is.denied : 0),
      end: this.#options.counts ? unknownTime : millis(time),
      result_bytes: this.#measures ? bounded(event.result_bytes ?? jsonBytes(event.result)) : 0,
      reported: durationOf(duration_ms ?? null),
    });
    if (this.#options.details !== undefined)
      this.#detail(row, { ...noDetails, id, returned: momentOf(event, near), error });
  }

  #keepTexts(event: CallEvent, near: string | null): void {
    const { tool_use_id: id } = event;
    const texts = this.#options.texts?.(event) ?? null;
    if (id === null || texts === null) return;
    const isCall = event.event === 'tool:called';
    const flags = isCall || event.event === 'tool:returned' ? 0 : is.returned | is.failed;
    const row = this.#learn(id, { flags });
    const tool = this.#toolOf(texts.tool ?? '', null);
    // Until the call itself is read, which is no copy.
    if (this.#columns.caller[row] === 0) this.#learn(id, { caller: this.#callerOf({ ...event, copied: true }), tool });
    this.#detail(row, { ...noDetails, id, returned: isCall ? null : momentOf(event, near), texts });
  }

  /** Whether somebody asks how long inputs and results are. */
  get #measures(): boolean {
    return this.#options.loops === true || this.#options.details !== undefined;
  }

  /** A hook that ran after a call says how long the call took, without its own time. */
  #timed({ hook, tool_use_id, duration_ms }: EventMap['hook:fired']): void {
    const id = idOf(tool_use_id);
    if (id !== null && hook !== null && afterCall.has(hook))
      this.#learn(id, { hook: durationOf(countOf(duration_ms)) });
  }

  #mark(id: string | null, flag: number): void {
    if (id) this.#learn(id, { flags: flag });
  }

  #learn(id: string, said: News): number {
    hash(id, this.#seed);
    return this.#join(hashed.high, hashed.low, id, said);
  }

  /** Joins what is said of a call. The same whichever comes first, and however often. Returns its row. */
  #join(high: number, low: number, id: string | undefined, said: News): number {
    const { size } = this;
    const row = this.#index.place(this.#columns, high, low);
    if (row === size) this.#begin(row, high, low, id);
    const { caller, tool, flags, start, end, reported, hook, input_bytes, result_bytes } = this.#columns;
    if (said.caller !== undefined && said.tool !== undefined && this.#isFirst(said.caller, said.tool, row)) {
      caller[row] = said.caller;
      tool[row] = said.tool;
    }
    // A column that is left alone is not even fetched into the cache.
    if (said.flags) flags[row] = (flags[row] ?? 0) | said.flags;
    if (said.start !== undefined && said.start < unknownTime)
      start[row] = Math.min(start[row] ?? unknownTime, said.start);
    if (said.end !== undefined && said.end < unknownTime) end[row] = Math.min(end[row] ?? unknownTime, said.end);
    if (said.reported) reported[row] = Math.max(reported[row] ?? 0, said.reported);
    if (said.hook) hook[row] = Math.max(hook[row] ?? 0, said.hook);
    if (said.input_bytes) input_bytes[row] = Math.max(input_bytes[row] ?? 0, said.input_bytes);
    if (said.result_bytes) result_bytes[row] = Math.max(result_bytes[row] ?? 0, said.result_bytes);
    this.version++;
    return row;
  }

  #begin(row: number, ofHigh: number, ofLow: number, id: string | undefined): void {
    if (row >= this.#columns.flags.length) this.#columns = withRoom(this.#columns, row + 64 + (row >> 2));
    const { high, low, start, end } = this.#columns;
    high[row] = ofHigh;
    low[row] = ofLow;
    start[row] = unknownTime;
    end[row] = unknownTime;
    if (this.#options.ids && id !== undefined) this.#ids[row] = id;
  }

  #detail(row: number, said: CallDetails | undefined): void {
    if (said === undefined) return;
    const known = this.#details[row];
    this.#details[row] = known === undefined ? said : joinDetails(known, said);
  }

  #flags(row: number): number {
    return this.#columns.flags[row] ?? 0;
  }

  /** Several conversations may contain a call. */
  #isFirst(caller: number, tool: number, row: number): boolean {
    const [before, other] = [this.#columns.caller[row] ?? 0, this.#columns.tool[row] ?? 0];
    if (caller === before) return (this.#tools.all[tool - 1]?.key ?? '') < (this.#tools.all[other - 1]?.key ?? '');
    const [now, known] = [this.#callers.all[caller - 1], this.#callers.all[before - 1]];
    return now !== undefined && (known === undefined || isFirstCaller(now, known));
  }

  #callerOf({ session_id, team, agent, copied = false }: Caller): number {
    const known = this.#last?.caller;
    const isSame = known?.session_id === session_id && known.team === team && known.agent === agent;
    if (this.#last === null || !isSame || known.copied !== copied) {
      const key = `${session_id}\0${team}\0${agent}\0${copied}`;
      const caller = { session_id, team, agent, copied };
      this.#last = { caller, number: this.#callers.numberOf(key) ?? this.#callers.add(key, caller) };
    }
    return this.#last.number;
  }

  #toolOf(tool: string, server: string | null): number {
    const key = server === null ? tool : `${tool}\0${server}`;
    return this.#tools.numberOf(key) ?? this.#tools.add(key, { tool, server, key });
  }
}

/** If two conversations contain a call, the main one made it that is no copy, else the first by name. */
function isFirstCaller(a: Caller, b: Caller): boolean {
  if ((a.copied ?? false) !== (b.copied ?? false)) return b.copied === true;
  if (scopeOf(a) !== scopeOf(b)) return scopeOf(a) < scopeOf(b);
  if (isLeadId(a.agent) !== isLeadId(b.agent)) return isLeadId(a.agent);
  return keyOf(a.agent, a.team) < keyOf(b.agent, b.team);
}

export interface PackedCalls {
  readonly size: number;
  readonly callers: readonly Caller[];
  readonly tools: readonly Tool[];
  readonly columns: Columns;
  readonly details: readonly (CallDetails | undefined)[];
  readonly ids: readonly string[];
}

export interface SavedCalls {
  readonly ids: readonly string[];
  readonly callers: readonly Caller[];
  readonly tools: readonly Tool[];
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

const afterCall = new Set(['PostToolUse', 'PostToolUseFailure']);

const noDetails = { line: null, message_id: null, called: null, returned: null, about: null, error: null, parallel: 0 };
