import { coalesce, flagOf, idOf, objectOf, textOf, textsOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { toJson } from '../../record/leading-json.js';
import { nameLead, startAgent } from '../agents.js';
import { type Call, type Desk, noInput } from '../desk.js';
import { errorCode } from '../error-code.js';
import type { Message } from '../event.js';
import { announce } from '../members.js';
import type { Outcome } from '../outcome.js';
import { agentNamed, canonical, nameOf } from '../session.js';

/** The message a call sends, still open; null for calls that send none. */
export function readSend(call: Call): Message | null {
  if (call.tool === 'SendMessage') return readMessage(call, call.input);
  const kind = call.tool === 'Teammate' ? operations[textOf(call.input.operation) ?? ''] : undefined;
  if (kind === undefined) return null;
  return readMessage(call, {
    ...call.input,
    type: kind.type,
    ...(kind.approve === undefined ? {} : { approve: kind.approve }),
  });
}

/** SendMessage came back, or what the Teammate tool had for it. */
export function sent(desk: Desk, call: Call, outcome: Outcome): void {
  const { at } = call;
  const routing = objectOf(outcome.data?.routing);
  if (at.agent === 'main' && at.session.team !== null && routing?.sender === 'team-lead')
    nameLead(desk, at, `team-lead@${at.session.team}`);
  const asked = readSend(call.input === noInput ? { ...call, input: fromResult(outcome.data) } : call);
  if (asked === null) return;
  const target = coalesce(textOf(routing?.target), textOf(outcome.data?.target));
  const recipients = textsOf(outcome.data?.recipients) ?? [];
  const to = asked.type === 'broadcast' ? null : (asked.to ?? address(target) ?? confirmed(outcome.text));
  const message: Message = {
    ...asked,
    from: textOf(routing?.sender) ?? senderOf(call, asked),
    to,
    recipients: recipients.length > 0 ? recipients : to === null || !outcome.success ? [] : [to],
    summary: asked.summary ?? textOf(routing?.summary),
    content: asked.content ?? textOf(routing?.content),
    request_id: asked.request_id ?? idOf(outcome.data?.request_id),
    status: outcome.success ? 'sent' : 'failed',
    error: outcome.error,
    error_code: outcome.success ? null : errorCode(outcome.data, outcome.error),
  };
  const own = { category: 'team_message' as const, tool_use_id: call.id || null, message };
  if (!outcome.success) return desk.emit(at, 'team:message:failed', own);
  desk.emit(at, 'team:message:sent', own);
  announce(desk, at, message);
  const pin = idOf(objectOf(outcome.data?.pin)?.id) ?? message.to;
  const agent = pin === null ? null : agentNamed(at.session, pin);
  if (pin !== null && agent?.finished !== false && resuming.test(outcome.text))
    startAgent(desk, at, { id: agent?.id ?? canonical(at.session, pin), resumed: true, tool_use_id: call.id || null });
}
const resuming =
  /^\W*(?:\{\s*"success":\s*true,\s*"message":\s*")?(?:Resuming agent|Agent .{1,200} resumed (?:from|in) )/;

/** All generations and mixtures of the input: `to`/`recipient`, `message`/`content`, fields inside the message or beside it. */
function readMessage(call: Call, input: JsonObject): Message {
  const { session, agent } = call.at;
  const body = input.message ?? input.content ?? input.value ?? input.text;
  const inner = objectOf(body);
  const to = address(
    coalesce(
      textOf(input.to),
      textOf(input.recipient),
      textOf(input.target),
      textOf(input.target_agent_id),
      textOf(input.target_agent),
    ),
  );
  const type = messageType(coalesce(textOf(inner?.type), textOf(input.type)), textOf(input.subtype), to);
  const request = coalesce(
    idOf(inner?.request_id),
    idOf(inner?.requestId),
    idOf(input.request_id),
    idOf(input.requestId),
  );
  return {
    type,
    from: nameOf(session, agent),
    to: type === 'broadcast' ? null : (to ?? (request === null ? null : (session.requests.get(request) ?? null))),
    recipients: [],
    summary: textOf(input.summary),
    content:
      textOf(body) ??
      innerText(inner) ??
      coalesce(textOf(input.content), textOf(input.reason), textOf(input.feedback), textOf(input.plan)),
    request_id: request,
    approve: coalesce(flagOf(inner?.approve), flagOf(inner?.approved), flagOf(input.approve), flagOf(input.approved)),
    status: 'open',
    error: null,
    error_code: null,
    delivered_at: null,
    tool_use_id: call.id || null,
  };
}

/** An address as written, without its `@`; ids such as `writer@team` keep theirs. */
export function address(to: string | null): string | null {
  return to === null ? null : to.replace(/^@/, '') || null;
}

function messageType(type: string | null, subtype: string | null, to: string | null): string {
  if (to === '*' || type === 'broadcast') return 'broadcast';
  // 2.1.20 spelled {type: "request", subtype: "shutdown"}.
  if ((type === 'request' || type === 'response') && subtype !== null) return `${subtype}_${type}`;
  return type ?? 'message';
}

function innerText(inner: JsonObject | null): string | null {
  if (inner === null) return null;
  const said = coalesce(
    textOf(inner.reason),
    textOf(inner.feedback),
    textOf(inner.content),
    textOf(inner.text),
    textOf(inner.plan),
  );
  const known = typeof inner.type === 'string' && /^(shutdown|plan_approval)_/.test(inner.type);
  return said ?? (known ? null : toJson(inner));
}

/** The call is not in the input: its result says whom it went to, and a request id what it was. */
function fromResult(data: JsonObject | null): JsonObject {
  const routing = objectOf(data?.routing);
  const request = idOf(data?.request_id);
  const target = textOf(routing?.target) ?? textOf(data?.target);
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

/** Whoever answers a shutdown request has its name in the request's id, `shutdown-1794785679174@writer`: in its own stream it is just `main`. */
function senderOf(call: Call, message: Message): string | null {
  const named = message.type === 'shutdown_response' ? message.request_id?.split('@')[1] : undefined;
  return named || nameOf(call.at.session, call.at.agent);
}

/** `Shutdown approved. Sent confirmation to team-lead.` */
function confirmed(text: string): string | null {
  return /Sent confirmation to ([^\s"]+?)\.(?:\s|"|$)/.exec(text)?.[1] ?? null;
}

const operations: Record<string, { type: string; approve?: boolean }> = {
  write: { type: 'message' },
  broadcast: { type: 'broadcast' },
  requestShutdown: { type: 'shutdown_request' },
  approveShutdown: { type: 'shutdown_response', approve: true },
  rejectShutdown: { type: 'shutdown_response', approve: false },
  approvePlan: { type: 'plan_approval_response', approve: true },
  rejectPlan: { type: 'plan_approval_response', approve: false },
};
