// Reads the messages agents send, in all versions of the input of SendMessage and Teammate.
import type { Message } from '../../event/event.js';
import { flagOf, idOf, type JsonObject, objectOf, textOf, textsOf } from '../../record/json.js';
import { announce, nameLead, startAgent } from '../agents.js';
import { type Call, type Context, noInput, type Origin } from '../context.js';
import { protocolText } from '../dialects/deliveries.js';
import { firstOf } from '../read.js';
import { agentNamed, canonical, nameOf } from '../sessions.js';
import { errorCode, type ToolResult } from './tool-result.js';

/** The message a call sends, with status `open`; null for calls that send none. */
export function readSend(
  call: Pick<Call, 'id' | 'tool' | 'input'> & { at: Pick<Origin, 'session' | 'agent'> },
): Message | null {
  const input = readSaid(call.tool, call.input);
  return input === null ? null : messageOf(call, input);
}

function messageOf(call: Pick<Call, 'id'> & { at: Pick<Origin, 'session' | 'agent'> }, input: SentMessage): Message {
  const { session, agent } = call.at;
  const { type, request_id } = input;
  const asker = request_id === null ? undefined : session.requests.get(request_id);
  return {
    type,
    from: nameOf(session, agent),
    to: type === 'broadcast' ? null : (input.to ?? asker ?? null),
    recipients: [],
    summary: input.summary,
    content: input.content,
    request_id,
    approve: input.approve,
    status: 'open',
    error: null,
    error_code: null,
    delivered_at: null,
    tool_use_id: call.id || null,
  };
}

/** Handles the result of SendMessage, or of a Teammate operation that sends. */
export function sent(context: Context, call: Call, outcome: ToolResult): void {
  const { at } = call;
  const routing = objectOf(outcome.data?.routing);
  if (at.agent === 'main' && at.session.team !== null && routing?.sender === 'team-lead')
    nameLead(context, at, `team-lead@${at.session.team}`);
  const message = readSend(call.input === noInput ? { ...call, input: fromResult(outcome.data) } : call);
  if (message === null) return;
  const named = firstOf(textOf, routing?.target, outcome.data?.target);
  const recipients = textsOf(outcome.data?.recipients) ?? [];
  const to = message.type === 'broadcast' ? null : (message.to ?? address(named) ?? confirmed(outcome.text));
  const done: Message = {
    type: message.type,
    from: senderIn(message, outcome) ?? message.from,
    to,
    recipients: recipients.length > 0 ? recipients : to === null || !outcome.success ? [] : [to],
    summary: message.summary ?? textOf(routing?.summary),
    content: message.content ?? textOf(routing?.content),
    request_id: requestOf(message, outcome),
    approve: message.approve,
    status: outcome.success ? 'sent' : 'failed',
    error: outcome.error,
    error_code: outcome.success ? null : errorCode(outcome.data, outcome.error),
    delivered_at: null,
    tool_use_id: message.tool_use_id,
  };
  const own = { category: 'team_message' as const, tool_use_id: call.id || null, message: done, body: null, nth: 1 };
  if (!outcome.success) return context.emit(at, 'team:message:failed', own);
  context.emit(at, 'team:message:sent', own);
  announce(context, at, done);
  const woken = firstOf(idOf, outcome.data?.revivedAgentId, outcome.data?.resumedAgentId);
  const target = woken ?? idOf(objectOf(outcome.data?.pin)?.id) ?? done.to;
  const agent = target === null ? null : agentNamed(at.session, target);
  if (target !== null && agent?.finished !== false && (woken !== null || resuming.test(outcome.text)))
    startAgent(context, at, {
      id: agent?.id ?? canonical(at.session, target),
      resumed: true,
      background: true,
      tool_use_id: call.id || null,
    });
}
type SentMessage = Pick<Message, 'type' | 'to' | 'summary' | 'content' | 'request_id' | 'approve'>;

/** The message in the input of SendMessage or Teammate; null for calls that send none. */
function readSaid(tool: string, input: JsonObject): SentMessage | null {
  if (tool === 'SendMessage') return readInput(input);
  const kind = tool === 'Teammate' ? operations.get(textOf(input.operation) ?? '') : undefined;
  return kind === undefined ? null : readInput({ ...input, ...kind });
}

