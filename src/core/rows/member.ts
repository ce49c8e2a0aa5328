import { type AgentsState, type ResolvedAgent, resolveAgent } from '../state/agents.js';
import type { MemberEntry } from '../state/member-entry.js';
import type { SessionStatus } from '../state/session-status.js';
import type { TeamsState } from '../state/teams.js';
import { latest } from '../state/time.js';
import type { Team } from './find-teams.js';
import type { MemberRow } from './member-schema.js';
import { compare, earliest, first, groupBy, last } from './pick.js';
import type { TeamFacts } from './team.js';

export type { MemberRow } from './member-schema.js';

/** In the order of the schema, which is not made just to print a row. */
export const memberFields = [
  'name',
  'agent_id',
  'kind',
  'agent_type',
  'model',
  'color',
  'status',
  'task',
  'parent',
  'joined_at',
  'last_seen_at',
  'runs',
  'tool_calls',
  'tool_errors',
  'open_calls',
  'messages_sent',
  'messages_received',
  'total_tokens',
  'worktree',
  'cwd',
  'backend',
  'plan_mode_required',
  'error',
] as const satisfies readonly (keyof MemberRow)[];

/** Who there is, by where, and how many calls each has open: found once for all teams. */
export interface Roster {
  /** Of these scopes, in the order in which they were first heard of. */
  membersOf(scopes: readonly string[]): MemberEntry[];
  openCalls(entry: MemberEntry): number;
}

export function rosterOf(state: TeamsState): Roster {
  const places = new Map<MemberEntry, number>();
  for (const entry of state.members.values()) places.set(entry, places.size);
  const byScope = groupBy([...places.keys()], (entry) => entry.scope);
  const open = new Map<string, number>();
  for (const owner of state.calls.values()) open.set(owner, (open.get(owner) ?? 0) + 1);
  return {
    membersOf(scopes) {
      const [only, ...others] = new Set(scopes);
      if (others.length === 0) return byScope.get(only ?? '') ?? [];
      const all = [only ?? '', ...others].flatMap((scope) => byScope.get(scope) ?? []);
      return all.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    },
    openCalls: (entry) => (open.size === 0 ? 0 : (open.get(`${entry.scope} ${entry.id}`) ?? 0)),
  };
}

export function memberRows(
  team: Team,
  agents: AgentsState,
  state: TeamsState,
  roster: Roster,
  facts: TeamFacts,
  over: { ended: boolean; deleted: boolean },
): { row: MemberRow; agent: ResolvedAgent }[] {
  const groups = new Map<string, { agent: ResolvedAgent; entries: MemberEntry[]; open: number }>();
  for (const entry of roster.membersOf(team.scopes)) {
    const agent = resolveAgent(agents, entry, entry.id);
    if (agent.kind === null) continue;
    const id = agent.kind === 'lead' && (entry.scope === team.scope || entry.scope === '') ? 'lead' : agent.agent;
    const group = groups.get(id) ?? { agent, entries: [], open: 0 };
    if (group.agent.name === 'main') group.agent = agent;
    group.entries.push(entry);
    group.open += roster.openCalls(entry);
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
    told.find((entry) => entry.status === 'shutdown') ??
    told.toSorted((a, b) => compare(a.since, b.since) || a.told - b.told).at(-1);
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
