// The replay command: writes recorded lines or states again, at the recorded pace.

import type { Command, Context, OptionSpec, Options, Verdict } from '../../cli/command.js';
import { placeNameOf } from '../../cli/counts.js';
import { Matches, placeChoices, placeFilter } from '../../cli/flags/choice.js';
import { flagNamed, flagOf, longFlag, sharedOptions, textOf, wantsPrivacy } from '../../cli/flags/flags.js';
import { lineReader, openIndex } from '../../cli/lines.js';
import { jsonTextFor } from '../../cli/print.js';
import type { Event } from '../../core/event/event.js';
import { memoizeLast } from '../../core/tables/order.js';
import { newState, reduceRows, type State, settle, versionOfState } from '../../core/tables/reduce.js';
import type { OpenCall } from '../../core/wire/context.js';
import { isAnswer, readHostLine } from '../../core/wire/recorded.js';
import { UsageError } from '../../io/exit.js';
import { sourcesFrom } from '../../io/sources.js';
import { taskFilter, taskRows } from '../tasks/rows.js';
import { teamRowsOf } from '../teams/rows.js';
import { reportUsage } from '../usage/rows.js';
import {
  copyAll,
  copyStage,
  followWith,
  type Played,
  play,
  type RawLine,
  type Stage,
  tempoOf,
  textOfLine,
} from './play.js';
import { isBehind, type Point, pointOf, type Spot, type Tempo } from './timing.js';

const own: readonly OptionSpec[] = [
  { flags: '--speed <n>', summary: 'play this many times as fast as recorded (default 1)', kind: 'number' },
  {
    flags: '--max-gap <seconds>',
    summary: 'wait at most this long between two lines, in recorded time; --speed applies on top',
    kind: 'number',
  },
  {
    flags: '--interval <seconds>',
    summary: 'wait this long between all lines and ignore recorded times; --speed applies on top',
    kind: 'number',
  },
  { flags: '--no-wait', summary: 'print everything at once' },
  {
    flags: '--since <point>',
    summary: 'start here: a time, an offset from the first line such as 90s or 1h30m, or line:120',
  },
  { flags: '--until <point>', summary: 'stop here: after this line, or before this time' },
  { flags: '--states', summary: 'print teams, tasks and usage after each change, instead of lines' },
  {
    flags: '--at <point>',
    summary: 'print teams, tasks and usage as they were after this line or at this time, without waiting',
  },
  {
    flags: '--as-claude <file>',
    summary:
      'act as claude: print the lines of this recording, by default without waiting, and exit with the code of the recorded run; everything after the file counts as arguments of claude',
    endsWords: true,
  },
];

/** A recording is complete, so there is nothing to wait for. */
const waitingFlags: ReadonlySet<string> = new Set(['--idle-timeout', '--follow', '--until-end']);
const shared = sharedOptions.input.filter((spec) => !waitingFlags.has(longFlag(spec)));

export const replay: Command = {
  name: 'replay',
  kind: 'map',
  summary: 'print recorded lines again, at the pace they were recorded',
  description: [
    'Prints the lines of its input again, byte for byte, including damaged ones, each at the time it was recorded.',
    'The time of a line is the timestamp of its record, of the CI log prefix before it, of normalize --stamp, or one found elsewhere in the record. Lines between two known times are spread evenly between them. Before the first and after the last known time, or if there are no times at all, lines are 0.1 seconds apart.',
    'Each line is due at a moment counted from the first line, so a slow reader delays only the lines it has not read yet. A line that is older than one before it follows at once. Several files are played one after the other, in the given order. Lines from stdin are held back until the next known time has been read; --interval needs no times.',
    '--states and --at print what teams, tasks and usage would print at that moment.',
    'With --as-claude, replay ignores the arguments of claude, but for --input-format stream-json: then each prompt on stdin plays one turn, the end of stdin plays the rest, and each control request is answered with success.',
    'With --redact, --anonymize or --no-content, lines are changed before they are printed: the texts in a record, and any other line as one text. They drop lines longer than --max-line-bytes, and --no-content also drops lines that are not records.',
  ],
  options: [...own, ...shared],
  shared: ['privacy', 'general'],
  fields: ['cct', 'at', 'line', 'event', 'teams', 'tasks', 'usage'],
  examples: [
    {
      does: 'Watch a past run, ten times as fast',
      run: 'cct replay run.ndjson --speed 10 | cct teams --members --watch',
    },
    { does: 'The same without the long pauses', run: 'cct replay --max-gap 2 run.ndjson | cct messages' },
    { does: 'Who was doing what after five minutes?', run: `cct replay --at 5m run.ndjson | jq '.tasks[]'` },
    {
      does: 'The board after every change',
      run: `cct replay --states --no-wait run.ndjson | jq -c '{at, event, tasks}'`,
    },
    {
      does: 'A fake claude for your tests: a script named claude',
      run: `printf '#!/bin/sh\\nexec cct replay --as-claude run.ndjson "$@"\\n' > claude`,
    },
  ],
  endsAtOnce: true,
  // A recording that stands in for claude is no input.
  readsNothing: (options) => textOf(options, 'asClaude') !== null,
  interest: () => ({ events: ['*'] }),
  async run(context) {
    const { options, operands } = context;
    refuseContradictions(options, operands);
    const recording = textOf(options, 'asClaude');
    if (recording !== null) return replayAsClaude(context, recording);
    if (writesStates(options)) return replayStates(context);
    return replayLines(context);
  },
};

