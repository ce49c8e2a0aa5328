// The report command: one page that plays a run, or its summary as Markdown.
import type { Command, Context, Options } from '../../cli/command.js';
import { flagOf, textOf } from '../../cli/flags/flags.js';
import type { Event } from '../../core/event/event.js';
import { toJson } from '../../core/record/json.js';
import { writeWhole } from '../../io/atomic-file.js';
import { atFirstInterrupt, UsageError } from '../../io/exit.js';
import { type Answer, createPacker, openInBrowser, readPageShell, serve } from '../../io/page.js';
import { createAuditReader, findingsOf } from '../audit/audit.js';
import { auditedSubjects, type FindingRow } from '../audit/row.js';
import {
  comparedTables,
  comparisonMarkdown,
  documentOf,
  markdownOf,
  settingsOf,
  summaryTableOf,
  tablesOf,
} from './document.js';
import { type OneRun, openInput, runsOf } from './summary.js';

export const report: Command = {
  name: 'report',
  kind: 'fold',
  summary: 'write one page that plays the run',
  description: [
    'Writes one HTML file that tells and plays a run. It needs nothing else and no network. Its middle is the story that cct log tells: prompts, what agents said, calls that open to their change or output, messages, tasks and findings. Above it is a lane for each agent; beside it are the details of what was chosen, the board, the agents with their cost, the files that were edited, and the findings.',
    'In the page: choose a line, a bar, an arrow, a task, a file or a finding, and it is marked everywhere; the address keeps it, so a link leads there and the browser goes back. Search finds every text, also in what is folded. Play or drag the clock to see the run at a moment: what comes later is dimmed. ? lists the keys. Printed, the story is whole.',
    'The page holds the events of the run: every cct command reads it as a recording. Prompts, texts and results are in it; --no-content, --redact and --anonymize remove them before they are embedded.',
    'Of several sessions the page shows a list, and one run at a time. --compare wants exactly two: it shows their figures, agents and tasks in two columns, matched by name, with the difference, and their lanes on one scale. -f md prints the summary as Markdown instead.',
    '--serve prints an address that only browsers on this machine reach, and serves the page there until Ctrl-C. The page grows with its input: a pipe, or files with --follow.',
  ],
  options: [
    {
      flags: '-f, --format <format>',
      summary: 'a page, or the summary as Markdown',
      choices: ['html', 'md'],
      default: 'html',
    },
    { flags: '-o, --output <file>', summary: 'write to this file instead of stdout' },
    { flags: '--browse', summary: 'with -o, open the page in the browser' },
    { flags: '--serve', summary: 'show the page of a run that goes on, in a browser on this machine' },
    { flags: '--compare', summary: 'show two sessions side by side, and what differs' },
  ],
  shared: ['input', 'privacy', 'general'],
  examples: [
    { does: 'A page of a run', run: 'cct report run.ndjson > run.html' },
    { does: 'Of your last session, in the browser', run: 'cct report --last -o run.html --browse' },
    { does: 'Watch a run in the browser', run: 'cct report --serve --browse --last --follow' },
    { does: 'A page to pass on', run: 'cct report --redact --anonymize run.ndjson > run.html' },
    { does: 'What changed between two runs?', run: 'cct report --compare before.ndjson after.ndjson > compare.html' },
    { does: 'The summary of a CI step', run: 'cct report -f md run.ndjson >> "$GITHUB_STEP_SUMMARY"' },
    { does: 'The page is a recording too', run: 'cct report run.ndjson > run.html; cct teams run.html' },
  ],
  interest: () => ({ events: ['*'] }),
  async run(context) {
    const { options, streams, out } = context;
    const file = textOf(options, 'output');
    const asPage = textOf(options, 'format') !== 'md';
    const serves = flagOf(options, 'serve');
    refuseOptions(options, asPage && file === null && !serves && streams.stdout.isTTY);
    if (serves) {
      await serveRun(context, (onEvent) => readRun(context, onEvent));
      return undefined;
    }
    const packer = createPacker();
    const events: Event[] = [];
    await readRun(context, (event) => {
      events.push(event);
      if (asPage) packer.write(`${toJson(event)}\n`);
    });
    const compare = flagOf(options, 'compare');
    const whole = openInput(events, findingsIn(events));
    const { length } = whole.figures;
    if (compare && length !== 2)
      throw new UsageError(
        `--compare: two sessions are compared, and there ${length === 1 ? 'is one' : `are ${length}`}`,
      );
    const runs = compare ? runsOf(whole) : [];
    const texts = asPage
      ? pageOf(whole, runs, await packer.end())
      : [compare ? comparisonMarkdown(runs) : markdownOf(whole)];
    if (file === null) for (const text of texts) out.write(text);
    else await writeFile(context, file, [...texts].join(''));
    return { rows: length };
  },
};

