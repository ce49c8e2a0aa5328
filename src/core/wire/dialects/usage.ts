// Reads the usage of messages, results and cost-state rows.
import type { EventMap, ModelUsage, Tokens } from '../../event/event.js';
import { usageMessageRow } from '../../event/usage-row.js';
import { canonicalModel } from '../../prices/models.js';
import { readAs } from '../../record/describe.js';
import type { HashStart } from '../../record/hash.js';
import {
  idOf,
  isObject,
  type JsonObject,
  listOf,
  moneyOf,
  countOf as numberOf,
  objectOf,
  textOf,
} from '../../record/json.js';
import { atTime, type Context, type Origin, passTime, sessionOf } from '../context.js';
import { define, fieldsOf } from '../read.js';
import { ParsedRecord } from '../view.js';

/** Emits the usage of an assistant record. A copy counts only if its counters are larger. */
export function recordUsage(context: Context, at: Origin, isCopy: boolean, hasTold: boolean): void {
  const isWanted = context.wants('usage:recorded') || context.wants('usage:reported');
  if (isWanted && !isCopy && saysTheSame(context, at, hasTold)) return passTime(context, at.time);
  if (!isWanted || !at.record.hasUsage || at.record.model === '<synthetic>') return;
  const used = usedBy(context, at);
  noteSpoken(context, at);
  recordOne(context, at, used, isCopy);
  if (!at.record.isOneStep) recordAttempts(context, at, used, at.record.iterations, isCopy);
}

/** Whether the record before it said the same of the same message: a message has a record for each of its blocks. */
function saysTheSame(context: Context, at: Origin, hasTold: boolean): boolean {
  // Somebody may want to know when an agent was last at work.
  if (!asksForSums(context) || !(hasTold || context.detail === 'sums')) return false;
  const { agent, session, time, transcript } = at;
  const { last } = context;
  const mark = at.record.usageMark;
  const isLater = time === null || (last.time !== null && last.time <= time);
  const isSame = mark === last.mark && agent === last.agent && session === last.session && session.team === last.team;
  if (!isSame || !isLater || transcript !== last.transcript) {
    context.last = { mark, agent, session, team: session.team, time, transcript };
    return false;
  }
  noteSpoken(context, at);
  return true;
}

/** Who asks for rows or sums alone knows the largest counts of each message. */
function asksForSums({ content, detail }: Context): boolean {
  return content === 'none' && (detail === 'rows' || detail === 'sums');
}

/**
 * Whether a fork repeats the row as its own, which another session wrote: the row names that session, or it is older than
 * its file. Nothing that it did there happened in the fork.
 */
export function isRepeated({ session, time, record, transcript }: Origin): boolean {
  if (!transcript) return false;
  const { writtenBy } = record;
  if (writtenBy !== null) return writtenBy !== session.id;
  return isBefore(time, session.opened);
}

/** Copies of 2.1.39 keep their session id, so the file may be that of another session. */
function isCopied({ opener }: Context, at: Origin): boolean {
  if (isRepeated(at)) return true;
  const { session, time, record, transcript } = at;
  if (!transcript || record.writtenBy !== null || session.opened !== null) return false;
  return opener.spoke === null && isBefore(time, opener.opened);
}

function isBefore(time: string | null, opened: string | null): boolean {
  return time !== null && opened !== null && time < opened;
}

/**
 * Notes when a transcript's main conversation spoke. A message that was interrupted is written behind the cost-state row
 * that includes it, so that row is told again with the later time.
 */
export function noteSpoken(context: Context, at: Origin): void {
  const { session, time } = at;
  if (!at.transcript || at.agent !== session.lead || time === null || time < (session.spoke ?? '')) return;
  if (isCopied(context, at)) return;
  session.stopped = at.record.stopReason;
  if (time === session.spoke) return;
  session.spoke = time;
  if (session.reported !== null) context.emit(at, 'usage:reported', session.reported);
}

/** Reads a row of `usage --by message`; false if the record is not one. */
export function mergeRow(context: Context, record: JsonObject, line: number): boolean {
  const row = readAs(usageMessageRow, record);
  if (row === null) return false;
  const session = { ...sessionOf(context, row.session_id), team: row.team };
  const transcript = row.transcript === true;
  const at = { session, agent: row.agent, time: row.time, line, record: new ParsedRecord(record), transcript };
  context.emit(at, 'usage:merged', { row });
  return true;
}

