// Findings about teams and who is in them.

import type { Event, EventMap } from '../../core/event/event.js';
import { isAgentWork, scopeOf } from '../../core/state/agents.js';
import { Directory } from '../../core/state/directory.js';
import { keyOf } from '../../core/state/keys.js';
import { getOrCreate, groupBy } from '../../core/state/order.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { type AuditCalls, isBefore, type Spot, spotKey, spotOf } from '../audit/fold.js';
import { rules, teamNamePattern } from '../audit/row.js';
import { type FindingRow, finding, tooFast, tooMany } from '../audit/rows.js';
import type { State } from '../reduce.js';

interface Facts extends Pick<State, 'agents' | 'teams'> {
  readonly audit: { readonly calls: AuditCalls; readonly members: MembersLog };
}

export function teamFindings(facts: Facts): FindingRow[] {
  const directory = new Directory(facts);
  const keyOfAgent = agentKeys(directory);
  return [
    ...takenTeamNames(facts),
    ...takenAgentNames(facts, directory, keyOfAgent),
    ...deletedTooSoon(facts, directory, keyOfAgent),
    ...passedLimits(facts, directory, keyOfAgent),
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
function agentKeys(directory: Directory): Keys {
  return (spot) => {
    const { agent, name } = directory.agent(spot, spot.agent);
    return agent.includes('@') ? keyOf(directory.homeOf(spot), name) : keyOf(spot.session_id, agent);
  };
}

function takenAgentNames({ agents, audit }: Facts, directory: Directory, keyOfAgent: Keys): FindingRow[] {
  const steps = groupBy(audit.members.steps.values(), keyOfAgent);
  const spawned = audit.members.spawned.values().filter(({ tool_use_id }) => {
    const tool = audit.calls.get(tool_use_id)?.tool;
    return tool === undefined || tool === 'Task' || tool === 'Agent';
  });
  const found: FindingRow[] = [];
  const latest = new Map<string, Spawned>();
  for (const agent of spawned) {
    const asked = audit.calls.get(agent.tool_use_id)?.name ?? agent.name;
    const key = keyOf(directory.homeOf(agent), agent.name);
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

function deletedTooSoon({ agents, audit }: Facts, directory: Directory, keyOfAgent: Keys): FindingRow[] {
  const steps = groupBy(audit.members.steps.values(), keyOfAgent);
  const teammates = directory.joined.filter(({ agent }) => agent.kind === 'teammate');
  const byHome = groupBy(teammates, ({ entry }) => directory.homeOf(entry));
  return audit.members.deleted.values().flatMap((deleted) => {
    const here = byHome.get(directory.homeOf({ ...deleted, team: deleted.name })) ?? [];
    const working = here.filter(({ entry }) =>
      isAtWork(steps.get(keyOfAgent({ ...entry, agent: entry.id })) ?? [], deleted),
    );
    const names = [...new Set(working.map(({ agent }) => agent.name))].sort();
    if (names.length === 0) return [];
    const { name: team, tool_use_id } = deleted;
    const detail = `${team} was deleted while ${names.join(', ')} had not been asked to shut down`;
    return finding(agents, 'deleted_with_active_members', deleted, { team, tool_use_id, detail });
  });
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

function passedLimits(facts: Facts, directory: Directory, keyOfAgent: Keys): FindingRow[] {
  const { agents, audit } = facts;
  const founded = eachOnce(audit.members.founded.values().filter(({ protocol }) => protocol !== 'implicit'));
  const calls = [...audit.calls.values()];
  const spawns = calls.filter(({ tool, outcome }) => outcome === 'ok' && (tool === 'Task' || tool === 'Agent'));
  const made = calls.filter(
    ({ tool, outcome, teamName }) =>
      outcome === 'ok' && (tool === 'TeamCreate' || (tool === 'Teammate' && teamName !== null)),
  );
  const rates = (of: typeof calls, rule: 'team_rate' | 'agent_rate' | 'call_rate') =>
    tooFast(of, rules[rule]).map(({ at, detail }) => finding(agents, rule, at, { tool_use_id: at.id, detail }));
  const teams = tooMany(founded, rules.many_teams);
  return [
    ...founded.filter(({ name }) => !teamNamePattern.test(name)).map((team) => oddName(facts, team)),
    ...(teams === null ? [] : [finding(agents, 'many_teams', teams.at, { detail: teams.detail })]),
    ...crowds(facts, directory, keyOfAgent),
    ...rates(made, 'team_rate'),
    ...[...groupBy(spawns, (call) => directory.homeOf(call)).values()].flatMap((group) => rates(group, 'agent_rate')),
    ...rates(calls, 'call_rate'),
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
function crowds({ agents, audit }: Facts, directory: Directory, keyOfAgent: Keys): FindingRow[] {
  const came = new Map<string, Step>();
  for (const step of audit.members.steps.values()) getOrCreate(came, keyOfAgent(step), () => step);
  const others = directory.joined.filter(({ agent: { kind } }) => kind !== null && kind !== 'lead');
  const byScope = groupBy(others, ({ entry }) => entry.scope);
  return directory.teams.flatMap(({ team, session_id, scopes }) => {
    const here = scopes.flatMap((scope) => byScope.get(scope) ?? []);
    const keys = new Set(here.map(({ entry }) => keyOfAgent({ ...entry, agent: entry.id })));
    const arrivals = [...keys].flatMap((key) => came.get(key) ?? []);
    const passed = tooMany(arrivals, rules.many_agents);
    if (passed === null) return [];
    return finding(agents, 'many_agents', passed.at, { session_id, team, agent: null, detail: passed.detail });
  });
}

// How teams and their members came and went, with the time of each step: their state keeps only the last.

export interface MembersLog {
  readonly founded: PersistentMap<Founded>;
  readonly deleted: PersistentMap<Deleted>;
  /** Agents with a name of their own, by the call that spawned them. */
  readonly spawned: PersistentMap<Spawned>;
  readonly steps: PersistentMap<Step>;
}

interface Founded extends Spot {
  readonly name: string;
  readonly tool_use_id: string | null;
  readonly protocol: EventMap['team:created']['protocol'];
  /** Made before our eyes, or read from its config; other teams may have members that were never seen. */
  readonly fromStart: boolean;
}

export interface Deleted extends Spot {
  readonly name: string | null;
  readonly tool_use_id: string | null;
}

export interface Spawned extends Spot {
  readonly name: string;
  readonly tool_use_id: string;
}

/** What became of an agent; its id is that of the spot. */
export interface Step extends Spot {
  readonly to: 'joined' | 'active' | 'idle' | 'leaving' | 'gone';
}

export const noMembersLog: MembersLog = {
  founded: new PersistentMap(),
  deleted: new PersistentMap(),
  spawned: new PersistentMap(),
  steps: new PersistentMap(),
};

export function reduceMembersLog(log: MembersLog, event: Event, at: string | null): MembersLog {
  switch (event.event) {
    case 'team:created':
      return founded(log, event, spotOf(event, at));
    case 'team:deleted':
      return deleted(log, event, spotOf(event, at));
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown': {
      const { agent_id, name } = event.member;
      return stepped(log, { ...spotOf(event, at), agent: agent_id ?? name ?? event.agent }, steps[event.event], null);
    }
    case 'agent:started':
      return isAgentWork(event.task_type) && !event.turn_only ? started(log, event, spotOf(event, at)) : log;
    case 'agent:finished':
      return isAgentWork(event.task_type) ? stepped(log, spotOf(event, at), 'gone', runOf(event)) : log;
    default:
      return log;
  }
}

const steps = {
  'team:member:joined': 'joined',
  'team:member:active': 'active',
  'team:member:idle': 'idle',
  'team:member:shutting_down': 'leaving',
  'team:member:shutdown': 'gone',
} as const;

function founded(log: MembersLog, event: EventMap['team:created'], spot: Spot): MembersLog {
  const { name, protocol, tool_use_id, config_path } = event;
  const scope = scopeOf(event);
  const known = log.founded.get(keyOf(scope, name));
  const fromStart = protocol === 'files' || protocol === 'teammate-tool' || config_path !== null;
  if (known !== undefined && (known.fromStart || !fromStart)) return log;
  const entry = { ...spot, name, tool_use_id, protocol, fromStart };
  return { ...log, founded: log.founded.set(keyOf(scope, name), entry) };
}

function deleted(log: MembersLog, event: EventMap['team:deleted'], spot: Spot): MembersLog {
  const { name, tool_use_id } = event;
  const key = keyOf(scopeOf(event), tool_use_id ?? spotKey(event));
  if (log.deleted.has(key)) return log;
  return { ...log, deleted: log.deleted.set(key, { ...spot, name: name ?? event.team, tool_use_id }) };
}

function started(log: MembersLog, event: EventMap['agent:started'], spot: Spot): MembersLog {
  const { name, tool_use_id, resumed } = event;
  const next = stepped(log, spot, runOf(event) === null ? 'active' : 'joined', runOf(event));
  if (name === null || tool_use_id === null || resumed === true || next.spawned.has(tool_use_id)) return next;
  return { ...next, spawned: next.spawned.set(tool_use_id, { ...spot, name, tool_use_id }) };
}

/** The same start or end may be told by several records, not all of which have a time. */
function runOf({ run_id, tool_use_id }: EventMap['agent:started' | 'agent:finished']): string | null {
  return run_id ?? tool_use_id;
}

function stepped(log: MembersLog, spot: Spot, to: Step['to'], run: string | null): MembersLog {
  const key = keyOf(scopeOf(spot), spot.agent, to, run ?? spotKey(spot));
  return log.steps.has(key) ? log : { ...log, steps: log.steps.set(key, { ...spot, to }) };
}
