// The flag --audit: prints findings instead of rows, for every command that has it.

import { arrangementOf } from '../../cli/arrange.js';
import { Matches, placeChoices } from '../../cli/choice.js';
import type { Context, OptionSpec, Options, Verdict } from '../../cli/command.js';
import { flagNamed, flagOf, optionName, sharedOptions, textOf } from '../../cli/flags.js';
import { lastTime } from '../../cli/fold.js';
import { openPrinter } from '../../cli/print.js';
import { timeRange, warnOfTimes } from '../../cli/times.js';
import type { Interest } from '../../core/wire/interest.js';
import { UsageError } from '../../io/exit.js';
import { formatNames } from '../../view/formats.js';
import { placeFilter } from '../place-filter.js';
import type { Facts } from './audit.js';
import type { Audited, Subject } from './row.js';

export const auditOption: OptionSpec = {
  flags: '--audit',
  summary:
    'print findings instead of rows: what went wrong and which limits were passed; with -e, exit with 1 if there is a problem',
};

/** An audit needs every event; null without --audit. */
export function auditInterest(options: Options): Interest | null {
  return flagOf(options, 'audit') ? { events: ['*:*'] } : null;
}

/** --audit of a command: prints what is wrong with its rows. */
export function audit(context: Context, subject: Subject): Promise<Verdict> {
  refuseOthers(context.options);
  return printFindings(context, [subject]);
}

/** Reads the input to its end and prints what is wrong with it. */
export async function printFindings(context: Context, audited: readonly Audited[]): Promise<Verdict> {
  const { input, options } = context;
  // Loaded only here, because few runs are audits.
  const [{ createAuditReader, findingsOf }, { findingFields }] = await Promise.all([
    import('./audit.js'),
    import('./row.js'),
  ]);
  const arrange = arrangementOf(options, { fields: findingFields });
  const printer = await openPrinter(context, {
    name: 'findings',
    fields: findingFields,
    tableFields: ['rule', 'severity', 'agent', 'task', 'line', 'time', 'detail'],
    columns: {
      severity: { rank: 1, says: (severity) => `all ${severity}s` },
      task: { rank: -2 },
      line: { rank: -1 },
      time: { rank: -1 },
      detail: { rank: 2, wraps: true, says: (detail) => detail },
    },
  });
  const reader = createAuditReader();
  await input.each(reader.note);
  const facts = reader.facts();
  const range = timeRange(options, lastTime(facts));
  const found = findingsOf(audited, flagOf(options, 'noContent') ? withoutTexts(facts) : facts)
    .filter(placeFilter(input.session.id, textOf(options, 'team')))
    .filter(({ time }) => range.includes(time));
  const { rows, notShown } = arrange(found);
  for (const row of rows) printer.row(row);
  printer.end(undefined, { notShown });
  new Matches(placeChoices(context, () => facts.agents)).say(context, 'findings', found.length, true);
  warnOfTimes(context, range, 'finding');
  return { rows: found.length, failed: found.some(({ severity }) => severity === 'problem') };
}

/** Refuses flags that select or draw rows, because they would have no effect. */
function refuseOthers(options: Options): void {
  const other = Object.keys(options).find((name) => !accepted.has(name));
  if (other !== undefined)
    throw new UsageError(`--audit prints findings, so ${flagNamed(other)} cannot be used with it`);
  const format = textOf(options, 'format');
  if (format !== null && !formatNames.some((name) => name === format))
    throw new UsageError(`--audit prints findings, but --format ${format} draws tasks; use another format`);
}

const accepted = new Set([
  'audit',
  'settled',
  'all',
  ...Object.values(sharedOptions).flatMap((group) => group.map(optionName)),
]);

/** Drops the error texts: they quote the input, and nothing else in a finding does. */
function withoutTexts(facts: Facts): Facts {
  const calls = [...facts.audit.calls].map(([id, call]) => [id, { ...call, error: null }] as const);
  return { ...facts, audit: { ...facts.audit, calls: new Map(calls) } };
}
