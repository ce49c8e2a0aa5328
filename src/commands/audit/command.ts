// The audit command: everything that went wrong, in one list.
import { arrangementOf } from '../../cli/arrange.js';
import { Matches, placeChoices, placeFilter } from '../../cli/choice.js';
import type { Command, Context, Verdict } from '../../cli/command.js';
import { flagOf, listOf } from '../../cli/flags.js';
import { everyEvent, lastTime } from '../../cli/fold.js';
import { openPrinter } from '../../cli/print.js';
import { timeRange, warnOfTimes } from '../../cli/times.js';
import { nameOnly } from '../../core/event/content.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { createAuditReader, type Facts, findingsOf } from './audit.js';
import { type Audited, auditedSubjects, findingFields } from './row.js';

export const audit: Command = {
  name: 'audit',
  kind: 'fold',
  summary: 'list what went wrong in a run, and which limits it reached',
  description: [
    'Prints one row for each finding, in order of time. A finding is a problem or a note. With -e the exit code is 1 if there is a problem.',
    'It looks at the run itself (it failed, was stopped, or has no result; what was still open then; a context that was full), at teams and their agents, at tasks, at messages between agents, and at the calls of other tools. --of chooses some of these.',
    'A transcript has no result. cct audit says what its rows show: an error at its end, an interruption, agents and calls that failed.',
    'The manual page cct-formats(7) explains every rule.',
  ],
  options: [
    {
      flags: '--of <subject,...>',
      summary: 'only findings about these',
      kind: 'list',
      choices: auditedSubjects,
    },
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: findingFields,
  examples: [
    { does: 'What went wrong?', run: 'cct audit run.ndjson' },
    { does: 'Fail a CI job if anything did', run: 'cct audit -e run.ndjson' },
    { does: 'Did the messages of the team arrive?', run: 'cct audit --of messages run.ndjson' },
    { does: 'Which rules were broken most?', run: 'cct audit run.ndjson | jq -r .rule | sort | uniq -c | sort -rn' },
    {
      does: 'Only the problems of the last hour',
      run: `cct audit --since 1h run.ndjson | jq 'select(.severity == "problem")'`,
    },
  ],
  judgesContent: () => true,
  interest: () => everyEvent,
  run(context) {
    const chosen = listOf(context.options, 'of');
    return printFindings(
      context,
      auditedSubjects.filter((subject) => chosen.length === 0 || chosen.includes(subject)),
    );
  },
};

/** Reads the input to its end and prints what is wrong with it. */
async function printFindings(context: Context, audited: readonly Audited[]): Promise<Verdict> {
  const { input, options } = context;
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
    .filter(placeFilter(context))
    .filter(({ time }) => range.includes(time));
  const { rows, notShown } = arrange(found);
  for (const row of rows) printer.row(row);
  printer.end(undefined, { notShown });
  new Matches(placeChoices(context, () => facts.agents)).say(context, 'findings', found.length, true);
  warnOfTimes(context, range, 'finding');
  return { rows: found.length, failed: found.some(({ severity }) => severity === 'problem') };
}

/** Drops what findings would quote: error texts, subjects, and the descriptions that name agents. */
function withoutTexts(facts: Facts): Facts {
  const calls = [...facts.audit.calls].map(([id, call]) => [id, { ...call, error: null }] as const);
  const entries = facts.agents.entries
    .entries()
    .map(([key, agent]) => [key, { ...agent, name: nameOnly(agent.name), description: null }] as const);
  const agents = { ...facts.agents, entries: PersistentMap.of(entries) };
  return { ...facts, agents, audit: { ...facts.audit, calls: new Map(calls) }, bare: true };
}
