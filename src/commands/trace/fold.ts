// Folds events into traces, and makes rows of them.
import type { Event, Tokens } from '../../core/event/event.js';
import { builtInBook, costOf, type Served } from '../../core/prices/prices.js';
import { toJson } from '../../core/record/json.js';
import type { Account } from '../../core/spans/accounts.js';
import { SpanFacts } from '../../core/spans/facts.js';
import { type Span, spansOf, type Trace } from '../../core/spans/model.js';
import { tracesOf } from '../../core/spans/traces.js';
import { newState, type Reducer, reducerOf, type State, settle, type Watcher } from '../../core/tables/reduce.js';
import { writesOf } from '../../core/tables/usage/messages.js';
import { targetOf } from '../../core/wire/tools/about.js';
import type { AccountRow, SpanRow } from './row.js';

/** The slices of the state that traces need besides their own facts. */
export const followStory: Reducer = reducerOf({ story: true, calls: true });

/** Spans show single calls. */
export function newTraceState(): State {
  return newState({ details: targetOf });
}

/** What calls were given and gave back, for formats that repeat it. The same in whatever order copies come. */
export class CallContents {
  readonly #inputs = new Map<string, string>();
  readonly #results = new Map<string, string>();
  readonly #failed = new Set<string>();

  /** Longer results are cut, and longer inputs, which would be no JSON then, are left out. */
  constructor(private readonly longest = Number.POSITIVE_INFINITY) {}

  note(event: Event): void {
    if (event.event === 'tool:called' && event.tool_use_id !== null && event.input !== null) {
      const input = toJson(event.input);
      if (input.length <= this.longest) keepLeast(this.#inputs, event.tool_use_id, input);
    }
    if (event.event !== 'tool:returned' || event.tool_use_id === null) return;
    const { tool_use_id: id, result, success } = event;
    if (success === false) this.#failed.add(id);
    if (result === null) return;
    const text = typeof result === 'string' ? result : toJson(result);
    keepLeast(this.#results, id, text.length > this.longest ? `${text.slice(0, this.longest)}…` : text);
  }

  /** As JSON; null if it is not known, or was left out. */
  inputOf(id: string): string | null {
    return this.#inputs.get(id) ?? null;
  }

  /** As text, else as JSON. */
  returnedText(id: string): string | null {
    return this.#results.get(id) ?? null;
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }
}

function keepLeast(texts: Map<string, string>, id: string, text: string): void {
  const known = texts.get(id);
  if (known === undefined || text < known) texts.set(id, text);
}

export class TraceFold implements Watcher {
  readonly #facts = new SpanFacts();

  after(event: Event, _: State, near: string | null): void {
    this.#facts.note(event, near);
  }

  traces(state: State, options?: { readonly lean: boolean }): Trace[] {
    return tracesOf(this.#facts, settle(state), options);
  }
}

// Makes the rows of the trace command from traces.

/** Every span of a trace, parents before children. */
export function spanRows(trace: Trace): SpanRow[] {
  return spansOf(trace).map((span) => spanRow(trace, span));
}

function spanRow(trace: Trace, span: Span): SpanRow {
  const { actor, message, call } = span;
  const tokens = message?.tokens ?? null;
  return {
    time: isoTimeAt(trace, span.start),
    start_ms: span.start - trace.root.start,
    duration_ms: span.end - span.start,
    kind: span.kind,
    label: span.name,
    session_id: (actor ?? trace).session_id,
    team: (actor ?? trace).team,
    agent: actor?.agent ?? null,
    name: actor?.name ?? null,
    turn: span.turn,
    trace_id: trace.id,
    span_id: span.id,
    parent_id: span.parent,
    links: span.links.map(({ id }) => id),
    open: span.open,
    is_error: span.failed,
    waits_for: span.waits,
    critical_ms: span.critical,
    estimated: span.estimated,
    to_scale: trace.toScale,
    model: message?.model ?? null,
    message_id: message?.id ?? call?.message_id ?? null,
    input_tokens: tokens?.input_tokens ?? null,
    output_tokens: tokens?.output_tokens ?? null,
    cache_write_tokens: tokens === null ? null : writesOf(tokens),
    cache_read_tokens: tokens?.cache_read_tokens ?? null,
    cost_usd: costUsd(span),
    tool: call?.tool ?? null,
    tool_use_id: call?.id ?? null,
    target: call?.about ?? null,
  };
}

/** Where the time of every agent of a trace went. */
export function accountRows(trace: Trace): AccountRow[] {
  return trace.accounts.map((account) => accountRow(trace, account));
}

function accountRow(trace: Trace, { actor, ms, critical }: Account): AccountRow {
  const { span } = actor;
  // An agent without records of its own may still have a beginning and an end, which others reported.
  const isSeen = actor.turns.length + actor.calls.length > 0;
  const isMeasured = isSeen || span.end > span.start;
  const ifKnown = (value: number) => (trace.toScale && isSeen ? value : null);
  const length = isMeasured ? span.end - span.start : null;
  return {
    session_id: trace.session_id,
    team: trace.team,
    agent: actor.agent,
    name: actor.name,
    agent_type: actor.agent_type,
    started_at: isoTimeAt(trace, span.start),
    ended_at: isoTimeAt(trace, span.end),
    wall_ms: trace.toScale ? length : null,
    active_ms: ifKnown(ms.active),
    tool_ms: ifKnown(ms.tool),
    wait_agent_ms: ifKnown(ms.wait_agent),
    wait_person_ms: trace.asks ? ifKnown(ms.wait_person) : null,
    idle_ms: ifKnown(ms.idle),
    critical_ms: trace.toScale && isMeasured ? critical : null,
    turns: actor.turns.length,
    messages: actor.chats.length,
    calls: actor.calls.length,
    open: span.open,
    to_scale: trace.toScale,
    records: trace.toScale ? null : length,
  };
}

/** The cost of an API message. */
export function costUsd({ message }: Pick<Span, 'message'>): number | null {
  if (message === null || message.tokens === null) return null;
  return message.cost ?? pricedUsd(message.model, message.tokens, message.served);
}

/** What tokens cost by the price table; null if the model has no price. */
export function pricedUsd(model: string | null, tokens: Tokens, served: Served): number | null {
  const price = builtInBook().priceOf(model);
  return price === null ? null : costOf(price, tokens, served) / 1e12;
}

export function isoTimeAt({ toScale }: Pick<Trace, 'toScale'>, at: number): string | null {
  // Events may contain any time, but a Date cannot hold all of them.
  return toScale && Math.abs(at) <= mostDateMs ? new Date(at).toISOString() : null;
}
const mostDateMs = 8.64e15;
