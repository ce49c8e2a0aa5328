import * as z from 'zod';
import { type AgentsState, type ResolvedAgent, resolveAgent } from '../state/agents.js';
import { latest, type MemberEntry, type SessionStatus, type TeamEntry, type TeamsState } from '../state/teams.js';

const text = z.string().nullable();
const count = z.number();

export const memberRowSchema = z.object({
  name: z.string(),
  agent_id: z.string(),
  kind: z.enum(['lead', 'teammate', 'subagent']),
  agent_type: text,
  model: text,
  color: text,
  status: z.enum(['active', 'idle', 'shutting_down', 'shutdown', 'finished', 'failed', 'stopped', 'unknown']),
  task: text.describe('id of the board task it has in progress'),
  parent: text.describe('agent that spawned it'),
  joined_at: text,
  last_seen_at: text,
  runs: count,
  tool_calls: count,
  tool_errors: count,
  open_calls: count,
  messages_sent: count,
  messages_received: count,
  total_tokens: z.number().nullable(),
  worktree: z.object({ path: text, branch: text }).nullable(),
  cwd: text,
  backend: text,
  plan_mode_required: z.boolean().nullable(),
  error: text,
});
export type MemberRow = z.infer<typeof memberRowSchema>;

export const teamRowSchema = z.object({
  team: z.string(),
  session_id: text,
  status: z.enum(['active', 'cleaned_up', 'ended', 'unfinished']),
  protocol: z.enum(['teammate-tool', 'team-create', 'implicit', 'files']),
  role: z.enum(['lead', 'teammate']).nullable(),
  lead: text,
  description: text,
  created_at: text,
  ended_at: text,
  error: text,
  members: z.array(memberRowSchema),
  tasks: z.object({ pending: count, in_progress: count, completed: count, deleted: count }),
  messages: count,
  cost_usd: z.number().nullable(),
});
export type TeamRow = z.infer<typeof teamRowSchema>;

/** What other slices know of a team; each answers for a team row or for one of its members. */
export interface TeamFacts {
  tasks(team: TeamPlace): TeamRow['tasks'];
  currentTask(team: TeamPlace, name: string): string | null;
  messages(team: TeamPlace): number;
  messagesOf(team: TeamPlace, name: string): { sent: number; received: number };
  tokens(member: ResolvedAgent): number | null;
  cost(team: TeamPlace, members: readonly ResolvedAgent[]): number | null;
}

/** A team is its name plus its lead's session; other sessions and files may belong to it. */
export interface TeamPlace {
  team: string;
  session_id: string | null;
  scopes: readonly string[];
}

/** `ended`: the input is over, so what is still open will stay so. */
export function teamRows(
  agents: AgentsState,
  teams: TeamsState,
  facts: TeamFacts,
  { ended }: { ended: boolean },
): TeamRow[] {
  const places = findTeams(teams);
  const rows = places.map((place) => teamRow(place, agents, teams, facts, ended));
  return rows.filter((row) => row.protocol !== 'implicit' || row.members.length > 1).sort(byTeam);
}

interface Team extends TeamPlace {
  entries: TeamEntry[];
  lead: SessionStatus | undefined;
  scope: string;
}

function findTeams(state: TeamsState): Team[] {
  const entries = state.teams.values();
  const explicit = new Set(entries.filter((entry) => entry.protocol !== 'implicit').map((entry) => entry.scope));
  const byName = groupBy(entries, (entry) => entry.name);
  const teams: Team[] = [];
  for (const [name, group] of byName) {
    const led = group.filter(
      (entry) => entry.session_id !== null && !(entry.protocol === 'implicit' && explicit.has(entry.scope)),
    );
    const loose = group.filter((entry) => entry.session_id === null);
    const guests = guestScopes(state, name, new Set(group.map((entry) => entry.scope)));
    for (const entry of led) {
      // Files and teammates' own sessions name no lead's session: with several teams of a name nobody can tell whose they are.
      const others = led.length === 1 ? [...loose.map((one) => one.scope), ...guests] : [];
      teams.push({
        team: name,
        session_id: entry.session_id,
        scope: entry.scope,
        scopes: [entry.scope, ...others],
        entries: led.length === 1 ? [entry, ...loose] : [entry],
        lead: state.sessions.get(entry.scope),
      });
    }
    const [first] = loose;
    if (led.length === 0 && first !== undefined)
      teams.push({
        team: name,
        session_id: null,
        scope: first.scope,
        scopes: [first.scope, ...guests],
        entries: loose,
        lead: undefined,
      });
  }
  return [...teams, ...teamsOfGuests(state, byName)];
}

