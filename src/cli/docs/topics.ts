import type { GraphName } from '../../commands/tasks/graph.js';
import type { UsageFormat } from '../../commands/usage/print.js';
import { standInKinds } from '../../core/event/anonymize.js';
import { envelope, eventNames, events } from '../../core/event/event.js';
import { secretKinds } from '../../core/event/secrets/secrets.js';
import { namesOf, object } from '../../core/record/describe.js';
import { ExitCode } from '../../io/exit.js';
import { formatNames } from '../../view/formats.js';
import type { Example } from '../command.js';

/** A page of `cct help <topic>` that is not about a single command: paragraphs and lists of terms. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly parts: readonly (string | Definitions)[];
}

export type Definitions = readonly (readonly [term: string, meaning: string])[];

export const exitCodes: Definitions = [
  [String(ExitCode.done), 'done; also when the input is empty, or the reader of the output went away'],
  [
    String(ExitCode.verdict),
    'with -e: the last result of a session is an error (is_error, or an error subtype), a session has no result for its last turn, there is no result at all (transcripts and files have none), or nothing was written; with -e and an audit: there is a problem; also without -e, when --idle-timeout ran out',
  ],
  [
    String(ExitCode.usage),
    'wrong command line, a file that cannot be read (the others are), output that cannot be written',
  ],
  [
    String(ExitCode.budget),
    'a budget was passed: --max-usd or --max-tokens, or a model without a price was used under --max-usd. Reading stops; claude goes on when its pipe is closed, so use cct run to stop it',
  ],
  [String(ExitCode.damage), 'with --strict: some line was damaged'],
  [String(ExitCode.bug), 'a bug in cct; CCT_DEBUG=1 shows where'],
  [
    String(ExitCode.interrupted),
    'interrupted: in a pipe the first Ctrl-C is for the producer, the second for cct; replay stops at the first',
  ],
  ['other', 'of run: the code of the command; 128 + n if signal n ended it; 126 or 127 if it cannot be started'],
];

/** Where input comes from. */
export const inputPlaces: Definitions = [
  ['file...', 'files by name; - or no file at all is stdin. Several files are one input, in any order'],
  [
    'directory',
    'all *.jsonl, *.ndjson and *.json files under it, and the same with .gz, so subagents are included. Names that begin with a dot and node_modules are left out, links are not followed. A file that Claude Code did not write adds nothing; one that cannot be read is named, and the exit code is 2',
  ],
  [
    '--last',
    'the newest session of the project in the current directory, or else of the nearest directory above it that has one; --last=3 takes the newest three. Its subagents, its team with the sessions of teammates, and the team’s config, inboxes and tasks come with it. It looks in $CLAUDE_CONFIG_DIR, or ~/.claude, where nothing else ever looks, and stderr names what was taken',
  ],
  [
    '--follow',
    'keeps reading as tail -F does: files that grow, are replaced or truncated, and new ones, of a directory and of the agents of a session (SESSION/subagents beside SESSION.jsonl). A line is read when it is whole. teams, tasks and usage print a row again whenever it changes, as with --watch; on a terminal they draw in place. Ctrl-C ends it, prints what is known and exits with 0. --until-end stops at a result, the end of a session (SessionEnd) or the cleanup of a team; transcripts have no other end, so --idle-timeout helps there',
  ],
  [
    'gzip, zstd, UTF-16',
    'known by their first bytes and decoded, in files and on stdin (zstd from Node 22.15 on; UTF-16 with a byte order mark). Compressed data that is cut off is read as far as it goes. Other compression is named: pipe it through its own program',
  ],
];

export const acceptedInput: Definitions = [
  ['stream-json', 'the records of claude -p --output-format stream-json --verbose'],
  ['transcripts', 'the session and subagents/agent-*.jsonl files Claude Code keeps'],
  ['hook inputs', 'what a hook gets on its stdin'],
  [
    'team files',
    "a team's config.json, inboxes, task files, agent-*.meta.json; what a file does not say its path does",
  ],
  ['spawn records', 'pending spawns and session states with a spawn_id'],
  ['arrays', 'a JSON array of records, as of --output-format json, compact or pretty-printed'],
  ['events', 'what cct normalize wrote'],
  ['logs', 'any of these behind the prefix of a CI log or of docker compose, with or without colour'],
  [
    'container logs',
    'any of these in log lines of docker, Kubernetes, journald (journalctl -o json --all) or {"message","timestamp"}; lines that the log cut are joined, and a record without a time has that of the log',
  ],
];

