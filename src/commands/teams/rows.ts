// Makes the rows of the teams command from a state.
import { getOrCreate } from '../../core/record/json.js';
import { is } from '../../core/tables/calls/calls.js';
import { Directory, type ResolvedAgent, type Team } from '../../core/tables/directory.js';
import { compare, earliestOf, first, groupBy, last, latest, memoizeLast, type Place } from '../../core/tables/order.js';
import { endingIn, endingText, isByCct } from '../../core/tables/outcome.js';
import { type State, settle } from '../../core/tables/reduce.js';
import { isLost, isSent } from '../../core/tables/sends.js';
import { isOver, type MemberEntry, type SessionStatus } from '../../core/tables/teams.js';
import { programsOf } from '../../core/tables/usage/sessions.js';
import { type AgentWork, brokeOff, type CountedWork, countedWork } from '../../core/tables/work.js';
import { type MessageRow, partiesOf, partyKeys, settledMessages } from '../messages/rows.js';
import { boardRows, type TaskRow } from '../tasks/rows.js';
import { costOfRows, type Spent, spentBy } from '../usage/rows.js';
import type { MemberRow, TeamRow } from './row.js';

/** `ended`: the input is over, so what is open stays open. */
export function teamRowsOf(known: State, { ended }: { ended: boolean }): TeamRow[] {
  return teamsWithTasks(known, { ended }).map(({ row }) => row);
}

/** The rows with where they come from: the team, and the tasks on its board. */
export function teamsWithTasks(known: State, { ended }: { ended: boolean }) {
  const sources = sourcesOf(settle(known), ended);
  const all = sources.directory.teams.map((team) => {
    const tasks = sources.tasksOf(team);
    return { team, tasks, row: teamRow(team, tasks, sources) };
  });
  const shown = all.filter(({ row }) => row.protocol !== 'implicit' || row.members.length > 1);
  return shown.sort((a, b) => compareTeams(a.row, b.row));
}

interface Sources {
  readonly directory: Directory;
  readonly sessions: State['teams']['sessions'];
  readonly calls: State['calls'];
  readonly ended: boolean;
  readonly programs: ReturnType<typeof programsOf>;
  /** By scope. */
  readonly members: ReadonlyMap<string, readonly MemberEntry[]>;
  readonly work: ReadonlyMap<string, readonly CountedWork[]>;
  /** Computed on demand: an input without teams does not need it. */
  spent(): TeamSpent;
  /** How many teams each session created. With more than one, its cost belongs to no single team. */
  readonly made: ReadonlyMap<string | null, number>;
  tasksOf(team: Team): TaskRow[];
  mailOf(team: Team): SentMail[];
}

function sourcesOf(state: State, ended: boolean): Sources {
  const { agents, teams, work, calls } = state;
  return {
    directory: new Directory(state),
    sessions: teams.sessions,
    calls,
    ended,
    programs: programsOf(state.usage.sessions),
    members: groupBy(teams.members.values(), ({ scope }) => scope),
    work: countedWork(work, calls),
    spent: () => spentIn(state.usage, agents),
    made: explicitTeams(teams),
    tasksOf: groupByTeam(boardTasks(state.tasks, agents)),
    mailOf: groupByTeam(mailIn(state.messages, agents)),
  };
}

