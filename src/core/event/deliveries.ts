import { coalesce, idOf, textOf, timeOf } from '../record/fields.js';
import { finishWork } from './agents.js';
import type { At, Desk } from './desk.js';
import type { Envelope } from './envelopes.js';
import type { Message } from './event.js';
import { announce, idle } from './members.js';
import { protocolApproval, protocolText } from './protocol.js';
import { canonical, leadName, nameOf, type Session } from './session.js';

/** An envelope reached the agent `at` stands for. */
export function deliver(desk: Desk, at: At, envelope: Envelope): void {
  if (envelope.kind === 'notification') return notified(desk, at, envelope);
  const said = envelope.from === '' ? leadName(at.session) : envelope.from;
  const from = envelope.senderId === null ? said : senderName(at.session, said, envelope.senderId);
  passMessage(desk, at, { ...envelope, from, to: recipient(at), read: true, deliveredAt: at.time });
}

export interface Delivery {
  from: string;
  to: string | null;
  text: string;
  summary: string | null;
  body: Envelope extends infer E ? (E extends { body: infer B } ? B : never) : never;
  /** Seen by its recipient; an unread inbox entry is only sent. */
  read: boolean;
  /** When it reached its recipient, where that is known. */
  deliveredAt: string | null;
}

/** A message seen on the receiving side, in an envelope or an inbox. Bodies of the team protocol have events of their own. */
export function passMessage(desk: Desk, at: At, delivery: Delivery): void {
  const message = messageOf(delivery);
  const { body } = delivery;
  const own = { category: 'team_message' as const, tool_use_id: null, message, body };
  // What is seen in a queue, an inbox and a conversation was written once: that time tells it from others like it.
  const said = { ...at, time: timeOf(body?.timestamp) ?? at.time };
  desk.emit(said, delivery.read ? 'team:message:received' : 'team:message:sent', own);
  if (message.type === 'idle_notification') {
    idle(desk, said, message.from ?? delivery.from, {
      reason:
        [textOf(body?.idleReason), textOf(body?.failureReason)].filter((text) => text !== null).join(': ') || null,
      completed: idOf(body?.completedTaskId),
    });
  } else if (message.type === 'shutdown_request' && message.from !== null) {
    if (message.request_id !== null) at.session.requests.set(message.request_id, message.from);
  } else {
    announce(desk, said, message);
  }
}

function messageOf({ body, ...delivery }: Delivery): Message {
  const said = textOf(body?.type);
  const answered = said === 'shutdown_approved' || said === 'shutdown_rejected';
  return {
    type: answered ? 'shutdown_response' : (said ?? 'message'),
    from: textOf(body?.from) ?? delivery.from,
    to: delivery.to,
    recipients: delivery.to === null ? [] : [delivery.to],
    summary: delivery.summary,
    content: body === null || said === null ? delivery.text : protocolText(body),
    request_id: coalesce(idOf(body?.request_id), idOf(body?.requestId)),
    approve: body === null ? null : protocolApproval(body),
    status: delivery.read ? 'delivered' : 'sent',
    error: null,
    error_code: null,
    delivered_at: delivery.deliveredAt,
    tool_use_id: null,
  };
}

function notified(desk: Desk, at: At, said: Envelope & { kind: 'notification' }): void {
  if (said.task === null && said.call === null) return;
  finishWork(desk, at, {
    task_id: said.task ?? said.call,
    run_id: said.run,
    tool_use_id: said.call,
    status: said.status === 'killed' ? 'stopped' : said.status,
    summary: said.summary,
    result: said.result,
    ...said.usage,
  });
}

/** Who got it: the agent whose conversation it was put into. */
function recipient(at: At): string {
  return nameOf(at.session, at.agent);
}

function senderName(session: Session, name: string, id: string): string {
  const known = nameOf(session, canonical(session, id));
  return known === id ? name : known;
}