const formatMeanings: Readonly<Record<(typeof formatNames)[number], string>> = {
  table: 'for people: fitted to the terminal, and free to change',
  ndjson: 'one JSON object a line: the interface, which only grows',
  json: 'one JSON array',
  csv: 'comma-separated, with a header',
  tsv: 'tab-separated, with a header',
  md: 'a Markdown table',
};

export const formatList: Definitions = formatNames.map((name) => [name, formatMeanings[name]]);

const drawnMeanings: Readonly<Record<GraphName | UsageFormat, string>> = {
  mermaid: 'of tasks: a graph of what blocks what, for Markdown',
  dot: 'of tasks: the same graph, for Graphviz',
  github: 'of usage: name=value lines for $GITHUB_OUTPUT, the total first, then rows as JSON',
  prometheus: 'of usage: metrics, one gauge each',
};

export const drawnFormats: Definitions = Object.entries(drawnMeanings);

export const redacting =
  'With --redact whatever looks like a key, a token or a password is replaced by [redacted:<kind>], in every text of every event, row and state and also in raw. It goes by shape: a secret without one, such as a word in a sentence, stays. Types, variables and placeholders in the place of a secret are left alone.';

export const secretList: Definitions = Object.entries(secretKinds);

export const anonymizing =
  'With --anonymize paths, users, hosts and repositories are replaced by stand-ins: their kind and six digits of a hash, such as path-3fa2c1. The same text has the same stand-in in every file, in any order and on every machine; anonymizing again changes nothing. A path is replaced name by name, so that files of one folder still share it: /home/ada/shop/src/a.ts becomes /home/user-db2df5/path-3a98fe/path-ae948b/path-09332c.ts. Whoever can guess a name can check the guess, unless --salt TEXT is given and kept. --dry-run counts what would be replaced, as rows of kind, names and places, and prints nothing of the input. Relative paths, branches, names of agents, teams and tools, hosts and users that stand alone in a sentence, and bare addresses of numbers stay.';

export const standInList: Definitions = Object.entries(standInKinds);

export const leavingOut =
  'With --no-content prompts, texts, thinking, tool inputs and results, bodies of messages, subjects, descriptions and errors are left out; numbers, names, ids, times, kinds and places stay. A name that is a sentence goes too. All three hold for rows, pictures, states, raw, replayed lines and what is said on stderr.';

/** The first fields of every event, in this order. */
export const envelopeNames: readonly string[] = ['cct', 'seq', 'event', ...namesOf(object(envelope)).slice(2)];

/** What may happen to a run, and how cct reacts. test/faults checks it. */
const faults: Definitions = [
  [
    'the reader of the output goes away',
    'reading stops and the pipe is closed, which ends most producers but not claude; 0. run stops its command, or goes on with --keep',
  ],
  ['output cannot be written', 'said on stderr with the reason, such as a full disk; 2'],
  ['a file cannot be read', 'named with the reason; the others are read; 2'],
  ['gzip or zstd data is cut off', 'named, and read as far as it goes; 4 with --strict. If it is damaged: 2'],
  [
    'the producer dies',
    'what it wrote is used, a cut line is named, and one line says what is missing: results, open calls and agents; 1 with -e',
  ],
  ['the producer hangs', 'with --idle-timeout reading ends, and stderr names who and what it still waited for; 1'],
  [
    'Ctrl-C',
    'in a pipe the first is for the producer, whose last words are read; the second, or one without a pipe, is 130. With --follow the first ends reading, and what is known is printed; 0',
  ],
  ['SIGTERM, SIGHUP', 'the end, at once; with --state what was read is saved first'],
  ['--state cannot be saved', 'the rows are written, the old state stays as it was, and stderr says why; 2'],
  ['two processes with one --state', 'the first has it, as FILE.lock says; the other is told, and reads nothing; 2'],
  ['the clock is set back', 'the times of --stamp stand still until it is as late again'],
];

