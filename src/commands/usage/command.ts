// The usage command: counts tokens and money.

import type { Command, Context, Options, Verdict } from '../../cli/command.js';
import { jobsOption } from '../../cli/division.js';
import { arrangementOf } from '../../cli/flags/arrange.js';
import { isChosen, Matches, placeChoices, projectChoice } from '../../cli/flags/choice.js';
import { listOf, outputWith, textOf } from '../../cli/flags/flags.js';
import { flagOfLastDay, type TimeRange, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { everyEvent, runFold } from '../../cli/fold.js';
import { isReadLive, liveOption } from '../../cli/live.js';
import { openPrinter } from '../../cli/print.js';
import { lastTime, watchOption } from '../../cli/rows.js';
import { keepsState, stateOption } from '../../cli/state-file.js';
import type { Event } from '../../core/event/event.js';
import { factors, type PriceTable, type Tier } from '../../core/prices/prices.js';
import { idOf } from '../../core/record/json.js';
import { logLabels } from '../../core/record/log-line.js';
import type { Place } from '../../core/tables/order.js';
import { reducerOf, type State } from '../../core/tables/reduce.js';
import { usageEvents } from '../../core/tables/usage/usage.js';
import { UsageError } from '../../io/exit.js';
import { thousands, visibleName } from '../../view/text.js';
import { type Alarm, alarmText, type Budget, createBudget, isLimited, type Limits } from './budget.js';
import { contentEvents } from './estimates.js';
import { usageKeys } from './grouping.js';
import { budgetOptions, limitsOf, pricesOf } from './option.js';
import { modes } from './parts.js';
import { orderOf, prepareUsagePrinter, usageFormats } from './print.js';
import { contextFields, figureFields } from './row.js';
import { fieldsByKey, reportUsage, type UsageQuery } from './rows.js';

export const usage: Command = {
  name: 'usage',
  kind: 'fold',
  summary: 'count tokens and money, by model, agent, turn or day',
  description: [
    'Counts every API message once, no matter how many lines, files and sessions repeat it. It adds what only Claude Code itself reports, in the results of a stream or the cost-state row of a transcript: helper calls, agents that do not stream, and final output counts.',
    'cost_source says where a cost comes from:',
    [
      ['reported', 'Claude Code reported it'],
      ['calculated', 'calculated from the price table'],
      [
        'lower_bound',
        'at least this much: some counts are partial, an agent is not in the input, or it is not known how a request was served',
      ],
      [
        'guess',
        'Claude Code did not know the model and charged its default price, or an answer was declined and may not be charged',
      ],
      ['unpriced', 'there is no price; cost_usd is null, never 0'],
    ],
    'By agent, a row named unattributed has whatever was reported but belongs to no message. So rows always add up.',
    'By session, outcome is finished, failed, stopped (interrupted) or unfinished (a stream without the result of its last turn), and reason says why: api_error, refused, max_turns, max_budget, interrupted, hook, or a word of Claude Code. A transcript has no result: outcome is null unless its last rows show how it ended.',
    'By session, ci and labels come from the line that cct run --keep writes before the stream, and from the log that contains the stream. If both have the same label, the line of cct run counts. They never come from the environment of the machine that reads. Logs of GitHub Actions (gh run view --log) and GitLab (with FF_TIMESTAMPS) show the ci. A session gets the labels of the first of its lines that has any:',
    logLabels,
    'Labels may hold secrets, such as those of docker (--log-opt env); --redact replaces them. Of the labels it reads, --no-content keeps only those whose value looks like an identifier.',
    'By project, branch or version, a session counts for the first one it names. By pr or label, it counts for what cct run or its log says; the pull request is the label pull_request. By program: claude, or the other agent that wrote the stream.',
    'context_tokens is the largest prompt of one message. context_window is how much fits into a prompt of its model, as Claude Code reports it.',
    'By turn, cache_breaks counts how often the cache did not help an agent as before: its prompt grew, but less of it came from the cache than of its prompt before; or less came from the cache after a compaction. cache_break_causes lists the likely causes:',
    [
      ['compaction', 'the conversation was compacted'],
      ['model_changed', 'the agent used another model'],
      ['idle', 'the pause was longer than the cache lives: five minutes or an hour, as paid for'],
      ['tools_or_system_changed', 'the stream named other tools, other agents or another version'],
      ['unknown', 'none of these'],
    ],
    'With --max-usd or --max-tokens, reading stops at the record that passes the limit, and the exit code is 3. claude itself does not stop when its pipe is closed; cct run stops it. Until a message has its final output count, its output is estimated from the length of its content, and stderr says so. claude writes final counts with --include-partial-messages. With --no-content there is no length to estimate from.',
    'You can split the work: rows of --by message can be read again, in any order of sessions, and give the same report. So usage runs as map and reduce wherever lines can be piped through a program: with xargs or GNU parallel over files, pipe() in Spark, or an executable table function in ClickHouse. Keep all records of a session in one part.',
  ],
  options: [
    {
      flags: '--by <key,...>',
      summary: 'group by these keys; message also prints what each result adds to its messages',
      kind: 'list',
      choices: usageKeys,
      default: ['model'],
    },
    { flags: '--project <path>', summary: 'only sessions of projects whose path contains this' },
    {
      flags: '--mode <mode>',
      summary: 'where costs come from; tokens stay the same',
      choices: modes,
      default: 'auto',
    },
    {
      flags: '--prices <file>',
      summary: 'take prices from this file, in our format or that of LiteLLM; --prices show prints the current ones',
    },
    ...budgetOptions,
    watchOption,
    liveOption,
    stateOption,
    ...outputWith(usageFormats, 'github prints name=value lines for $GITHUB_OUTPUT'),
    jobsOption,
  ],
  shared: ['input', 'rows', 'time', 'privacy', 'general'],
  fields: [...figureFields, ...contextFields],
  otherFields: fieldsByKey,
  examples: [
    { does: 'What did this run cost?', run: 'cct usage run.ndjson' },
    { does: 'Who spent it?', run: 'cct usage --by agent,model run.ndjson' },
    { does: 'What did each project cost, week by week?', run: 'cct usage --by project,week ~/.claude/projects' },
    { does: 'Everything on this machine, by day', run: 'cct usage --by day ~/.claude/projects' },
    {
      does: 'Did it cost more than two dollars? (cct run stops one that does)',
      run: 'cct usage --max-usd 2 run.ndjson',
    },
    { does: 'Add a table to the summary of a CI job', run: 'cct usage -f md run.ndjson >> "$GITHUB_STEP_SUMMARY"' },
    {
      does: 'Many files on many cores: each file first, then all together',
      run: `ls runs/*.ndjson | xargs -P8 -I{} sh -c 'cct usage --by message "$1" > "$1.rows"' - {}; cat runs/*.rows | cct usage --by day`,
    },
    { does: 'Which prices does it use?', run: 'cct usage --prices show -f table' },
  ],
  divided: (options) => (isLimited(limitsOf(options)) || isReadLive(options) ? null : followUsage),
  readsAllSessions: true,
  readsNothing: (options) => textOf(options, 'prices') === 'show',
  interest(options) {
    if (keepsState(options)) return everyEvent;
    const events = [...usageEvents, 'agent:finished', 'team:created', 'team:message:*'];
    // A budget estimates output from the length of the text.
    if (isLimited(limitsOf(options))) return { events: [...events, ...contentEvents] };
    return { events, content: 'none', detail: 'sums' };
  },
  async run(context) {
    const { input, options } = context;
    const prices = await pricesOf(context);
    if (textOf(options, 'prices') === 'show') return showPrices(context, prices.table);
    const query = { ...queryOf(options), prices };
    const limits = limitsOf(options, query.by.includes('agent'));
    const alarms: Placed[] = [];
    const inOrder = orderOf(context, query.by);
    const session = () => input.session.id;
    const chosen = { ...query, session, ...timesOf(options, timeRange(options)) };
    if (isLimited(limits) && textOf(options, 'project') !== null)
      throw new UsageError('--project needs all sessions; a limit is checked while they are read');
    const lastDay = isLimited(limits) ? flagOfLastDay(options) : null;
    if (lastDay !== null)
      throw new UsageError(
        `${lastDay} needs a date if there is a limit: the limit is checked before the last day is known`,
      );
    const budget = isLimited(limits) ? createBudget(limits, prices, chosen) : undefined;
    const { verdict, within } = await runFold(context, {
      name: 'usage',
      note: (state, elapsed) => budget?.standing(state, elapsed) ?? [],
      stopped: () => (alarms[0]?.line == null ? null : alarmText(alarms[0].alarm, limits, '')),
      follow: followUsage,
      prepare: (to) => prepareUsagePrinter(to, { by: query.by, prices: prices.table }),
      ...(budget && {
        watcher: {
          before: budget.before,
          after(event: Event, state: State) {
            const alarm = alarms.length > 0 ? null : budget.after(event, state);
            if (alarm === null) return;
            alarms.push({ alarm, line: event.line });
            input.stop();
          },
        },
      }),
      answer(state, ended) {
        const range = timeRange(options, lastTime(state));
        const asked = {
          ...state,
          ...query,
          ...inProject(options, state),
          session: session(),
          ...timesOf(options, range),
        };
        const report = reportUsage(asked);
        if (ended) sayMissing(context, state, report.rows.length);
        if (ended && alarms.length === 0) alarms.push(...lastAlarm(budget, state));
        const verdict = ended ? verdictOn(context, limits, budget, alarms[0], report.rows.length) : undefined;
        return {
          ...report,
          rows: inOrder(report.rows),
          verdict,
          within: range,
          unpriced: () => unpricedModels(asked),
        };
      },
    });
    warnOfTimes(context, within, 'message');
    return verdict;
  },
};

/** The models whose tokens have no price. */
function unpricedModels(query: UsageQuery): string[] {
  const { rows } = reportUsage({ ...query, by: ['model'] });
  return rows.flatMap(({ model, unpriced_tokens }) => (unpriced_tokens > 0 && model != null ? [model] : []));
}

/** --project: the sessions of projects whose path contains it. */
function inProject(options: Options, state: State): Pick<UsageQuery, 'sessions'> {
  const wanted = textOf(options, 'project');
  if (wanted === null) return {};
  const { rows } = reportUsage({ ...state, by: ['session'] });
  const own = rows.filter(({ project }) => project?.includes(wanted));
  return { sessions: new Set(own.map(({ session_id }) => session_id ?? null)) };
}

/** Usage needs no other slice of the state. The others would add half of the time. */
const followUsage = reducerOf({ usage: true });

function queryOf(options: Options) {
  const typed = listOf(options, 'by');
  return {
    by: usageKeys.filter((key) => typed.includes(key)).sort((a, b) => typed.indexOf(a) - typed.indexOf(b)),
    mode: modes.find((mode) => mode === options['mode']),
    team: textOf(options, 'team'),
    timezone: textOf(options, 'timezone') ?? 'UTC',
  };
}

/** Reports a session or team that does not exist, and a run that does not say what it used. */
function sayMissing(context: Context, state: State, found: number): void {
  const results = [...state.usage.sessions.values()].flatMap((session) => [...session.results.values()]);
  if (
    found === 0 &&
    !isChosen(context.options) &&
    results.some(({ said }) => said.usage === null && said.total_cost_usd === null)
  )
    context.diagnostics.warn('nothing to count: the run ended, and says neither tokens nor cost');
  const matches = new Matches<Place & { readonly project: string | null }>([
    ...placeChoices(context, () => state.agents),
    projectChoice(context.options),
  ]);
  const rows = isChosen(context.options) ? reportUsage({ ...state, by: ['session', 'team', 'project'] }).rows : [];
  for (const { session_id, team, project } of rows)
    matches.note({ session_id: idOf(session_id), team: idOf(team), project: idOf(project) });
  matches.say(context, 'usage', 1);
}

/** Times are checked only if --since or --until is given. */
function timesOf(options: Options, { includes }: TimeRange): Pick<UsageQuery, 'includes'> {
  return textOf(options, 'since') === null && textOf(options, 'until') === null ? {} : { includes };
}

interface Placed {
  readonly alarm: Alarm;
  /** Where reading stopped; null at the end of the input. */
  readonly line: number | null;
}

/** If nothing stopped the reading, the whole input decides. */
function lastAlarm(budget: Budget | undefined, state: State): Placed[] {
  const alarm = budget?.end(state) ?? null;
  return alarm === null ? [] : [{ alarm, line: null }];
}

function verdictOn(
  { diagnostics }: Context,
  limits: Limits,
  budget: Budget | undefined,
  placed: Placed | undefined,
  rows: number,
): Verdict {
  for (const model of budget?.unpriced ?? [])
    diagnostics.warn(`${visibleName(model)} has no price and is counted as $0`);
  if (placed === undefined) return { rows };
  const { alarm, line } = placed;
  diagnostics.error(alarmText(alarm, limits, line === null ? '' : ` at line ${line}; reading stopped`));
  return { rows, overBudget: true };
}

/** --prices show: rows that --prices can read again. */
export async function showPrices(context: Context, { models, as_of, source }: PriceTable): Promise<Verdict> {
  const { options, out, streams } = context;
  const isTable = (textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : '')) === 'table';
  const number = { kind: 'number', align: 'right' } as const;
  const printer = await openPrinter(context, {
    name: 'prices',
    fields: priceFields,
    tableFields: ['model', ...rateFields, 'fast_multiplier', 'long_prompt'],
    columns: {
      ...Object.fromEntries([...rateFields, 'fast_multiplier'].map((field) => [field, number])),
      model: { kind: 'text' },
    },
  });
  const all = [...models].map(([model, price]) => ({
    model,
    ...price,
    as_of,
    source,
    ...(isTable && { long_prompt: price.tiers.map(tierText).join(', ') }),
  }));
  const { rows, notShown } = arrangementOf(options, { fields: priceFields })(all);
  rows.forEach(printer.row);
  printer.end(undefined, { notShown });
  if (isTable) out.write(`dollars per million tokens, ${as_of === null ? '' : `as of ${as_of}, `}${source}\n`);
  return { rows: printer.rows };
}

function tierText({ above_input_tokens, input, output }: Tier): string {
  return `${input}/${output} above ${thousands(above_input_tokens)}`;
}

const rateFields = ['input', 'output', 'cache_write_5m', 'cache_write_1h', 'cache_read'];
const priceFields = [
  'model',
  ...rateFields,
  'web_search_per_1000',
  ...factors.map(({ multiplier }) => multiplier),
  'tiers',
  'as_of',
  'source',
];
