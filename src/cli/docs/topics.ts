import type { GraphName } from '../../commands/tasks/graph.js';
import type { UsageFormat } from '../../commands/usage/print.js';
import { standInKinds } from '../../core/event/anonymize.js';
import { envelope, eventNames, events } from '../../core/event/event.js';
import { secretKinds } from '../../core/event/secrets/secrets.js';
import { namesOf, object } from '../../core/record/describe.js';
import { ExitCode } from '../../io/exit.js';
import { formatNames } from '../../view/formats.js';
import type { Definitions, Example, Prose } from '../command.js';

/** A page of `cct help <topic>` that is not about one command. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly parts: Prose;
}

export const exitCodes: Definitions = [
  [String(ExitCode.done), 'success; also if the input is empty, or if the reader of the output goes away'],
  [
    String(ExitCode.verdict),
    'with -e: a session failed or was stopped, a stream has no result for its last turn, a transcript shows that it failed (it has no result, so nothing is missing), or nothing was printed. With cct audit -e: there is a problem. Also without -e, if --idle-timeout ran out',
  ],
  [
    String(ExitCode.usage),
    'wrong command line, a file that cannot be read (the others are still read), or output that cannot be written',
  ],
  [
    String(ExitCode.budget),
    'a budget was passed: --max-usd or --max-tokens, or a model without a price was used under --max-usd. Reading stops, but claude does not stop when its pipe is closed; use cct run to stop it',
  ],
  [String(ExitCode.damage), 'with --strict: at least one line was damaged'],
  [String(ExitCode.bug), 'a bug in cct; set CCT_DEBUG=1 to see where'],
  [
    String(ExitCode.interrupted),
    'interrupted. In a pipe the first Ctrl-C is for the producer and the second for cct; replay stops at the first',
  ],
  [
    'other',
    'from run: the exit code of the command, 128 + n if signal n ended it, 126 or 127 if it could not be started',
  ],
];

export const inputPlaces: Definitions = [
  ['file...', 'read these files. - means stdin, and so does no file at all. Several files are one input, in any order'],
  [
    'directory',
    'read all *.jsonl, *.ndjson and *.json files under it, and the same with .gz. This includes subagents. Names that start with a dot and node_modules are skipped, and links are not followed. Files that Claude Code did not write add nothing. A file that cannot be read is named on stderr, and the exit code is 2',
  ],
  [
    '--last',
    'read the newest session of the project in the current directory, or of the nearest parent directory that has one. --last=3 reads the newest three. This includes the subagents and the team of a session: the sessions of its teammates, its config, inboxes and tasks. Sessions are looked up in $CLAUDE_CONFIG_DIR, or in ~/.claude; no other option looks there. stderr names what was read',
  ],
  [
    '--follow',
    'keep reading, as tail -F does: files that grow, are replaced or are truncated, new files in a directory, and new agents of a session (SESSION/subagents next to SESSION.jsonl). A line is read once it is complete. teams, tasks and usage print a row again whenever it changes, as with --watch; on a terminal they show the live view. Ctrl-C stops reading, prints what is known and exits with 0. --until-end stops at a result, the end of a session (SessionEnd) or the cleanup of a team. Transcripts have no other end, so use --idle-timeout there',
  ],
  [
    'gzip, zstd, UTF-16',
    'decoded automatically, in files and on stdin (zstd needs Node 22.15 or later, UTF-16 a byte order mark). Compressed data that is cut off, damaged or followed by something else is read as far as possible. For other compression cct names the program to pipe it through',
  ],
];

export const acceptedInput: Definitions = [
  ['stream-json', 'output of claude -p --output-format stream-json --verbose'],
  ['transcripts', 'the session files and subagents/agent-*.jsonl files that Claude Code keeps'],
  ['hook inputs', 'what a hook gets on stdin'],
  [
    'team files',
    'config.json, inboxes and task files of a team, and agent-*.meta.json; what a file does not say is taken from its path',
  ],
  ['spawn records', 'pending spawns and session states with a spawn_id'],
  ['arrays', 'a JSON array of records, as from --output-format json, compact or pretty-printed'],
  ['events', 'output of cct normalize'],
  ['logs', 'any of these after the line prefix of a CI log or of docker compose, with or without colour'],
  [
    'container logs',
    'any of these in log lines of docker, Kubernetes, GitLab, journald (journalctl -o json --all) or {"message","timestamp"}; lines that the log split are joined, and a record without a time gets the time of the log line',
  ],
];

const formatMeanings: Readonly<Record<(typeof formatNames)[number], string>> = {
  table: 'for people: fits the terminal, and may change in any version',
  ndjson: 'for programs: one JSON object per line; new versions only add fields',
  json: 'one JSON array',
  csv: 'comma-separated values with a header',
  tsv: 'tab-separated values with a header',
  md: 'a Markdown table',
};

export const formatList: Definitions = formatNames.map((name) => [name, formatMeanings[name]]);

const drawnMeanings: Readonly<Record<GraphName | UsageFormat, string>> = {
  mermaid: 'only tasks: a graph of which task blocks which, for Markdown',
  dot: 'only tasks: the same graph, for Graphviz',
  github: 'only usage: name=value lines for $GITHUB_OUTPUT, the total first, then the rows as JSON',
  prometheus: 'only usage: metrics, one gauge each',
};

export const drawnFormats: Definitions = Object.entries(drawnMeanings);

export const redacting =
  '--redact replaces everything that looks like a key, a token or a password with [redacted:<kind>]. It does so in every text of every event, row and state, and in raw. It recognizes secrets by their shape, so a secret without one, such as a word in a sentence, stays. Types, variables and placeholders in the place of a secret are left alone.';

export const secretList: Definitions = Object.entries(secretKinds);

export const anonymizing: Prose = [
  '--anonymize replaces paths, users, hosts and repositories with stand-ins: their kind and six digits of a hash, such as path-3fa2c1. The same text gets the same stand-in in every file, in any order and on every machine. Anonymizing twice changes nothing more.',
  'A path is replaced name by name, so files in one folder still share it: /home/ada/shop/src/a.ts becomes /home/user-db2df5/path-3a98fe/path-ae948b/path-09332c.ts.',
  'Anyone who guesses a name can check the guess, unless you use --salt TEXT and keep the text secret.',
  'It keeps relative paths, branches, names of agents, teams and tools, hosts and users that stand alone in a sentence, and plain IP addresses. It replaces:',
];

export const standInList: Definitions = Object.entries(standInKinds);

export const leavingOut: Prose = [
  '--no-content removes prompts, texts, thinking, tool inputs and results, message bodies, subjects, descriptions and errors. It keeps numbers, names, ids, times, kinds and places. A name that is a whole sentence is removed too.',
  'All three options apply to rows, the live view, states, raw, replayed lines and messages on stderr.',
];

/** The first fields of every event, in this order. */
export const envelopeNames: readonly string[] = ['cct', 'seq', 'event', ...namesOf(object(envelope)).slice(2)];