/** Whether a `stream_event` of this type has a count. */
export function isCounted(eventType: string | null): boolean {
  return eventType === 'message_start' || eventType === 'message_delta';
}

/**
 * `stream_event` records: only the final usage of a message is new; everything else follows as a whole record. If the
 * input begins in the middle of a message, its id and model are unknown, and the uuid of its record is used.
 */
export function streamEvent(context: Context, at: Origin): void {
  const { eventType, uuid } = at.record;
  if (!isCounted(eventType) || !at.record.isNew(context.seen)) return;
  const event = objectOf(at.record.whole().event);
  const key = `${at.session.id} ${at.agent === at.session.lead ? '' : at.agent}`;
  if (event?.type === 'message_start') {
    const message = objectOf(event.message);
    context.memory.partial.set(key, {
      id: idOf(message?.id),
      model: textOf(message?.model),
      usage: objectOf(message?.usage) ?? {},
    });
  } else if (event?.type === 'message_delta') {
    const open = context.memory.partial.get(key) ?? { id: uuid, model: null, usage: {} };
    const delta = objectOf(event.usage);
    if (open.id === null || open.model === '<synthetic>' || delta === null) return;
    const changes = Object.entries(delta).filter(([name, value]) => name === 'output_tokens' || isNotZero(value));
    const usage = { ...open.usage, ...Object.fromEntries(changes) };
    const { stop_reason, stop_sequence } = objectOf(event.delta) ?? {};
    const whole = changedUse(usedBy(context, at), {
      ...usedIn(usage),
      message_id: open.id,
      request_id: null,
      model: open.model,
      final: true,
      service_tier: textOf(usage.service_tier),
      inference_geo: idOf(usage.inference_geo),
      stop_reason: textOf(stop_reason),
      stop_sequence: textOf(stop_sequence),
    });
    recordOne(context, at, whole, false);
    recordAttempts(context, at, whole, listOf(usage.iterations), false);
  }
}

/** `cost-state`, the last row of a session file: the cost of the session so far, at the time of the last message in it. */
export function costState(context: Context, at: Origin): void {
  const { session } = at;
  const record = at.record.whole();
  const model_usage = modelUsageOf(record.modelUsage);
  const total_cost_usd = moneyOf(record.totalCostUSD);
  // The row has no id. A copy is recognized by its content.
  if (!context.seen.add(`cost-state ${session.id} ${total_cost_usd} ${JSON.stringify(model_usage)}`)) return;
  if (record.hasUnknownModelCost === true) markUnknown(Object.entries(model_usage ?? {}));
  const { type: _type, subtype: _subtype, ...fields } = fieldsOf(record);
  const own = { ...fields, total_cost_usd, model_usage, stop_reason: session.stopped };
  session.reported = own;
  context.emit(atTime(at, at.time ?? session.spoke), 'usage:reported', own);
}

type Used = EventMap['usage:recorded'];

/** What an answer of the API used, and at which speed. */
function usedIn(usage: JsonObject) {
  return {
    ...tokensOf(usage),
    web_fetch_requests: countOf(objectOf(usage.server_tool_use)?.web_fetch_requests),
    speed: textOf(usage.speed),
    // What the program itself says it cost, in dollars. Claude Code does not.
    cost_usd: moneyOf(usage.cost_usd) ?? undefined,
  };
}

/** Cache writes without a split count as 5 minute writes. A split counts only up to the total, which is charged. */
export function tokensOf(usage: JsonObject): Tokens {
  const split = objectOf(usage.cache_creation);
  const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = split ?? {};
  const written = writesOf(usage.cache_creation_input_tokens, minutes, hour);
  return {
    input_tokens: countOf(usage.input_tokens),
    output_tokens: countOf(usage.output_tokens),
    cache_write_5m_tokens: written.cache_write_5m_tokens,
    cache_write_1h_tokens: written.cache_write_1h_tokens,
    cache_read_tokens: countOf(usage.cache_read_input_tokens),
    web_search_requests: countOf(objectOf(usage.server_tool_use)?.web_search_requests),
  };
}

export function usageOf(value: unknown): Tokens | null {
  return isObject(value) ? tokensOf(value) : null;
}

