// The teams command: one row for each team or member, or a live picture of the teams.
import type { Command, Options } from '../../cli/command.js';
import { flagOf, textOf } from '../../cli/flags.js';
import {
  type ChosenRows,
  everyEvent,
  keepsState,
  lastTime,
  livenessOf,
  liveOption,
  onSavedState,
  prepareRows,
  rowsWithin,
  runFold,
  stateOption,
  wantsColumns,
  warnOfTimeless,
  watchOption,
} from '../../cli/fold.js';
import { timeRange } from '../../cli/times.js';
import { keyOf } from '../../core/state/order.js';
import type { Row } from '../../view/formats.js';
import { audit, auditOption } from '../audit/option.js';
import { placeFilter } from '../place-filter.js';
import { reduceRows, type State } from '../reduce.js';
import { memberFields, type TeamRow, teamFields } from './row.js';
import { teamRowsOf } from './rows.js';

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
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: teamFields,
  otherFields: [{ when: 'with --members', fields: memberFields }],
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
  judgesContent: (options) => flagOf(options, 'audit'),
  interest(options, around) {
    if (keepsState(options) || flagOf(options, 'audit')) return everyEvent;
    // A picture also shows tool calls and message texts.
    const draws = around !== undefined && livenessOf({ options, ...around }) !== 'rows';
    return draws ? everyEvent : { ...everyEvent, lean: true };
  },
  async run(context) {
    const { options } = context;
    if (flagOf(options, 'audit')) return audit(context, 'teams');
    const live = livenessOf(context);
    const asMembers = flagOf(options, 'members');
    const name = asMembers ? 'members' : 'teams';
    const drawsCards = live !== 'rows' && !asMembers && !wantsColumns(context);
    const { rows, timeless } = drawsCards
      ? await onSavedState(context, async () =>
          (await import('./live.js')).liveTeams(context, teamsIn(options), live === 'moving'),
        )
      : await runFold<ChosenRows<Shown>>(context, {
          name,
          follow: reduceRows,
          prepare: (to) => prepareRows(to, { name, ...(asMembers ? memberColumns : teamColumns) }, keyOfShown),
          answer: asMembers ? membersIn(options) : teamsIn(options),
        });
    warnOfTimeless(context, timeless, asMembers ? 'member' : 'team');
    return { rows: rows.length };
  },
};

/** A team, or a member with its team. */
type Shown = Row & { readonly team: string; readonly session_id: string | null; readonly agent_id?: string };

function keyOfShown({ team, session_id, agent_id }: Shown): string {
  return keyOf(team, session_id, agent_id ?? null);
}

function teamsIn(options: Options) {
  return (state: State, ended: boolean) =>
    rowsWithin(timeRange(options, lastTime(state)), wantedTeams(options, state, ended), ({ created_at }) => created_at);
}

function membersIn(options: Options) {
  return (state: State, ended: boolean) => {
    const members = wantedTeams(options, state, ended).flatMap(({ team, session_id, members }) =>
      members.map((member) => ({ team, session_id, ...member })),
    );
    return rowsWithin(timeRange(options, lastTime(state)), members, ({ last_seen_at }) => last_seen_at);
  };
}

function wantedTeams(options: Options, state: State, ended: boolean): TeamRow[] {
  return teamRowsOf(state, { ended }).filter(placeFilter(textOf(options, 'session'), textOf(options, 'team')));
}

const teamColumns = {
  fields: teamFields,
  otherFields: [{ when: 'with --members', fields: memberFields }],
  tableFields: ['team', 'status', 'protocol', 'lead', 'members', 'tasks', 'messages', 'cost_usd', 'error'],
  distinct: true,
};
const memberColumns = {
  fields: ['team', 'session_id', ...memberFields],
  tableFields: [
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
  ],
  distinct: true,
};