/** What may happen to a run, and how cct reacts. test/faults checks it. */
const faults: Definitions = [
  [
    'the reader of the output goes away',
    'reading stops and the pipe is closed, which ends most producers but not claude; exit code 0. run stops its command, or continues with --keep',
  ],
  ['output cannot be written', 'stderr gives the reason, such as a full disk; exit code 2'],
  ['a file cannot be read', 'stderr names it with the reason, and the others are read; exit code 2'],
  [
    'gzip or zstd data is damaged',
    'or cut off: stderr names the file and the place, and it is read as far as possible; exit code 4 with --strict',
  ],
  [
    'the producer dies',
    'what it wrote is used. stderr names a line that is cut off, and says in one line what is missing: results, open calls and agents; exit code 1 with -e',
  ],
  [
    'the producer hangs',
    'with --idle-timeout reading stops, and stderr names the agents and calls that were still open; exit code 1',
  ],
  [
    'Ctrl-C',
    'in a pipe the first is for the producer, and its last output is still read. The second, or the first without a pipe, stops cct with exit code 130. With --follow the first stops reading and prints what is known; exit code 0',
  ],
  ['SIGTERM, SIGHUP', 'cct stops at once; with --state it first saves what it has read'],
  ['--state cannot be saved', 'the rows are printed, the old state stays, and stderr says why; exit code 2'],
  [
    'two processes use one --state',
    'the first one gets it, as FILE.lock shows; the other says so and reads nothing; exit code 2',
  ],
  ['the clock is set back', 'the times of --stamp stand still until the clock has caught up'],
];

