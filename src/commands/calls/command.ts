// The calls command: what the tools did.

import type { Command, Context, Options } from '../../cli/command.js';
import { Matches, placeChoices } from '../../cli/flags/choice.js';
import { flagOf, listOf, textOf } from '../../cli/flags/flags.js';
import { timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { runFold } from '../../cli/fold.js';
import { liveOption } from '../../cli/live.js';
import { lastTime, prepareRows, watchOption } from '../../cli/rows.js';
import { idOf } from '../../core/record/json.js';
import { newAgents } from '../../core/tables/agents.js';
import { keyOf } from '../../core/tables/order.js';
import { reducerOf } from '../../core/tables/reduce.js';
import { UsageError } from '../../io/exit.js';
import type { Row } from '../../view/formats.js';
import { visibleName } from '../../view/text.js';
import { figureFields } from './row.js';
import {
  type CallKey,
  CallsFold,
  callEvents,
  callKeys,
  fieldsByKey,
  keyFieldsOf,
  newCallsState,
  reportCalls,
  rowFields,
} from './rows.js';

export const calls: Command = {
  name: 'calls',
  kind: 'fold',
  summary: 'count the calls of tools: how many failed, how long they took',
  description: [
    'Prints one row for each tool: how often it was called, how many calls failed, were not allowed to run or have no result, and how long they took. --by chooses other groups. --by call prints one row for each call, in order of time.',
    'Calls of subagents and teammates count too. A call is known by its id: a stream and the transcripts of the same run, read together, show it once.',
    'clock says what the durations are:',
    [
      ['reported', 'the program says how long the call took'],
      ['hook', 'the input of a PostToolUse hook says so'],
      [
        'records',
        'the time between the record of the call and that of its result, which includes waiting for permission',
      ],
    ],
    'A row whose calls have several clocks names the weakest. A call without a known duration counts in no duration. Percentiles are exact, by nearest rank.',
    'errors counts all calls that failed, denied those of them that were not allowed to run. repeated counts calls that failed three times or more with the same input, within ten calls of one agent.',
    '--by server has a row for each connected MCP server, also for one that nobody called, and a row with null for the tools of Claude Code itself.',
    '--since and --until compare the time of the call.',
  ],
  options: [
    {
      flags: '--by <key,...>',
      summary: 'what to group by; call prints every call',
      kind: 'list',
      choices: callKeys,
      default: ['tool'],
    },
    { flags: '--tool <name,...>', summary: 'only calls of these tools; * stands for any text', kind: 'list' },
    { flags: '--agent <name,...>', summary: 'only calls of these agents', kind: 'list' },
    { flags: '--failed', summary: 'only calls that failed' },
    watchOption,
    liveOption,
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: figureFields,
  otherFields: fieldsByKey,
  examples: [
    { does: 'Which tools fail, and which are slow?', run: 'cct calls run.ndjson' },
    { does: 'Which MCP servers does nobody use?', run: "cct calls --by server run.ndjson | jq 'select(.calls == 0)'" },
    { does: 'Who called what?', run: 'cct calls --by agent,tool run.ndjson' },
    { does: 'Which commands failed?', run: 'cct calls --by call --tool Bash --failed run.ndjson' },
    {
      does: 'The ten slowest calls',
      run: 'cct calls --by call --sort ms --limit 10 --fields tool,target,ms run.ndjson',
    },
    { does: 'All sessions of this machine, by day', run: 'cct calls --by day,tool ~/.claude/projects' },
  ],
  // Whether a call is repeated depends on its input.
  judgesContent: () => true,
  interest: () => ({
    events: [...callEvents, 'agent:*', 'team:created', 'team:member:*', 'team:message:*'],
    content: 'sizes',
    detail: 'sums',
  }),
  async run(context) {
    const { options, input } = context;
    const by = keysOf(options);
    let agents = newAgents();
    let all = (): readonly Row[] => [];
    const fold = new CallsFold();
    const { rows, within } = await runFold(context, {
      name: 'calls',
      follow: followCalls,
      begin: () => newCallsState(by.includes('call')),
      watcher: fold,
      prepare: (to) => prepareCalls(to, by),
      answer(state) {
        agents = state.agents;
        const range = timeRange(options, lastTime(state));
        const query = {
          by,
          session: input.session.id,
          team: textOf(options, 'team'),
          includesTime: range.includes,
          timezone: textOf(options, 'timezone') ?? 'UTC',
          bare: flagOf(options, 'noContent'),
          tools: listOf(options, 'tool'),
          agents: listOf(options, 'agent'),
          failed: flagOf(options, 'failed'),
        };
        const everything = { ...query, tools: [], agents: [], failed: false, by: ['tool', 'agent'] as const };
        all = () => reportCalls(fold, state, everything).rows;
        const { rows, total } = reportCalls(fold, state, query);
        const [first] = keyFieldsOf(by).filter((key) => key !== 'agent');
        const named = total === undefined || first === undefined ? {} : { total: { ...total, [first]: 'total' } };
        return { rows, ...named, within: range };
      },
    });
    warnOfTimes(context, within, 'call');
    new Matches(placeChoices(context, () => agents)).say(context, 'calls', rows.length, true);
    if (rows.length === 0) sayUnknown(context, all());
    return { rows: rows.length };
  },
};

const followCalls = reducerOf({ calls: true });

/** Names the tools and agents that there are, if one was asked for that has no calls. */
function sayUnknown({ options, diagnostics }: Context, rows: readonly Row[]): void {
  for (const [flag, field] of [
    ['tool', 'tool'],
    ['agent', 'name'],
  ] as const) {
    const wanted = listOf(options, flag);
    const names = [...new Set(rows.map((row) => idOf(row[field]) ?? ''))].filter((name) => name !== '').sort();
    const known =
      names.length === 0
        ? ''
        : `; ${field === 'tool' ? 'tools' : 'agents'}: ${names.slice(0, 10).map(visibleName).join(', ')}`;
    if (wanted.length > 0) diagnostics.warn(`no calls of ${flag} ${wanted.map(visibleName).join(', ')} here${known}`);
  }
}

function keysOf(options: Options): CallKey[] {
  const typed = listOf(options, 'by');
  const by = callKeys.filter((key) => typed.includes(key)).sort((a, b) => typed.indexOf(a) - typed.indexOf(b));
  const other = by.find((key) => key !== 'call');
  if (by.includes('call') && other !== undefined)
    throw new UsageError(`--by call prints every call by itself; ${other} does not go with it`);
  return by;
}

function prepareCalls(context: Context, by: readonly CallKey[]): ReturnType<typeof prepareRows<Row>> {
  const keys = keyFieldsOf(by);
  const shown = by.includes('call') ? callColumns : [...keys.filter((key) => key !== 'agent'), ...figureFields];
  return prepareRows(
    context,
    { name: 'calls', fields: rowFields(by), otherFields: fieldsByKey, tableFields: shown, columns: callsColumns },
    (row) => keyOf(...[...keys, 'tool_use_id'].map((key) => idOf(row[key]))),
  );
}

const clockWords: Readonly<Record<string, string>> = {
  reported: 'times as Claude Code reports them',
  hook: 'times as hooks report them',
  records: 'times between records, with waiting for permission',
};

const callColumns = ['time', 'name', 'tool', 'target', 'ms', 'clock', 'is_error', 'parallel', 'error'];

const countColumn = { kind: 'count', align: 'right' } as const;
const callsColumns = {
  calls: countColumn,
  ...Object.fromEntries(
    ['denied', 'open', 'repeated', 'parallel'].map((field) => [
      field,
      { ...countColumn, says: (value: string) => (value === '0' ? null : `${value} ${field}`) },
    ]),
  ),
  ...Object.fromEntries(
    ['input_bytes', 'result_bytes'].map((field) => [field, { ...countColumn, rank: -1, says: () => null }]),
  ),
  errors: { ...countColumn, says: (value: string) => (value === '0' ? 'none failed' : `${value} failed each`) },
  name: { says: (name: string) => `all by ${name}` },
  is_error: { title: 'FAILED', says: (value: string) => (value === 'yes' ? 'all failed' : 'none failed') },
  ...Object.fromEntries(
    Object.entries({ ms: 'TOOK', ms_total: 'TIME', ms_p50: 'MEDIAN', ms_p95: 'P95', ms_max: 'LONGEST' }).map(
      ([field, title]) => [field, { title, kind: 'duration', align: 'right' } as const],
    ),
  ),
  clock: { rank: -2, says: (clock: string) => clockWords[clock] ?? null },
  last_used_at: { rank: -1 },
};
