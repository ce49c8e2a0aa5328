// Text that the program injects into a conversation on behalf of others:
//   <teammate-message teammate_id="writer" color="green" summary="Task 2 finished">\nDONE …\n</teammate-message>
//   Another Claude session sent a message:\n<agent-message from="writer">\nHello\n</agent-message>
//   <task-notification>\n<task-id>a57ce7c</task-id>\n<status>completed</status>…</task-notification>
import { idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { leadingJson } from '../record/leading-json.js';
import { usageInText } from './outcome.js';

export type Envelope =
  | {
      kind: 'message';
      from: string;
      senderId: string | null;
      summary: string | null;
      color: string | null;
      text: string;
      body: JsonObject | null;
      /** Which of several equal ones in one text it is, from 1. */
      nth: number;
    }
  | {
      kind: 'notification';
      task: string | null;
      call: string | null;
      run: string | null;
      status: string | null;
      summary: string | null;
      result: string | null;
      usage: ReturnType<typeof usageInText>;
    };

type Said = Envelope & { kind: 'message' };

/** The envelopes a text consists of; none when it is a prompt, even one that quotes an envelope. `origin` is believed before the text. */
export function readEnvelopes(text: string, origin: JsonObject | null): Envelope[] {
  const kind = textOf(origin?.kind);
  const body = textOf(origin?.body);
  const from = textOf(origin?.name) ?? textOf(origin?.from);
  const sender = { senderTaskId: origin?.senderTaskId };
  if (kind === 'peer' && from !== null && body !== null) return [messageOf(from, body, sender)];
  const found = inText(text, origin);
  if (found.length > 0) return found;
  if ((kind === 'peer' || kind === 'observer') && from !== null) return [messageOf(from, body ?? text, sender)];
  // Whoever leads: deliveries name it.
  return kind === 'coordinator' ? [messageOf('', body ?? text, {})] : [];
}

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
      envelopes.push({ ...message(attributes, content, origin), nth });
    }
    if (end === -1) break;
    at = end + close.length;
    at += /^\s*/.exec(text.slice(at, at + 100))?.[0].length ?? 0;
  }
  return envelopes;
}
/** At the very start, or after one line that introduces it. */
const opening =
  /^(?:[^\n<]{1,200}\n\s*)?<(teammate-message|agent-message|cross-session-message|task-notification)(?=[\s>])/;
const tag = /^<(teammate-message|agent-message|cross-session-message|task-notification)((?:\s+[\w-]+="[^"]*")*)\s*>/;

function message(attributes: string, content: string, origin: JsonObject | null): Said {
  const read: Record<string, string> = {};
  for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) read[name] = unescaped(value);
  const text = content.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  return messageOf(read.teammate_id ?? read.from ?? '', text, { ...read, senderTaskId: origin?.senderTaskId });
}

function messageOf(from: string, text: string, more: JsonObject): Said {
  const body = leadingJson(text);
  return {
    kind: 'message',
    from,
    senderId: idOf(more.senderTaskId),
    summary: textOf(more.summary),
    color: textOf(more.color),
    text,
    body: textOf(body?.type) === null ? null : body,
    nth: 1,
  };
}

function notification(content: string, origin: JsonObject | null): Envelope {
  const inner = (name: string) => {
    const start = content.indexOf(`<${name}>`);
    const end = content.lastIndexOf(`</${name}>`);
    return start === -1 || end < start ? null : unescaped(content.slice(start + name.length + 2, end).trim());
  };
  return {
    kind: 'notification',
    task: inner('task-id'),
    call: inner('tool-use-id'),
    run: textOf(origin?.runId),
    status: inner('status'),
    summary: inner('summary'),
    result: inner('result'),
    usage: usageInText(inner('usage') ?? ''),
  };
}

function unescaped(text: string): string {
  return text.replace(/&(quot|apos|lt|gt|amp|#39);/g, (_, name: string) => entities[name] ?? '');
}
const entities: Record<string, string> = { quot: '"', apos: "'", '#39': "'", lt: '<', gt: '>', amp: '&' };

/** The run of a queued notification is kept beside its text. */
export function queuedOrigin(attachment: JsonObject): JsonObject | null {
  const origin = objectOf(attachment.origin);
  return origin === null ? null : { runId: attachment.runId, ...origin };
}
