// The log command: the run as lines one can read.
import type { Command, Context, Options } from '../../cli/command.js';
import { agentChoice, Matches, placeChoices } from '../../cli/flags/choice.js';
import { flagOf, listOf, sharedOptions, textOf } from '../../cli/flags/flags.js';
import { flagOfLastDay, shownZone, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { jsonTextFor, paintOf, signsOf } from '../../cli/print.js';
import { storyEvents } from '../../core/story/happening.js';
import type { StoryLine } from '../../core/story/line.js';
import { Storyteller } from '../../core/story/storyteller.js';
import { latest } from '../../core/tables/order.js';
import { UsageError } from '../../io/exit.js';
import { ndjson } from '../../view/formats.js';
import { noPaint } from '../../view/signs.js';
import { cut, sanitize } from '../../view/text.js';
import { GithubLog, MarkdownLog } from './markdown.js';
import { logFields } from './row.js';
import { agentsOf, lineChoices, lineChoicesOf, lineFilter, logRowOf } from './rows.js';
import { type LogLook, LogText } from './text.js';

const logFormats = ['text', 'md', 'github', 'ndjson'] as const;

export const log: Command = {
  name: 'log',
  kind: 'map',
  summary: 'tell the run, one line for each thing that happened',
  description: [
    'Prints a line for each thing that happened, as it comes: the time, the agent, and what it did. A prompt, what an agent said, a call with what it was about and how it ended, a message, an agent that starts or ends, a task, a compaction, a retry, an error, the result. A call is one line, printed when it returns; on a terminal it shows while it runs.',
    'What the program does for itself is left out (looking up tools, reading its own task list, hooks that passed). Reads and searches that follow each other are one line, and so are results of several turns. Errors are never left out or folded. --full prints everything, whole.',
    'Lines of several files come in order of time, each thing once, even if a stream and its transcript both show it. stdin is printed as it is read; so is what --follow finds.',
    'A transcript has no result. With --full and as Markdown, its log ends with what the session cost.',
    'A record without a time has that of the record before it. A terminal of less than 60 columns shows no times.',
  ],
  options: [
    { flags: '--full', summary: 'print everything, with texts, inputs, results and changes whole' },
    { flags: '--thinking', summary: 'print what agents thought, too' },
    {
      flags: '--only <kind,...>',
      summary: 'only lines of these kinds; errors are all lines about something that went wrong',
      kind: 'list',
      choices: lineChoices,
    },
    { flags: '--agent <name,...>', summary: 'only lines by or about one of these agents', kind: 'list' },
    { flags: '--grep <text>', summary: 'only lines with this text in what was said, called or returned' },
    { flags: '-i, --ignore-case', summary: 'with --grep, take upper and lower case as the same' },
    {
      flags: '-f, --format <format>',
      summary:
        'text, for terminals and logs; md, a document; github, a log of GitHub Actions with groups and annotations; or ndjson, a row for each line, none of them folded',
      choices: logFormats,
      aliases: { jsonl: 'ndjson', markdown: 'md' },
      default: 'text',
    },
    ...sharedOptions.output.filter(({ flags }) => flags.startsWith('--color')),
  ],
  shared: ['input', 'time', 'privacy', 'general'],
  fields: logFields,
  examples: [
    { does: 'Watch a run', run: 'claude -p "…" --output-format stream-json --verbose | cct log' },
    { does: 'What happened in the last session here?', run: 'cct log --last' },
    { does: 'Watch an interactive session', run: 'cct log --last --follow' },
    { does: 'What went wrong?', run: 'cct log --only errors run.ndjson' },
    { does: 'Every word, call and change of one agent', run: 'cct log --full --agent writer run.ndjson' },
    { does: 'Keep a session as a document', run: 'cct log -f md --last > session.md' },
    {
      does: 'In a job of GitHub Actions',
      run: 'claude -p "…" --output-format stream-json --verbose | cct log -f github',
    },
  ],
  interest: (options) => ({
    // A result is often in its record twice, and what goes around it is not told.
    sparing: true,
    content: showsResults(options) ? 'all' : 'brief',
    // Only where a session began is told.
    detail: 'rows',
    events: [
      ...storyEvents().filter(
        (name) =>
          (name !== 'thinking:produced' || flagOf(options, 'thinking')) &&
          (name !== 'usage:reported' || tellsCosts(options)),
      ),
      // These say who is who.
      ...['agent:*', 'team:created', 'team:member:*'],
    ],
  }),
  async run(context) {
    const { input, options } = context;
    const lastDay = flagOfLastDay(options);
    const follows = flagOf(options, 'follow');
    const find = findOf(context);
    const { wants, live, write, end } = await openLog(context);

    const query = { only: listOf(options, 'only'), agents: listOf(options, 'agent') };
    const team = textOf(options, 'team');
    const isWanted = lineFilter(query);
    const found = new Matches<StoryLine>([
      ...placeChoices(context, () => story.agents),
      agentChoice('--agent', query.agents, 'of', () => story.agents, agentsOf),
      { flag: '--only', wanted: query.only, one: 'kind', many: 'kinds', relation: 'of kind', valuesOf: lineChoicesOf },
    ]);
    let isFound = find === null;
    let last: string | null = null;
    let range = timeRange(options);
    let held: StoryLine[] = [];
    let rows = 0;
    const choose = (line: StoryLine) => {
      if (!isWanted(line) || !range.includes(line.time)) return;
      rows += 1;
      write(line);
    };
    const thinking = flagOf(options, 'thinking');
    const folds = wants.folds && find === null;
    const hear = (line: StoryLine) => {
      isFound = true;
      found.note(line);
      last = latest(last, line.time);
      if (!input.session.includes(line.session_id) || (team !== null && line.team !== team)) return;
      if (lastDay === null) choose(line);
      else held.push(line);
    };
    const story = new Storyteller({ ...wants, folds, thinking, costs: tellsCosts(options), find }, hear, follows);

    const onChunk = () => {
      if (follows) story.catchUp();
      live?.open(story.open);
    };
    const reading = () =>
      input.each(
        (event) => story.note(event),
        onChunk,
        (time, source) => story.passTime(time, source),
      );
    await (live?.while(reading) ?? reading());
    story.end();
    if (lastDay !== null) {
      range = timeRange(options, last);
      for (const line of held) choose(line);
      held = [];
    }
    end();
    warnOfTimes(context, range, 'line');
    if (!isFound && input.seen.records > 0 && !input.seen.isForeign)
      context.diagnostics.warn(`no lines with '${cut(sanitize(textOf(options, 'grep') ?? ''), 60)}' here`);
    found.say(context, 'lines', rows, !isFound);
    return { rows };
  },
};

/** Whether lines show or search what came back. */
function showsResults(options: Options): boolean {
  return flagOf(options, 'full') || textOf(options, 'format') === 'md' || textOf(options, 'grep') !== null;
}

/** To know what a transcript cost takes time, because the usage of all its messages is read. */
function tellsCosts(options: Options): boolean {
  return flagOf(options, 'full') || textOf(options, 'format') === 'md';
}

function findOf({ options }: Context): ((text: string) => boolean) | null {
  const text = textOf(options, 'grep');
  const ignoresCase = flagOf(options, 'ignoreCase');
  if (text === null) {
    if (ignoresCase) throw new UsageError('--ignore-case works only with --grep');
    return null;
  }
  if (!ignoresCase) return (said) => said.includes(text);
  const wanted = text.toLowerCase();
  return (said) => said.toLowerCase().includes(wanted);
}

/** Writes lines in the format the user wants; `wants` is what that format needs of them. */
async function openLog(context: Context) {
  const { options, out, streams } = context;
  const { stdout, env } = streams;
  const format = textOf(options, 'format');
  const full = flagOf(options, 'full');
  const paint = format === 'text' ? await paintOf(context) : noPaint;
  const look: LogLook = {
    // A terminal may change its width.
    get width() {
      return full || format === 'md' ? Number.POSITIVE_INFINITY : stdout.isTTY ? (stdout.columns ?? 80) : pipeWidth;
    },
    paint,
    signs: signsOf(streams),
    local: shownZone(options).local,
    full,
  };
  const toText = jsonTextFor(stdout.isTTY && (format === 'ndjson' || format === 'md'));
  const writer = writerOf(format, options['noContent'] === true);
  const isData = format === 'ndjson';
  const live =
    format === 'text' && stdout.isTTY && env['TERM'] !== 'dumb' && !isData
      ? await (await import('./live.js')).openLiveLog(context, (line) => writer.draw(line, look))
      : null;
  return {
    live,
    wants: {
      whole: full || isData || format === 'md',
      parts: full || format === 'md',
      folds: !full && !isData,
      everything: full,
      turns: format === 'md' || format === 'github',
    },
    write(line: StoryLine) {
      const text = toText(writer.draw(line, look));
      if (live === null) out.write(text);
      else live.write(text);
    },
    end: () => out.write(writer.end?.() ?? ''),
  };
}

/** Turns lines into text. */
interface LogWriter {
  draw(line: StoryLine, look: LogLook): string;
  end?(): string;
}

function writerOf(format: string | null, isBare: boolean): LogWriter {
  if (format === 'ndjson') {
    const writer = ndjson();
    return { draw: (line) => writer.row({ ...logRowOf(line) }) };
  }
  if (format === 'md') return new MarkdownLog(isBare);
  return format === 'github' ? new GithubLog() : new LogText();
}

/** CI logs show long lines badly. */
const pipeWidth = 200;