/** The modelUsage of a result, with our field names. */
export function modelUsageOf(value: unknown): Record<string, ModelUsage> | null {
  if (!isObject(value)) return null;
  const models: Record<string, ModelUsage> = {};
  for (const model of Object.keys(value)) {
    const usage = value[model];
    if (isObject(usage)) define(models, model, modelUsage(usage));
  }
  return models;
}

/** The row does not say which models have no price. Marks the models without a price here, or else all. */
function markUnknown(models: [string, ModelUsage][]): void {
  const unpriced = models.filter(([name]) => canonicalModel(name) === null);
  for (const [, usage] of unpriced.length > 0 ? unpriced : models) usage.cost_basis ??= 'unknown';
}

function recordOne(context: Context, at: Origin, used: Used, isCopy: boolean): void {
  const isNews = asksForSums(context) || isLargest(context, at, used);
  if ((isNews || !isCopy) && context.isWanted(at, 'usage:recorded')) context.tell(at, used);
}

/** Emits attempts that the message's counts leave out. None of them is served at the speed of the message. */
function recordAttempts(
  context: Context,
  at: Origin,
  used: Used,
  iterations: readonly unknown[] | null,
  isCopy: boolean,
): void {
  if (used.message_id === null || iterations === null) return;
  for (const { place, type, model, usage } of attemptsOf(iterations, used.model)) {
    const own = { model, iteration: place, iteration_type: type, stop_reason: null, stop_sequence: null };
    recordOne(context, at, changedUse(used, { ...usedIn(usage), ...own }), isCopy);
  }
}

/** The event of a record. Written out: it is the most frequent, and spreads take as long as everything else here. */
function usedBy(context: Context, at: Origin): Used {
  const { record, session } = at;
  const written = writesOf(record.cacheWrites, record.cacheWrites5m, record.cacheWrites1h);
  const stop_reason = record.isPartial ? null : record.stopReason;
  return {
    cct: 1,
    seq: 0,
    event: 'usage:recorded',
    time: at.time,
    session_id: session.id,
    team: session.team,
    agent: at.agent,
    line: at.line,
    source: undefined,
    // A message without an id gets the id of its record.
    message_id: record.messageId ?? record.uuid,
    request_id: context.content === 'none' ? null : record.request,
    model: record.model,
    input_tokens: countOf(record.inputTokens),
    output_tokens: countOf(record.outputTokens),
    cache_write_5m_tokens: written.cache_write_5m_tokens,
    cache_write_1h_tokens: written.cache_write_1h_tokens,
    cache_read_tokens: countOf(record.cacheReads),
    web_search_requests: countOf(record.searches),
    speed: record.speed,
    service_tier: record.serviceTier,
    inference_geo: record.inferenceGeo,
    final: stop_reason !== null,
    transcript: at.transcript,
    iteration: null,
    iteration_type: null,
    web_fetch_requests: countOf(record.fetches),
    stop_reason,
    stop_sequence: record.stopSequence,
    cost_usd: moneyOf(record.saidCost) ?? undefined,
    copied: isCopied(context, at) || undefined,
  };
}

/** A changed copy. Written out too: V8 compiles what handles usage again for events of another shape. */
function changedUse(used: Used, changes: Partial<Used>): Used {
  const all: Used = { ...used, ...changes };
  return {
    cct: all.cct,
    seq: all.seq,
    event: all.event,
    time: all.time,
    session_id: all.session_id,
    team: all.team,
    agent: all.agent,
    line: all.line,
    source: all.source,
    message_id: all.message_id,
    request_id: all.request_id,
    model: all.model,
    input_tokens: all.input_tokens,
    output_tokens: all.output_tokens,
    cache_write_5m_tokens: all.cache_write_5m_tokens,
    cache_write_1h_tokens: all.cache_write_1h_tokens,
    cache_read_tokens: all.cache_read_tokens,
    web_search_requests: all.web_search_requests,
    speed: all.speed,
    service_tier: all.service_tier,
    inference_geo: all.inference_geo,
    final: all.final,
    transcript: all.transcript,
    iteration: all.iteration,
    iteration_type: all.iteration_type,
    web_fetch_requests: all.web_fetch_requests,
    stop_reason: all.stop_reason,
    stop_sequence: all.stop_sequence,
    cost_usd: all.cost_usd,
    copied: all.copied,
  };
}

