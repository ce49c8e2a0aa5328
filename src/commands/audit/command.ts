// The audit command: everything that went wrong, in one list.
import type { Command } from '../../cli/command.js';
import { everyEvent } from '../../cli/fold.js';
import { printFindings } from './option.js';
import { findingFields } from './row.js';

export const audit: Command = {
  name: 'audit',
  kind: 'fold',
  summary: 'list what went wrong in a run, and which limits it reached',
  description: [
    'Prints one row for each finding, in order of time. A finding is a problem or a note. With -e the exit code is 1 if there is a problem.',
    'It runs the audits of teams, tasks and messages, the same as their --audit. It also checks the run itself: a stream that ended without a result, the calls and agents that were still open then, calls that failed again and again with the same input, and a context that was full.',
    'The manual page cct-formats(7) explains every rule.',
  ],
  options: [],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: findingFields,
  examples: [
    { does: 'What went wrong?', run: 'cct audit run.ndjson' },
    { does: 'Fail a CI job if anything did', run: 'cct audit -e run.ndjson' },
    { does: 'Which rules were broken most?', run: 'cct audit run.ndjson | jq -r .rule | sort | uniq -c | sort -rn' },
    {
      does: 'Only the problems of the last hour',
      run: `cct audit --since 1h run.ndjson | jq 'select(.severity == "problem")'`,
    },
  ],
  judgesContent: () => true,
  interest: () => everyEvent,
  run: (context) => printFindings(context, ['teams', 'tasks', 'messages', 'run']),
};
