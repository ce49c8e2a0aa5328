import type { MessageRow } from '../event/usage-row.js';
import { usdOf } from '../prices/money.js';
import { isUnnamed, type MessageUse } from '../state/usage/message-use.js';
import type { Figures } from './usage-group.js';
import { countsAsMessage, type Part } from './usage-part.js';
import { totalOf } from './usage-tokens.js';

/** The columns of every usage row, whatever it is grouped by. */
export const figureFields = [
  'messages',
  'input_tokens',
  'output_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'cache_read_tokens',
  'total_tokens',
  'web_search_requests',
  'cost_usd',
  'cost_source',
  'unpriced_tokens',
] as const satisfies readonly (keyof Figures)[];

export const messageFields = [
  'cct',
  'message_id',
  'session_id',
  'team',
  'agent',
  'name',
  'agent_type',
  'model',
  'time',
  'turn',
  'speed',
  'inference_geo',
  ...figureFields,
  'result_id',
  'kind',
  'final',
  'transcript',
  'in_transcript',
  'also_in',
  'iteration',
  'iteration_type',
  'reported',
] as const satisfies readonly (keyof MessageRow)[];

/** A part as a row of its own, from which the same part can be worked out again. */
export function messageRow(part: Part): MessageRow {
  const { message, result, who, tokens, cost } = part;
  const model = part.named === null ? undefined : result?.models.get(part.named);
  return {
    cct: 1,
    message_id: message === null || isUnnamed(message) ? null : idOf(message),
    session_id: part.session_id,
    team: who.team,
    agent: who.agent,
    name: who.name,
    agent_type: who.agent_type,
    model: part.named,
    time: part.time,
    turn: part.turn,
    speed: message?.origin.speed ?? null,
    inference_geo: message?.origin.inference_geo ?? null,
    messages: countsAsMessage(part) ? 1 : 0,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_write_5m_tokens: tokens.cache_write_5m_tokens,
    cache_write_1h_tokens: tokens.cache_write_1h_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    total_tokens: totalOf(tokens),
    web_search_requests: tokens.web_search_requests,
    cost_usd: cost === null ? null : usdOf(BigInt(cost)),
    cost_source: part.source,
    unpriced_tokens: cost === null ? totalOf(tokens) : 0,
    result_id: result?.id ?? null,
    kind: who.kind,
    final: message?.final ?? null,
    transcript: message === null ? result?.state || null : !message.stream,
    in_transcript: message?.row ?? null,
    also_in: [...(message?.others ?? [])],
    iteration: message === null ? null : iterationOf(message),
    iteration_type: message?.origin.iteration ?? null,
    reported:
      result === null
        ? null
        : { ...result.said, model_usage: model?.total ?? null, since_last_result: model?.since ?? null },
  };
}

/** An attempt is kept under the id of its message and its place in it. */
function idOf({ key, origin }: MessageUse): string {
  return origin.iteration === null ? key : key.slice(0, key.lastIndexOf(' '));
}

function iterationOf({ key, origin }: MessageUse): number | null {
  return origin.iteration === null ? null : Number(key.slice(key.lastIndexOf(' ') + 1));
}
