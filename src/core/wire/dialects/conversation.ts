// Turns the blocks of `assistant` and `user` records, in streams and transcripts, into events.
import { markOf } from '../../record/hash.js';
import { flagOf, textOf, textsOf, wholeOf } from '../../record/json.js';
import { type Context, type Origin, passTime, repeatsTexts } from '../context.js';
import { apiErrorIn } from '../outcome.js';
import { fieldsOf, firstOf } from '../read.js';
import { closeCall, openCall } from '../tools/calls.js';
import { type BlockView, noResult } from '../view.js';
import { emitDelivery, mayBeEnvelope, readEnvelopes } from './deliveries.js';
import { isRepeated, recordUsage } from './usage.js';

export function assistant(context: Context, at: Origin, copy: boolean): void {
  const { record } = at;
  const { seq } = context;
  if (!copy) {
    if (record.isStrange) retract(context, at, textsOf(record.whole().supersedes));
    const { content } = record;
    const blocks = typeof content === 'string' ? [content] : (content ?? []);
    for (let place = 0; place < blocks.length; place++) produced(context, at, blocks[place] ?? null, place);
    if (record.model === '<synthetic>') inserted(context, at);
  }
  recordUsage(context, at, copy, context.seq > seq);
}

/** What Claude Code wrote in place of a model: perhaps an error of the API. */
function inserted(context: Context, at: Origin): void {
  const error = apiErrorIn(at.record.whole());
  if (error !== null) context.emit(at, 'session:changed', { type: 'assistant', subtype: 'api_error', ...error });
}

export function user(context: Context, at: Origin): void {
  const { head } = at.record;
  // A long prompt that nobody wants to read.
  if (
    head !== '' &&
    (context.content === 'none' || !context.wants('prompt:received')) &&
    !mayBeEnvelope(head) &&
    at.record.origin === null
  )
    return received(context, at, head);
  const { content } = at.record;
  if (typeof content === 'string') return received(context, at, content);
  if (content === null) return;
  const first = content[0] ?? null;
  // Most records have one block, a result.
  if (content.length === 1 && isResult(first)) return closeCall(context, at, first, at.record.result);
  const isAlone = content.filter(isResult).length === 1;
  // The call that it answers is its parent's, which gets another answer.
  const isOfFork = at.record.writer.isSidechain === true && content.some(startsFork);
  const texts: string[] = [];
  const attachments: string[] = [];
  for (const block of content) {
    if (typeof block !== 'object' || block === null) continue;
    if (block.type === 'tool_result') {
      if (!isOfFork) closeCall(context, at, block, isAlone ? at.record.result : noResult);
    } else if (block.type === 'text') texts.push(block.text ?? '');
    else attachments.push(block.type || 'unknown');
  }
  if (texts.length > 0 || attachments.length > 0) received(context, at, texts.join('\n'), attachments);
}

/** Whether it tells an agent that it is a fork, which has the conversation of its parent. */
function startsFork(block: BlockView | string | null): boolean {
  return typeof block === 'object' && block?.type === 'text' && block.text?.startsWith('<fork-boilerplate>') === true;
}

export function isResult(block: BlockView | string | null): block is BlockView {
  return typeof block === 'object' && block !== null && block.type === 'tool_result';
}

/** Text an agent received: a prompt, or injected envelopes, which have events of their own. */
export function received(context: Context, at: Origin, text: string, attachments: string[] = []): void {
  const { record } = at;
  const { origin } = record;
  const envelopes = readEnvelopes(text, origin);
  if (envelopes.length > 0) {
    if (!isRepeated(at)) for (const envelope of envelopes) emitDelivery(context, at, envelope);
    return;
  }
  const { isSynthetic, isMeta, isCompactSummary } = record;
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
  const marks = uuids.map((uuid) => markOf(uuid, context.seen.seed));
  const retracted = context.calls
    .all()
    .filter(({ ofState, at: { said, session, agent } }) =>
      ofState ? isOfState && session === at.session && agent === at.agent : marks.includes(said),
    );
  for (const call of retracted) context.calls.take(call.mark);
  for (const uuid of uuids) context.seen.add(uuid);
  context.emit(at, 'session:changed', {
    type: at.record.type || null,
    subtype: 'retracted',
    uuids,
    tool_use_ids: retracted.map((call) => call.id),
  });
}

function produced(context: Context, at: Origin, block: BlockView | string | null, place: number): void {
  if (block === null) return;
  const type = typeof block === 'string' ? 'text' : block.type;
  if (type === 'text' || type === 'thinking' || type === 'redacted_thinking') spoke(context, at, type, block, place);
  else if (typeof block === 'string') return;
  else if (type === 'tool_use' || type.endsWith('tool_use')) openCall(context, at, block);
  else if (type.endsWith('tool_result')) closeCall(context, at, block, noResult);
  else if (otherBlocks.has(type)) {
    if (at.record.uuid === null && isCopy(context, at, `${type} ${at.record.messageId} ${place}`)) return;
    const { messageId: message_id, model } = at.record;
    const own = { type: 'assistant', subtype: type, message_id, model };
    context.emit(at, 'session:changed', { ...fieldsOf(block.whole()), ...own });
  } else context.emit(at, 'unknown', { type: at.record.type, subtype: type, raw: block.whole() });
}

function spoke(context: Context, at: Origin, type: string, block: BlockView | string, place: number): void {
  const event = type === 'text' ? 'text:produced' : 'thinking:produced';
  if (at.record.hasId && !context.wants(event)) return passTime(context, at.time);
  const { messageId: message_id, model, uuid } = at.record;
  // Only a record without a uuid may be a copy that its text shows.
  if (uuid !== null && !context.isWanted(at, event)) return;
  const text = repeatsTexts(context) || uuid === null ? textIn(block) : '';
  if (uuid === null && (isCopy(context, at, `${type} ${message_id} ${place} ${text}`) || !context.isWanted(at, event)))
    return;
  if (event === 'text:produced' || !repeatsTexts(context)) {
    const { session, agent, time, line } = at;
    return context.tell(at, {
      cct: 1,
      seq: 0,
      event,
      time,
      session_id: session.id,
      team: session.team,
      agent,
      line,
      source: undefined,
      message_id,
      model,
      text: repeatsTexts(context) ? text : '',
    });
  }
  const { thinking_duration_ms, thinkingDurationMs } = at.record.whole();
  const duration_ms = firstOf(wholeOf, thinking_duration_ms, thinkingDurationMs);
  const own = { message_id, model, text };
  context.emit(at, event, duration_ms === null ? own : { ...own, duration_ms });
}

function textIn(block: BlockView | string): string {
  return typeof block === 'string' ? block : (block.text ?? textOf(block.whole().thinking) ?? '');
}

/** A record without a uuid may be a copy. Only its blocks can show that. */
function isCopy(context: Context, { record: { messageId } }: Origin, key: string): boolean {
  return messageId !== null && !context.seen.add(key);
}

/** Blocks of a message that are neither text nor a call. */
const otherBlocks = new Set(['fallback', 'compaction', 'container_upload', 'mcp_list_tools']);
