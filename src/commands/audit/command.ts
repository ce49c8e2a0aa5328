// The audit command: everything that went wrong, in one list.
import type { Command } from '../../cli/command.js';
import { everyEvent } from '../../cli/fold.js';
import { printFindings } from './option.js';
import { findingFields } from './row.js';

export const audit: Command = {
  name: 'audit',
  kind: 'fold',
  summary: 'list what went wrong in a run, and which limits were reached',
  description:
    'Prints one row for each finding, in order of time. It runs the audits of teams, tasks and messages (the same as their --audit), and looks at the run itself: a stream that ended without a result, the calls and agents that were still open then, calls that failed again and again with the same input, and where the context was full. A finding is a problem or a note; with -e the exit code is 1 if there is a problem. The manual page cct-formats(7) has every rule.',
  options: [],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: findingFields,
  examples: [
    { does: 'What went wrong?', run: 'cct audit run.ndjson' },
    { does: 'Let a CI job fail if anything did', run: 'cct audit -e run.ndjson' },
    { does: 'Which rules were broken most?', run: 'cct audit run.ndjson | jq -r .rule | sort | uniq -c | sort -rn' },
    {
      does: 'Only problems of the last hour',
      run: `cct audit --since 1h run.ndjson | jq 'select(.severity == "problem")'`,
    },
  ],
  judgesContent: () => true,
  interest: () => everyEvent,
  run: (context) => printFindings(context, ['teams', 'tasks', 'messages', 'run']),
};
