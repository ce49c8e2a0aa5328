// The trace command: what every agent did when, as spans, and where its time went.

import type { Command, Context } from '../../cli/command.js';
import { arrangingFlag, refuseArranging } from '../../cli/flags/arrange.js';
import { Matches, placeChoices, placeFilter } from '../../cli/flags/choice.js';
import { flagOf, listOf, outputWith, textOf } from '../../cli/flags/flags.js';
import { shownZone, type TimeRange, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { runFold } from '../../cli/fold.js';
import { formatOf, jsonTextFor, type PrintedRows } from '../../cli/print.js';
import { type AnswerWriter, lastTime, prepareRows, rowsWithin } from '../../cli/rows.js';
import type { Event } from '../../core/event/event.js';
import { toJson } from '../../core/record/json.js';
import { spanEvents } from '../../core/spans/facts.js';
import type { Trace } from '../../core/spans/model.js';
import { newAgents } from '../../core/tables/agents.js';
import { keyOf, type Place } from '../../core/tables/order.js';
import type { State } from '../../core/tables/reduce.js';
import { UsageError } from '../../io/exit.js';
import type { TextOutput } from '../../io/output.js';
import { hasUnicode } from '../../io/streams.js';
import { version } from '../../version.js';
import type { Row } from '../../view/formats.js';
import type { Sections } from '../../view/table.js';
import { duration, plural, thousands } from '../../view/text.js';
import { Trajectories } from './atif.js';
import { accountRows, CallContents, followStory, isoTimeAt, newTraceState, spanRows, TraceFold } from './fold.js';
import { accountFields, spanFields } from './row.js';
import { asciiInks, blockInks, inRecords, waterfall } from './waterfall.js';

const views = ['span', 'agent'] as const;
const traceFormats = ['otlp', 'perfetto', 'atif'] as const;

const fieldsByAgent = [{ when: 'with --by agent', fields: accountFields }];

export const trace: Command = {
  name: 'trace',
  kind: 'fold',
  summary: 'show where the time went: spans, and by agent',
  description: [
    'Prints one row for each span: the team, its agents, their turns, and in each turn API messages (chat), calls and waits. An agent stands below the call that spawned it. A call that sent a message links to the next API message of its recipient. A span without an end is marked as open.',
    'A trace is the session of a lead. Teammates with sessions of their own are part of it. Ids are made from the ids of the program: the same run always has the same ids.',
    '--by agent prints where the time of each agent went. Every instant counts once, in this order: it waits for a person (a permission, AskUserQuestion), it waits for an agent, a tool runs, its model works, it is idle. The five add up to wall_ms. An agent that is still open at the end counts up to its last record. Of an agent without any record of its own only the beginning and the end may be known: the rest is null.',
    'critical_ms is the part on the critical path: what would have had to be faster for the run to end sooner. The path is followed backwards from the end of the last work, always to what the next thing had waited for. What an agent or its tool did is on it. Where it waited for agents, the path goes on with the one that was done last; where it was idle, with the sender of the message that woke it; at its start, with whoever started it; and if none of that is known, with whoever worked last. All parts together are the wall time of the run without the time in which nobody worked, such as between two prompts.',
    'An API message lasts from its prompt to its last block. A record without a time counts at the time of the record before it in its file, and its span is marked as estimated. Version 2.1.140 writes times only with the results of calls: read its transcripts too. If no record has a time, spans are measured in records, --by agent has no times, and stderr says: not to scale. cct run --stamp and cct normalize --stamp add times.',
    '-f otlp writes OTLP JSON, one export request per line, by the OpenTelemetry conventions for generative AI (1.41), with what calls were given and gave back (64 KiB of a result at most) unless --no-content. -f perfetto writes a file for ui.perfetto.dev. -f atif writes the run as a trajectory (ATIF 1.7 as the models of harbor 0.20 have it, one JSON document per line), for tools that evaluate agents or train models: prompts, answers, calls, results and tokens, and the trajectories of its agents inside.',
    'A table is a picture of about two screens: what took long, what went wrong and what the run waited for have lines, and what is between them is one line. --full shows every span; --fields and --sort print plain rows.',
    '--since and --until compare the start of a run, and take it whole.',
  ],
  options: [
    {
      flags: '--by <what>',
      summary: 'a row for each span, or the time account of each agent',
      choices: views,
      default: 'span',
    },
    { flags: '--full', summary: 'in a table, a line for every span' },
    { flags: '--parent <traceparent>', summary: 'with -f otlp, hang the spans under this span of another trace' },
    ...outputWith(traceFormats, 'otlp writes OTLP JSON lines, perfetto a binary trace, atif trajectories'),
  ],
  shared: ['input', 'rows', 'time', 'privacy', 'general'],
  fields: spanFields,
  otherFields: fieldsByAgent,
  examples: [
    { does: 'Where did the time go?', run: 'cct trace --by agent run.ndjson' },
    { does: 'Give it to a tool for evaluation', run: 'cct trace -f atif run.ndjson > trajectory.json' },
    { does: 'Look at it in Perfetto', run: 'cct trace -f perfetto run.ndjson > run.pftrace' },
    {
      does: 'Send it to an OpenTelemetry collector',
      run: 'cct trace -f otlp run.ndjson | while read -r spans; do curl -s -H \'Content-Type: application/json\' -d "$spans" localhost:4318/v1/traces; done',
    },
    {
      does: 'What should have been faster?',
      run: "cct trace run.ndjson | jq -s 'map(select(.critical_ms > 0)) | sort_by(-.critical_ms) | .[:10][] | [.name, .label, .critical_ms]'",
    },
  ],
  interest: (options) => ({
    events: spanEvents,
    content: /^(?:otlp|atif)$/.test(textOf(options, 'format') ?? '') ? 'all' : 'sizes',
  }),
  async run(context) {
    const { options, diagnostics } = context;
    const fold = new TraceFold();
    const format = textOf(options, 'format');
    const contents =
      format === 'otlp' ? new CallContents(longestAttribute) : format === 'atif' ? new CallContents() : null;
    const trajectories = format === 'atif' ? new Trajectories() : null;
    let agents = newAgents();
    const matches = new Matches<Place>(placeChoices(context, () => agents));
    const { traces, rows, within } = await runFold<TraceAnswer>(context, {
      name: 'spans',
      follow: followStory,
      begin: newTraceState,
      watcher: {
        after(event: Event, state: State, near: string | null) {
          fold.after(event, state, near);
          contents?.note(event);
          trajectories?.note(event, near);
        },
      },
      prepare: prepareTrace,
      answer(state, ended) {
        agents = state.agents;
        const all = fold.traces(state);
        if (ended) for (const one of all) for (const place of [one, ...one.actors]) matches.note(place);
        return answerOf(context, all, state);
      },
    });
    matches.say(context, 'spans', rows.length);
    warnOfTimes(context, within, 'run');
    const unscaled = traces.filter(({ toScale }) => !toScale).length;
    if (unscaled > 0) {
      const which = unscaled === traces.length ? 'not to scale' : `${unscaled} of ${traces.length} runs not to scale`;
      diagnostics.warn(`${which}: no record has a time, so each takes one unit; cct run --stamp records times`);
    }
    if (format === 'perfetto' && traces.length > 0)
      await context.out.send((await import('./perfetto.js')).perfettoTrace(traces));
    if (contents !== null && trajectories !== null)
      await writeJson(context, trajectories.trajectoriesOf(traces, agents, contents));
    else if (contents !== null) {
      const { otlpRequests, parentOf } = await import('./otlp.js');
      const parent = parentOf(textOf(options, 'parent') ?? '');
      for (const one of traces) await writeJson(context, otlpRequests(one, version, contents, parent));
    }
    return { rows: rows.length };
  },
};

/** What a viewer of spans may show of a result, and what a collector takes. */
const longestAttribute = 64 * 1024;

async function writeJson({ out, streams }: Context, documents: Iterable<object>): Promise<void> {
  const toText = jsonTextFor(streams.stdout.isTTY);
  for (const one of documents) {
    out.write(toText(`${toJson(one)}\n`));
    await out.flush();
  }
}

interface TraceAnswer {
  readonly traces: readonly Trace[];
  readonly rows: readonly Row[];
  readonly within: TimeRange;
}

function answerOf(context: Context, all: readonly Trace[], state: State): TraceAnswer {
  const { options } = context;
  const isWanted = placeFilter(context);
  const wanted = all.filter((one) => [one, ...one.actors].some(isWanted));
  const { rows: traces, within } = rowsWithin(timeRange(options, lastTime(state)), wanted, (one) =>
    isoTimeAt(one, one.root.start),
  );
  const byAgent = textOf(options, 'by') === 'agent';
  const isExport = traceFormats.some((name) => name === textOf(options, 'format'));
  const rowsOf = (one: Trace): readonly Row[] => (isExport ? [{}] : byAgent ? accountRows(one) : spanRows(one));
  return { traces, within, rows: traces.flatMap(rowsOf) };
}

/** Refuses flags that contradict each other before any input is read. */
async function prepareTrace(context: Context): Prepared {
  const { options, streams } = context;
  timeRange(options);
  const format = textOf(options, 'format');
  const exported = traceFormats.find((name) => name === format);
  const byAgent = textOf(options, 'by') === 'agent';
  const parent = textOf(options, 'parent');
  if (exported !== undefined && byAgent)
    throw new UsageError(`--by agent prints rows, and --format ${exported} has none`);
  if (exported !== undefined && listOf(options, 'fields').length > 0)
    throw new UsageError(`--fields chooses columns, and --format ${exported} has none`);
  if (exported !== undefined) refuseArranging(options, `--format ${exported}`, 'writes all spans');
  if (parent !== null && exported !== 'otlp') throw new UsageError('--parent goes with --format otlp');
  if (exported === 'perfetto' && streams.stdout.isTTY)
    throw new UsageError('--format perfetto is binary; write it to a file: cct trace -f perfetto … > run.pftrace');
  if (parent !== null && (await import('./otlp.js')).parentOf(parent) === null)
    throw new UsageError(`--parent: '${parent}' is no traceparent, such as 00-<32 hex digits>-<16 hex digits>-01`);
  if (exported !== undefined) return () => ({ update() {}, end() {} });
  const isTable = formatOf(context) === 'table';
  if (byAgent) return prepareAccounts(context, isTable);
  const shown = { name: 'spans', fields: spanFields, otherFields: fieldsByAgent };
  const isDrawn = isTable && listOf(options, 'fields').length === 0 && arrangingFlag(options) === null;
  if (!isDrawn)
    return prepareRows<Row>(context, { ...shown, tableFields: spanColumns }, (row) => fieldText(row, 'span_id'));
  return prepareDrawing(context, shown);
}

type Prepared = Promise<(out: TextOutput) => AnswerWriter<TraceAnswer>>;

async function prepareAccounts(context: Context, isTable: boolean): Prepared {
  const { sections, begin } = runSections(context, 'session_id', ({ session_id }) => session_id);
  const open = await prepareRows<Row, TraceAnswer>(
    context,
    {
      ...{ name: 'agents', fields: accountFields, tableFields: accountColumns, columns: countColumns, sections },
      display: () => (row) => (isTable ? withRecords(row) : row),
    },
    (row) => keyOf(fieldText(row, 'session_id'), fieldText(row, 'agent')),
  );
  return (out) => {
    const { update, end } = open(out);
    return {
      update,
      end(answer) {
        begin(answer.traces);
        end(answer);
      },
    };
  };
}

/** A table has a section for each run, which a field of its rows names. */
function runSections({ options }: Context, field: string, nameOfRun: (trace: Trace) => string | null) {
  const zone = shownZone(options);
  const headings = new Map<string, string[]>();
  const sections: Sections = {
    keyOf: (row) => fieldText(row, field),
    heading: ([row]) => ({ parts: headings.get(fieldText(row ?? {}, field)) ?? [], says: [] }),
  };
  const begin = (traces: readonly Trace[]) => {
    for (const trace of traces) headings.set(nameOfRun(trace) ?? '', headingOf(trace, zone));
  };
  return { sections, begin };
}

/** A table without --fields and --sort is a picture. */
async function prepareDrawing(context: Context, shown: PrintedRows): Prepared {
  const { options, streams } = context;
  const { sections, begin } = runSections(context, 'trace_id', ({ id }) => id);
  const open = await prepareRows<Row>(
    context,
    { ...shown, tableFields: drawnFields, columns: drawnColumns, sections },
    () => '',
  );
  const full = flagOf(options, 'full');
  const inks = hasUnicode(streams.env) ? blockInks : asciiInks;
  return (out) => {
    const writer = open(out);
    return {
      // A picture of what is not over is drawn by whoever can draw over it.
      update() {},
      end({ within, traces }) {
        const { columns = 120, rows: height = 48 } = streams.stdout;
        // The newest runs, as many as fit with a heading each.
        const most = Math.max(1, Math.floor((2 * height) / (fewestLines + 3)));
        const shown = full ? traces : traces.slice(-most);
        const lines = Math.max(fewestLines, Math.floor((2 * height - 3) / Math.max(1, shown.length)) - 3);
        begin(shown);
        const drawn = shown.map((one) => waterfall(one, { width: columns, lines, full, inks }));
        const rows = drawn.flatMap((one) => one.rows);
        const folded = drawn.reduce((sum, one) => sum + one.folded, 0);
        const [, idle, work, critical] = inks;
        const key = `${critical} what the run waited for (critical path)  ${work} other work  ${idle} waiting or idle`;
        const earlier = traces.length - shown.length;
        const notes = [
          key,
          ...(folded === 0 ? [] : [`${thousands(folded)} spans are folded; --full shows every span`]),
          ...(earlier === 0
            ? []
            : [`${thousands(earlier)} earlier runs are not shown; --session ID shows one, --full all`]),
        ];
        writer.end({ rows, within, notes });
      },
    };
  };
}

/** Of one of many runs. */
const fewestLines = 8;

function headingOf({ root, toScale, actors }: Trace, { name, local }: ReturnType<typeof shownZone>): string[] {
  const calls = actors.reduce((sum, actor) => sum + actor.calls.length, 0);
  const began = isoTimeAt({ toScale }, root.start);
  return [
    root.name,
    ...(root.failed ? ['failed'] : root.open ? ['open'] : []),
    ...(began === null
      ? ['not to scale']
      : [`${local(began).slice(0, 16).replace('T', ' ')} ${name}`, duration(root.end - root.start)]),
    plural(actors.length, 'agent'),
    plural(calls, 'call'),
  ];
}

function fieldText(row: Row, field: string): string {
  return String(row[field] ?? '');
}

/** For a table: what is not to scale is measured in records. */
function withRecords(row: Row): Row {
  return typeof row['records'] === 'number' ? { ...row, wall_ms: inRecords(row['records']) } : row;
}

const accountColumns = [
  ...['name', 'wall_ms', 'active_ms', 'tool_ms', 'wait_agent_ms', 'wait_person_ms', 'idle_ms', 'critical_ms'],
  ...['turns', 'messages', 'calls'],
];
const countColumn = { kind: 'number', align: 'right' } as const;
const countColumns = { turns: countColumn, messages: countColumn, calls: countColumn };
const spanColumns = ['start_ms', 'duration_ms', 'critical_ms', 'name', 'kind', 'label', 'target'];

const drawnFields = ['start', 'took', 'critical', 'what', 'when'];
const figure = { align: 'right', kind: 'word', stays: true } as const;
const drawnColumns = {
  start: { ...figure, title: 'START' },
  took: { ...figure, title: 'TIME' },
  critical: { ...figure, title: 'CRITICAL' },
  what: { title: 'WHAT', kind: 'text', rank: 1, stays: true },
  when: { title: 'WHEN', kind: 'text', stays: true },
} as const;
