// The teams command: one row per team or member, or a live picture of the teams.

import type { Command, Context, Options } from '../../cli/command.js';
import { jobsOption } from '../../cli/division.js';
import { Matches, placeChoices, placeFilter } from '../../cli/flags/choice.js';
import { flagOf } from '../../cli/flags/flags.js';
import { startedColumn, timeRange, warnOfTimes } from '../../cli/flags/times.js';
import { everyEvent, runFold } from '../../cli/fold.js';
import { isReadLive, livenessOf, liveOption, wantsColumns } from '../../cli/live.js';
import { formatOf, type PrintedRows } from '../../cli/print.js';
import { type ChosenRows, lastTime, prepareRows, rowsWithin, watchOption } from '../../cli/rows.js';
import { keepsState, onSavedState, stateOption } from '../../cli/state-file.js';
import { newAgents } from '../../core/tables/agents.js';
import { keyOf, latest } from '../../core/tables/order.js';
import { newState, reduceRows, rowEvents, type State } from '../../core/tables/reduce.js';
import { costText } from '../../view/columns.js';
import type { Row } from '../../view/formats.js';
import type { Signs } from '../../view/signs.js';
import type { Sections } from '../../view/table.js';
import { duration, plural } from '../../view/text.js';
import { memberFields, type TeamRow, teamFields } from './row.js';
import { teamRowsOf } from './rows.js';

export const teams: Command = {
  name: 'teams',
  kind: 'fold',
  summary: 'show who worked in each team, and how they ended',
  description: [
    'Prints one row for each team, with its members inside. With --members it prints one row for each member. The lead is a member too.',
    'A session that spawned agents without creating a team is shown as the implicit team session-<first 8 characters of its id>. Recent versions of Claude Code have no other teams.',
    'A member has the status unknown if it was still open when the stream ended.',
    'On a terminal, while a stream is open, teams shows a live view instead of rows: a clock, a card for each agent, the latest messages, and how the session is going. A card has the model, status, task, open calls and their age, last message and tokens of the agent. It also shows how long the agent has been silent: in yellow after a minute, in red after five minutes or after --idle-timeout. A session without agents has one card with its todo list, its latest calls and its cost. The last line says how the session ended. With --members or --fields the live view is a table. It has the screen to itself and leaves its last picture; what the producer writes to stderr meanwhile does not stay, so send that to a file.',
    '--since and --until compare created_at, or last_seen_at with --members.',
  ],
  options: [
    { flags: '--members', summary: 'print one row for each member, with its team first' },
    watchOption,
    liveOption,
    stateOption,
    jobsOption,
  ],
  shared: ['input', 'output', 'rows', 'time', 'privacy', 'general'],
  fields: teamFields,
  otherFields: [{ when: 'with --members', fields: memberFields }],
  examples: [
    {
      does: 'Who is working right now?',
      run: 'claude -p "…" --output-format stream-json --verbose | cct teams',
    },
    {
      does: 'Which agents failed?',
      run: `cct teams --members run.ndjson | jq -r 'select(.status == "failed") | .name'`,
    },
    { does: 'Watch the team of an interactive session', run: 'cct teams --last --follow' },
  ],
  divided: (options) => (isReadLive(options) ? null : reduceRows),
  interest(options, around) {
    if (keepsState(options)) return everyEvent;
    // A picture also shows tool calls and message texts.
    const draws = around !== undefined && livenessOf({ options, ...around }) !== 'rows';
    return draws ? everyEvent : { events: rowEvents, content: 'none', detail: isReadLive(options) ? 'all' : 'rows' };
  },
  async run(context) {
    const { options } = context;
    const live = livenessOf(context);
    const asMembers = flagOf(options, 'members');
    const name = asMembers ? 'members' : 'teams';
    const { chosen, matches } = chooserOf(context);
    const teams = new Map<string, TeamRow>();
    const seen = lastSeen(context, live);
    const members = { ...memberColumns, sections: underTeams((key) => teams.get(key), seen) };
    const drawsCards = live !== 'rows' && !asMembers && !wantsColumns(context);
    const { rows, within } = drawsCards
      ? await onSavedState(context, async () =>
          (await import('./live.js')).liveTeams(context, teamsIn(options, chosen), live === 'moving'),
        )
      : await runFold<ChosenRows<Shown>>(context, {
          name,
          follow: reduceRows,
          begin: () => newState({ counts: true }),
          prepare: (to) =>
            prepareRows(to, { name, none: noTeams, ...(asMembers ? members : teamColumns(context, seen)) }, keyOfShown),
          answer: asMembers ? membersIn(options, chosen, teams) : teamsIn(options, chosen),
        });
    warnOfTimes(context, within, asMembers ? 'member' : 'team');
    matches.say(context, name, rows.length);
    return { rows: rows.length };
  },
};

/** A team, or a member with its team. */
type Shown = Row & { readonly team: string; readonly session_id: string | null; readonly agent_id?: string };

function keyOfShown({ team, session_id, agent_id }: Shown): string {
  return keyOf(team, session_id, agent_id ?? null);
}

type TeamsOf = (state: State, ended: boolean) => TeamRow[];

function teamsIn(options: Options, chosen: TeamsOf) {
  return (state: State, ended: boolean) =>
    rowsWithin(timeRange(options, lastTime(state)), chosen(state, ended), ({ created_at }) => created_at);
}

/** Also keeps their teams, for the headings. */
function membersIn(options: Options, chosen: TeamsOf, teams: Map<string, TeamRow>) {
  return (state: State, ended: boolean) => {
    const members = chosen(state, ended).flatMap((row) => {
      const { team, session_id, members } = row;
      teams.set(keyOf(team, session_id), row);
      return members.map((member) => ({ team, session_id, ...member }));
    });
    return rowsWithin(timeRange(options, lastTime(state)), members, ({ last_seen_at }) => last_seen_at);
  };
}