function teamRow(team: Team, tasks: readonly TaskRow[], sources: Sources): TeamRow {
  const { ended, programs } = sources;
  const { entries, lead } = team;
  const protocol = entries[0]?.protocol ?? 'files';
  const mail = sources.mailOf(team);
  const facts: TeamFacts = {
    isDeleted: entries.some((entry) => entry.deleted),
    currentTasks: currentTasks(tasks),
    mailOf: countMail(mail),
  };
  const members = groupsOf(team, sources)
    .map((group) => ({ row: memberRow(team, group, facts, sources), places: [...group.places.values()] }))
    .sort((a, b) => compareMembers(a.row, b.row));
  const rows = members.map(({ row }) => row);
  const isGuest = lead === undefined && team.session_id !== null;
  const status = facts.isDeleted ? 'cleaned_up' : sessionStatus(lead, ended);
  const created_at = createdAt(team, rows) ?? (isGuest ? null : (lead?.started_at ?? null));
  return {
    team: team.team,
    session_id: team.session_id,
    status,
    protocol,
    role: isGuest ? 'teammate' : protocol === 'files' ? null : 'lead',
    lead: rows.find(({ kind }) => kind === 'lead')?.name ?? null,
    description: first(entries.map((entry) => entry.description)),
    created_at,
    ended_at:
      first(entries.map((entry) => entry.ended_at)) ??
      (ended && status !== 'active' && !lead?.inTurn ? (lead?.ended_at ?? null) : null),
    error: first(entries.map((entry) => entry.error)),
    // The lead joined before anybody else.
    members: rows.map((row) =>
      row.kind === 'lead' ? { ...row, joined_at: earliestOf([row.joined_at, created_at]) } : row,
    ),
    tasks: countTasks(tasks),
    messages: mail.length,
    ...costOf(
      team,
      members.flatMap(({ places }) => places),
      sources,
    ),
    ...(programs && { program: programs.get(team.session_id ?? '') ?? 'claude' }),
  };
}

/** An implicit team begins with its first agent. */
function createdAt({ entries, created_at }: Team, members: readonly MemberRow[]): string | null {
  if (entries[0]?.protocol !== 'implicit') return created_at;
  return earliestOf([created_at, ...members.filter(({ kind }) => kind !== 'lead').map(({ joined_at }) => joined_at)]);
}

export function sessionStatus(session: SessionStatus | undefined, ended: boolean): TeamRow['status'] {
  if (session === undefined) return 'active';
  if (isOver(session)) return 'ended';
  if (!session.stream || !ended) return 'active';
  return session.inTurn ? 'unfinished' : 'ended';
}

function compareTeams(a: TeamRow, b: TeamRow): number {
  return compare(a.created_at, b.created_at) || compare(a.team, b.team) || compare(a.session_id, b.session_id);
}

/** One member of a team, under all its ids. */
interface MemberGroup {
  agent: ResolvedAgent;
  /** The sessions it worked in. A teammate may have its own. */
  readonly places: Map<string, ResolvedAgent>;
  readonly entries: MemberEntry[];
  readonly work: CountedWork[];
}

interface TeamFacts {
  readonly isDeleted: boolean;
  /** By owner. */
  readonly currentTasks: ReadonlyMap<string | null, string>;
  mailOf(agent: ResolvedAgent): { sent: number; received: number };
}

function groupsOf(team: Team, { directory, members, work }: Sources): MemberGroup[] {
  const groups = new Map<string, MemberGroup>();
  const memberGroup = (scope: string, agent: ResolvedAgent): MemberGroup => {
    const id = agent.kind === 'lead' && (scope === team.scope || scope === '') ? 'lead' : agent.agent;
    const group = getOrCreate(groups, id, () => ({ agent, places: new Map(), entries: [], work: [] }));
    if (group.agent.name === 'main') group.agent = agent;
    group.places.set(usageKey(agent.session_id, agent.agent), agent);
    return group;
  };
  for (const scope of new Set(team.scopes)) {
    // Most are asked for as a member, and for what they did before and after the team had a name.
    const agents = new Map<string, ResolvedAgent>();
    const agentOf = (place: Place, id: string) => getOrCreate(agents, id, () => directory.agent(place, id));
    for (const entry of members.get(scope) ?? []) {
      const agent = agentOf(entry, entry.id);
      if (agent.kind !== null && team.owns(entry)) memberGroup(scope, agent).entries.push(entry);
    }
    for (const done of work.get(scope) ?? []) {
      const agent = agentOf(done.did, done.did.agent);
      if (agent.kind !== null && team.owns(done.did)) memberGroup(scope, agent).work.push(done);
    }
  }
  return [...groups.values()].filter(
    ({ agent, entries }) => agent.kind === 'lead' || entries.some((entry) => entry.joined),
  );
}