/** The sender's name, if the result or the message itself contains it. */
function senderIn({ type, request_id }: Pick<Message, 'type' | 'request_id'>, { data }: ToolResult): string | null {
  // The answer to a shutdown request has its sender's name in the request id, `shutdown-1794785679174@writer`. In its
  // own stream the sender is just `main`.
  const named = type === 'shutdown_response' ? request_id?.split('@')[1] : undefined;
  const sender = textOf(objectOf(data?.routing)?.sender);
  return sender === null || turnId.test(sender) ? named || null : sender;
}

/** 2.1.178 writes the id of the teammate's turn where other versions write its name. */
const turnId = /^a(?:.+-)?[0-9a-f]{16}$/;

const resuming =
  /^\W*(?:\{\s*"success":\s*true,\s*"message":\s*")?(?:Resuming agent|Agent .{1,200} resumed (?:from|in) )/;

/** If the call is not in the input, the result names the recipient, and the request id shows the message type. */
function fromResult(data: JsonObject | null): JsonObject {
  const routing = objectOf(data?.routing);
  const request = idOf(data?.request_id);
  const target = firstOf(textOf, routing?.target, data?.target);
  const type =
    target === '@team'
      ? 'broadcast'
      : request?.startsWith('shutdown-')
        ? target === null
          ? 'shutdown_response'
          : 'shutdown_request'
        : 'message';
  return { type, to: target, ...(request === null ? {} : { request_id: request }) };
}

/** The id of a request, which only its result says: `Shutdown request sent to writer. Request ID: shutdown-1794785360160@writer`. */
function requestOf({ request_id }: Pick<Message, 'request_id'>, { data, text }: ToolResult): string | null {
  const said = /^\W*Shutdown request sent to .{1,200}? Request ID: ([^\s"]+)/.exec(text)?.[1];
  return request_id ?? idOf(data?.request_id) ?? said ?? null;
}

/** Removes a leading `@`. Ids such as `writer@team` keep theirs. */
function address(to: string | null): string | null {
  return to === null ? null : to.replace(/^@/, '') || null;
}

/** `Shutdown approved. Sent confirmation to team-lead.` */
function confirmed(text: string): string | null {
  return /Sent confirmation to ([^\s"]+?)\.(?:\s|"|$)/.exec(text)?.[1] ?? null;
}

/** Reads `to`/`recipient` and `message`/`content`, with fields inside the message or beside it. */
function readInput(input: JsonObject): SentMessage {
  const body = input.message ?? input.content ?? input.value ?? input.text;
  const inner = objectOf(body);
  const { recipient, target, target_agent_id, target_agent } = input;
  const to = address(firstOf(textOf, input.to, recipient, target, target_agent_id, target_agent));
  const type = messageType(firstOf(textOf, inner?.type, input.type), textOf(input.subtype), to);
  return {
    type,
    to: type === 'broadcast' ? null : to,
    summary: textOf(input.summary),
    content:
      textOf(body) ?? innerText(inner) ?? firstOf(textOf, input.content, input.reason, input.feedback, input.plan),
    request_id: firstOf(idOf, inner?.request_id, inner?.requestId, input.request_id, input.requestId),
    approve: firstOf(flagOf, inner?.approve, inner?.approved, input.approve, input.approved),
  };
}

function messageType(type: string | null, subtype: string | null, to: string | null): string {
  if (to === '*' || type === 'broadcast') return 'broadcast';
  // 2.1.20 wrote {type: "request", subtype: "shutdown"}.
  if ((type === 'request' || type === 'response') && subtype !== null) return `${subtype}_${type}`;
  return type ?? 'message';
}

function innerText(inner: JsonObject | null): string | null {
  if (inner === null) return null;
  return firstOf(textOf, inner.reason, inner.feedback, inner.content, inner.text, inner.plan) ?? protocolText(inner);
}

/** A Map, because an operation may have the name of any property, such as `constructor`. */
const operations: ReadonlyMap<string, { type: string; approve?: boolean }> = new Map([
  ['write', { type: 'message' }],
  ['broadcast', { type: 'broadcast' }],
  ['requestShutdown', { type: 'shutdown_request' }],
  ['approveShutdown', { type: 'shutdown_response', approve: true }],
  ['rejectShutdown', { type: 'shutdown_response', approve: false }],
  ['approvePlan', { type: 'plan_approval_response', approve: true }],
  ['rejectPlan', { type: 'plan_approval_response', approve: false }],
]);
