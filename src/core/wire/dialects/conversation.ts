// Turns the blocks of `assistant` and `user` records, in streams and transcripts, into events.
import { flagOf, idOf, type JsonObject, listOf, objectOf, textOf, textsOf, wholeOf } from '../../record/json.js';
import type { Context, Origin } from '../context.js';
import { apiErrorIn } from '../outcome.js';
import { fieldsOf, firstOf } from '../read.js';
import { closeCall, openCall } from '../tools/calls.js';
import { deliver, readEnvelopes } from './deliveries.js';
import { recordUsage } from './usage.js';

export function assistant(context: Context, at: Origin, copy: boolean): void {
  const { record } = at;
  const message = objectOf(record.message) ?? {};
  if (!copy) {
    retract(context, at, textsOf(record.supersedes));
    const blocks = listOf(message.content) ?? [message.content];
    for (let place = 0; place < blocks.length; place++) produced(context, at, message, blocks[place], place);
    const error = apiErrorIn(record);
    if (error !== null) context.emit(at, 'session:changed', { type: 'assistant', subtype: 'api_error', ...error });
  }
  recordUsage(context, at, message, idOf(record.request_id) ?? idOf(record.requestId), copy);
}

export function user(context: Context, at: Origin): void {
  const { record } = at;
  const message = objectOf(record.message);
  const content = message?.content ?? record.content;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (listOf(content) ?? []);
  const results = blocks.filter((block) => objectOf(block)?.type === 'tool_result').length;
  const result = record.tool_use_result ?? record.toolUseResult;
  const texts: string[] = [];
  const attachments: string[] = [];
  for (const item of blocks) {
    const block = objectOf(item);
    if (block?.type === 'tool_result') closeCall(context, at, block, results === 1 ? result : undefined);
    else if (block?.type === 'text') texts.push(textOf(block.text) ?? '');
    else if (block !== null) attachments.push(textOf(block.type) ?? 'unknown');
  }
  if (texts.length > 0 || attachments.length > 0) received(context, at, texts.join('\n'), attachments);
}

/** Text an agent received: a prompt, or injected envelopes, which have events of their own. */
export function received(context: Context, at: Origin, text: string, attachments: string[] = []): void {
  const origin = objectOf(at.record.origin);
  const envelopes = readEnvelopes(text, origin);
  for (const envelope of envelopes) deliver(context, at, envelope);
  if (envelopes.length > 0) return;
  const { isSynthetic, isMeta, isCompactSummary } = at.record;
  const synthetic = firstOf(flagOf, isSynthetic, isMeta, isCompactSummary) ?? false;
  context.emit(at, 'prompt:received', { text, origin, synthetic, attachments });
  if (interruption.test(text)) context.emit(at, 'session:changed', { type: 'user', subtype: 'interrupted' });
}

/** Claude Code adds this text to a conversation that somebody interrupted. */
const interruption = /^\s*\[Request interrupted by user/;

/** Removes the open calls of records that a refusal fallback or an unparsable call took back: they never get a result. */
export function retract(context: Context, at: Origin, uuids: string[] | null): void {
  if (uuids === null || uuids.length === 0) return;
  // A saved state does not keep the records of its calls. But an agent that answers again has no other open calls.
  const isOfState = uuids.some((uuid) => !context.seen.has(uuid));
  const retracted = [...context.calls.values()].filter(({ ofState, at: { record, session, agent } }) =>
    ofState ? isOfState && session === at.session && agent === at.agent : uuids.includes(textOf(record.uuid) ?? ''),
  );
  for (const call of retracted) context.calls.delete(call.id);
  for (const uuid of uuids) context.seen.add(uuid);
  context.emit(at, 'session:changed', {
    type: textOf(at.record.type),
    subtype: 'retracted',
    uuids,
    tool_use_ids: retracted.map((call) => call.id),
  });
}

function produced(context: Context, at: Origin, message: JsonObject, item: unknown, place: number): void {
  const block = typeof item === 'string' ? { type: 'text', text: item } : objectOf(item);
  if (block === null) return;
  const type = textOf(block.type) ?? '';
  const id = idOf(message.id);
  const model = textOf(message.model);
  if (type === 'text' || type === 'thinking' || type === 'redacted_thinking') {
    const text = textOf(block.text) ?? textOf(block.thinking) ?? '';
    // A record without a uuid may be a copy. Only the text of its blocks can show that.
    if (id !== null && at.record.uuid === undefined && !context.seen.add(`${type} ${id} ${place} ${text}`)) return;
    const own = { message_id: id, model, text };
    if (type === 'text') return context.emit(at, 'text:produced', own);
    const duration_ms = firstOf(wholeOf, at.record.thinking_duration_ms, at.record.thinkingDurationMs);
    context.emit(at, 'thinking:produced', duration_ms === null ? own : { ...own, duration_ms });
  } else if (type.endsWith('tool_use')) {
    openCall(context, at, block, id);
  } else if (type.endsWith('tool_result')) {
    closeCall(context, at, block, undefined);
  } else if (otherBlocks.has(type)) {
    const copied = id !== null && at.record.uuid === undefined && !context.seen.add(`${type} ${id} ${place}`);
    if (!copied)
      context.emit(at, 'session:changed', {
        ...fieldsOf(block),
        type: 'assistant',
        subtype: type,
        message_id: id,
        model,
      });
  } else {
    context.emit(at, 'unknown', { type: textOf(at.record.type), subtype: type, raw: block });
  }
}

/** Blocks of a message that are neither text nor a call. */
const otherBlocks = new Set(['fallback', 'compaction', 'container_upload', 'mcp_list_tools']);