function writesStates(options: Options): boolean {
  return flagOf(options, 'states') || textOf(options, 'at') !== null;
}

/** Refuses flags that contradict each other, instead of ignoring one of them. */
function refuseContradictions(options: Options, operands: readonly string[]): void {
  for (const [one, ...others] of contradictions) {
    const other = others.find((name) => options[name] !== undefined);
    if (one !== undefined && options[one] !== undefined && other !== undefined)
      throw new UsageError(`replay: ${flagNamed(one)} and ${flagNamed(other)} cannot be used together`);
  }
  const [file] = operands;
  if (textOf(options, 'asClaude') !== null && file !== undefined)
    throw new UsageError(`--as-claude: expected one recording, but got '${file}' too`);
  const chooser = ['session', 'team'].find((name) => options[name] !== undefined);
  if (chooser !== undefined && !writesStates(options))
    throw new UsageError(
      `${flagNamed(chooser)} works only with --states or --at; without them replay prints all lines`,
    );
}

const contradictions: readonly (readonly string[])[] = [
  ['noWait', 'speed', 'maxGap', 'interval'],
  ['interval', 'maxGap'],
  ['at', 'since', 'until'],
  ['asClaude', 'last', 'since', 'until', 'states', 'at'],
];

async function replayLines(context: Context): Promise<Verdict | undefined> {
  const { options, streams, input } = context;
  const tempo = tempoOf(context);
  const follows = flagOf(options, 'exitStatus') || flagOf(options, 'strict');
  const isWhole = tempo === null && options['since'] === undefined && options['until'] === undefined;
  if (isWhole && !follows && !streams.stdout.isTTY && !wantsPrivacy(options)) {
    await copyAll(context);
    return undefined;
  }
  const copy = copyStage(context, !follows);
  if (!follows) return { rows: (await playAll(context, tempo, copy)).lines };
  const reader = input.open(() => {});
  const follow = followWith(reader);
  const played = await playAll(context, tempo, {
    ...follow,
    line(line, spot) {
      follow.pass(line);
      return copy.line(line, spot);
    },
    flush: () => copy.flush(),
  });
  warnOfMissing(context, played, reader.openCalls());
  return { rows: played.lines };
}

/** Plays a recording in the place of claude, and ends as the recorded run ended. */
async function replayAsClaude(context: Context, recording: string): Promise<Verdict> {
  const { options, input, out, streams, rest } = context;
  const converses = /(?:^| )--input-format[ =]stream-json(?: |$)/.test(rest.join(' '));
  if (converses && recording === '-')
    throw new UsageError('--as-claude: the recording must be a file, because stdin is for prompts');
  // Tests should not wait unless they ask for it.
  const isPaced = ['speed', 'interval', 'maxGap'].some((name) => options[name] !== undefined);
  const tempo = isPaced ? tempoOf(context) : null;
  const host = converses ? listenTo(context) : null;
  const copy = copyStage(context);
  let results = 0;
  let hasFailed = true;
  let isTurn = false;
  const reader = input.open((event) => {
    if (event.event !== 'session:ended') return;
    results += 1;
    hasFailed = event.is_error === true;
  });
  const follow = followWith(reader);
  const sources = sourcesFrom([recording], streams.stdin);
  const played = await play({ ...context, sources }, tempo, {
    ...follow,
    flush: () => copy.flush(),
    async line(line, spot) {
      const before = results;
      follow.pass(line);
      if (host === null) return copy.line(line, spot);
      // The recorded answers were for another host.
      if (!line.tooLong && isAnswer(textOfLine(line))) return isTurn ? undefined : tempo?.restart();
      if (!isTurn) {
        await copy.flush();
        await out.flush();
        await host.prompt();
        // The turn begins now, however long the prompt took.
        tempo?.restart();
        tempo?.dueIn(spot.at, false);
      }
      await copy.line(line, spot);
      isTurn = results === before;
      if (!isTurn) tempo?.restart();
    },
  });
  await out.flush();
  await host?.left;
  return { rows: played.lines, recorded: hasFailed ? 'badly' : 'well' };
}