function memberRow(
  team: Team,
  { agent, places, entries: unordered, work: counted }: MemberGroup,
  facts: TeamFacts,
  { directory, sessions, calls, ended, spent }: Sources,
): MemberRow {
  const kind = agent.kind ?? 'subagent';
  const isLead = kind === 'lead';
  // Ids in the order of their last event: the latest value is used.
  const entries = unordered.toSorted((a, b) => a.told - b.told || compare(a.id, b.id));
  const work = counted.map(({ did }) => did);
  const workTotal = (field: 'errors' | 'open') => counted.reduce((total, { counts }) => total + counts[field], 0);
  const session = sessions.get(team.scope);
  const messages = facts.mailOf(agent);
  const lead = isLead ? team.lead_id : null;
  const told = isLead
    ? leadStatus(session, ended, workTotal('open'))
    : memberStatus(kind, entries, session, facts, ended);
  const broke = brokeOff(work);
  const runs = entries.flatMap((entry) => entry.runs);
  const error = last(entries.map((entry) => entry.error));
  // A conversation that ends with an error of the API has failed, whatever its last result says.
  // That an agent ended does not say how. One whose call was interrupted may have been stopped.
  const isCallFailed = () => (calls.endOf(runs.at(-1) ?? '') & (is.failed | is.denied)) === is.failed;
  const isBroken =
    told === 'idle'
      ? kind === 'teammate' && (broke ?? entries.at(-1)?.error ?? null) !== null
      : told === 'finished'
        ? broke !== null || (kind === 'subagent' && isCallFailed())
        : broke !== null && !isLead && (told === 'active' || told === 'unknown');
  const name = lead?.split('@')[0] ?? agent.name;
  return {
    name,
    agent_id: lead ?? agent.agent,
    kind,
    agent_type: agent.agent_type ?? last(entries.map((entry) => entry.agent_type)),
    model: lastModel(work) ?? last([isLead ? (session?.model ?? null) : null, ...entries.map((entry) => entry.model)]),
    color: last(entries.map((entry) => entry.color)),
    status: isBroken ? 'failed' : told,
    task: facts.currentTasks.get(name) ?? null,
    parent: isLead ? null : parentOf(team, entries, directory),
    joined_at: earliestOf([
      ...(isLead ? [team.created_at, session?.started_at ?? null] : entries.map((entry) => entry.joined_at)),
      ...work.map((entry) => entry.first_seen_at),
    ]),
    last_seen_at: [...entries, ...work].reduce<string | null>((time, entry) => latest(time, entry.last_seen_at), null),
    runs: Math.max(1, new Set(runs).size),
    tool_calls: callsOf(counted),
    tool_errors: workTotal('errors'),
    open_calls: workTotal('open'),
    messages_sent: messages.sent,
    messages_received: messages.received,
    total_tokens: tokensOf(usedBy([...places.values()], spent())),
    context_tokens: work.reduce<number | null>(
      (most, { reported_tokens: said }) => (said === null ? most : Math.max(most ?? 0, said)),
      null,
    ),
    worktree: last(entries.map((entry) => entry.worktree)),
    cwd: last(entries.map((entry) => entry.cwd)) ?? (isLead ? (session?.cwd ?? null) : ownCwd(team, entries, sessions)),
    backend: last(entries.map((entry) => entry.backend)),
    plan_mode_required: last(entries.map((entry) => entry.plan_mode_required)),
    error: (error ?? (isBroken ? broke : isLead ? stopText(session, told) : null)) || null,
  };
}

/** What its records show or its result says: a part of its records may be missing. null if the input has neither. */
function callsOf(work: readonly CountedWork[]): number | null {
  const shown = work.filter(({ did }) => did.workedAt !== null).map(({ counts }) => counts.calls);
  const said = work.flatMap(({ did }) => did.reported_calls ?? []);
  if (shown.length === 0 && said.length === 0) return null;
  return Math.max(
    shown.reduce((sum, calls) => sum + calls, 0),
    ...said,
  );
}

