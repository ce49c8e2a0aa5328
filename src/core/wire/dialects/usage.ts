// Reads the usage of messages, results and cost-state rows.
import type { ModelUsage, Tokens } from '../../event/event.js';
import { usageMessageRow } from '../../event/usage-row.js';
import { canonicalModel } from '../../prices/models.js';
import { readAs } from '../../record/describe.js';
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
import { type Context, type Origin, passTime, sessionOf } from '../context.js';
import { fieldsOf } from '../read.js';
import { ParsedRecord, type RecordView } from '../view.js';

/** Emits the usage of an assistant record. A copy counts only if its counters are larger. */
export function recordUsage(context: Context, at: Origin, isCopy: boolean): void {
  const isWanted = context.wants('usage:recorded') || context.wants('usage:reported');
  if (isWanted && !isCopy && saysTheSame(context, at)) return passTime(context, at.time);
  const used = isWanted ? messageUsageOf(at.record, context.content !== 'none') : null;
  if (used === null) return;
  noteSpoken(context, at);
  recordOne(context, at, used, isCopy);
  recordAttempts(context, at, used, isCopy);
}

/** Whether the record before it said the same of the same message: a message has a record for each of its blocks. */
function saysTheSame(context: Context, at: Origin): boolean {
  // Others may want to know when an agent was last at work.
  if (context.content !== 'none' || !context.coarse) return false;
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

/**
 * Whether a fork copied the row from the session that made the request: the row names that session (2.1.326), or it is
 * older than its file. Copies of 2.1.39 keep their session id, so the file may be that of another session.
 */
function isCopied({ opener }: Context, { session, time, record, transcript }: Origin): boolean {
  if (!transcript) return false;
  const { requestedBy: requested } = record;
  if (requested !== null) return requested !== session.id;
  const opened = session.opened ?? (opener?.spoke === null ? opener.opened : null);
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

/**
 * `stream_event` records: only the final usage of a message is new; everything else follows as a whole record. If the
 * input begins in the middle of a message, its id and model are unknown, and the uuid of its record is used.
 */
export function streamEvent(context: Context, at: Origin): void {
  const { eventType, uuid } = at.record;
  if (eventType !== 'message_start' && eventType !== 'message_delta') return;
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
    const stop = { reason: textOf(stop_reason), sequence: textOf(stop_sequence) };
    const whole = { ...open, ...usedIn(usage), request: null, final: true, iteration: null, stop };
    recordOne(context, at, whole, false);
    recordAttempts(context, at, whole, false);
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
  context.emit({ ...at, time: at.time ?? session.spoke }, 'usage:reported', own);
}

/** What an answer of the API used, and how it was served. */
interface Used {
  readonly tokens: Tokens;
  readonly fetches: number;
  readonly speed: string | null;
  readonly tier: string | null;
  readonly geo: string | null;
  readonly iterations: readonly unknown[] | null;
  /** What the program itself says it cost, in dollars. Claude Code does not. */
  readonly cost: number | null;
}

function usedIn(usage: JsonObject): Used {
  return {
    tokens: tokensOf(usage),
    fetches: countOf(objectOf(usage.server_tool_use)?.web_fetch_requests),
    speed: textOf(usage.speed),
    tier: textOf(usage.service_tier),
    geo: idOf(usage.inference_geo),
    iterations: listOf(usage.iterations),
    cost: moneyOf(usage.cost_usd),
  };
}

/** Cache writes without a split count as 5 minute writes. A split counts only up to the total, which is charged. */
export function tokensOf(usage: JsonObject): Tokens {
  const split = objectOf(usage.cache_creation);
  const writes = usage.cache_creation_input_tokens;
  const hour = split?.ephemeral_1h_input_tokens;
  const search = objectOf(usage.server_tool_use)?.web_search_requests;
  const { input_tokens, output_tokens, cache_read_input_tokens: reads } = usage;
  return tokensFrom(input_tokens, output_tokens, reads, search, writes, split?.ephemeral_5m_input_tokens, hour);
}

function tokensFrom(
  input: unknown,
  output: unknown,
  reads: unknown,
  searches: unknown,
  ...writes: [total: unknown, minutes: unknown, hour: unknown]
): Tokens {
  const written = writesOf(...writes);
  return {
    input_tokens: countOf(input),
    output_tokens: countOf(output),
    cache_write_5m_tokens: written.cache_write_5m_tokens,
    cache_write_1h_tokens: written.cache_write_1h_tokens,
    cache_read_tokens: countOf(reads),
    web_search_requests: countOf(searches),
  };
}

export function usageOf(value: unknown): Tokens | null {
  return isObject(value) ? tokensOf(value) : null;
}

/** The modelUsage of a result, with our field names. */
export function modelUsageOf(value: unknown): Record<string, ModelUsage> | null {
  if (!isObject(value)) return null;
  const models = Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(models.map(([model, usage]) => [model, modelUsage(usage)]));
}

/** The row does not say which models have no price. Marks the models without a price here, or else all. */
function markUnknown(models: [string, ModelUsage][]): void {
  const unpriced = models.filter(([name]) => canonicalModel(name) === null);
  for (const [, usage] of unpriced.length > 0 ? unpriced : models) usage.cost_basis ??= 'unknown';
}

function recordOne(context: Context, at: Origin, used: MessageUsage, isCopy: boolean): void {
  const isLarger = isLargest(context, at, used);
  if (!isCopy || isLarger) emit(context, at, used);
}

/** Emits attempts that the message's counts leave out. None of them is served at the speed of the message. */
function recordAttempts(context: Context, at: Origin, used: MessageUsage, isCopy: boolean): void {
  if (used.id === null || used.iterations === null) return;
  for (const { place, type, model, usage } of attemptsOf(used.iterations, used.model)) {
    const { tier, geo } = used;
    recordOne(
      context,
      at,
      { ...used, ...usedIn(usage), tier, geo, model, iteration: { place, type }, stop: noStop },
      isCopy,
    );
  }
}

function messageUsageOf(record: RecordView, hasRequest: boolean): MessageUsage | null {
  const { model } = record;
  if (!record.hasUsage || model === '<synthetic>') return null;
  const { inputTokens, outputTokens, cacheReads, searches, cacheWrites, cacheWrites5m, cacheWrites1h } = record;
  const reason = record.isPartial ? null : record.stopReason;
  return {
    // A message without an id gets the id of its record.
    id: record.messageId ?? record.uuid,
    model,
    request: hasRequest ? record.request : null,
    final: reason !== null,
    iteration: null,
    stop: { reason, sequence: record.stopSequence },
    tokens: tokensFrom(inputTokens, outputTokens, cacheReads, searches, cacheWrites, cacheWrites5m, cacheWrites1h),
    fetches: countOf(record.fetches),
    speed: record.speed,
    tier: record.serviceTier,
    geo: record.inferenceGeo,
    iterations: record.iterations,
    cost: moneyOf(record.saidCost),
  };
}

const noStop = { reason: null, sequence: null };

/** Only counts that are not zero replace those from the start of the message. */
function isNotZero(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isNotZero);
  return value !== null && value !== 0;
}

interface MessageUsage extends Used {
  id: string | null;
  model: string | null;
  request: string | null;
  final: boolean;
  iteration: { place: number; type: string } | null;
  stop: { reason: string | null; sequence: string | null };
}

/**
 * Whether these counts are the largest of this message so far. Stream and transcript are tracked separately, because
 * the report needs both. So is a copy, because another file in the same input may have the row itself.
 */
function isLargest(context: Context, at: Origin, { id, final, iteration, tokens }: MessageUsage): boolean {
  const sum =
    tokens.input_tokens +
    tokens.output_tokens +
    tokens.cache_write_5m_tokens +
    tokens.cache_write_1h_tokens +
    tokens.cache_read_tokens;
  if (id === null) return true;
  const key = iteration === null ? id : `${id} ${iteration.place}`;
  const kind = isCopied(context, at) ? 'copied' : at.transcript;
  return context.seen.raise(`usage ${kind} ${at.session.id} ${key}`, sum + (final ? 1.5 : 1));
}

function emit(context: Context, at: Origin, used: MessageUsage): void {
  if (!context.isWanted(at, 'usage:recorded')) return;
  const { tokens } = used;
  const { session } = at;
  const copied = isCopied(context, at);
  // Written out: this is the most frequent event, and a spread would take as long as everything else here.
  context.tell(at, {
    cct: 1,
    seq: 0,
    event: 'usage:recorded',
    time: at.time,
    session_id: session.id,
    team: session.team,
    agent: at.agent,
    line: at.line,
    source: undefined,
    message_id: used.id,
    request_id: used.request,
    model: used.model,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    web_search_requests: tokens.web_search_requests,
    speed: used.speed,
    service_tier: used.tier,
    inference_geo: used.geo,
    final: used.final,
    transcript: at.transcript,
    iteration: used.iteration?.place ?? null,
    iteration_type: used.iteration?.type ?? null,
    web_fetch_requests: used.fetches,
    stop_reason: used.stop.reason,
    stop_sequence: used.stop.sequence,
    cost_usd: used.cost ?? undefined,
    copied: copied || undefined,
  });
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
  return {
    input_tokens: countOf(usage.inputTokens),
    output_tokens: countOf(usage.outputTokens),
    ...writesOf(
      usage.cacheCreationInputTokens,
      usage.cacheCreationEphemeral5mInputTokens,
      usage.cacheCreationEphemeral1hInputTokens,
    ),
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
