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
import { type Context, type Origin, sessionOf } from '../context.js';
import { fieldsOf } from '../read.js';

/** Emits the usage of an assistant record. A copy counts only if its counters are larger. */
export function recordUsage(
  context: Context,
  at: Origin,
  message: JsonObject,
  request: string | null,
  isCopy: boolean,
): void {
  const used = context.wants('usage:recorded') ? messageUsageOf(at, message, request) : null;
  if (used === null) return;
  const { session } = at;
  if (used.stop !== undefined && at.time !== null && at.time >= (session.spoke ?? '')) {
    session.spoke = at.time;
    session.stopped = used.stop;
  }
  recordOne(context, at, used, isCopy);
  recordAttempts(context, at, used, isCopy);
}

/** Reads a row of `usage --by message`; false if the record is not one. */
export function mergeRow(context: Context, record: JsonObject, line: number): boolean {
  const row = readAs(usageMessageRow, record);
  if (row === null) return false;
  const session = { ...sessionOf(context, row.session_id), team: row.team };
  const transcript = row.transcript === true;
  context.emit({ session, agent: row.agent, time: row.time, line, record, transcript }, 'usage:merged', { row });
  return true;
}

/**
 * `stream_event` records: only the final usage of a message is new; everything else follows as a whole record. If the
 * input begins in the middle of a message, its id and model are unknown, and the uuid of its record is used.
 */
export function streamEvent(context: Context, at: Origin): void {
  const event = objectOf(at.record.event);
  const key = `${at.session.id} ${at.agent === at.session.lead ? '' : at.agent}`;
  if (event?.type === 'message_start') {
    const message = objectOf(event.message);
    context.memory.partial.set(key, {
      id: idOf(message?.id),
      model: textOf(message?.model),
      usage: objectOf(message?.usage) ?? {},
    });
  } else if (event?.type === 'message_delta') {
    const open = context.memory.partial.get(key) ?? { id: idOf(at.record.uuid), model: null, usage: {} };
    const delta = objectOf(event.usage);
    if (open.id === null || open.model === '<synthetic>' || delta === null) return;
    const changes = Object.entries(delta).filter(([name, value]) => name === 'output_tokens' || isNotZero(value));
    const usage = { ...open.usage, ...Object.fromEntries(changes) };
    const whole = { ...open, usage, request: null, final: true, iteration: null };
    recordOne(context, at, whole, false);
    recordAttempts(context, at, whole, false);
  }
}

/** `cost-state`, the last row of a session file: the cost of the session so far, at the time of the message before it. */
export function costState(context: Context, at: Origin): void {
  const { session } = at;
  const model_usage = modelUsageOf(at.record.modelUsage);
  const total_cost_usd = moneyOf(at.record.totalCostUSD);
  // The row has no id. A copy is recognized by its content.
  if (!context.seen.add(`cost-state ${session.id} ${total_cost_usd} ${JSON.stringify(model_usage)}`)) return;
  if (at.record.hasUnknownModelCost === true) markUnknown(Object.entries(model_usage ?? {}));
  const { type: _type, subtype: _subtype, ...fields } = fieldsOf(at.record);
  const own = { ...fields, total_cost_usd, model_usage, stop_reason: session.stopped };
  context.emit({ ...at, time: at.time ?? session.spoke }, 'usage:reported', own);
}

/** Cache writes without a split count as 5 minute writes. A split counts only up to the total, which is charged. */
export function tokensOf(usage: JsonObject): Tokens {
  const split = objectOf(usage.cache_creation);
  const writes = writesOf(
    usage.cache_creation_input_tokens,
    split?.ephemeral_5m_input_tokens,
    split?.ephemeral_1h_input_tokens,
  );
  return {
    input_tokens: countOf(usage.input_tokens),
    output_tokens: countOf(usage.output_tokens),
    cache_write_5m_tokens: writes.cache_write_5m_tokens,
    cache_write_1h_tokens: writes.cache_write_1h_tokens,
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
  const models = Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(models.map(([model, usage]) => [model, modelUsage(usage)]));
}

/** The row does not say which models have no price. Marks the models without a price here, or else all. */
function markUnknown(models: [string, ModelUsage][]): void {
  const unpriced = models.filter(([name]) => canonicalModel(name) === null);
  for (const [, usage] of unpriced.length > 0 ? unpriced : models) usage.cost_basis ??= 'unknown';
}

function recordOne(context: Context, at: Origin, used: MessageUsage, isCopy: boolean): void {
  const tokens = tokensOf(used.usage);
  const isLarger = isLargest(context, at, used, tokens);
  if (!isCopy || isLarger) emit(context, at, used, tokens);
}

/** Emits attempts that the message's counts leave out. None of them is served at the speed of the message. */
function recordAttempts(context: Context, at: Origin, used: MessageUsage, isCopy: boolean): void {
  if (used.id === null) return;
  for (const { place, type, model, usage } of attemptsOf(used.usage, used.model)) {
    const { service_tier, inference_geo } = used.usage;
    const own = { ...used, model, usage: { ...usage, service_tier, inference_geo }, iteration: { place, type } };
    recordOne(context, at, own, isCopy);
  }
}

function messageUsageOf(at: Origin, message: JsonObject, request: string | null): MessageUsage | null {
  const model = textOf(message.model);
  if (!isObject(message.usage) || model === '<synthetic>') return null;
  return {
    // A message without an id gets the id of its record.
    id: idOf(message.id) ?? idOf(at.record.uuid),
    model,
    usage: message.usage,
    request,
    final: textOf(message.stop_reason) !== null,
    iteration: null,
    ...(at.transcript && at.agent === at.session.lead && { stop: textOf(message.stop_reason) }),
  };
}

/** Only counts that are not zero replace those from the start of the message. */
function isNotZero(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isNotZero);
  return value !== null && value !== 0;
}

interface MessageUsage {
  id: string | null;
  model: string | null;
  usage: JsonObject;
  request: string | null;
  final: boolean;
  iteration: { place: number; type: string } | null;
  /** Why it stopped; only in the main conversation of a transcript. */
  stop?: string | null;
}

/**
 * Whether these counts are the largest of this message so far. Stream and transcript are tracked separately, because
 * the report needs both.
 */
function isLargest(context: Context, at: Origin, { id, final, iteration }: MessageUsage, tokens: Tokens): boolean {
  const sum =
    tokens.input_tokens +
    tokens.output_tokens +
    tokens.cache_write_5m_tokens +
    tokens.cache_write_1h_tokens +
    tokens.cache_read_tokens;
  if (id === null) return true;
  const key = iteration === null ? id : `${id} ${iteration.place}`;
  return context.seen.raise(`usage ${at.transcript} ${at.session.id} ${key}`, sum + (final ? 1.5 : 1));
}

function emit(context: Context, at: Origin, used: MessageUsage, tokens: Tokens): void {
  const { usage } = used;
  // Written out: this is the most frequent event, and a spread would take as long as everything else here.
  context.emit(at, 'usage:recorded', {
    message_id: used.id,
    request_id: used.request,
    model: used.model,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    web_search_requests: tokens.web_search_requests,
    speed: textOf(usage.speed),
    service_tier: textOf(usage.service_tier),
    inference_geo: idOf(usage.inference_geo),
    final: used.final,
    transcript: at.transcript,
    iteration: used.iteration?.place ?? null,
    iteration_type: used.iteration?.type ?? null,
    ...(used.stop !== undefined && { stop_reason: used.stop }),
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
function attemptsOf(usage: JsonObject, model: string | null): readonly Attempt[] {
  const list = listOf(usage.iterations);
  if (list === null || list.length === 0) return none;
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
