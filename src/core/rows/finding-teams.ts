// Findings about teams and who is in them.
import { type AgentsState, resolveAgent } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import { limits, teamNamePattern } from '../state/audit-limits.js';
import type { Founded, Spawned, Step } from '../state/audit-members.js';
import { isBefore, type Spot } from '../state/audit-spot.js';
import type { MemberEntry } from '../state/member-entry.js';
import { keyOf } from '../state/tasks-place.js';
import { findTeams } from './find-teams.js';
import { type FindingRow, finding } from './finding.js';
import { callFindings } from './finding-calls.js';
import type { HomeOf } from './finding-home.js';
import { tooFast, tooMany } from './finding-limits.js';
import { groupBy } from './pick.js';

export function teamFindings(facts: Facts, homeOf: HomeOf): FindingRow[] {
  const keyOfAgent = agentKeys(facts, homeOf);
  return [
    ...callFindings(facts, 'teams'),
    ...takenTeamNames(facts),
    ...takenAgentNames(facts, homeOf, keyOfAgent),
    ...deletedTooSoon(facts, homeOf, keyOfAgent),
    ...passedLimits(facts, homeOf, keyOfAgent),
  ];
}

/** The program gives a team another name when the one asked for is taken. */
function takenTeamNames({ agents, audit }: Facts): FindingRow[] {
  return audit.members.founded.values().flatMap((team) => {
    const asked = audit.calls.get(team.tool_use_id ?? '');
    if (asked?.teamName == null || asked.tool === 'Task' || asked.tool === 'Agent') return [];
    if (slug(asked.teamName) === slug(team.name)) return [];
    const detail = `asked for team ${asked.teamName}, got ${team.name}`;
    return finding(agents, 'duplicate_name', team, { team: team.name, tool_use_id: team.tool_use_id, detail });
  });
}

/** Spaces and capitals may be changed without anybody having the name. */
function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

type Keys = (spot: Pick<Spot, 'session_id' | 'team' | 'agent'>) => string;

/** One key for every id of an agent. A teammate has its name for an id, also where it speaks for itself in a session of its own. */
function agentKeys({ agents }: Facts, homeOf: HomeOf): Keys {
  return (spot) => {
    const { agent, name } = resolveAgent(agents, spot, spot.agent);
    return agent.includes('@') ? keyOf(homeOf(spot), name) : keyOf(spot.session_id, agent);
  };
}

function takenAgentNames({ agents, audit }: Facts, homeOf: HomeOf, keyOfAgent: Keys): FindingRow[] {
  const steps = groupBy(audit.members.steps.values(), keyOfAgent);
  const spawned = audit.members.spawned.values().filter(({ tool_use_id }) => {
    const tool = audit.calls.get(tool_use_id)?.tool;
    return tool === undefined || tool === 'Task' || tool === 'Agent';
  });
  const found: FindingRow[] = [];
  const latest = new Map<string, Spawned>();
  for (const agent of spawned) {
    const asked = audit.calls.get(agent.tool_use_id)?.name ?? agent.name;
    const key = keyOf(homeOf(agent), agent.name);
    const before = latest.get(key);
    latest.set(key, agent);
    const taken =
      asked !== agent.name && agent.name.startsWith(`${asked}-`)
        ? `asked for the name ${asked}, got ${agent.name}`
        : before !== undefined && isThere(steps.get(keyOfAgent(before)) ?? [], agent)
          ? `${agent.name} was spawned while there was a ${agent.name}`
          : null;
    if (taken !== null)
      found.push(
        finding(agents, 'duplicate_name', agent, { agent: agent.name, tool_use_id: agent.tool_use_id, detail: taken }),
      );
  }
  return found;
}

/** An agent that has come and not gone, just before a spot. */
function isThere(steps: readonly Step[], spot: Spot): boolean {
  const last = lastOf(steps.filter((step) => isBefore(step, spot)));
  return last !== undefined && last.to !== 'gone';
}

function deletedTooSoon({ agents, teams, audit }: Facts, homeOf: HomeOf, keyOfAgent: Keys): FindingRow[] {
  const steps = groupBy(audit.members.steps.values(), keyOfAgent);
  const mates = groupBy(
    teams.members.values().filter((member) => member.joined && isTeammate(agents, member)),
    homeOf,
  );
  return audit.members.deleted.values().flatMap((deleted) => {
    const here = mates.get(homeOf({ ...deleted, team: deleted.name })) ?? [];
    const working = here.filter((member) =>
      isAtWork(steps.get(keyOfAgent({ ...member, agent: member.id })) ?? [], deleted),
    );
    const names = [...new Set(working.map((member) => resolveAgent(agents, member, member.id).name))].sort();
    if (names.length === 0) return [];
    const detail = `${deleted.name} was deleted while ${names.join(', ')} had not been asked to shut down`;
    return finding(agents, 'deleted_with_active_members', deleted, {
      team: deleted.name,
      tool_use_id: deleted.tool_use_id,
      detail,
    });
  });
}

