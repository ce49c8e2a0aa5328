// The usage command: counts tokens and money.

import { arrangementOf, refuseArranging } from '../../cli/arrange.js';
import type { Command, Context, Options, Verdict } from '../../cli/command.js';
import { flagOf, listOf, outputWith, textOf } from '../../cli/flags.js';
import {
  everyEvent,
  keepsState,
  lastTime,
  liveOption,
  needsAllRows,
  runFold,
  stateOption,
  warnOfTimeless,
  watchOption,
} from '../../cli/fold.js';
import { openPrinter } from '../../cli/print.js';
import { flagOfLastDay, type TimeRange, timeRange } from '../../cli/times.js';
import { factors, type PriceTable, type Tier } from '../../core/prices/prices.js';
import { UsageError } from '../../io/exit.js';
import { thousands, visibleName } from '../../view/text.js';
import { reducerOf, type State } from '../reduce.js';
import { type Alarm, alarmText, type Budget, contentEvents, createBudget, isLimited, type Limits } from './budget.js';
import { usageEvents } from './fold.js';
import { usageKeys } from './grouping.js';
import { budgetOptions, limitsOf, pricesOf } from './option.js';
import { modes } from './parts.js';
import { prepareUsagePrinter, usageFormats } from './print.js';
import { figureFields } from './row.js';
import { fieldsByKey, reportUsage, rowFields, type UsageQuery } from './rows.js';

export const usage: Command = {
  name: 'usage',
  kind: 'fold',
  summary: 'count tokens and money, by model, agent, turn or day',
  description:
    'Counts every API message once, however many lines, files and sessions repeat it, and what only reports of the program tell (results of a stream, the cost-state row of a transcript): helper calls, agents that do not stream, final output counts. cost_source says what the money is: reported (the program said so), calculated (from the price table), lower_bound (some counts are partial, an agent is not in the input, or nobody knows how a request was served), guess (the program did not know the model and charged its default, or an answer was declined and may not be charged) or unpriced (null, never 0). By agent, what was reported and no message accounts for is a row named unattributed, so that rows always add up. Rows by message can be read again, in any order of sessions, to the same report: so usage runs as map and reduce wherever lines can be piped through a program, with xargs or GNU parallel over files, pipe() in Spark, an executable table function in ClickHouse; all records of a session belong into one part. With a budget, reading stops at the record that passes it, and the exit code is 3; claude itself goes on when its pipe is closed, cct run stops it. Until a message has its final output count (claude writes them with --include-partial-messages) its output is estimated from the length of its content, and stderr says so; with --no-content there is no length to go by.',
  options: [
    {
      flags: '--by <key,...>',
      summary: 'what to group by; by message also tells what each result leaves over',
      kind: 'list',
      choices: usageKeys,
      default: ['model'],
    },
    {
      flags: '--mode <mode>',
      summary: 'where money comes from; tokens stay the same',
      choices: modes,
      default: 'auto',
    },
    { flags: '--prices <file>', summary: "take prices from a file, ours or LiteLLM's; show prints those in use" },
    ...budgetOptions,
    watchOption,
    liveOption,
    stateOption,
    ...outputWith(usageFormats, 'github writes name=value for $GITHUB_OUTPUT'),
  ],
  shared: ['input', 'rows', 'time', 'privacy', 'general'],
  fields: figureFields,
  otherFields: fieldsByKey,
  examples: [
    { does: 'What did this run cost?', run: 'cct usage run.ndjson' },
    { does: 'Who spent it?', run: 'cct usage --by agent,model run.ndjson' },
    { does: 'Everything on this machine, by day', run: 'cct usage --by day ~/.claude/projects/*/*.jsonl' },
    {
      does: 'Did it cost more than two dollars? (cct run stops one that does)',
      run: 'cct usage --max-usd 2 run.ndjson',
    },
    { does: 'A table in the summary of a CI job', run: 'cct usage -f md run.ndjson >> "$GITHUB_STEP_SUMMARY"' },
    {
      does: 'Many files on many cores: first each by itself, then all together',
      run: `ls runs/*.ndjson | xargs -P8 -I{} sh -c 'cct usage --by message "$1" > "$1.rows"' - {}; cat runs/*.rows | cct usage --by day`,
    },
    { does: 'The prices it counts with', run: 'cct usage --prices show -f table' },
  ],
  interest(options) {
    if (keepsState(options)) return everyEvent;
    const events = [...usageEvents, 'agent:*', 'team:created', 'team:message:*'];
    // A budget estimates output from the length of what is said.
    if (isLimited(limitsOf(options))) return { events: [...events, ...contentEvents] };
    return { events, nameless: isNameless(options) };
  },
  async run(context) {
    const { input, options } = context;
    const prices = await pricesOf(context);
    if (textOf(options, 'prices') === 'show') return showPrices(context, prices.table);
    const query = { ...queryOf(options), prices };
    const limits = limitsOf(options, query.by.includes('agent'));
    const alarms: Placed[] = [];
    const chosen = { ...query, ...timesOf(options, timeRange(options)) };
    const arrange = arrangementOf(options, { fields: rowFields(query.by), otherFields: fieldsByKey });
    const lastDay = isLimited(limits) ? flagOfLastDay(options) : null;
    if (lastDay !== null)
      throw new UsageError(`${lastDay} needs its date with a limit, which is watched before the last day is known`);
    const budget = isLimited(limits) ? createBudget(limits, prices, chosen) : undefined;
    const { verdict, timeless } = await runFold(context, {
      name: 'usage',
      follow: followUsage,
      async prepare(to) {
        const watched = flagOf(options, 'watch');
        if (watched) refuseArranging(options, needsAllRows);
        if (textOf(options, 'format') === 'prometheus')
          refuseArranging(options, 'orders or cuts rows; --format prometheus has every sample, in no order');
        return prepareUsagePrinter(to, { by: query.by, prices: prices.table, watched });
      },
      onEvent(step) {
        const alarm = alarms.length > 0 ? null : (budget?.next(step) ?? null);
        if (alarm === null) return;
        alarms.push({ alarm, line: step.event.line });
        input.stop();
      },
      answer(state, ended) {
        const range = timeRange(options, lastTime(state));
        const report = reportUsage({ ...state, ...query, ...timesOf(options, range) });
        if (ended && alarms.length === 0) alarms.push(...lastAlarm(budget, state));
        const verdict = ended ? verdictOn(context, limits, budget, alarms[0], report.rows.length) : undefined;
        return { ...report, ...arrange(report.rows), verdict, timeless: range.timeless };
      },
    });
    warnOfTimeless(context, timeless, 'message');
    return verdict;
  },
};

