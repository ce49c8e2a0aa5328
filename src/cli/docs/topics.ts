// The pages of `cct help <topic>` that are not about one command. Their texts are in man/text.
import { page as eventsText } from '../../../man/text/events.md';
import { page as exitCodesText } from '../../../man/text/exit-codes.md';
import { page as formatsText } from '../../../man/text/formats.md';
import { page as inputText } from '../../../man/text/input.md';
import { page as secretsText } from '../../../man/text/secrets.md';
import { envelope, eventNames, events } from '../../core/event/event.js';
import { secretKinds } from '../../core/privacy/redact.js';
import { standInKinds } from '../../core/privacy/who.js';
import { namesOf, object } from '../../core/record/describe.js';
import type { Definitions, Example, Prose } from '../command.js';

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly parts: Prose;
}

/** The first fields of every event, in this order. */
export const envelopeNames: readonly string[] = ['cct', 'seq', 'event', ...namesOf(object(envelope)).slice(2)];

/** Lists that the code knows. The texts have their names in braces. */
const lists: Readonly<Record<string, Definitions>> = {
  '{secrets}': Object.entries(secretKinds),
  '{stand-ins}': Object.entries(standInKinds),
  '{events}': eventNames().map((name) => [
    name,
    [events[name].means, Object.keys(events[name].fields).join(', ')].filter((text) => text !== '').join(': '),
  ]),
};

export const topics = [inputText, eventsText, formatsText, secretsText, exitCodesText].map(topicOf);

function topicOf({ name, summary, sections }: typeof inputText): Topic {
  const all = sections.flatMap(({ parts }) => parts);
  return {
    name,
    summary,
    examples: all.filter((part) => typeof part === 'object' && 'run' in part),
    parts: all.flatMap((part) => {
      if (typeof part === 'string') return [lists[part] ?? part.replace('{envelope}', envelopeNames.join(', '))];
      return 'run' in part ? [] : [part];
    }),
  };
}