/** Sessions whose rows are tagged with a team that others lead. */
function guestScopes(state: TeamsState, team: string, own: ReadonlySet<string>): string[] {
  const scopes = state.members
    .values()
    .filter((member) => member.team === team && !own.has(member.scope) && member.joined);
  return [...new Set(scopes.map((member) => member.scope))];
}

/** Teammates whose lead is not in the input: all that is known of their team is its name. */
function teamsOfGuests(state: TeamsState, known: ReadonlyMap<string, unknown>): Team[] {
  const members = state.members
    .values()
    .filter((member) => member.team !== null && !known.has(member.team) && member.joined);
  return [...groupBy(members, (member) => member.team ?? '')].map(([team, group]) => {
    const scopes = [...new Set(group.map((member) => member.scope))];
    const entry: TeamEntry = {
      scope: scopes[0] ?? '',
      session_id: group[0]?.session_id ?? null,
      name: team,
      protocol: 'files',
      description: null,
      created_at: null,
      ended_at: null,
      deleted: false,
      error: null,
    };
    return { team, session_id: entry.session_id, scope: entry.scope, scopes, entries: [entry], lead: undefined };
  });
}

function teamRow(team: Team, agents: AgentsState, state: TeamsState, facts: TeamFacts, ended: boolean): TeamRow {
  const [main] = team.entries;
  const deleted = team.entries.some((entry) => entry.deleted);
  const members = memberRows(team, agents, state, facts, { ended, deleted });
  const lead = members.find(({ row }) => row.kind === 'lead');
  const isGuest = team.lead === undefined && team.session_id !== null;
  return {
    team: team.team,
    session_id: team.session_id,
    status: deleted ? 'cleaned_up' : statusOf(team.lead, ended),
    protocol: main?.protocol ?? 'files',
    role: team.session_id === null ? null : isGuest ? 'teammate' : 'lead',
    lead: lead?.row.name ?? null,
    description: first(team.entries.map((entry) => entry.description)),
    created_at:
      first(team.entries.map((entry) => entry.created_at)) ?? (isGuest ? null : (team.lead?.started_at ?? null)),
    ended_at:
      first(team.entries.map((entry) => entry.ended_at)) ??
      (ended && !team.lead?.inTurn ? (team.lead?.ended_at ?? null) : null),
    error: first(team.entries.map((entry) => entry.error)),
    members: members.map(({ row }) => row),
    tasks: facts.tasks(team),
    messages: facts.messages(team),
    cost_usd: facts.cost(
      team,
      members.map(({ agent }) => agent),
    ),
  };
}

function statusOf(session: SessionStatus | undefined, ended: boolean): TeamRow['status'] {
  if (session?.over) return 'ended';
  if (session === undefined || !session.stream || !ended) return 'active';
  return session.inTurn ? 'unfinished' : 'ended';
}

function memberRows(
  team: Team,
  agents: AgentsState,
  state: TeamsState,
  facts: TeamFacts,
  over: { ended: boolean; deleted: boolean },
): { row: MemberRow; agent: ResolvedAgent }[] {
  const scopes = new Set(team.scopes);
  const open = groupBy(state.calls.values(), (owner) => owner);
  const groups = new Map<string, { agent: ResolvedAgent; entries: MemberEntry[]; open: number }>();
  for (const entry of state.members.values()) {
    if (!scopes.has(entry.scope)) continue;
    const agent = resolveAgent(agents, entry, entry.id);
    if (agent.kind === null) continue;
    const id = agent.kind === 'lead' && entry.scope === team.scope ? 'lead' : agent.agent;
    const group = groups.get(id) ?? { agent, entries: [], open: 0 };
    group.entries.push(entry);
    group.open += open.get(`${entry.scope} ${entry.id}`)?.length ?? 0;
    groups.set(id, group);
  }
  return [...groups.values()]
    .filter(({ agent, entries }) => agent.kind === 'lead' || entries.some((entry) => entry.joined))
    .map((group) => ({ agent: group.agent, row: memberRow(team, group, state, facts, over) }))
    .sort(
      (a, b) =>
        rank(a.row) - rank(b.row) ||
        compare(a.row.joined_at, b.row.joined_at) ||
        compare(a.row.name, b.row.name) ||
        compare(a.row.agent_id, b.row.agent_id),
    );
}