export const topics: readonly Topic[] = [
  {
    name: 'input',
    summary: 'what cct can read',
    examples: [
      { does: 'A run in progress', run: 'claude -p "…" --output-format stream-json --verbose | cct teams' },
      { does: 'A recorded run', run: 'cct teams run.ndjson' },
      { does: 'The last session in this directory, with its agents', run: 'cct usage --last' },
      { does: 'Everything on this machine', run: 'cct usage --by day ~/.claude/projects' },
      { does: 'Watch an interactive team', run: 'cct teams --last --follow' },
      { does: 'The log of a CI job', run: 'cct messages job.log' },
    ],
    parts: [
      'Input comes from:',
      inputPlaces,
      'cct recognizes each line by itself, so you can mix all of these, from any version of Claude Code since 2.1.16:',
      acceptedInput,
      'Lines that are not records are skipped. stderr names damaged records; noise, such as a banner or a warning, is only counted. Nothing in the input stops cct. With --strict, damage makes the exit code 4.',
    ],
  },
  {
    name: 'events',
    summary: 'the events that cct normalize prints',
    examples: [
      { does: 'What happened, and how often?', run: 'cct normalize run.ndjson | jq -r .event | sort | uniq -c' },
      { does: 'Only what happened to tasks', run: "cct normalize --event 'team:task:*' run.ndjson" },
    ],
    parts: [
      `Every event is a JSON object on a line of its own. These fields come first: ${envelopeNames.join(', ')} (source only if several files are read). The fields of the event follow, and raw with --raw.`,
      eventNames().map((name) => [
        name,
        [events[name].means, Object.keys(events[name].fields).join(', ')].filter((text) => text !== '').join(': '),
      ]),
      'For types, see cct schema event. For the meaning of every field, see the manual page cct-events(7).',
    ],
  },
  {
    name: 'formats',
    summary: 'the output formats',
    examples: [
      { does: 'For a spreadsheet', run: 'cct tasks -f csv --fields id,status,owner,subject run.ndjson > tasks.csv' },
      { does: 'For people, even in a pipe', run: 'cct teams --members -f table run.ndjson | less -S' },
      { does: 'For programs', run: "cct usage --by agent run.ndjson | jq -r '[.name, .cost_usd] | @tsv'" },
    ],
    parts: [
      'Commands that print rows have a --format option. The default is a table on a terminal and NDJSON everywhere else.',
      [...formatList, ...drawnFormats],
      '--fields selects and orders the columns in every format. In csv, tsv and md, lists are joined with ; and objects are compact JSON. normalize always prints NDJSON. The manual page cct-formats(7) explains every field of every row.',
    ],
  },
  {
    name: 'secrets',
    summary: 'what --redact, --anonymize and --no-content remove',
    examples: [
      { does: 'Share a run', run: 'cct normalize --redact --anonymize run.ndjson > safe.ndjson' },
      {
        does: 'What is replaced, and how often?',
        run: "cct normalize --anonymize run.ndjson | grep -oE '(path|user|host|repo)-[0-9a-f]{6}' | sort | uniq -c",
      },
      { does: 'Did an agent pass on a key?', run: "cct messages --redact run.ndjson | grep -c '\\[redacted:'" },
    ],
    parts: [redacting, secretList, ...anonymizing, standInList, ...leavingOut],
  },
  {
    name: 'exit-codes',
    summary: 'what the exit codes mean',
    examples: [
      {
        does: 'Did the run succeed, and for less than two dollars?',
        run: 'cct run --max-usd 2 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose --include-partial-messages --forward-subagent-text --max-budget-usd 2 > /dev/null && cct usage -e run.ndjson || echo "no: $?"',
      },
      { does: 'Did anything go wrong between the agents?', run: 'cct audit -e run.ndjson' },
    ],
    parts: [exitCodes, 'What cct does when something goes wrong:', faults],
  },
];
