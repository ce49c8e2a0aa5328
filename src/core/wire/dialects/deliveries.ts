// Reads what is delivered to an agent: envelopes in injected text, inbox entries, messages of the team protocol.
import type { Message } from '../../event/event.js';
import {
  flagOf,
  idOf,
  type JsonObject,
  leadingJson,
  listOf,
  objectOf,
  textOf,
  timeOf,
  toJson,
} from '../../record/json.js';
import { announce, finishWork, idle } from '../agents.js';
import { atTime, type Context, type Origin } from '../context.js';
import { firstOf } from '../read.js';
import { canonical, leadName, nameOf, type Session } from '../sessions.js';
import { targetOf } from '../tools/about.js';
import { usageInText } from '../tools/tool-result.js';

/** Handles an envelope that reached the agent of `at`. */
export function emitDelivery(context: Context, at: Origin, envelope: Envelope): void {
  if (envelope.kind === 'notification') return notified(context, at, envelope);
  const name = envelope.from === '' ? leadName(at.session) : envelope.from;
  const from = envelope.senderId === null ? name : senderName(at.session, name, envelope.senderId);
  passMessage(context, at, { ...envelope, from, to: recipient(at), read: true, deliveredAt: at.time });
}

interface Delivery extends Mail {
  to: string | null;
  /** Its recipient saw it. An unread inbox entry counts as sent only. */
  read: boolean;
  /** When it reached its recipient, if known. */
  deliveredAt: string | null;
  /** Its number among equal messages in one record, from 1. */
  nth?: number;
}

type Mail = Pick<Letter, 'from' | 'text' | 'summary' | 'body'>;

export function mailOf(entry: JsonObject): Mail {
  const text = textOf(entry.text) ?? '';
  return { from: textOf(entry.from) ?? '', text, summary: textOf(entry.summary), body: protocolBody(text) };
}

/** Delivers inbox entries that an agent got in the middle of a turn; false if there are none. */
export function deliverMail(context: Context, at: Origin, messages: unknown): boolean {
  const entries = (listOf(messages) ?? []).map(objectOf).filter((entry) => entry !== null);
  for (const entry of entries) {
    const written = atTime(at, timeOf(entry.timestamp) ?? at.time);
    passMessage(context, written, { ...mailOf(entry), to: recipient(at), read: true, deliveredAt: at.time });
  }
  return entries.length > 0;
}

/** Emits a message of an envelope or an inbox. Messages of the team protocol emit further events. */
export function passMessage(context: Context, at: Origin, delivery: Delivery): void {
  const message = messageOf(delivery);
  const { body, nth = 1 } = delivery;
  const own = { category: 'team_message' as const, tool_use_id: null, message, body, nth };
  // A message may be in a queue, an inbox and a conversation. The time it was written is the same in all three.
  const written = atTime(at, timeOf(body?.timestamp) ?? at.time);
  context.emit(written, delivery.read ? 'team:message:received' : 'team:message:sent', own);
  if (message.type === 'idle_notification') {
    idle(context, written, message.from ?? delivery.from, {
      reason:
        [textOf(body?.idleReason), textOf(body?.failureReason)].filter((text) => text !== null).join(': ') || null,
      completed: idOf(body?.completedTaskId),
      ...(body?.idleReason === 'failed' && { error: textOf(body.failureReason) ?? '' }),
    });
  } else if (message.type === 'shutdown_request' && message.from !== null) {
    if (message.request_id !== null) at.session.requests.set(message.request_id, message.from);
  } else {
    announce(context, written, message);
  }
}

/** The origin of a queued notification. Its run is a field beside its text. */
export function queuedOrigin(attachment: JsonObject): JsonObject | null {
  const origin = objectOf(attachment.origin);
  return origin === null ? null : { runId: attachment.runId, ...origin };
}

/** The readable text of a protocol message: null if our other fields say everything, its JSON if its type is unknown. */
export function protocolText(body: JsonObject): string | null {
  const type = textOf(body.type) ?? '';
  const special = Object.hasOwn(readers, type) ? readers[type]?.(body) : undefined;
  const usual = firstOf(textOf, body.reason, body.feedback, body.planContent, body.plan, body.result);
  return special ?? usual ?? (withoutText.has(type) ? null : toJson(body));
}

/** Whether an answer approves; null if it is not an answer. */
export function protocolApproval(body: JsonObject): boolean | null {
  if (body.type === 'shutdown_approved') return true;
  if (body.type === 'shutdown_rejected') return false;
  if (body.type === 'permission_response' && body.approved === undefined) return body.subtype === 'success';
  return firstOf(flagOf, body.approve, body.approved, body.allow);
}