function memberRow(
  team: Team,
  group: { agent: ResolvedAgent; entries: MemberEntry[]; open: number },
  state: TeamsState,
  facts: TeamFacts,
  over: { ended: boolean; deleted: boolean },
): MemberRow {
  const { agent, entries } = group;
  const kind = agent.kind ?? 'subagent';
  const sum = (field: 'tool_calls' | 'tool_errors') => entries.reduce((total, entry) => total + entry[field], 0);
  const runs = new Set(entries.flatMap((entry) => entry.runs)).size;
  const session = state.sessions.get(team.scope);
  const messages = facts.messagesOf(team, agent.name);
  return {
    name: agent.name,
    agent_id: agent.agent,
    kind,
    agent_type: agent.agent_type,
    model: last([
      ...entries.map((entry) => entry.model),
      kind === 'lead' ? (session?.model ?? null) : null,
      ...entries.map((entry) => entry.ownModel),
    ]),
    color: last(entries.map((entry) => entry.color)),
    status: kind === 'lead' ? leadStatus(session, over) : statusOfMember(kind, entries, session, over),
    task: facts.currentTask(team, agent.name),
    parent: kind === 'lead' ? null : first(entries.map((entry) => entry.parent)),
    joined_at:
      kind === 'lead'
        ? (first(team.entries.map((entry) => entry.created_at)) ?? null)
        : earliest(entries.map((entry) => entry.joined_at)),
    last_seen_at: entries.reduce<string | null>((time, entry) => latest(time, entry.last_seen_at), null),
    runs: Math.max(1, runs),
    tool_calls: sum('tool_calls'),
    tool_errors: sum('tool_errors'),
    open_calls: group.open,
    messages_sent: messages.sent,
    messages_received: messages.received,
    total_tokens: facts.tokens(agent) ?? last(entries.map((entry) => entry.reported_tokens)),
    worktree: last(entries.map((entry) => entry.worktree)),
    cwd: last(entries.map((entry) => entry.cwd)),
    backend: last(entries.map((entry) => entry.backend)),
    plan_mode_required: last(entries.map((entry) => entry.plan_mode_required)),
    error: last(entries.map((entry) => entry.error)),
  };
}

function leadStatus(session: SessionStatus | undefined, { ended }: { ended: boolean }): MemberRow['status'] {
  return session?.over || (ended && session?.stream && !session.inTurn) ? 'finished' : 'active';
}

/** Several ids of one agent: the latest word counts. The end of a teammate's turn leaves it idle. */
function statusOfMember(
  kind: MemberRow['kind'],
  entries: readonly MemberEntry[],
  session: SessionStatus | undefined,
  { ended, deleted }: { ended: boolean; deleted: boolean },
): MemberRow['status'] {
  const told = entries.filter((entry) => entry.status !== null);
  const final =
    told.find((entry) => entry.status === 'shutdown') ?? told.toSorted((a, b) => compare(a.since, b.since)).at(-1);
  const status = final?.status ?? 'active';
  if (kind === 'teammate') {
    if (deleted) return 'shutdown';
    if (status === 'finished') return 'idle';
  }
  return status === 'active' && ended && session?.stream ? 'unknown' : status;
}

function rank({ kind }: MemberRow): number {
  return kind === 'lead' ? 0 : 1;
}

function byTeam(a: TeamRow, b: TeamRow): number {
  return compare(a.created_at, b.created_at) || compare(a.team, b.team) || compare(a.session_id, b.session_id);
}

function compare(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

function first<T>(values: readonly (T | null)[]): T | null {
  return values.find((value) => value !== null) ?? null;
}

function last<T>(values: readonly (T | null)[]): T | null {
  return values.findLast((value) => value !== null) ?? null;
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce<string | null>(
    (time, other) => (time === null || (other !== null && other < time) ? other : time),
    null,
  );
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