/** --session and --team. */
function chooserOf(context: Context): { chosen: TeamsOf; matches: Matches<TeamRow> } {
  let agents = newAgents();
  const matches = new Matches<TeamRow>(placeChoices(context, () => agents));
  return {
    matches,
    chosen(state, ended) {
      const rows = teamRowsOf(state, { ended });
      agents = state.agents;
      if (ended) for (const row of rows) matches.note(row);
      return rows.filter(placeFilter(context));
    },
  };
}

const teamColumns = (context: Context, seen: SeenText) =>
  ({
    fields: teamFields,
    otherFields: [{ when: 'with --members', fields: memberFields }],
    tableFields: [
      'team',
      'created_at',
      'project',
      'session_id',
      'status',
      'protocol',
      'lead',
      'members',
      'tasks',
      'messages',
      'cost_usd',
      'error',
    ],
    columns: {
      session_id: { rank: -1, ifSame: ['team'] },
      status: {
        rank: 1,
        expect: 10,
        value: (row: TeamRow) => row.status + seen(row),
        says: (status) => `all ${status}`,
      },
      created_at: { ...startedColumn(context, 'created_at'), rank: 1 },
      project: { title: 'PROJECT', rank: 0, comfort: 12, value: ({ members }: TeamRow) => folderOf(members) },
      team: { rank: 2 },
      protocol: { rank: -3, expect: 11, says: (word) => (word === 'implicit' ? null : `protocol ${word}`) },
      lead: { rank: -2, expect: 9 },
      tasks: { expect: 13, value: ({ tasks }: TeamRow) => doneOf(tasks) },
      members: { title: 'AGENTS', says: (count) => `${count} agents each` },
      error: { expect: 12 },
    },
    distinct: true,
  }) satisfies Partial<PrintedRows> & { distinct: boolean };

const memberColumns = {
  fields: ['team', 'session_id', ...memberFields],
  tableFields: [
    'name',
    'agent_id',
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
    'team',
  ],
  columns: {
    agent_id: { rank: 2, ifSame: ['name'] },
    kind: { rank: -1, expect: 8 },
    status: { rank: 1, expect: 13, says: (status) => `all ${status}` },
    agent_type: { rank: -3 },
    model: { rank: 1 },
    task: { rank: -2, expect: 4 },
    messages_sent: { rank: -1, says: (count) => (count === '0' ? null : `each sent ${count}`) },
    messages_received: { rank: -1, says: (count) => (count === '0' ? null : `each received ${count}`) },
    error: { rank: -1, expect: 12 },
    team: { rank: -2, expect: 16 },
  },
  distinct: true,
} satisfies Partial<PrintedRows> & { distinct: boolean };

/** What the status of a team is followed by. */
type SeenText = (team: TeamRow) => string;

const noTeams = 'no teams: no session here started an agent; cct log, cct usage and cct calls show what it did';

/**
 * How long ago somebody was last seen in an active team: a transcript does not say that its session is still there. Only
 * on a terminal, because the words change while nothing happens.
 */
function lastSeen(context: Context, live: string): SeenText {
  const { stdout, clock } = context.streams;
  if (!stdout.isTTY || live !== 'rows' || formatOf(context) !== 'table') return () => '';
  const now = clock.date();
  return ({ status, members }) => {
    const last = members.map(({ last_seen_at }) => last_seen_at).reduce(latest, null);
    if (status !== 'active' || last === null) return '';
    const ago = duration(Math.max(0, now - Date.parse(last)));
    // The largest unit is enough.
    return ` · seen ${/^[\d.]+[a-z]+/.exec(ago)?.[0] ?? ago} ago`;
  };
}

/** Members under the heading of their team. */
function underTeams(teamOf: (key: string) => TeamRow | undefined, seen: SeenText): Sections<Shown> {
  const keyOfTeam = ({ team, session_id }: Shown) => keyOf(team, session_id);
  return {
    keyOf: keyOfTeam,
    heading(rows, _, signs) {
      const [first] = rows;
      const team = first === undefined ? undefined : teamOf(keyOfTeam(first));
      if (team === undefined) return { parts: [], says: [] };
      const statuses = new Set(team.members.map(({ status }) => status));
      const [status = ''] = statuses.size === 1 && team.members.length > 1 ? statuses : [];
      return {
        parts: teamWords(team, status, seen(team), signs),
        twin: team.session_id?.slice(0, 8),
        says: status === '' ? ['team'] : ['team', 'status'],
      };
    },
  };
}

/** `session-97a98319 · implicit · ended · 3 agents finished · 9 messages · $0.2831` */
function teamWords(row: TeamRow, memberStatus: string, seen: string, signs: Signs): string[] {
  const { team, protocol, status, members, messages, cost_usd, cost_source, error } = row;
  return [
    team,
    // Nobody asked for a team that Claude Code has anyway.
    protocol === 'implicit' ? '' : protocol,
    status + seen,
    `${plural(members.length, 'agent')} ${memberStatus}`.trim(),
    plural(messages, 'message'),
    costText(cost_usd, cost_source, signs),
    error ?? '',
  ].filter((part) => part !== '');
}

/** The last part of the lead's directory. */
function folderOf(members: TeamRow['members']): string | null {
  const path = members.find(({ kind }) => kind === 'lead')?.cwd ?? null;
  return path?.split(/[\\/]/).findLast((part) => part !== '') ?? null;
}

/** `1 of 3 done`; null without tasks. */
function doneOf({ pending, in_progress, completed }: TeamRow['tasks']): string | null {
  const all = pending + in_progress + completed;
  return all === 0 ? null : `${completed} of ${all} done`;
}
