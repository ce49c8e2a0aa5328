import { envelope as envelopeFields, eventNames, events } from '../../core/event/event.js';
import { namesOf, object } from '../../core/record/describe.js';
import type { TopicPart } from './topics.js';

/** `cct help events`: every event, when it is written, and its own fields as the schema has them. */
export function eventsTopic(): readonly TopicPart[] {
  return [
    `Every event is one JSON object a line. First comes what all have: ${envelope.join(', ')} (source only when several files are read). Then its own fields, then raw, with --raw.`,
    eventNames().map((name) => [
      name,
      [events[name].means, Object.keys(events[name].fields).join(', ')].filter((text) => text !== '').join(': '),
    ]),
    'cct schema event has the types, the manual page cct-events(7) what every field means.',
  ];
}

/** As they are written: the name of the event comes before its time. */
export const envelope: readonly string[] = ['cct', 'seq', 'event', ...namesOf(object(envelopeFields)).slice(2)];