/** Usage needs no other slice of the state, and they would take half as long again. */
const followUsage = reducerOf({ usage: true });

function queryOf(options: Options) {
  const typed = listOf(options, 'by');
  return {
    by: usageKeys.filter((key) => typed.includes(key)).sort((a, b) => typed.indexOf(a) - typed.indexOf(b)),
    mode: modes.find((mode) => mode === options['mode']),
    session: textOf(options, 'session'),
    team: textOf(options, 'team'),
    timezone: textOf(options, 'timezone') ?? 'UTC',
  };
}

/** No row shows or depends on the name or the team of an agent. */
function isNameless(options: Options): boolean {
  const { by, team } = queryOf(options);
  return team === null && !by.some((key) => key === 'agent' || key === 'team' || key === 'message');
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

/** Where nothing stopped the reading, the whole input decides. */
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
  for (const model of budget?.unpriced ?? []) diagnostics.warn(`${visibleName(model)} has no price and counts as $0`);
  if (placed === undefined) return { rows };
  const { alarm, line } = placed;
  diagnostics.error(alarmText(alarm, limits, line === null ? '' : ` at line ${line}; reading stopped`));
  return { rows, overBudget: true };
}

/** --prices show: rows that --prices reads again. */
export async function showPrices(context: Context, { models, as_of, source }: PriceTable): Promise<Verdict> {
  const { options, out, streams } = context;
  const isTable = (textOf(options, 'format') ?? (streams.stdout.isTTY ? 'table' : '')) === 'table';
  const number = { kind: 'number', align: 'right' } as const;
  const printer = await openPrinter(context, {
    name: 'prices',
    fields: priceFields,
    tableFields: ['model', ...rateFields, 'fast_multiplier', 'long_prompt'],
    columns: Object.fromEntries([...rateFields, 'fast_multiplier'].map((field) => [field, number])),
  });
  for (const [model, price] of models)
    printer.row({
      model,
      ...price,
      as_of,
      source,
      ...(isTable && { long_prompt: price.tiers.map(tierText).join(', ') }),
    });
  printer.end();
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
