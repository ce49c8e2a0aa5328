import type { Command, Context, Options, Verdict } from '../../cli/command.js';
import { flagOf, textOf } from '../../cli/flags.js';
import { createWatch, everyEvent, foldInput, keepsState, stateOption, watchOption } from '../../cli/fold.js';
import { asTable, foldDrawing, type Liveness, livenessOf, liveOption, printAll, wantsColumns } from '../../cli/live.js';
import { preparePrinter } from '../../cli/print.js';
import { redactOption } from '../../cli/redact.js';
import { timeRange } from '../../cli/time-range.js';
import type { Row } from '../../view/formats.js';
import { audit, auditOption } from '../audit/option.js';
import { reduceRows, type State } from '../reduce.js';
import { type MemberRow, memberFields, type TeamRow, teamFields } from './row.js';
import { teamRowsOf } from './rows.js';

const memberRowFields = ['team', 'session_id', ...memberFields];

export const teams: Command = {
  name: 'teams',
  kind: 'fold',
  summary: 'show who worked in each team, and how they ended',
  description:
    'Prints one row for each team, its members inside; --members prints one row for each member. A session that spawned agents without a team of its own is shown as the implicit team session-<first 8 of its id>, so that today’s runs have an answer too. The lead is a member. A member is unknown when it was still open as the stream ended. On a terminal, while a stream goes on, it draws the teams instead: a card for each agent with its model, status, task, last call, last message and tokens, and how long ago it was heard by the clock of the stream; the last messages; and how the session went. With --members or --fields it draws the table. --since and --until look at created_at, with --members at last_seen_at.',
  options: [
    { flags: '--members', summary: 'one row for each member, with its team first' },
    watchOption,
    liveOption,
    stateOption,
    auditOption,
    redactOption,
  ],
  shared: ['input', 'output', 'time', 'general'],
  fields: teamFields,
  examples: [
    {
      does: 'Who is at work right now?',
      run: 'claude -p "…" --output-format stream-json --verbose | cct teams',
    },
    {
      does: 'Which agents failed?',
      run: `cct teams --members run.ndjson | jq -r 'select(.status == "failed") | .name'`,
    },
    { does: 'The team of an interactive session', run: 'cct teams --members ~/.claude/projects/my-project/*.jsonl' },
  ],
  interest(options, around) {
    if (keepsState(options) || flagOf(options, 'audit')) return everyEvent;
    // A picture says what is called and said.
    const draws = around !== undefined && livenessOf({ options, ...around }) !== 'rows';
    return draws ? everyEvent : { ...everyEvent, lean: true };
  },
  async run(context) {
    const { options } = context;
    if (flagOf(options, 'audit')) return audit(context, 'teams');
    const live = livenessOf(context);
    if (live === 'rows' || flagOf(options, 'members') || wantsColumns(context)) return printRows(context, live);
    const { liveTeams } = await import('./live.js');
    const choose = chooser(options, (rows) => rows);
    const chooseFrom = (state: State, ended: boolean) => choose(teamRowsOf(state, { ended }));
    const { rows, timeless } = await liveTeams(context, chooseFrom, live === 'moving');
    sayTimeless(context, timeless, 'teams');
    return { rows: rows.length };
  },
};

async function printRows(context: Context, live: Liveness): Promise<Verdict> {
  const { options } = context;
  const asMembers = flagOf(options, 'members');
  const name = asMembers ? 'members' : 'teams';
  const watch = flagOf(options, 'watch');
  const choose = chooser<Shown>(options, asMembers ? memberRowsOf : (rows) => rows);
  const openPrinter = await preparePrinter(live === 'rows' ? context : asTable(context), {
    name,
    fields: asMembers ? memberRowFields : teamFields,
    tableFields: asMembers ? memberTable : teamTable,
    streaming: watch,
  });
  const printer = openPrinter(context.out);
  const changed = createWatch<Shown>((row) => JSON.stringify([row.team, row.session_id, row.agent_id]));
  const state = await foldDrawing(context, live, {
    name,
    print: (now, out) => printAll(openPrinter(out), choose(teamRowsOf(now, { ended: false })).rows),
    fold: (onChunk) =>
      foldInput(
        context,
        watch ? (now) => changed(choose(teamRowsOf(now, { ended: false })).rows).forEach(printer.row) : onChunk,
        undefined,
        reduceRows,
      ),
  });
  const { rows, timeless } = choose(teamRowsOf(state, { ended: true }));
  changed(rows).forEach(printer.row);
  printer.end();
  sayTimeless(context, timeless, name);
  return { rows: rows.length };
}

/** A team, or a member with its team. */
type Shown = Row & {
  readonly team: string;
  readonly session_id: string | null;
  readonly agent_id?: string;
  readonly created_at?: string | null;
  readonly last_seen_at?: string | null;
};

/** Those rows that somebody asked for, and how many were left out for want of a time. */
function chooser<R extends Shown>(options: Options, rowsOf: (rows: readonly TeamRow[]) => readonly R[]) {
  return (teams: readonly TeamRow[]): { rows: R[]; timeless: number } => {
    const range = timeRange(options);
    const rows = rowsOf(teams.filter(wanted(options)));
    const timeOf = (row: R) => (flagOf(options, 'members') ? row.last_seen_at : row.created_at) ?? null;
    return { rows: rows.filter((row) => range.includes(timeOf(row))), timeless: range.timeless };
  };
}

function sayTimeless({ diagnostics }: Context, timeless: number, name: string): void {
  if (timeless > 0) diagnostics.warn(`${timeless} ${name} have no time and were left out`);
}

const teamTable = ['team', 'status', 'protocol', 'lead', 'members', 'tasks', 'messages', 'cost_usd', 'error'];
const memberTable = [
  'team',
  'name',
  'kind',
  'status',
  'agent_type',
  'model',
  'task',
  'tool_calls',
  'messages_sent',
  'messages_received',
  'total_tokens',
  'error',
];

function memberRowsOf(rows: readonly TeamRow[]): (MemberRow & { team: string; session_id: string | null })[] {
  return rows.flatMap((row) =>
    row.members.map((member) => ({ team: row.team, session_id: row.session_id, ...member })),
  );
}

function wanted(options: Options): (row: TeamRow) => boolean {
  const team = textOf(options, 'team');
  const session = textOf(options, 'session');
  return (row) => (team === null || row.team === team) && (session === null || row.session_id === session);
}
