import { type AgentsState, type ResolvedAgent, resolveAgent } from '../../core/state/agents.js';
import type { Team } from '../../core/state/directory.js';
import type { MemberEntry } from '../../core/state/members.js';
import { compare, earliestOf, groupBy, last, latest } from '../../core/state/order.js';
import type { SessionStatus, TeamsState } from '../../core/state/teams.js';
import type { AgentWork, WorkState } from '../../core/state/work.js';
import type { MemberRow } from './row.js';
import type { TeamFacts } from './rows.js';

export type { MemberRow } from './row.js';

/** One member of a team, under all its ids. */
interface Group {
  agent: ResolvedAgent;
  /** The sessions it worked in: a teammate may have one of its own. */
  readonly places: Map<string, ResolvedAgent>;
  readonly entries: MemberEntry[];
  readonly work: AgentWork[];
}

/** Who there is and what each did, by scope: found once for all teams. */
export interface Roster {
  readonly members: ReadonlyMap<string, readonly MemberEntry[]>;
  readonly work: ReadonlyMap<string, readonly AgentWork[]>;
}

export function rosterOf(teams: TeamsState, work: WorkState): Roster {
  return {
    members: groupBy(teams.members.values(), (entry) => entry.scope),
    work: groupBy(work.agents.values(), (entry) => entry.scope),
  };
}

export function memberRows(
  team: Team,
  agents: AgentsState,
  state: TeamsState,
  roster: Roster,
  facts: TeamFacts,
  over: { ended: boolean; deleted: boolean },
): { row: MemberRow; places: readonly ResolvedAgent[] }[] {
  const groups = new Map<string, Group>();
  const groupOf = (scope: string, agent: ResolvedAgent): Group => {
    const id = agent.kind === 'lead' && (scope === team.scope || scope === '') ? 'lead' : agent.agent;
    const group = groups.get(id) ?? { agent, places: new Map(), entries: [], work: [] };
    if (group.agent.name === 'main') group.agent = agent;
    group.places.set(`${agent.session_id} ${agent.agent}`, agent);
    groups.set(id, group);
    return group;
  };
  for (const scope of new Set(team.scopes)) {
    for (const entry of roster.members.get(scope) ?? []) {
      const agent = resolveAgent(agents, entry, entry.id);
      if (agent.kind !== null && team.owns(entry)) groupOf(scope, agent).entries.push(entry);
    }
    for (const work of roster.work.get(scope) ?? []) {
      const agent = resolveAgent(agents, work, work.agent);
      if (agent.kind !== null && team.owns(work)) groupOf(scope, agent).work.push(work);
    }
  }
  return [...groups.values()]
    .filter(({ agent, entries }) => agent.kind === 'lead' || entries.some((entry) => entry.joined))
    .map((group) => ({ places: [...group.places.values()], row: memberRow(team, group, agents, state, facts, over) }))
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
  { agent, places, entries: unordered, work }: Group,
  agents: AgentsState,
  state: TeamsState,
  facts: TeamFacts,
  over: { ended: boolean; deleted: boolean },
): MemberRow {
  const kind = agent.kind ?? 'subagent';
  const isLead = kind === 'lead';
  // Ids in the order in which the story told of them last: what was said last counts.
  const entries = unordered.toSorted((a, b) => a.told - b.told || compare(a.id, b.id));
  const sum = (field: 'calls' | 'errors' | 'open') => work.reduce((total, entry) => total + entry[field], 0);
  const session = state.sessions.get(team.scope);
  const messages = facts.messagesOf(team, agent);
  const lead = isLead ? team.lead_id : null;
  const name = lead?.split('@')[0] ?? agent.name;
  return {
    name,
    agent_id: lead ?? agent.agent,
    kind,
    agent_type: agent.agent_type ?? last(entries.map((entry) => entry.agent_type)),
    model: lastModel(work) ?? last([isLead ? (session?.model ?? null) : null, ...entries.map((entry) => entry.model)]),
    color: last(entries.map((entry) => entry.color)),
    status: isLead ? leadStatus(session, over) : statusOfMember(kind, entries, session, over),
    task: facts.currentTask(team, name),
    parent: isLead ? null : parentOf(team, entries, agents),
    joined_at: earliestOf([
      ...(isLead ? [team.created_at, session?.started_at ?? null] : entries.map((entry) => entry.joined_at)),
      ...work.map((entry) => entry.first_seen_at),
    ]),
    last_seen_at: [...entries, ...work].reduce<string | null>((time, entry) => latest(time, entry.last_seen_at), null),
    runs: Math.max(1, new Set(entries.flatMap((entry) => entry.runs)).size),
    tool_calls: sum('calls'),
    tool_errors: sum('errors'),
    open_calls: sum('open'),
    messages_sent: messages.sent,
    messages_received: messages.received,
    total_tokens: facts.tokens([...places.values()]),
    context_tokens: work.reduce<number | null>(
      (most, { reported_tokens: said }) => (said === null ? most : Math.max(most ?? 0, said)),
      null,
    ),
    worktree: last(entries.map((entry) => entry.worktree)),
    cwd: last(entries.map((entry) => entry.cwd)) ?? (isLead ? (session?.cwd ?? null) : ownCwd(team, entries, state)),
    backend: last(entries.map((entry) => entry.backend)),
    plan_mode_required: last(entries.map((entry) => entry.plan_mode_required)),
    error: last(entries.map((entry) => entry.error)),
  };
}

/** Of its own messages. */
function lastModel(work: readonly AgentWork[]): string | null {
  const said = work.filter(({ model }) => model !== null);
  return said.toSorted((a, b) => compare(a.modelAt, b.modelAt) || compare(a.model, b.model)).at(-1)?.model ?? null;
}

/** Of a teammate that works in a session of its own. */
function ownCwd(team: Team, entries: readonly MemberEntry[], { sessions }: TeamsState): string | null {
  const own = entries.filter(({ scope }) => scope !== team.scope);
  return last(own.map(({ scope }) => sessions.get(scope)?.cwd ?? null));
}

/** By the id its own row has; the lead goes by one id in each team. */
function parentOf(team: Team, entries: readonly MemberEntry[], agents: AgentsState): string | null {
  const entry = entries.find(({ parent }) => parent !== null);
  if (entry === undefined) return null;
  const { agent, kind } = resolveAgent(agents, entry, entry.parent);
  return kind === 'lead' ? (team.lead_id ?? agent) : agent;
}

function leadStatus(session: SessionStatus | undefined, { ended }: { ended: boolean }): MemberRow['status'] {
  if (session?.over) return session.broke ?? 'finished';
  if (!ended || !session?.stream) return 'active';
  return session.broke ?? (session.inTurn ? 'unknown' : 'finished');
}

/** Several ids of one agent: the last word counts. The end of a teammate's turn leaves it idle. */
function statusOfMember(
  kind: MemberRow['kind'],
  entries: readonly MemberEntry[],
  session: SessionStatus | undefined,
  { ended, deleted }: { ended: boolean; deleted: boolean },
): MemberRow['status'] {
  const told = entries.filter((entry) => entry.status !== null);
  const final = told.find((entry) => entry.status === 'shutdown') ?? told.at(-1);
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
