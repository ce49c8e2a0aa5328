// The calls command: what the tools did.
import type { Command, Context, Options } from '../../cli/command.js';
import { flagOf, listOf, textOf } from '../../cli/flags.js';
import { type AnswerWriter, createWatch, liveOption, runFold, warnOfTimeless, watchOption } from '../../cli/fold.js';
import { preparePrinter } from '../../cli/print.js';
import { timeRange } from '../../cli/times.js';
import { keyOf } from '../../core/state/order.js';
import { UsageError } from '../../io/exit.js';
import type { Output } from '../../io/output.js';
import type { Row } from '../../view/formats.js';
import { reducerOf } from '../reduce.js';
import { CallsFold, callEvents } from './fold.js';
import { callFields, figureFields } from './row.js';
import { type CallKey, type CallsReport, callKeys, keyFieldsOf, reportCalls } from './rows.js';

export const calls: Command = {
  name: 'calls',
  kind: 'fold',
  summary: 'count the calls of tools: how many failed, how long they took',
  description:
    'Prints one row for each tool: how often it was called, how many of the calls failed, were not allowed to run or have no result, and how long they took. --by chooses other groups; --by call prints one row for each call, in the order of time. Calls of subagents and teammates count too. A call is known by its id, so a stream and the transcripts of the same run, given together, show it once. clock says what the durations are: reported (the program says how long the call took), hook (the input of a PostToolUse hook says so) or records (the time between the record of the call and that of its result, which includes waiting for a permission); where the calls of a row have several, it names the weakest. Calls without a known duration are in no duration of their row. Percentiles are exact, by nearest rank. --by server has a row for each connected MCP server, also for those that nobody called, and one with null for the tools of the program itself. errors counts every call that failed; denied those of them that were not allowed to run. repeated counts calls that failed at least three times with the same input within ten calls of one agent. --since and --until look at the time of the call.',
  options: [
    {
      flags: '--by <key,...>',
      summary: 'what to group by; call prints every call',
      kind: 'list',
      choices: callKeys,
      default: ['tool'],
    },
    watchOption,
    liveOption,
  ],
  shared: ['input', 'output', 'time', 'privacy', 'general'],
  fields: [...keyFieldsOf(callKeys), ...figureFields],
  examples: [
    { does: 'Which tools fail, and which are slow?', run: 'cct calls run.ndjson' },
    { does: 'Which MCP servers does nobody use?', run: "cct calls --by server run.ndjson | jq 'select(.calls == 0)'" },
    { does: 'Who called what?', run: 'cct calls --by agent,tool run.ndjson' },
    {
      does: 'The ten slowest calls',
      run: `cct calls --by call run.ndjson | jq -s 'sort_by(-.ms) | .[:10][] | {tool, target, ms}'`,
    },
    { does: 'All sessions of this machine, by day', run: 'cct calls --by day,tool ~/.claude/projects' },
  ],
  // Whether a call is repeated depends on its input.
  judgesContent: () => true,
  interest: () => ({ events: [...callEvents, 'agent:*', 'team:created', 'team:message:*'], lean: true }),
  async run(context) {
    const { options } = context;
    const by = keysOf(options);
    const fold = new CallsFold({ single: by.includes('call'), seed: Math.floor(Math.random() * 2 ** 32) });
    const { rows, timeless } = await runFold(context, {
      name: 'calls',
      follow: followAgents,
      onEvent: ({ event }) => fold.note(event),
      prepare: (to) => prepare(to, by),
      answer({ agents }) {
        const range = timeRange(options);
        const query = {
          by,
          session: textOf(options, 'session'),
          team: textOf(options, 'team'),
          includes: range.includes,
          timezone: textOf(options, 'timezone') ?? 'UTC',
          bare: flagOf(options, 'noContent'),
        };
        return { ...reportCalls(fold, agents, query), timeless: range.timeless };
      },
    });
    warnOfTimeless(context, timeless, 'call');
    return { rows: rows.length };
  },
};

/** Names need the agents, and nothing else of the state. */
const followAgents = reducerOf({});

function keysOf(options: Options): CallKey[] {
  const typed = listOf(options, 'by');
  const by = callKeys.filter((key) => typed.includes(key)).sort((a, b) => typed.indexOf(a) - typed.indexOf(b));
  const other = by.find((key) => key !== 'call');
  if (by.includes('call') && other !== undefined)
    throw new UsageError(`--by call prints every call by itself; ${other} does not go with it`);
  return by;
}

async function prepare(context: Context, by: readonly CallKey[]): Promise<(out: Output) => AnswerWriter<CallsReport>> {
  const isWatched = flagOf(context.options, 'watch');
  timeRange(context.options); // Refuses a wrong time before reading.
  const keys = keyFieldsOf(by);
  const open = await preparePrinter(context, {
    name: 'calls',
    ...(by.includes('call')
      ? {
          fields: callFields,
          tableFields: ['time', 'name', 'tool', 'target', 'ms', 'clock', 'is_error', 'parallel', 'error'],
        }
      : {
          fields: [...keys, ...figureFields],
          tableFields: [...keys.filter((key) => key !== 'agent'), ...figureFields],
        }),
    columns,
    streaming: isWatched,
  });
  return (out) => {
    const printer = open(out);
    const changed = createWatch<Row>((row) => keyOf(...[...keys, 'tool_use_id'].map((key) => String(row[key] ?? ''))));
    return {
      update: ({ rows }) => changed(rows).forEach(printer.row),
      end({ rows, total }) {
        (isWatched ? changed(rows) : rows).forEach(printer.row);
        const [first] = keys.filter((key) => key !== 'agent');
        printer.end(isWatched || total === null || first === undefined ? undefined : { ...total, [first]: 'total' });
      },
    };
  };
}

const count = { kind: 'count', align: 'right' } as const;
const columns = {
  ...Object.fromEntries(['calls', 'errors', 'denied', 'open', 'repeated', 'parallel'].map((field) => [field, count])),
  ...Object.fromEntries(['input_bytes', 'result_bytes'].map((field) => [field, { ...count, rank: -1 }])),
  ...Object.fromEntries(
    ['ms', 'ms_total', 'ms_p50', 'ms_p95', 'ms_max'].map((field) => [
      field,
      { kind: 'duration', align: 'right' } as const,
    ]),
  ),
  last_used_at: { rank: -1 },
};
