import { type MemberRow, memberFields } from '../core/rows/member.js';
import { type TeamRow, teamFields } from '../core/rows/team.js';
import { teamRowsOf } from '../core/rows/team-facts.js';
import type { State } from '../core/state/reduce.js';
import { audit, auditOption } from '../run/audit.js';
import type { Command, Options } from '../run/command.js';
import { everyEvent, foldInput, keepsState, stateOption } from '../run/fold.js';
import { flagOf, textOf } from '../run/options.js';
import { openPrinter } from '../run/print.js';
import { timeRange } from '../run/time-range.js';
import { createWatch, watchOption } from '../run/watch.js';

const memberRowFields = ['team', 'session_id', ...memberFields];

export const teams: Command = {
  name: 'teams',
  kind: 'fold',
  summary: 'show who worked in each team, and how they ended',
  description:
    'Prints one row for each team, its members inside; --members prints one row for each member. A session that spawned agents without a team of its own is shown as the implicit team session-<first 8 of its id>, so that today’s runs have an answer too. The lead is a member. A member is unknown when it was still open as the stream ended. --since and --until look at created_at, with --members at last_seen_at.',
  options: [
    { flags: '--members', summary: 'one row for each member, with its team first' },
    watchOption,
    stateOption,
    auditOption,
  ],
  shared: ['input', 'output', 'time', 'general'],
  fields: teamFields,
  examples: [
    {
      does: 'Who is at work right now?',
      run: 'claude -p "…" --output-format stream-json --verbose | cct teams --members --watch',
    },
    {
      does: 'Which agents failed?',
      run: `cct teams --members run.ndjson | jq -r 'select(.status == "failed") | .name'`,
    },
    { does: 'The team of an interactive session', run: 'cct teams --members ~/.claude/projects/my-project/*.jsonl' },
  ],
  interest: (options) => (keepsState(options) || flagOf(options, 'audit') ? everyEvent : { ...everyEvent, lean: true }),
  async run(context) {
    const { options, diagnostics } = context;
    if (flagOf(options, 'audit')) return audit(context, 'teams');
    const asMembers = flagOf(options, 'members');
    const range = timeRange(options);
    const rowsOf = asMembers ? memberRowsOf : (rows: readonly TeamRow[]) => rows;
    const timeOf = (row: { created_at?: string | null; last_seen_at?: string | null }) =>
      (asMembers ? row.last_seen_at : row.created_at) ?? null;
    const choose = (state: State, ended: boolean) =>
      [...rowsOf(teamRowsOf(state, { ended }).filter(wanted(options)))].filter((row) => range.includes(timeOf(row)));

    const printer = await openPrinter(context, {
      name: asMembers ? 'members' : 'teams',
      fields: asMembers ? memberRowFields : teamFields,
      tableFields: asMembers ? memberTable : teamTable,
      streaming: flagOf(options, 'watch'),
    });
    const changed = createWatch((row) => JSON.stringify([row.team, row.session_id, row.agent_id]));
    const state = await foldInput(
      context,
      flagOf(options, 'watch') ? (now) => changed(choose(now, false)).forEach(printer.row) : undefined,
    );
    const rows = choose(state, true);
    changed(rows).forEach(printer.row);
    printer.end();
    if (range.timeless > 0)
      diagnostics.warn(`${range.timeless} ${asMembers ? 'members' : 'teams'} have no time and were left out`);
    return { rows: rows.length };
  },
};

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
