// The normalize command: writes events, one JSON object per line.

import type { Command, Context } from '../../cli/command.js';
import { Matches, placeChoices } from '../../cli/flags/choice.js';
import { listOf, suggestion, textOf } from '../../cli/flags/flags.js';
import { flagOfLastDay, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { jsonTextFor } from '../../cli/print.js';
import { type Event, type EventName, envelopeNames, eventNames, events } from '../../core/event/event.js';
import { toJson } from '../../core/record/json.js';
import { newAgents } from '../../core/tables/agents.js';
import { matches } from '../../core/wire/interest.js';
import { UsageError } from '../../io/exit.js';
import { pickFields } from '../../view/formats.js';

export const normalize: Command = {
  name: 'normalize',
  kind: 'map',
  summary: 'print what happened as events, one JSON object per line',
  description: [
    'Reads every kind of record that Claude Code writes, from any version, and translates it into one set of events. The output is always NDJSON.',
    'All other commands read events as well as records, so you can put normalize in front of any of them.',
    'A record that cct does not know becomes an event named unknown, with the record in raw. cct help events lists the other events.',
  ],
  options: [
    {
      flags: '--event <glob,...>',
      summary: "only events with these names, such as 'team:*'",
      kind: 'list',
      suggestions: eventNames,
    },
    {
      flags: '--fields <name,...>',
      summary: 'only these fields, in this order; null if an event does not have one',
      kind: 'list',
      suggestions: eventFields,
    },
    { flags: '--raw', summary: 'add the original record to each event, as raw' },
    {
      flags: '--stamp',
      summary: 'give events without a time the time they were read; these times never go back, even if the clock does',
    },
  ],
  shared: ['input', 'time', 'privacy', 'general'],
  examples: [
    { does: 'What happened, and how often?', run: 'cct normalize run.ndjson | jq -r .event | sort | uniq -c' },
    {
      does: 'Watch a team at work',
      run: `claude -p "…" --output-format stream-json --verbose | cct normalize --event 'team:*'`,
    },
    {
      does: 'Who called what in the last hour?',
      run: 'cct normalize --event tool:called --since 1h --fields time,agent,tool run.ndjson',
    },
    { does: 'A log you can share', run: 'cct normalize --no-content --redact run.ndjson > run.events.ndjson' },
  ],
  // All events, not only the wanted ones: seq counts every event, so a filter must not change it.
  interest: () => ({ events: ['*'] }),
  async run(context) {
    const { input, options, out, streams } = context;
    const lastDay = flagOfLastDay(options);
    if (lastDay !== null)
      throw new UsageError(`${lastDay} needs a date here: normalize prints as it reads, before it knows the last day`);
    const globs = listOf(options, 'event');
    const names = globs.length === 0 ? null : new Set(globs.flatMap(namesLike));
    const team = textOf(options, 'team');
    const isChosen = (event: Event) =>
      input.session.includes(event.session_id) && (team === null || event.team === team);
    const found = new Matches<Event>([
      ...placeChoices(context, newAgents),
      {
        ...{ flag: '--event', wanted: globs, one: 'event', many: 'events', relation: 'named' },
        valuesOf: ({ event }) => [event],
        isSame: matches,
      },
    ]);
    const range = timeRange(options);
    const shown = fieldChooser(context);
    const toText = jsonTextFor(streams.stdout.isTTY);
    let rows = 0;
    await input.each((event) => {
      found.note(event);
      if (names?.has(event.event) === false || !isChosen(event) || !range.includes(event.time)) return;
      rows += 1;
      out.write(`${toText(toJson(shown(event)))}\n`);
    });
    warnOfTimes(context, range, 'event');
    found.say(context, 'events', rows);
    return { rows };
  },
};

/** --fields. A field that no event describes may still exist: some events carry the fields of their record. */
function fieldChooser({ options, diagnostics }: Context): (event: Event) => object {
  const fields = [...new Set(listOf(options, 'fields'))];
  if (fields.length === 0) return (event) => event;
  const known = eventFields();
  for (const field of fields) {
    const near = known.includes(field) ? '' : suggestion(field, known);
    if (near !== '') diagnostics.warn(`--fields: no known event has '${field}'${near}`);
  }
  return (event) => pickFields({ ...event }, fields);
}

function eventFields(): string[] {
  return [...new Set([...envelopeNames, ...Object.values(events).flatMap(({ fields }) => Object.keys(fields))])];
}

function namesLike(glob: string): EventName[] {
  const names = eventNames().filter((name) => matches(glob, name));
  if (names.length > 0) return names;
  throw new UsageError(
    `--event: no event is named '${glob}'${suggestion(glob, likely(glob)) || '; see cct help events'}`,
  );
}

/** Suggestions for a mistyped glob: all names, or all prefixes with a star if the glob has one. */
function likely(glob: string): Iterable<string> {
  if (!glob.includes('*')) return eventNames();
  const parts = eventNames().flatMap((name) =>
    name
      .split(':')
      .slice(0, -1)
      .map((_, at, all) => all.slice(0, at + 1).join(':')),
  );
  return new Set(parts.map((part) => `${part}:*`));
}