/** Only counts that are not zero replace those from the start of the message. */
function isNotZero(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isNotZero);
  return value !== null && value !== 0;
}

/**
 * Whether these counts are the largest of this message so far. Stream and transcript are tracked separately, because
 * the report needs both. So is a copy, because another file in the same input may have the row itself.
 */
function isLargest(context: Context, at: Origin, used: Used): boolean {
  const { message_id, final, iteration } = used;
  if (message_id === null) return true;
  const long = used.cache_write_1h_tokens;
  const writes = used.cache_write_5m_tokens + long;
  const sum = used.input_tokens + used.output_tokens + writes + used.cache_read_tokens;
  // Of equal sums that of a message that is done is larger, then that with a model, then that with more long writes.
  const rank = (final ? 1.5 : 1) + (used.model === null ? 0 : 0.25) + long / (8 * writes + 1);
  const key = iteration === null ? message_id : `${message_id} ${iteration}`;
  const kind = used.copied ? 'copied' : at.transcript ? 'true' : 'false';
  return context.seen.raise(startOfKey(context, kind, at.session.id), key, sum + rank);
}

/** Most messages are of the session of the one before. */
function startOfKey(context: Context, kind: string, session: string | null): HashStart {
  const { counted } = context;
  if (counted !== null && counted.session === session && counted.kind === kind) return counted.start;
  const start = context.seen.keyStart(`usage ${kind} ${session} `);
  context.counted = { session, kind, start };
  return start;
}

function writesOf(
  total: unknown,
  minutes: unknown,
  hour: unknown,
): Pick<Tokens, 'cache_write_5m_tokens' | 'cache_write_1h_tokens'> {
  const writes = countOf(total) || countOf(minutes) + countOf(hour);
  const long = Math.min(countOf(hour), writes);
  return { cache_write_5m_tokens: writes - long, cache_write_1h_tokens: long };
}

/** Makes any count whole and not negative, so that sums stay exact. */
function countOf(value: unknown): number {
  const count = numberOf(value);
  return count === null || count <= 0 ? 0 : Math.min(Math.round(count), Number.MAX_SAFE_INTEGER);
}

function modelUsage(usage: JsonObject): ModelUsage {
  const written = writesOf(
    usage.cacheCreationInputTokens,
    usage.cacheCreationEphemeral5mInputTokens,
    usage.cacheCreationEphemeral1hInputTokens,
  );
  return {
    input_tokens: countOf(usage.inputTokens),
    output_tokens: countOf(usage.outputTokens),
    cache_write_5m_tokens: written.cache_write_5m_tokens,
    cache_write_1h_tokens: written.cache_write_1h_tokens,
    cache_read_tokens: countOf(usage.cacheReadInputTokens),
    web_search_requests: countOf(usage.webSearchRequests),
    cost_usd: moneyOf(usage.costUSD),
    canonical_model: textOf(usage.canonicalModel),
    cost_basis: textOf(usage.costBasis),
    context_window: countOf(usage.contextWindow) || null,
    max_output_tokens: countOf(usage.maxOutputTokens) || null,
  };
}

/** A sampling step inside one API message that is not in the message's counts. */
interface Attempt {
  /** Its index in usage.iterations. */
  readonly place: number;
  readonly type: string;
  readonly model: string | null;
  readonly usage: JsonObject;
}

/**
 * usage.iterations lists what the API did for one message. The message's counts cover all steps of the model that
 * answered. They do not include the advisor (charged under its own model), a compaction, or the steps of a model that
 * declined before another one answered (`fallback_message`).
 */
function attemptsOf(list: readonly unknown[], model: string | null): readonly Attempt[] {
  if (list.length === 0) return none;
  const steps = list.flatMap((item, place) => {
    const step = objectOf(item);
    const type = textOf(step?.type) ?? '';
    return step === null ? [] : [{ place, type, model: idOf(step.model), usage: step }];
  });
  const answered = steps.findLast(({ type }) => !uncounted.has(type))?.model ?? model;
  return steps
    .filter((step) => uncounted.has(step.type) || (step.model ?? answered) !== answered)
    .map((step) => ({ ...step, model: step.model ?? model }));
}

const none: readonly Attempt[] = [];
const uncounted: ReadonlySet<string> = new Set(['advisor_message', 'compaction']);