function lastModel(work: readonly AgentWork[]): string | null {
  const said = work.filter(({ model }) => model !== null);
  return said.toSorted((a, b) => compare(a.modelAt, b.modelAt) || compare(a.model, b.model)).at(-1)?.model ?? null;
}

/** The directory of a teammate that works in its own session. */
function ownCwd(team: Team, entries: readonly MemberEntry[], sessions: Sources['sessions']): string | null {
  const own = entries.filter(({ scope }) => scope !== team.scope);
  return last(own.map(({ scope }) => sessions.get(scope)?.cwd ?? null));
}

/** The parent, by the id in the parent's own row. The lead has one id per team. If nothing names it, it is the lead. */
function parentOf(team: Team, entries: readonly MemberEntry[], directory: Directory): string | null {
  const named = entries.find(({ parent }) => parent !== null);
  const entry = named ?? (team.lead === undefined ? undefined : entries[0]);
  if (entry === undefined) return null;
  const { agent, kind } = directory.agent(entry, entry.parent);
  return kind === 'lead' ? (team.lead_id ?? agent) : agent;
}

export function leadStatus(session: SessionStatus | undefined, ended: boolean, openCalls: number): MemberRow['status'] {
  if (session === undefined || !(isOver(session) || (ended && session.stream === true))) return 'active';
  const { outcome } = endingIn(session);
  if (outcome === 'unfinished') return isOver(session) ? 'finished' : 'unknown';
  if (outcome !== null) return outcome;
  // A transcript that ends in the middle of a call was stopped there.
  return session.stream === true ? 'unknown' : openCalls > 0 ? 'stopped' : 'finished';
}

/** Why `cct run` ended the run of a lead; null if it did not. */
export function stopText(session: SessionStatus | undefined, status: MemberRow['status']): string | null {
  const ending = session === undefined || status !== 'stopped' ? null : endingIn(session);
  return ending !== null && isByCct(ending) ? endingText(ending) : null;
}

/** Shutdown if any id of the agent has it, else the last status. The end of a teammate's turn leaves it idle. */
function memberStatus(
  kind: MemberRow['kind'],
  entries: readonly MemberEntry[],
  session: SessionStatus | undefined,
  { isDeleted }: TeamFacts,
  ended: boolean,
): MemberRow['status'] {
  const told = entries.filter((entry) => entry.status !== null);
  const final = told.find((entry) => entry.status === 'shutdown') ?? told.at(-1);
  const status = final?.status ?? 'active';
  if (kind === 'teammate') {
    if (isDeleted) return 'shutdown';
    if (status === 'finished') return 'idle';
  }
  const isOpen = session === undefined || !(isOver(session) || session.stream);
  return status === 'active' && ended && !isOpen ? 'unknown' : status;
}

/** The lead first, then in the order they joined. */
function compareMembers(a: MemberRow, b: MemberRow): number {
  return (
    Number(b.kind === 'lead') - Number(a.kind === 'lead') ||
    compare(a.joined_at, b.joined_at) ||
    compare(a.name, b.name) ||
    compare(a.agent_id, b.agent_id)
  );
}

// Memoized, like messages and usage: a live stream asks after every event, and most events do not change them.
const boardTasks = memoizeLast(boardRows);

const mailIn = memoizeLast((messages: State['messages'], agents: State['agents']): SentMail[] =>
  settledMessages(messages, agents).map((message) => {
    const { team, session_id, status } = message.row;
    return { team, session_id, status, ...partiesOf(message, agents) };
  }),
);

/** A message with the keys of its sender and recipients. */
interface SentMail extends Pick<MessageRow, 'team' | 'session_id' | 'status'> {
  readonly from: string | null;
  readonly to: readonly string[];
}

