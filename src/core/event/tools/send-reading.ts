// What a call that sends a message says, in all generations and mixtures of its input, whoever makes it.
import { coalesce, flagOf, idOf, objectOf, textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import type { Message } from '../event.js';
import type { Outcome } from '../outcome.js';
import { protocolText } from '../protocol.js';

export type Said = Pick<Message, 'type' | 'to' | 'summary' | 'content' | 'request_id' | 'approve'>;

/** The message a call of SendMessage or Teammate sends; null for calls that send none. */
export function readSaid(tool: string, input: JsonObject): Said | null {
  if (tool === 'SendMessage') return readInput(input);
  const kind = tool === 'Teammate' ? operations[textOf(input.operation) ?? ''] : undefined;
  return kind === undefined ? null : readInput({ ...input, ...kind });
}

/** The sender by name, where the result or the message itself says it. */
export function senderIn({ type, request_id }: Pick<Message, 'type' | 'request_id'>, { data }: Outcome): string | null {
  // Whoever answers a shutdown request has its name in the request's id, `shutdown-1794785679174@writer`:
  // in its own stream it is just `main`.
  const named = type === 'shutdown_response' ? request_id?.split('@')[1] : undefined;
  return textOf(objectOf(data?.routing)?.sender) ?? (named || null);
}

/** An address as written, without its `@`; ids such as `writer@team` keep theirs. */
export function address(to: string | null): string | null {
  return to === null ? null : to.replace(/^@/, '') || null;
}

/** `to`/`recipient`, `message`/`content`, fields inside the message or beside it. */
function readInput(input: JsonObject): Said {
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
  return {
    type,
    to: type === 'broadcast' ? null : to,
    summary: textOf(input.summary),
    content:
      textOf(body) ??
      innerText(inner) ??
      coalesce(textOf(input.content), textOf(input.reason), textOf(input.feedback), textOf(input.plan)),
    request_id: coalesce(
      idOf(inner?.request_id),
      idOf(inner?.requestId),
      idOf(input.request_id),
      idOf(input.requestId),
    ),
    approve: coalesce(flagOf(inner?.approve), flagOf(inner?.approved), flagOf(input.approve), flagOf(input.approved)),
  };
}

function messageType(type: string | null, subtype: string | null, to: string | null): string {
  if (to === '*' || type === 'broadcast') return 'broadcast';
  // 2.1.20 spelled {type: "request", subtype: "shutdown"}.
  if ((type === 'request' || type === 'response') && subtype !== null) return `${subtype}_${type}`;
  return type ?? 'message';
}

function innerText(inner: JsonObject | null): string | null {
  if (inner === null) return null;
  return (
    coalesce(
      textOf(inner.reason),
      textOf(inner.feedback),
      textOf(inner.content),
      textOf(inner.text),
      textOf(inner.plan),
    ) ?? protocolText(inner)
  );
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
