// The sessions command: what there is, the newest first.

import type { Command, Context, Options } from '../../cli/command.js';
import { Matches, placeChoices, placeFilter, projectChoice } from '../../cli/flags/choice.js';
import { numberOf, textOf } from '../../cli/flags/flags.js';
import { startedColumn, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { runFold } from '../../cli/fold.js';
import { formatOf, type PrintedRows } from '../../cli/print.js';
import { type ChosenRows, lastTime, prepareRows, rowsWithin } from '../../cli/rows.js';
import { newAgents } from '../../core/tables/agents.js';
import { teamOf } from '../../core/tables/directory.js';
import type { Place } from '../../core/tables/order.js';
import { reasonText } from '../../core/tables/outcome.js';
import { reducerOf } from '../../core/tables/reduce.js';
import { usageEvents } from '../../core/tables/usage/usage.js';
import type { Row } from '../../view/formats.js';
import { money, plural, thousands, visibleName } from '../../view/text.js';
import { pricesOf } from '../usage/option.js';
import { costOfRows } from '../usage/rows.js';
import { type SessionRow, sessionRowFields } from './row.js';
import { newSessionsState, SessionsFold, sessionEvents, sessionRows } from './rows.js';

export const sessions: Command = {
  name: 'sessions',
  kind: 'fold',
  summary: 'list what there is: sessions, the newest first',
  description: [
    'Prints one row for each session. A session of a teammate is part of the row of its lead. A fork names the session it continues.',
    'The title is what Claude Code or the user called the session, else the first line of its first prompt. agents counts everybody who worked in it, the main conversation among them.',
    'At a terminal without files it reads all projects, and shows as many sessions as fit. Every --session takes the beginning of an id from here.',
    '--since and --until compare started_at.',
  ],
  options: [
    { flags: '--project <path>', summary: 'only sessions of projects whose path contains this' },
    { flags: '--grep <text>', summary: 'only sessions whose title or first prompt contains this, in any case' },
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: sessionRowFields,
  examples: [
    { does: 'What did I work on?', run: 'cct sessions' },
    { does: 'Which of them cost most this week?', run: 'cct sessions --since 7d --sort cost --limit 5' },
    {
      does: 'Which sessions of one project failed?',
      run: `cct sessions --project shop -f ndjson | jq 'select(.outcome == "failed")'`,
    },
  ],
  readsAllSessions: true,
  interest: () => ({
    events: [
      ...new Set([...usageEvents, ...sessionEvents, 'agent:*', 'team:created', 'team:member:*', 'team:message:*']),
    ],
    content: 'none',
  }),
  async run(context) {
    const { options } = context;
    const prices = await pricesOf(context);
    const fold = new SessionsFold();
    let agents = newAgents();
    const matches = new Matches<Place & Pick<SessionRow, 'project'>>([
      ...placeChoices(context, () => agents),
      projectChoice(options),
    ]);
    const { rows, within } = await runFold<SessionsAnswer>(context, {
      name: 'sessions',
      follow: followSessions,
      begin: newSessionsState,
      watcher: fold,
      prepare: (to) => prepareSessions(to),
      answer(state, ended) {
        agents = state.agents;
        const placeOfRow = ({ session_id, project }: SessionRow) => ({
          session_id,
          team: teamOf(agents, { session_id, team: null }),
          project,
        });
        const all = sessionRows(fold, state, { prices });
        if (ended) for (const row of all) matches.note(placeOfRow(row));
        const isHere = placeFilter(context);
        const chosen = all.filter((row) => isHere(placeOfRow(row)) && isAsked(row, options));
        return rowsWithin(timeRange(options, lastTime(state)), chosen, ({ started_at }) => started_at);
      },
    });
    warnOfTimes(context, within, 'session');
    const wanted = textOf(options, 'grep');
    if (wanted !== null && rows.length === 0)
      context.diagnostics.warn(`no session has '${visibleName(wanted)}' in its title or first prompt`);
    else matches.say(context, 'sessions', rows.length);
    return { rows: rows.length };
  },
};

type SessionsAnswer = ChosenRows<SessionRow>;

const followSessions = reducerOf({ usage: true, calls: true });

/** --project and --grep. */
function isAsked({ project, title, prompt }: SessionRow, options: Options): boolean {
  const where = textOf(options, 'project');
  const what = textOf(options, 'grep')?.toLowerCase() ?? '';
  return (
    (where === null || (project ?? '').includes(where)) &&
    [title, prompt].some((text) => (text ?? '').toLowerCase().includes(what))
  );
}

function prepareSessions(context: Context): ReturnType<typeof prepareRows<SessionRow, SessionsAnswer>> {
  const { options, streams } = context;
  const isTable = formatOf(context) === 'table';
  const fits = isTable && streams.stdout.isTTY && numberOf(options, 'limit') === null;
  // What is read, the titles, the lines below and the shell's prompt need room too.
  const most = fits ? Math.max(5, (streams.stdout.rows ?? Number.POSITIVE_INFINITY) - 9) : Number.POSITIVE_INFINITY;
  const arranged = Number.isFinite(most) ? { ...context, options: { ...options, limit: most } } : context;
  return prepareRows<SessionRow, SessionsAnswer>(
    arranged,
    {
      name: 'sessions',
      fields: sessionRowFields,
      tableFields,
      columns: sessionColumns(context),
      ...(isTable && { display: () => forTable, ending: lastLine }),
    },
    ({ session_id }) => session_id ?? '',
  );
}

const tableFields = [
  'started_at',
  'project',
  'session_id',
  'title',
  'agents',
  'calls',
  'errors',
  'duration_ms',
  'total_tokens',
  'cost_usd',
  'outcome',
  'branch',
  'model',
];

function sessionColumns(context: Context): NonNullable<PrintedRows['columns']> {
  const count = { kind: 'count', align: 'right' } as const;
  return {
    started_at: { ...startedColumn(context, 'started_at'), rank: 3 },
    project: { rank: 1, comfort: 10 },
    session_id: { rank: 2 },
    title: { kind: 'prose', rank: 2, comfort: 26 },
    agents: { ...count, rank: -1, says: (text: string) => (text === '1' ? null : `${text} agents each`) },
    calls: { ...count, rank: -3 },
    errors: { ...count, rank: -4 },
    duration_ms: { title: 'TIME', rank: -1 },
    total_tokens: { rank: -2 },
    cost_usd: { rank: 2 },
    outcome: { kind: 'word', rank: 0, comfort: 11 },
    branch: { rank: -5 },
    model: { rank: -5 },
  };
}

/** The last part of a path says enough; a reason says more than `failed`. */
function forTable(row: SessionRow): Row {
  const { project, title, parent_session, outcome, reason } = row;
  const why = reasonText({ outcome, reason, api_error_status: null });
  return {
    ...row,
    project: project?.split(/[\\/]/).findLast((part) => part !== '') ?? project,
    title:
      parent_session === null ? title : `fork of ${parent_session.slice(0, 8)}${title === null ? '' : `: ${title}`}`,
    outcome: outcome === 'unfinished' || why === '' ? outcome : why,
  };
}

/** `4 of 312 sessions · $481.20 in all · cct log --session 5f2c8d1e shows one` */
function lastLine(
  { rows }: SessionsAnswer,
  notShown: number,
): { readonly notes: readonly string[]; readonly notShown: 0 } {
  const { cost_usd } = costOfRows(rows);
  const [first] = rows;
  const shown = notShown === 0 ? '' : `${thousands(rows.length - notShown)} of `;
  const parts = [
    `${shown}${plural(rows.length, 'session')}`,
    ...(cost_usd === null ? [] : [`${money(cost_usd)} in all`]),
    `cct log --session ${first?.session_id?.slice(0, 8) ?? ''} shows one`,
  ];
  return { notes: [parts.join(' · ')], notShown: 0 };
}
