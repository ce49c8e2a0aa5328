import { countOf, idOf, objectOf, textOf } from '../record/fields.js';
import { isObject, type JsonObject } from '../record/json.js';
import { modelUsageWire, read, type UsageWire, usageWire } from '../record/wire.js';
import type { At, Desk } from './desk.js';
import type { ModelUsage, Tokens } from './event.js';

/** Usage of an assistant record. A copy of a record counts only where its counters are larger. */
export function recordUsage(
  desk: Desk,
  at: At,
  message: JsonObject,
  from: { request: string | null; copy: boolean },
): void {
  const model = textOf(message.model);
  if (!isObject(message.usage) || model === '<synthetic>') return;
  record(desk, at, {
    id: idOf(message.id),
    model,
    usage: read(usageWire, message.usage),
    request: from.request,
    final: textOf(message.stop_reason) !== null,
    copy: from.copy,
  });
}

/** `stream_event` records: only the final usage of a message is news, everything else follows as a whole record. */
export function streamEvent(desk: Desk, at: At): void {
  const event = objectOf(at.record.event);
  const key = `${at.session.id} ${at.agent}`;
  if (event?.type === 'message_start') {
    const message = objectOf(event.message);
    desk.partial.set(key, {
      id: idOf(message?.id),
      model: textOf(message?.model),
      usage: objectOf(message?.usage) ?? {},
    });
  } else if (event?.type === 'message_delta') {
    const open = desk.partial.get(key);
    const delta = objectOf(event.usage);
    if (open === undefined || open.model === '<synthetic>' || delta === null) return;
    const said = Object.entries(delta).filter(([, value]) => value !== null);
    const usage = read(usageWire, { ...open.usage, ...Object.fromEntries(said) });
    record(desk, at, { ...open, usage, request: null, final: true, copy: false });
    desk.partial.delete(key);
  }
}

interface Recorded {
  id: string | null;
  model: string | null;
  usage: UsageWire;
  request: string | null;
  final: boolean;
  copy: boolean;
}

function record(desk: Desk, at: At, said: Recorded): void {
  const tokens = tokensOf(said.usage);
  const sum =
    tokens.input_tokens +
    tokens.output_tokens +
    tokens.cache_write_5m_tokens +
    tokens.cache_write_1h_tokens +
    tokens.cache_read_tokens;
  // Stream and transcript are kept apart: the report needs to know that both have the message.
  const larger =
    said.id === null ||
    desk.seen.raise(`usage ${at.transcript} ${at.session.id} ${said.id}`, sum + (said.final ? 1.5 : 1));
  if (said.copy && !larger) return;
  desk.emit(at, 'usage:recorded', {
    message_id: said.id,
    request_id: said.request,
    model: said.model,
    ...tokens,
    speed: said.usage.speed ?? null,
    service_tier: said.usage.service_tier ?? null,
    inference_geo: said.usage.inference_geo || null,
    final: said.final,
    transcript: at.transcript,
  });
}

/** Cache writes without a split are 5 minute ones; a split that does not cover the total leaves the rest there too. */
export function tokensOf(usage: UsageWire): Tokens {
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const minutes = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  return {
    input_tokens: usage.input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
    cache_write_5m_tokens: Math.max(minutes, (usage.cache_creation_input_tokens ?? 0) - hour),
    cache_write_1h_tokens: hour,
    cache_read_tokens: usage.cache_read_input_tokens ?? 0,
    web_search_requests: usage.server_tool_use?.web_search_requests ?? 0,
  };
}

export function usageOf(value: unknown): Tokens | null {
  return isObject(value) ? tokensOf(read(usageWire, value)) : null;
}

/** modelUsage of a result, in our spelling. */
export function modelUsageOf(value: unknown): Record<string, ModelUsage> | null {
  if (!isObject(value)) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([model, item]) => {
      if (!isObject(item)) return [];
      const usage = read(modelUsageWire, item);
      const hour = usage.cacheCreationEphemeral1hInputTokens ?? 0;
      const minutes = usage.cacheCreationEphemeral5mInputTokens ?? 0;
      return [
        [
          model,
          {
            input_tokens: usage.inputTokens ?? 0,
            output_tokens: usage.outputTokens ?? 0,
            cache_write_5m_tokens: Math.max(minutes, (usage.cacheCreationInputTokens ?? 0) - hour),
            cache_write_1h_tokens: hour,
            cache_read_tokens: usage.cacheReadInputTokens ?? 0,
            web_search_requests: usage.webSearchRequests ?? 0,
            cost_usd: countOf(usage.costUSD),
            canonical_model: usage.canonicalModel ?? null,
            cost_basis: usage.costBasis ?? null,
          },
        ],
      ];
    }),
  );
}
