import type { ModelUsage, Tokens } from '../../event/event.js';
import { usageMessageRow } from '../../event/usage-row.js';
import { canonicalModel } from '../../prices/models.js';
import { readAs } from '../../record/describe.js';
import { idOf, isObject, type JsonObject, listOf, countOf as numberOf, objectOf, textOf } from '../../record/json.js';
import { type Context, type Origin, sessionOf } from '../context.js';
import { fieldsOf } from '../read.js';

/** Usage of an assistant record. A copy of a record counts only where its counters are larger. */
export function recordUsage(
  context: Context,
  at: Origin,
  message: JsonObject,
  request: string | null,
  isCopy: boolean,
): void {
  const said = context.wants('usage:recorded') ? saidBy(at, message, request) : null;
  if (said === null) return;
  const { session } = at;
  if (at.transcript && at.agent === session.lead && at.time !== null && at.time > (session.spoke ?? ''))
    session.spoke = at.time;
  tell(context, at, said, isCopy);
  tellAttempts(context, at, said, isCopy);
}

/** The same of a record that is not remembered: a copy of it that says no more changes nothing. One of a record that is may. */
export function usageOnly(context: Context, at: Origin): void {
  const message = objectOf(at.record.message);
  const said = message === null ? null : saidBy(at, message, idOf(at.record.request_id));
  if (said === null) return;
  const uuid = idOf(at.record.uuid);
  const isCopy = uuid !== null && context.seen.has(uuid);
  const tokens = tokensOf(said.usage);
  if (!isCopy || isLargest(context, at, said, tokens)) emit(context, at, said, tokens);
  tellAttempts(context, at, said, isCopy);
}

function tell(context: Context, at: Origin, said: Said, isCopy: boolean): void {
  const tokens = tokensOf(said.usage);
  const isLarger = isLargest(context, at, said, tokens);
  if (!isCopy || isLarger) emit(context, at, said, tokens);
}

/** What the message's own counts do not hold. Nothing of it is served at the speed of the message. */
function tellAttempts(context: Context, at: Origin, said: Said, isCopy: boolean): void {
  if (said.id === null) return;
  for (const { place, type, model, usage } of attemptsOf(said.usage, said.model)) {
    const { service_tier, inference_geo } = said.usage;
    const own = { ...said, model, usage: { ...usage, service_tier, inference_geo }, iteration: { place, type } };
    tell(context, at, own, isCopy);
  }
}

function saidBy(at: Origin, message: JsonObject, request: string | null): Said | null {
  const model = textOf(message.model);
  if (!isObject(message.usage) || model === '<synthetic>') return null;
  return {
    // Without an id of its own a message is one with its record.
    id: idOf(message.id) ?? idOf(at.record.uuid),
    model,
    usage: message.usage,
    request,
    final: textOf(message.stop_reason) !== null,
    iteration: null,
  };
}

/** A row of `usage --by message` read back; false when it is none. */
export function mergeRow(context: Context, record: JsonObject, line: number): boolean {
  const row = readAs(usageMessageRow, record);
  if (row === null) return false;
  const session = { ...sessionOf(context, row.session_id), team: row.team };
  const transcript = row.transcript === true;
  context.emit({ session, agent: row.agent, time: row.time, line, record, transcript }, 'usage:merged', { row });
  return true;
}

/**
 * `stream_event` records: only the final usage of a message is news, everything else follows as a whole record. Where the input
 * begins in the middle of a message, its end has no id or model: it is then known by its record.
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
    const said = Object.entries(delta).filter(([name, value]) => name === 'output_tokens' || saysSomething(value));
    const usage = { ...open.usage, ...Object.fromEntries(said) };
    const whole = { ...open, usage, request: null, final: true, iteration: null };
    tell(context, at, whole, false);
    tellAttempts(context, at, whole, false);
  }
}

/** `cost-state`, the last row of a session file: what the session has cost so far. Its time is that of the last message before it. */
export function costState(context: Context, at: Origin): void {
  const { session } = at;
  const model_usage = modelUsageOf(at.record.modelUsage);
  const total_cost_usd = numberOf(at.record.totalCostUSD);
  // The row has no id: it is known by what it says.
  if (!context.seen.add(`cost-state ${session.id} ${total_cost_usd} ${JSON.stringify(model_usage)}`)) return;
  if (at.record.hasUnknownModelCost === true) markUnknown(Object.entries(model_usage ?? {}));
  const { type: _type, subtype: _subtype, ...fields } = fieldsOf(at.record);
  const own = { ...fields, total_cost_usd, model_usage };
  context.emit({ ...at, time: at.time ?? session.spoke }, 'usage:reported', own);
}