function refuseOptions(options: Options, isTerminal: boolean): void {
  const serves = flagOf(options, 'serve');
  if (
    serves &&
    (flagOf(options, 'compare') || textOf(options, 'output') !== null || textOf(options, 'format') === 'md')
  )
    throw new UsageError('--serve shows one page in a browser; it works without -o, -f md and --compare');
  if (flagOf(options, 'browse') && !serves && textOf(options, 'output') === null)
    throw new UsageError('--browse opens the file of -o, for example: cct report run.ndjson -o run.html --browse');
  if (isTerminal)
    throw new UsageError(
      'a page is no text for a terminal; write it to a file, and look: cct report -o run.html --browse',
    );
}

/** The events of the sessions that were asked for. */
async function readRun({ input, options }: Context, onEvent: (event: Event) => void): Promise<void> {
  const team = textOf(options, 'team');
  await input.each((event) => {
    if (input.session.includes(event.session_id) && (team === null || event.team === team)) onEvent(event);
  });
}

/** Worked out here, so that the page opens sooner. */
function findingsIn(events: readonly Event[]): FindingRow[] {
  const reader = createAuditReader();
  for (const event of events) reader.note(event);
  return findingsOf(auditedSubjects, reader.facts());
}

/** `runs`: two to compare. */
function pageOf(whole: OneRun, runs: readonly OneRun[], events: string): Iterable<string> {
  const { findings, figures } = whole;
  const title = figures.map((run) => run.title).join(', ') || 'cct report';
  const compare = runs.length > 0;
  const tables = compare ? comparedTables(runs) : [summaryTableOf(whole), ...tablesOf(whole)];
  return documentOf(readPageShell(), { title, compare, live: false, findings, figures, events, tables });
}

async function writeFile({ options, diagnostics, input }: Context, file: string, text: string): Promise<void> {
  const problem = writeWhole(file, text) ?? (flagOf(options, 'browse') ? await openInBrowser(file) : null);
  if (problem === null) return;
  diagnostics.error(`${file}: ${problem}`);
  input.seen.unreadable++;
}

// Serves the page of a run that still goes on. The page asks for what came since, and draws it.

/** Serves until Ctrl-C; `read` calls back for each event. */
async function serveRun(context: Context, read: (onEvent: (event: Event) => void) => Promise<void>) {
  const { options, diagnostics, out } = context;
  const run = new GrowingRun();
  const { address, close } = await serve(async (path, query) => {
    if (path === '') return { type: 'text/html', text: [...(await run.page())].join('') };
    return path === 'events' ? run.since(Number(query.get('from'))) : null;
  });
  out.write(`${address}\n`);
  await out.flush();
  diagnostics.warn('served to browsers on this machine; Ctrl-C ends it');
  const problem = flagOf(options, 'browse') ? await openInBrowser(address) : null;
  if (problem !== null) diagnostics.error(`${address}: ${problem}`);
  await read((event) => run.addEvent(event));
  run.endRun();
  // Ctrl-C already ended a file that is followed.
  if (!flagOf(options, 'follow') || flagOf(options, 'untilEnd'))
    await new Promise<void>((resolve) => atFirstInterrupt(resolve));
  close();
}

class GrowingRun {
  readonly #events: Event[] = [];
  readonly #audit = createAuditReader();
  #isOver = false;
  #waiting: (() => void)[] = [];

  addEvent(event: Event): void {
    this.#events.push(event);
    this.#audit.note(event);
    this.#wake();
  }

  endRun(): void {
    this.#isOver = true;
    this.#wake();
  }

  async page(): Promise<Iterable<string>> {
    const packer = createPacker();
    for (const event of this.#events) packer.write(`${toJson(event)}\n`);
    return documentOf(readPageShell(), { ...this.#settings(), events: await packer.end(), tables: [] });
  }

  /** The settings in the first line, then the events after this many. Waits a while for one. */
  async since(from: number): Promise<Answer> {
    if (this.#events.length <= from && !this.#isOver) await this.#more();
    const lines = [settingsOf(this.#settings()), ...this.#events.slice(from).map(toJson)];
    return { type: 'application/x-ndjson', text: lines.join('\n') };
  }

  #settings() {
    const findings = findingsOf(auditedSubjects, this.#audit.facts());
    return { title: 'cct report', compare: false, live: !this.#isOver, findings, figures: null };
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longestWaitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const act of this.#waiting.splice(0)) act();
  }
}

const longestWaitMs = 20_000;
