// The tasks command: boards, todo lists and background work.

import type { Command, Context } from '../../cli/command.js';
import { jobsOption } from '../../cli/division.js';
import { refuseArranging } from '../../cli/flags/arrange.js';
import { agentChoice, isChosen, Matches, placeChoices } from '../../cli/flags/choice.js';
import { flagOf, listOf, outputWith, textOf } from '../../cli/flags/flags.js';
import { timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { everyEvent, runFold } from '../../cli/fold.js';
import { isReadLive, liveOption } from '../../cli/live.js';
import type { PrintedRows } from '../../cli/print.js';
import { type AnswerWriter, type ChosenRows, lastTime, prepareRows, rowsWithin, watchOption } from '../../cli/rows.js';
import { keepsState, stateOption } from '../../cli/state-file.js';
import { newAgents } from '../../core/tables/agents.js';
import { keyOf } from '../../core/tables/order.js';
import { reducerOf } from '../../core/tables/reduce.js';
import { UsageError } from '../../io/exit.js';
import type { TextOutput } from '../../io/output.js';
import type { Sections } from '../../view/table.js';
import { visibleName } from '../../view/text.js';
import { graph, graphNames, kanban } from './drawings.js';
import { type TaskRow, taskFields, taskKinds, taskStatuses } from './row.js';
import { isShown, taskFilter, taskRows } from './rows.js';

export const tasks: Command = {
  name: 'tasks',
  kind: 'fold',
  summary: 'show the task board, todo lists and background work',
  description: [
    'Prints one row for each task. There are three kinds:',
    [
      ['board', 'tasks from the task tools, task files and hooks'],
      ['todo', 'items from TodoWrite, numbered by their place in the list of their owner'],
      [
        'background',
        'agents, shells, monitors and workflows that were started in the background, with the id that Claude Code gave them',
      ],
    ],
    'A call counts only if it returned without an error. The latest record, by its time, wins.',
    'Deleted tasks are shown only with --status deleted or --all. Internal tasks, which Claude Code creates for its teammates, are shown only with --all.',
    'Times say when the input first shows something, so a task that is known only from an update has no created_at. --since and --until compare updated_at.',
  ],
  options: [
    { flags: '--kind <kind,...>', summary: 'only tasks of these kinds', kind: 'list', choices: taskKinds },
    {
      flags: '--status <status,...>',
      summary: 'only tasks with one of these statuses',
      kind: 'list',
      choices: taskStatuses,
    },
    { flags: '--owner <name,...>', summary: 'only tasks of one of these agents', kind: 'list' },
    { flags: '--open', summary: 'only tasks that have not ended' },
    { flags: '--ready', summary: 'only pending tasks whose blockers are all completed' },
    { flags: '--blocked', summary: 'only open tasks that wait for another task' },
    { flags: '--all', summary: 'also show deleted and internal tasks, and background work of Claude Code itself' },
    { flags: '--board', summary: 'print a kanban board with a column for each status' },
    watchOption,
    liveOption,
    stateOption,
    ...outputWith(graphNames, 'mermaid and dot draw which task blocks which'),
    jobsOption,
  ],
  shared: ['input', 'rows', 'time', 'privacy', 'general'],
  fields: taskFields,
  examples: [
    { does: 'Which tasks can start now?', run: 'cct tasks --ready run.ndjson' },
    { does: 'The board of a team on disk', run: 'cct tasks --board ~/.claude/tasks/report-crew/*.json' },
    { does: 'What is still running?', run: 'cct tasks --kind background --open run.ndjson' },
    { does: 'A diagram for the pull request', run: 'cct tasks --kind board --format mermaid run.ndjson' },
    {
      does: 'Who finished what, and how fast?',
      run: "cct tasks --status completed run.ndjson | jq -r '[.owner, .subject, .duration_ms] | @tsv'",
    },
  ],
  divided: (options) => (isReadLive(options) ? null : followTasks),
  interest: (options) => {
    if (keepsState(options)) return everyEvent;
    const events = ['team:task:*', 'team:created', 'team:member:joined', 'team:message:*', 'agent:*'];
    return { events, content: 'none', detail: 'tasks' };
  },
  async run(context) {
    const { options, input } = context;
    const query = {
      kind: listOf(options, 'kind'),
      status: listOf(options, 'status'),
      owner: listOf(options, 'owner'),
      team: textOf(options, 'team'),
      open: flagOf(options, 'open'),
      ready: flagOf(options, 'ready'),
      blocked: flagOf(options, 'blocked'),
      all: flagOf(options, 'all'),
    };
    const { kind, status, owner } = query;
    let agents = newAgents();
    const matches = new Matches<TaskRow>([
      ...placeChoices(context, () => agents),
      { flag: '--kind', wanted: kind, one: 'kind', many: 'kinds', relation: 'of kind', valuesOf: (row) => [row.kind] },
      {
        ...{ flag: '--status', wanted: status, one: 'status', many: 'statuses', relation: 'with status' },
        valuesOf: (row) => [row.status],
      },
      agentChoice(
        '--owner',
        owner,
        'of',
        () => agents,
        ({ owner }) => [owner],
      ),
    ]);
    const { rows, within } = await runFold(context, {
      name: 'tasks',
      follow: followTasks,
      prepare: prepareTasks,
      answer(state, ended) {
        const rows = taskRows(state.tasks, state.agents, query);
        agents = state.agents;
        if (ended) for (const row of rows) if (isShown(row, query)) matches.note(row);
        const isChosen = taskFilter({ ...query, session: input.session.id }, rows);
        return rowsWithin(timeRange(options, lastTime(state)), rows.filter(isChosen), (row) => row.updated_at);
      },
    });
    warnOfTimes(context, within, 'task');
    matches.say(context, 'tasks', rows.length);
    return { rows: rows.length };
  },
};

/** Task rows need no other slice of the state. */
const followTasks = reducerOf({ tasks: true });

type Chosen = ChosenRows<TaskRow>;

/** Decides how rows are written. Refuses flags that contradict each other before any input is read. */
async function prepareTasks(context: Context): Promise<(out: TextOutput) => AnswerWriter<Chosen>> {
  const { options } = context;
  const format = textOf(options, 'format');
  const drawn = graphNames.find((name) => name === format);
  const board = flagOf(options, 'board');
  if (board && format !== null && format !== 'table')
    throw new UsageError(`--board prints a table, so --format ${format} cannot be used with it`);
  const picture = board ? '--board' : drawn === undefined ? null : `--format ${drawn}`;
  if (picture !== null && listOf(options, 'fields').length > 0)
    throw new UsageError(`--fields selects columns, but ${picture} has none`);
  if (picture !== null && flagOf(options, 'watch'))
    throw new UsageError(`--watch prints rows, but ${picture} draws all tasks at once`);
  if (picture !== null) refuseArranging(options, picture, 'shows all tasks');
  if (board) return (out) => ({ update() {}, end: ({ rows }) => printBoard(context, out, rows) });
  if (drawn !== undefined) return (out) => ({ update() {}, end: ({ rows }) => out.write(graph(drawn, rows)) });
  return prepareRows<TaskRow>(
    context,
    { name: 'tasks', fields: taskFields, tableFields, columns: taskColumns, sections },
    (row) => keyOf(row.kind, row.team, row.session_id, row.id, row.kind === 'todo' ? row.owner : null),
  );
}

const tableFields = [
  'id',
  'status',
  'owner',
  'subject',
  'blocked_by',
  'ready',
  'updated_at',
  'duration_ms',
  'kind',
  'team',
];

const taskColumns: NonNullable<PrintedRows['columns']> = {
  status: { expect: 11, says: (status) => (status === 'completed' ? null : `all ${status}`) },
  subject: { rank: 2, comfort: 60 },
  blocked_by: { rank: -1, expect: 10 },
  ready: { rank: -3, expect: 5, says: (ready) => (ready === 'yes' ? 'all ready' : 'none ready') },
  updated_at: { rank: -2 },
  duration_ms: { rank: -3 },
  kind: { rank: -2, expect: 10 },
  team: { rank: -4, expect: 16 },
};

/** A board, the todo list of an agent, or the background tasks of a session. */
const sections: Sections<TaskRow> = {
  keyOf: ({ kind, team, session_id, owner }) => keyOf(kind, team, session_id, kind === 'todo' ? owner : null),
  heading(rows, above) {
    const [first] = rows;
    if (first === undefined) return { parts: [], says: [] };
    const { kind, team, session_id, owner } = first;
    const isNews = above?.team !== team || above?.session_id !== session_id;
    const place = isNews ? (team ?? (session_id === null ? null : `session ${session_id.slice(0, 8)}`)) : null;
    const done = `${rows.filter(({ status }) => status === 'completed').length} of ${rows.length} done`;
    const isOwned = kind !== 'board' && owner !== null && rows.every((row) => row.owner === owner);
    const whose = isOwned ? `${kind === 'todo' ? 'of' : 'started by'} ${visibleName(owner)}` : null;
    const isOver = !rows.some(({ status }) => status === 'pending');
    return {
      parts: [place, kind, done, whose].filter((part) => part !== null),
      twin: isNews ? session_id?.slice(0, 8) : undefined,
      says: ['kind', 'team', ...(isOwned ? ['owner'] : []), ...(isOver ? ['ready'] : [])],
    };
  },
};

function printBoard({ streams, diagnostics, options }: Context, out: TextOutput, rows: readonly TaskRow[]): void {
  if (rows.length === 0 && streams.stderr.isTTY && !isChosen(options)) diagnostics.warn('no tasks');
  out.write(kanban(rows, streams.stdout.columns ?? Number.POSITIVE_INFINITY));
}