/** The row does not say which of its models had no price: those that have none here, else any. */
function markUnknown(models: [string, ModelUsage][]): void {
  const strange = models.filter(([name]) => canonicalModel(name) === null);
  for (const [, usage] of strange.length > 0 ? strange : models) usage.cost_basis ??= 'unknown';
}

/** Only what is not zero replaces what the message began with. */
function saysSomething(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(saysSomething);
  return value !== null && value !== 0;
}

interface Said {
  id: string | null;
  model: string | null;
  usage: JsonObject;
  request: string | null;
  final: boolean;
  iteration: { place: number; type: string } | null;
}

/** The most that was said of this message so far. Stream and transcript are kept apart: the report needs to know that both have it. */
function isLargest(context: Context, at: Origin, { id, final, iteration }: Said, tokens: Tokens): boolean {
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

function emit(context: Context, at: Origin, said: Said, tokens: Tokens): void {
  const { usage } = said;
  // Written out: this is the event of which there are most, and a spread takes as long as all the rest.
  context.emit(at, 'usage:recorded', {
    message_id: said.id,
    request_id: said.request,
    model: said.model,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    web_search_requests: tokens.web_search_requests,
    speed: textOf(usage.speed),
    service_tier: textOf(usage.service_tier),
    inference_geo: idOf(usage.inference_geo),
    final: said.final,
    transcript: at.transcript,
    iteration: said.iteration?.place ?? null,
    iteration_type: said.iteration?.type ?? null,
  });
}

/** Cache writes without a split are 5 minute ones; a split counts only up to the total, which is what the program charges. */
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

function writesOf(
  total: unknown,
  minutes: unknown,
  hour: unknown,
): Pick<Tokens, 'cache_write_5m_tokens' | 'cache_write_1h_tokens'> {
  const writes = countOf(total) || countOf(minutes) + countOf(hour);
  const long = Math.min(countOf(hour), writes);
  return { cache_write_5m_tokens: writes - long, cache_write_1h_tokens: long };
}

/** Counts are whole and never negative, whatever a stream says: sums of them stay exact. */
function countOf(value: unknown): number {
  const count = numberOf(value);
  return count === null || count <= 0 ? 0 : Math.min(Math.round(count), Number.MAX_SAFE_INTEGER);
}

export function usageOf(value: unknown): Tokens | null {
  return isObject(value) ? tokensOf(value) : null;
}

/** modelUsage of a result, in our spelling. */
export function modelUsageOf(value: unknown): Record<string, ModelUsage> | null {
  if (!isObject(value)) return null;
  const models = Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(models.map(([model, usage]) => [model, modelUsage(usage)]));
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
    cost_usd: numberOf(usage.costUSD),
    canonical_model: textOf(usage.canonicalModel),
    cost_basis: textOf(usage.costBasis),
  };
}

/** A sampling step inside one API message that the message's own counts do not hold. */
export interface Attempt {
  /** Its place in usage.iterations. */
  readonly place: number;
  readonly type: string;
  readonly model: string | null;
  readonly usage: JsonObject;
}

/**
 * usage.iterations lists what the API did for one message. Its counts are those of the model that answered, over all its
 * steps. Beside them stand the advisor (charged under its own model), a compaction, and what another model did before it
 * declined and the next one answered (`fallback_message`).
 */
export function attemptsOf(usage: JsonObject, model: string | null): readonly Attempt[] {
  const list = listOf(usage.iterations);
  if (list === null || list.length === 0) return none;
  const steps = list.flatMap((item, place) => {
    const step = objectOf(item);
    const type = textOf(step?.type) ?? '';
    return step === null ? [] : [{ place, type, model: idOf(step.model), usage: step }];
  });
  const answered = steps.findLast(({ type }) => !besides.has(type))?.model ?? model;
  return steps
    .filter((step) => besides.has(step.type) || (step.model ?? answered) !== answered)
    .map((step) => ({ ...step, model: step.model ?? model }));
}

const none: readonly Attempt[] = [];
const besides: ReadonlySet<string> = new Set(['advisor_message', 'compaction']);