/** Reads what the host of a claude says on stdin: answers its requests, and counts its prompts. */
function listenTo({ streams, out, signal }: Context) {
  const toText = jsonTextFor(streams.stdout.isTTY);
  let prompts = 0;
  let isOver = false;
  let wake = () => {};
  const index = openIndex({
    line(entry) {
      const said = readHostLine(index.lineText(entry));
      if (said?.answer !== undefined) out.write(`${toText(said.answer)}\n`);
      if (said?.isPrompt) prompts += 1;
      wake();
    },
    tooLong() {},
  });
  const stdin = streams.stdin.open();
  const reading = stdin.ok ? lineReader(index, { signal, chunkEnd: () => out.flush() })(stdin.bytes) : null;
  const left = Promise.resolve(reading).then(() => {
    isOver = true;
    wake();
  });
  return {
    /** Resolves when stdin has ended. */
    left,
    /** Resolves with the next prompt, or when no more can come. */
    async prompt(): Promise<void> {
      while (prompts === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      prompts = Math.max(0, prompts - 1);
    },
  };
}

async function replayStates(context: Context): Promise<Verdict> {
  const at = pointOf(context, 'at');
  const stopped = new AbortController();
  const signal = AbortSignal.any([context.signal, stopped.signal]);
  const stage = createStatesStage(context, at, () => stopped.abort());
  const played = await playAll({ ...context, signal }, at === null ? tempoOf(context) : null, stage);
  stage.end(!played.isCut);
  warnOfMissing(context, played, stage.openCalls());
  return { rows: stage.rows };
}

/** Makes the rows of teams, tasks and usage, of one state after the other. Rows of unchanged slices are reused. */
function createStateRows(context: Context) {
  const { session } = context.input;
  const team = textOf(context.options, 'team');
  const query = { kind: [], status: [], owner: [], open: false, ready: false, blocked: false, all: false };
  const tasksOf = memoizeLast((tasks: State['tasks'], agents: State['agents']) => {
    const rows = taskRows(tasks, agents);
    return rows.filter(taskFilter({ ...query, team, session: session.id }, rows));
  });
  const usageOf = memoizeLast(
    (usage: State['usage'], agents: State['agents']) =>
      reportUsage({ usage, agents, by: ['model'], session: session.id, team }).rows,
  );
  return (state: State, ended: boolean) => ({
    teams: teamRowsOf(state, { ended }).filter(placeFilter(context)),
    tasks: tasksOf(state.tasks, state.agents),
    usage: usageOf(state.usage, state.agents),
  });
}

interface StatePlace {
  /** The time of the event, else the last time known before it. */
  readonly at: string | null;
  readonly line: number | null;
  /** null at the end of the input. */
  readonly event: string | null;
}

/** Writes the state after each line that changed it, or only at one point. Calls `stop` after that point. */
function createStatesStage(context: Context, at: Point | null, stop: () => void) {
  const { input, out, streams } = context;
  const toText = jsonTextFor(streams.stdout.isTTY);
  const rowsOf = createStateRows(context);
  const reader = input.open(reduceEvent);
  const follow = followWith(reader);
  const state = newState();
  let version = 0;
  let place: StatePlace = { at: null, line: null, event: null };
  let shown = JSON.stringify({ teams: [], tasks: [], usage: [] });
  /** The state has not changed since it was last shown. */
  let isSame = false;
  /** Lines before --since are read, but not shown. */
  let isPassing = false;
  let rows = 0;

  function reduceEvent(event: Event): void {
    reduceRows(state, event);
    const now = versionOfState(settle(state));
    isSame &&= version === now;
    version = now;
    place = { at: event.time ?? place.at, line: event.line, event: event.event };
    if (at === null && !isPassing) showState(false);
  }

  function showState(ended: boolean): void {
    if (isSame && !ended && at === null) return;
    isSame = true;
    const now = rowsOf(state, ended);
    const text = JSON.stringify(now);
    if (text === shown && at === null) return;
    const { at: time, line, event } = place;
    out.write(`${toText(JSON.stringify({ cct: 1, at: time, line, event, ...now }))}\n`);
    rows += 1;
    shown = text;
  }

  return {
    ...follow,
    pass(line: RawLine) {
      isPassing = true;
      follow.pass(line);
      isPassing = false;
    },
    line(line: RawLine, spot: Spot) {
      if (at !== null && isBehind(at, spot)) stop();
      else follow.pass(line);
    },
    /** Writes what is left. `ended`: the input is over, so what is open stays open. */
    end(ended: boolean) {
      if (ended) place = { ...place, event: null };
      if (ended || at !== null) showState(ended);
      new Matches(placeChoices(context, () => state.agents)).say(context, 'states', rows, true);
    },
    flush: () => out.flush(),
    get rows() {
      return rows;
    },
    openCalls: reader.openCalls,
  };
}

async function playAll(context: Context, tempo: Tempo | null, stage: Stage): Promise<Played> {
  const played = await play(context, tempo, stage);
  const isByTime = (['since', 'until', 'at'] as const).some((name) => pointOf(context, name)?.kind === 'time');
  if (played.timeless > 0 && isByTime)
    context.diagnostics.warn(
      `${played.timeless} ${played.timeless === 1 ? 'line has' : 'lines have'} no time; treated as earlier than all others`,
    );
  return played;
}

function warnOfMissing(
  { input, sources, diagnostics, signal }: Context,
  { isCut }: Played,
  calls: readonly OpenCall[],
): void {
  const missing = input.seen.account.missing(calls);
  if (missing !== null && !isCut && !signal.aborted) diagnostics.warn(`${placeNameOf(sources)}: ${missing}`);
}