function isTeammate(agents: AgentsState, member: MemberEntry): boolean {
  return resolveAgent(agents, member, member.id).kind === 'teammate';
}

/** Whoever was asked to leave may still be busy with its answer, which nobody sees come back. */
function isAtWork(steps: readonly Step[], deleted: Spot): boolean {
  const before = steps.filter((step) => isBefore(step, deleted));
  const joined = lastOf(before.filter(({ to }) => to === 'joined'));
  const left = before.some((step) => (step.to === 'leaving' || step.to === 'gone') && joined && isBefore(joined, step));
  const last = lastOf(before)?.to;
  return !left && (last === 'joined' || last === 'active');
}

function lastOf(steps: readonly Step[]): Step | undefined {
  return steps.reduce<Step | undefined>((last, step) => (last && isBefore(step, last) ? last : step), undefined);
}

function passedLimits(facts: Facts, homeOf: HomeOf, keyOfAgent: Keys): FindingRow[] {
  const { agents, audit } = facts;
  const founded = eachOnce(audit.members.founded.values().filter(({ protocol }) => protocol !== 'implicit'));
  const calls = audit.calls.values();
  const spawns = calls.filter(({ tool, outcome }) => outcome === 'ok' && (tool === 'Task' || tool === 'Agent'));
  const made = calls.filter(
    ({ tool, outcome, teamName }) =>
      outcome === 'ok' && (tool === 'TeamCreate' || (tool === 'Teammate' && teamName !== null)),
  );
  const teams = tooMany(founded, limits.teams);
  return [
    ...founded.filter(({ name }) => !teamNamePattern.test(name)).map((team) => oddName(facts, team)),
    ...(teams === null ? [] : [finding(agents, 'many_teams', teams.at, { detail: teams.detail })]),
    ...crowds(facts, keyOfAgent),
    ...tooFast(made, limits.teamRate).map(({ at, detail }) =>
      finding(agents, 'team_rate', at, { tool_use_id: at.id, detail }),
    ),
    ...[...groupBy(spawns, homeOf).values()]
      .flatMap((group) => tooFast(group, limits.agentRate))
      .map(({ at, detail }) => finding(agents, 'agent_rate', at, { tool_use_id: at.id, detail })),
    ...tooFast(calls, limits.callRate).map(({ at, detail }) =>
      finding(agents, 'call_rate', at, { tool_use_id: at.id, detail }),
    ),
  ];
}

/** The files of a team name no session: where its lead is known, they tell of the same team. */
function eachOnce(founded: readonly Founded[]): Founded[] {
  const led = new Set(founded.filter(({ session_id }) => session_id !== null).map(({ name }) => name));
  return founded.filter(({ session_id, name }) => session_id !== null || !led.has(name));
}

function oddName({ agents }: Facts, team: Founded): FindingRow {
  const detail = `${team.name} has more in it than small letters, digits and hyphens`;
  return finding(agents, 'team_name_pattern', team, { team: team.name, tool_use_id: team.tool_use_id, detail });
}

/** Teams with too many agents in them, the lead not counted. */
function crowds({ agents, teams, audit }: Facts, keyOfAgent: Keys): FindingRow[] {
  const came = new Map<string, Step>();
  for (const step of audit.members.steps.values()) {
    const key = keyOfAgent(step);
    if (!came.has(key)) came.set(key, step);
  }
  const members = teams.members.values().filter((member) => {
    const { kind } = resolveAgent(agents, member, member.id);
    return member.joined && kind !== null && kind !== 'lead';
  });
  const byScope = groupBy(members, ({ scope }) => scope);
  return findTeams(teams).flatMap(({ team, session_id, scopes }) => {
    const here = scopes.flatMap((scope) => byScope.get(scope) ?? []);
    const keys = new Set(here.map((member) => keyOfAgent({ ...member, agent: member.id })));
    const passed = tooMany(
      [...keys].flatMap((key) => came.get(key) ?? []),
      limits.agents,
    );
    if (passed === null) return [];
    return finding(agents, 'many_agents', passed.at, { session_id, team, agent: null, detail: passed.detail });
  });
}