type Letter = ReturnType<typeof letter>;
type Notification = ReturnType<typeof notification>;
type Envelope = Letter | Notification;

/**
 * The envelopes that Claude Code injected as text. None for a prompt, even one that quotes an envelope. `origin`
 * overrides the text.
 *   <teammate-message teammate_id="writer" color="green" summary="Task 2 finished">\nDONE …\n</teammate-message>
 *   Another Claude session sent a message:\n<agent-message from="writer">\nHello\n</agent-message>
 *   <task-notification>\n<task-id>a57ce7c</task-id>\n<status>completed</status>…</task-notification>
 */
export function readEnvelopes(text: string, origin: JsonObject | null): Envelope[] {
  const kind = textOf(origin?.kind);
  const body = textOf(origin?.body);
  const from = firstOf(textOf, origin?.name, origin?.from);
  const sender = { senderTaskId: origin?.senderTaskId };
  if (kind === 'peer' && from !== null && body !== null) return [letter(from, body, sender)];
  const found = inText(text, origin);
  if (found.length > 0) return found;
  if ((kind === 'peer' || kind === 'observer') && from !== null) return [letter(from, body ?? text, sender)];
  // An empty sender means the lead; `emitDelivery` adds its name.
  return kind === 'coordinator' ? [letter('', body ?? coordinated.exec(text)?.[1] ?? text, {})] : [];
}

/** How a message of the lead reads in the conversation of an agent that it wakes. */
const coordinated =
  /^The coordinator sent a message while you were working:\r?\n([\s\S]*)\r?\n\r?\nAddress this before completing your current task\.\s*$/;

function messageOf({ body, ...delivery }: Delivery): Message {
  const type = textOf(body?.type);
  const isAnswer = type === 'shutdown_approved' || type === 'shutdown_rejected';
  return {
    type: isAnswer ? 'shutdown_response' : (type ?? 'message'),
    from: textOf(body?.from) ?? delivery.from,
    to: delivery.to,
    recipients: delivery.to === null ? [] : [delivery.to],
    summary: delivery.summary,
    content: body === null || type === null ? delivery.text : protocolText(body),
    request_id: firstOf(idOf, body?.request_id, body?.requestId),
    approve: body === null ? null : protocolApproval(body),
    status: delivery.read ? 'delivered' : 'sent',
    error: null,
    error_code: null,
    delivered_at: delivery.deliveredAt,
    tool_use_id: null,
  };
}

function notified(context: Context, at: Origin, done: Notification): void {
  const { run: run_id, call: tool_use_id, status, summary, result, usage } = done;
  const ids = done.tasks.length === 0 && tool_use_id !== null ? [tool_use_id] : done.tasks;
  for (const task_id of ids)
    finishWork(context, at, { task_id, run_id, tool_use_id, status, summary, result, ...usage });
}

/** The agent whose conversation contains the message. */
function recipient(at: Origin): string {
  return nameOf(at.session, at.agent);
}

function senderName(session: Session, name: string, id: string): string {
  const known = nameOf(session, canonical(session, id));
  return known === id ? name : known;
}

/** Whether a text that begins so may have envelopes. Then the whole text shows it. */
export function mayBeEnvelope(head: string): boolean {
  const text = head.trimStart();
  if (text.startsWith('<')) return true;
  const line = text.indexOf('\n');
  if (line === -1) return text.length <= longestOpening;
  return line <= longestOpening && !/^\s*[^\s<]/.test(text.slice(line + 1));
}
const longestOpening = 200;

function inText(whole: string, origin: JsonObject | null): Envelope[] {
  const text = whole.trimStart();
  const start = opening.exec(text);
  if (start === null) return [];
  const envelopes: Envelope[] = [];
  const equal = new Map<string, number>();
  let at = start[0].length - (start[1] ?? '').length - 1;
  for (;;) {
    const head = tag.exec(text.slice(at, at + 4000));
    if (head === null) break;
    const [opened, name = '', attributes = ''] = head;
    const close = `</${name}>`;
    const inner = at + opened.length;
    const end = text.indexOf(close, inner);
    const content = text.slice(inner, end === -1 ? undefined : end);
    if (name === 'task-notification') envelopes.push(notification(content, origin));
    else {
      const nth = (equal.get(opened + content) ?? 0) + 1;
      equal.set(opened + content, nth);
      envelopes.push({ ...writtenMessage(attributes, content, origin), nth });
    }
    if (end === -1) break;
    at = end + close.length;
    at += /^\s*/.exec(text.slice(at, at + 100))?.[0].length ?? 0;
  }
  return envelopes;
}
/** At the start of the text, or after one introducing line. */
const opening =
  /^(?:[^\n<]{1,200}\n\s*)?<(teammate-message|agent-message|cross-session-message|task-notification)(?=[\s>])/;
