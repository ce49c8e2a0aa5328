import { isEventName } from '../core/event/event.js';
import { released, version } from '../version.js';
import { envelope, whenWritten } from './events.js';
import { type Field, fieldsOf, type JsonSchema } from './json-schema.js';
import { seeAlso } from './man.js';
import { bold, literal, man, prose, section, subsection, tagged } from './roff.js';

/** man/cct-events.7, from what `cct schema event` prints. */
export function eventsPage(schema: JsonSchema): string {
  const definitions = Object.entries(schema.$defs ?? {});
  const events = definitions.filter(([name]) => isEventName(name));
  const parts = definitions.filter(([name]) => !isEventName(name));
  return man(
    { name: 'cct-events', part: 7, released, version },
    section('NAME', `${literal('cct-events')} \\- ${literal('what cct normalize writes, event by event')}`),
    section('DESCRIPTION', ...paragraphs(description)),
    section(
      'ENVELOPE',
      prose('Every event has these fields first, in this order:'),
      ...fieldList(envelopeFields(events[0]?.[1] ?? {})),
      '.PP',
      prose('Its own fields follow, then raw: the record itself, with --raw, and always where the event is unknown.'),
    ),
    section('EVENTS', ...events.map(([name, event]) => eventEntry(name, event))),
    section(
      'PARTS',
      prose('What several events have in common:'),
      ...parts.map(([name, part]) => subsection(name, ...fieldList(fieldsOf(part)))),
    ),
    section('SEE ALSO', seeAlso(['cct(1)', 'cct-normalize(1)', 'cct-schema(1)', 'cct-formats(7)'])),
  );
}

const description = [
  'cct normalize writes one event a line, as a JSON object. Every other command reads events as well as the records they were made from, and says the same of both.',
  'Fields are only ever added. A field that is not known is null, and never absent unless it says so here. Records of a kind cct does not know become events named unknown.',
  'A call changes something only when it came back without an error: team, task and message events stand where the result is, and name the call in tool_use_id.',
];

/** `- name (type)` with what it means, for a list of fields. */
export function fieldList(fields: readonly Field[]): string[] {
  return fields.map(({ name, type, meaning }) => tagged(`${bold(name)} (${literal(type)})`, prose(meaning)));
}

export function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text, at) => (at === 0 ? [prose(text)] : ['.PP', prose(text)]));
}

/** As any event has them; the name is not always that of this one. */
function envelopeFields(event: JsonSchema): Field[] {
  const fields = fieldsOf(event).filter(({ name }) => envelope.includes(name));
  const inOrder = fields.sort((a, b) => envelope.indexOf(a.name) - envelope.indexOf(b.name));
  return inOrder.map((field) => (field.name === 'event' ? { ...field, type: 'string' } : field));
}

function eventEntry(name: string, event: JsonSchema): string {
  const own = fieldsOf(event).filter((field) => field.name !== 'raw' && !envelope.includes(field.name));
  const when = isEventName(name) ? whenWritten[name] : '';
  return subsection(name, prose(sentence(when)), ...fieldList(own));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