interface TeamSpent {
  readonly agents: ReadonlyMap<string, readonly Spent[]>;
  readonly sessions: ReadonlyMap<string, Spent>;
}

const spentIn = memoizeLast((usage: State['usage'], agents: State['agents']): TeamSpent => {
  const spent = spentBy({ usage, agents });
  return {
    agents: groupBy(spent.agents, ({ session_id, agent }) => usageKey(session_id, agent)),
    sessions: new Map(spent.sessions.map((one) => [String(one.session_id ?? ''), one])),
  };
});

/** Finds the rows of a team: in its lead's session, in its other sessions, and in its files, which name no session. */
function groupByTeam<R extends { team: string | null; session_id: string | null }>(
  rows: readonly R[],
): (team: Team) => R[] {
  const placed = rows.map((row, at) => ({ row, at }));
  const groups = groupBy(placed, ({ row }) => placeKey(row.team ?? '', row.session_id));
  return ({ team, session_id, scopes }) => {
    const sessions = new Set([null, session_id, ...scopes]);
    const found = [...sessions].flatMap((session) => groups.get(placeKey(team, session)) ?? []);
    return found.sort((a, b) => a.at - b.at).map(({ row }) => row);
  };
}

function placeKey(team: string, session: string | null): string {
  return session === null ? `nowhere ${team}` : `in ${session} ${team}`;
}

function currentTasks(tasks: readonly TaskRow[]): Map<string | null, string> {
  const busy = tasks.filter((task) => task.status === 'in_progress');
  return new Map(busy.toReversed().map((task) => [task.owner, task.id]));
}

function countTasks(tasks: readonly TaskRow[]): TeamRow['tasks'] {
  const countWith = (status: string) => tasks.filter((task) => task.status === status).length;
  return {
    pending: countWith('pending'),
    in_progress: countWith('in_progress'),
    completed: countWith('completed'),
    deleted: countWith('deleted'),
  };
}

function countMail(mail: readonly SentMail[]): (agent: ResolvedAgent) => { sent: number; received: number } {
  const sent = new Map<string, number>();
  const received = new Map<string, number>();
  const countOne = (counts: Map<string, number>, who: string) => counts.set(who, (counts.get(who) ?? 0) + 1);
  for (const one of mail) {
    // One that is still open may have been sent.
    if (isLost(one)) continue;
    if (one.from !== null) countOne(sent, one.from);
    if (isSent(one)) for (const who of one.to) countOne(received, who);
  }
  return (agent) => {
    const keys = partyKeys(agent);
    const sum = (counts: Map<string, number>) => keys.reduce((all, key) => all + (counts.get(key) ?? 0), 0);
    return { sent: sum(sent), received: sum(received) };
  };
}

function usageKey(session_id: unknown, agent: unknown): string {
  return `${session_id} ${agent}`;
}

function usedBy(places: readonly ResolvedAgent[], { agents }: TeamSpent): Spent[] {
  return places.flatMap((place) => agents.get(usageKey(place.session_id, place.agent)) ?? []);
}

/** null if the input has no message of the agent. */
function tokensOf(rows: readonly Spent[]): number | null {
  const seen = rows.filter((row) => row.messages > 0);
  return seen.length === 0 ? null : seen.reduce((all, row) => all + row.total_tokens, 0);
}

function costOf(
  { session_id, scopes }: Team,
  places: readonly ResolvedAgent[],
  { made, spent }: Sources,
): Pick<TeamRow, 'cost_usd' | 'cost_source'> {
  if ((made.get(session_id) ?? 0) > 1) return costOfRows(usedBy(places, spent()));
  const { sessions } = spent();
  return costOfRows([...new Set(scopes)].flatMap((scope) => sessions.get(scope) ?? []));
}

function explicitTeams({ teams }: State['teams']): Map<string | null, number> {
  const made = new Map<string | null, number>();
  for (const { protocol, session_id } of teams.values())
    if (protocol !== 'implicit') made.set(session_id, (made.get(session_id) ?? 0) + 1);
  return made;
}
