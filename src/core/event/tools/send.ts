import { coalesce, idOf, objectOf, textOf, textsOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { nameLead, startAgent } from '../agents.js';
import { type Call, type Desk, noInput } from '../desk.js';
import { errorCode } from '../error-code.js';
import type { Message } from '../event.js';
import { announce } from '../members.js';
import type { Outcome } from '../outcome.js';
import { agentNamed, canonical, nameOf } from '../session.js';
import { address, readSaid, senderIn } from './send-reading.js';

/** The message a call sends, still open; null for calls that send none. */
export function readSend(call: Call): Message | null {
  const said = readSaid(call.tool, call.input);
  if (said === null) return null;
  const { session, agent } = call.at;
  const asker = said.request_id === null ? undefined : session.requests.get(said.request_id);
  return {
    type: said.type,
    from: nameOf(session, agent),
    to: said.type === 'broadcast' ? null : (said.to ?? asker ?? null),
    recipients: [],
    summary: said.summary,
    content: said.content,
    request_id: said.request_id,
    approve: said.approve,
    status: 'open',
    error: null,
    error_code: null,
    delivered_at: null,
    tool_use_id: call.id || null,
  };
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
    from: senderIn(asked, outcome) ?? asked.from,
    to,
    recipients: recipients.length > 0 ? recipients : to === null || !outcome.success ? [] : [to],
    summary: asked.summary ?? textOf(routing?.summary),
    content: asked.content ?? textOf(routing?.content),
    request_id: asked.request_id ?? idOf(outcome.data?.request_id),
    status: outcome.success ? 'sent' : 'failed',
    error: outcome.error,
    error_code: outcome.success ? null : errorCode(outcome.data, outcome.error),
  };
  const own = { category: 'team_message' as const, tool_use_id: call.id || null, message, body: null };
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

/** `Shutdown approved. Sent confirmation to team-lead.` */
function confirmed(text: string): string | null {
  return /Sent confirmation to ([^\s"]+?)\.(?:\s|"|$)/.exec(text)?.[1] ?? null;
}
