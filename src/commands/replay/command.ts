import type { Command, OptionSpec, Options } from '../../cli/command.js';
import { flagOf, longFlag, optionName, sharedOptions, textOf } from '../../cli/flags.js';
import { UsageError } from '../../io/exit.js';
import { replayAsClaude } from './fake-claude.js';
import { replayLines, replayStates } from './replay.js';

const own: readonly OptionSpec[] = [
  { flags: '--speed <n>', summary: 'so many times as fast as it was recorded (default 1)', kind: 'number' },
  {
    flags: '--max-gap <seconds>',
    summary: 'no more than this between two lines, in recorded time: --speed comes on top',
    kind: 'number',
  },
  {
    flags: '--interval <seconds>',
    summary: 'the same time between all lines, whatever was recorded; --speed comes on top',
    kind: 'number',
  },
  { flags: '--no-wait', summary: 'everything at once' },
  {
    flags: '--since <point>',
    summary: 'from here on: a time, an offset from the first line such as 90s or 1h30m, or line:120',
  },
  { flags: '--until <point>', summary: 'up to here: the line itself is written, what is at the time or later is not' },
  { flags: '--loop', summary: 'start again at the end, until the reader leaves; files only' },
  { flags: '--states', summary: 'write teams, tasks and usage after each change, instead of lines' },
  { flags: '--diff', summary: 'as --states, but each as a JSON Patch (RFC 6902) of the one before' },
  {
    flags: '--at <point>',
    summary: 'write teams, tasks and usage as they were after this line or at this time, at once',
  },
  {
    flags: '--as-claude <file>',
    summary:
      'stand in for claude: write the lines of this recording, by default without waiting, and exit with the code the recorded run had; all words behind the file are claude’s',
    endsWords: true,
  },
];

const shared = sharedOptions.input.filter((spec) => longFlag(spec) !== '--idle-timeout');

export const replay: Command = {
  name: 'replay',
  kind: 'map',
  summary: 'write recorded lines again, at the pace they were recorded',
  description:
    'Writes the lines of its input again, byte for byte, damaged ones too, each when its time has come. The time of a line is the timestamp of its record, that of a CI log before it, of normalize --stamp, or one found elsewhere in the record. Lines between two known times share the time between them evenly; before the first and behind the last known time, and where there is none at all, lines are 0.1 seconds apart. Each line is due at a moment counted from the first one, so a slow reader delays nothing but the lines it has not read. A line older than one before it follows at once; several files are played one after the other, as given. Lines of standard input are held back until the next known time has come in; --interval needs no times. --states, --diff and --at tell what teams, tasks and usage would print at that moment. As claude, it ignores its flags but these: with --input-format stream-json every prompt on stdin plays one turn, the end of stdin the rest; control requests are answered, and an interrupt ends the turn. With --output-format json or text it prints what claude would print at the end.',
  options: [...own, ...shared],
  shared: ['general'],
  fields: ['cct', 'at', 'line', 'event', 'teams', 'tasks', 'usage'],
  examples: [
    {
      does: 'Watch a past run, ten times as fast',
      run: 'cct replay run.ndjson --speed 10 | cct teams --members --watch',
    },
    { does: 'The same without the long pauses', run: 'cct replay --max-gap 2 run.ndjson | cct messages' },
    { does: 'Who was doing what after five minutes?', run: `cct replay --at 5m run.ndjson | jq '.tasks[]'` },
    { does: 'Every step of the board', run: `cct replay --diff --no-wait run.ndjson | jq -c '.changes[]'` },
    {
      does: 'A claude for your tests, as a script named claude',
      run: `printf '#!/bin/sh\\nexec cct replay --as-claude run.ndjson "$@"\\n' > claude`,
    },
  ],
  endsAtOnce: true,
  interest: () => ({ events: ['*'] }),
  async run(context) {
    const { options, operands } = context;
    refuse(options, operands);
    const recording = textOf(options, 'asClaude');
    if (recording !== null) return replayAsClaude(context, recording);
    if (writesStates(options)) return replayStates(context);
    return replayLines(context);
  },
};

function writesStates(options: Options): boolean {
  return flagOf(options, 'states') || flagOf(options, 'diff') || textOf(options, 'at') !== null;
}

/** Flags that mean nothing together are better refused than ignored. */
function refuse(options: Options, operands: readonly string[]): void {
  for (const [one, ...others] of contradictions) {
    const other = others.find((name) => options[name] !== undefined);
    if (one !== undefined && options[one] !== undefined && other !== undefined)
      throw new UsageError(`replay: ${flagNamed(one)} and ${flagNamed(other)} do not go together`);
  }
  const [file] = operands;
  if (textOf(options, 'asClaude') !== null && file !== undefined)
    throw new UsageError(`--as-claude: one recording, not also '${file}'`);
  const chooser = ['session', 'team'].find((name) => options[name] !== undefined);
  if (chooser !== undefined && !writesStates(options))
    throw new UsageError(
      `${flagNamed(chooser)} chooses rows of --states, --diff and --at; lines are written as they are`,
    );
}

const contradictions: readonly (readonly string[])[] = [
  ['noWait', 'speed', 'maxGap', 'interval'],
  ['interval', 'maxGap'],
  ['at', 'since', 'until', 'diff', 'loop'],
  ['loop', 'states', 'diff'],
  ['asClaude', 'since', 'until', 'loop', 'states', 'diff', 'at'],
];

function flagNamed(name: string): string {
  const spec = [...own, ...shared].find((one) => optionName(one) === name);
  return spec === undefined ? name : longFlag(spec);
}