export const topics: readonly Topic[] = [
  {
    name: 'input',
    summary: 'what can be read',
    examples: [
      { does: 'A run, while it goes on', run: 'claude -p "…" --output-format stream-json --verbose | cct teams' },
      { does: 'A run that was kept', run: 'cct teams run.ndjson' },
      { does: 'The last session in this directory, with its agents', run: 'cct usage --last' },
      { does: 'Everything on this machine', run: 'cct usage --by day ~/.claude/projects' },
      { does: 'Watch an interactive team', run: 'cct teams --last --follow' },
      { does: 'What a job in CI printed', run: 'cct messages job.log' },
    ],
    parts: [
      'Input comes from:',
      inputPlaces,
      'What a line is, is told line by line, so all of these may be mixed, from any version since 2.1.16:',
      acceptedInput,
      'A line that is no record is skipped: a damaged record is named on stderr, noise such as a banner or a warning is counted. Nothing in the input stops cct. With --strict damage makes it exit with 4.',
    ],
  },
  {
    name: 'events',
    summary: 'what cct normalize writes',
    examples: [
      { does: 'What happened, and how often?', run: 'cct normalize run.ndjson | jq -r .event | sort | uniq -c' },
      { does: 'Only what became of tasks', run: "cct normalize --event 'team:task:*' run.ndjson" },
    ],
    parts: [
      `Every event is one JSON object a line. First comes what all have: ${envelopeNames.join(', ')} (source only when several files are read). Then its own fields, then raw, with --raw.`,
      eventNames().map((name) => [
        name,
        [events[name].means, Object.keys(events[name].fields).join(', ')].filter((text) => text !== '').join(': '),
      ]),
      'cct schema event has the types, the manual page cct-events(7) what every field means.',
    ],
  },
  {
    name: 'formats',
    summary: 'how rows are written',
    examples: [
      { does: 'For a spreadsheet', run: 'cct tasks -f csv --fields id,status,owner,subject run.ndjson > tasks.csv' },
      { does: 'For people, also in a pipe', run: 'cct teams --members -f table run.ndjson | less -S' },
      { does: 'For programs', run: "cct usage --by agent run.ndjson | jq -r '[.name, .cost_usd] | @tsv'" },
    ],
    parts: [
      'Commands that print rows take --format; without it they print a table on a terminal and NDJSON otherwise.',
      [...formatList, ...drawnFormats],
      '--fields chooses and orders the columns in every format. In csv, tsv and md lists are joined by ; and objects are compact JSON. normalize always writes NDJSON. The manual page cct-formats(7) has every field of every row.',
    ],
  },
  {
    name: 'secrets',
    summary: 'what --redact, --anonymize and --no-content take away',
    examples: [
      { does: 'Hand a run to somebody else', run: 'cct normalize --redact --anonymize run.ndjson > safe.ndjson' },
      { does: 'How much would be replaced?', run: 'cct normalize --anonymize --dry-run run.ndjson' },
      { does: 'Did an agent pass on a key?', run: "cct messages --redact run.ndjson | grep -c '\\[redacted:'" },
    ],
    parts: [redacting, secretList, anonymizing, standInList, leavingOut],
  },
  {
    name: 'exit-codes',
    summary: 'what the exit code says',
    examples: [
      {
        does: 'Did the run succeed, and for less than two dollars?',
        run: 'cct run --max-usd 2 --keep run.ndjson -- claude -p "…" --output-format stream-json --verbose --include-partial-messages --forward-subagent-text --max-budget-usd 2 > /dev/null && cct usage -e run.ndjson || echo "no: $?"',
      },
      { does: 'Did anything go wrong among the agents?', run: 'cct audit -e run.ndjson' },
    ],
    parts: [exitCodes, 'When something goes wrong around it:', faults],
  },
];
