import { ways as fuzzed, stateFile } from '../fuzz/ways.js';
import { flags, ways } from '../laws/command-lines.js';

const formats = ['table', 'json', 'csv', 'tsv', 'md'];
const ofRows = [
  ...[
    'sessions',
    'teams',
    'teams --members',
    'tasks --all',
    'messages',
    'messages --settled',
    'audit',
    'calls',
    'calls --by call',
  ],
  ...['trace', 'trace --by agent', 'usage', 'usage --by agent,model', 'usage --by session', 'usage --by message'],
];

/** Every command in every format, and with every flag that selects rows. None of them waits or reads the clock. */
export const commandLines: readonly string[] = [
  ...new Set([
    ...ways.map(inFormat),
    ...ofRows.flatMap((command) => formats.map((format) => `${command} -f ${format}`)),
    ...Object.entries(flags).flatMap(([command, some]) => some.map((flag) => `${command} ${flag}`)),
    ...['usage --by agent -f prometheus', 'usage --by agent -f github', 'usage --by session,model --redact'],
    ...['normalize --event team:*', 'normalize --raw', 'normalize --no-content', 'normalize --redact --anonymize'],
    ...['', '--redact', '--since 1s --until 1h', '--states'].map((flag) => `replay --no-wait ${flag}`.trim()),
    'replay --at 30s',
    ...fuzzed.map(({ words }) => words.join(' ')).filter(isStill),
  ]),
];

/** These need no input. */
export const bareLines: readonly string[] = [
  ...['help', 'help formats', 'help exit-codes', 'help events', 'no-such-command', 'teams --no-such-flag'],
  ...[
    'log',
    'teams',
    'tasks',
    'messages',
    'usage',
    'calls',
    'audit',
    'trace',
    'report',
    'replay',
    'normalize',
    'run',
    'sessions',
  ].map((command) => `help ${command}`),
  ...['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`),
  ...['schema', 'schema event', 'schema team', 'schema usage', 'schema --sql duckdb', 'schema --sql clickhouse'],
];

function inFormat(way: string): string {
  return / -f /.test(way) ? way : `${way} -f ndjson`;
}

/** It keeps no file, waits for nothing, and does not say when it ran. */
function isStill(line: string): boolean {
  return !/^replay|--stamp|--live|--strict/.test(line) && !line.includes(stateFile);
}
