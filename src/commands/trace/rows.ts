// Makes the rows of the trace command from traces.
import type { Tokens } from '../../core/event/event.js';
import { builtInBook, costOf, type Served } from '../../core/prices/prices.js';
import type { Account } from '../../core/spans/accounts.js';
import { type Span, spansOf, type Trace } from '../../core/spans/model.js';
import { writesOf } from '../../core/tables/usage/messages.js';
import type { AccountRow, SpanRow } from './row.js';

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
