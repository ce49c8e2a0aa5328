import * as z from 'zod';
import { type EventName, eventNames, eventSchema } from '../../core/event/event.js';
import type { TopicPart } from './topics.js';

/** `cct help events`: every event, when it is written, and its own fields as the schema has them. */
export function eventsTopic(): readonly TopicPart[] {
  return [
    `Every event is one JSON object a line. First comes what all have: ${envelope.join(', ')} (source only when several files are read). Then its own fields, then raw, with --raw.`,
    eventNames().map((name) => [
      name,
      [whenWritten[name], ownFields(name).join(', ')].filter((text) => text !== '').join(': '),
    ]),
    'cct schema event has the types, the manual page cct-events(7) what every field means.',
  ];
}

export const envelope: readonly string[] = [
  'cct',
  'seq',
  'event',
  'time',
  'session_id',
  'team',
  'agent',
  'line',
  'source',
];

function ownFields(name: EventName): string[] {
  const fields = Object.keys(z.toJSONSchema(eventSchema(name)).properties ?? {});
  return fields.filter((field) => field !== 'raw' && !envelope.includes(field));
}

export const whenWritten: Readonly<Record<EventName, string>> = {
  'session:started': 'a session began, or something about it changed',
  'turn:started': 'a turn began',
  'session:ended': 'a result, one per turn',
  'session:compacted': 'the context was compacted; fields as in the record',
  'session:reset': 'the conversation was cleared; fields as in the record',
  'session:retried': 'an API request is tried again; fields as in the record',
  'session:limited': 'news of a rate limit; fields as in the record',
  'session:changed': 'any other record about the session; fields as in the record',
  'control:requested': 'a control request',
  'control:responded': 'its response',
  'control:cancelled': 'it was withdrawn',
  'prompt:received': 'a prompt',
  'text:produced': 'a block of text',
  'thinking:produced': 'a block of thinking',
  'tool:called': 'a call of a tool',
  'tool:returned': 'what it gave back',
  'usage:recorded': 'tokens of one API message, so far or final',
  'usage:reported': 'what a session has cost by its transcript, cumulative (cost-state)',
  'usage:merged': 'a row of cct usage --by message, read back',
  'agent:started': 'a subagent or teammate was started or resumed, or a shell in the background',
  'agent:progressed': 'news of it',
  'agent:finished': 'it is done, failed or was stopped',
  'team:created': 'a team exists',
  'team:deleted': 'it was cleaned up',
  'team:cleanup_failed': 'it could not be',
  'team:member:joined': 'somebody is in the team',
  'team:member:active': 'works',
  'team:member:idle': 'has nothing to do',
  'team:member:shutting_down': 'was asked to stop and agreed',
  'team:member:shutdown': 'has stopped',
  'team:task:created': 'a task is on the board, or in a list of todos',
  'team:task:claimed': 'somebody began it',
  'team:task:updated': 'it changed otherwise',
  'team:task:completed': 'it is done',
  'team:task:deleted': 'it was removed',
  'team:message:sent': 'one agent wrote to another, and the call came back',
  'team:message:received': 'the other side saw it',
  'team:message:failed': 'it was refused',
  'team:shutdown:requested': 'somebody is asked to stop',
  'team:shutdown:response': 'the answer',
  'team:plan:requested': 'a plan waits for approval',
  'team:plan:resolved': 'the answer',
  'hook:fired': 'a hook ran; fields as in the record',
  'spawn:requested': 'a tracked spawn was asked for',
  'spawn:linked': 'it has its session',
  'input:skipped': 'a line could not be read',
  unknown: 'a record cct does not know; always with raw',
};