const tag = /^<(teammate-message|agent-message|cross-session-message|task-notification)((?:\s+[\w-]+="[^"]*")*)\s*>/;

function writtenMessage(attributes: string, content: string, origin: JsonObject | null): Letter {
  const read: Record<string, string> = {};
  for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) read[name] = unescaped(value);
  const text = content.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  return letter(read.teammate_id ?? read.from ?? '', text, { ...read, senderTaskId: origin?.senderTaskId });
}

function letter(from: string, text: string, more: JsonObject) {
  return {
    kind: 'message' as const,
    from,
    senderId: idOf(more.senderTaskId),
    summary: textOf(more.summary),
    color: textOf(more.color),
    text,
    body: protocolBody(text),
    /** Its number among equal messages in one text, from 1. */
    nth: 1,
  };
}

function notification(content: string, origin: JsonObject | null) {
  const inner = (name: string) => {
    const start = content.indexOf(`<${name}>`);
    const end = content.lastIndexOf(`</${name}>`);
    return start === -1 || end < start ? null : unescaped(content.slice(start + name.length + 2, end).trim());
  };
  return {
    kind: 'notification' as const,
    tasks: tasksIn(content),
    call: inner('tool-use-id'),
    run: textOf(origin?.runId),
    status: inner('status'),
    summary: inner('summary'),
    result: inner('result'),
    usage: usageInText(inner('usage') ?? ''),
  };
}

/** What a run left in the background ends in one notification of the next, with an id that is no task. */
function tasksIn(content: string): string[] {
  const [list = ''] = idList.exec(content) ?? [];
  const ids = [...list.matchAll(/<task-id>([^<]*)/g)].map(([, id = '']) => unescaped(id.trim()));
  return ids.filter((id) => id !== '' && !id.startsWith('__orphan_summary'));
}
const idList = /<task-id>[^<]*<\/task-id>(?:\s*<task-id>[^<]*<\/task-id>)*/;

function unescaped(text: string): string {
  return text.replace(/&(quot|apos|lt|gt|amp|#39);/g, (_, name: string) => entities[name] ?? '');
}
const entities: Record<string, string> = { quot: '"', apos: "'", '#39': "'", lt: '<', gt: '>', amp: '&' };

/** The JSON of a message of the team protocol; null for plain text. */
function protocolBody(text: string): JsonObject | null {
  const body = leadingJson(text);
  return textOf(body?.type) === null ? null : body;
}

const withoutText = new Set([
  'shutdown_request',
  'shutdown_response',
  'shutdown_approved',
  'shutdown_rejected',
  'plan_approval_request',
  'plan_approval_response',
  'idle_notification',
  'permission_response',
]);

const readers: Readonly<Record<string, (body: JsonObject) => string | null>> = {
  task_assignment: (body) => task(body, 'Task', textOf(body.subject), textOf(body.description)),
  task_completed: (body) => task(body, 'Completed task', firstOf(textOf, body.taskSubject, body.subject), null),
  teammate_terminated: (body) => textOf(body.message),
  permission_request: (body) =>
    joinedTexts(': ', textOf(body.tool_name), textOf(body.description) || targetOf(textOf(body.tool_name), body.input)),
  permission_response: (body) => textOf(body.error),
  sandbox_permission_request: (body) => joinedTexts(' ', 'Network access to', textOf(objectOf(body.hostPattern)?.host)),
  sandbox_permission_response: (body) => joinedTexts(' ', 'Network access to', textOf(body.host)),
  team_permission_update: (body) => joinedTexts(': ', textOf(body.toolName), textOf(body.directoryPath)),
  mode_set_request: (body) => textOf(body.mode),
};

/** `Task #3: Review the report`, and the description below it. */
function task(body: JsonObject, what: string, subject: string | null, description: string | null): string | null {
  const id = firstOf(idOf, body.taskId, body.task_id);
  const title = joinedTexts(': ', id === null ? what : `${what} #${id}`, subject);
  return id === null && subject === null
    ? null
    : joinedTexts('\n', title, description === subject ? null : description);
}

function joinedTexts(by: string, ...parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(by) || null;
}
