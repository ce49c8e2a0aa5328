// Findings about teams and their members.

import type { Event, EventMap } from '../../core/event/event.js';
import { isAgentWork } from '../../core/event/work.js';
import { getOrCreate } from '../../core/record/json.js';
import { scopeOf } from '../../core/tables/agents.js';
import { Directory } from '../../core/tables/directory.js';
import { groupBy, keyOf } from '../../core/tables/order.js';
import type { State } from '../../core/tables/reduce.js';
import { actOf, canCreateTeam, isSpawnTool } from '../../core/wire/tools/table.js';
import { type AuditCalls, isEarlierSpot, type Spot, spotKey } from '../audit/fold.js';
import { rules, teamNamePattern } from '../audit/row.js';
import { type FindingRow, finding, findingAt, tooFast, tooMany } from '../audit/rows.js';
import { teamRowsOf } from './rows.js';

export function teamFindings(facts: TeamFacts): FindingRow[] {
  const { agents, teams, audit } = facts;
  const directory = new Directory({ agents, teams });
  const keyOfAgent = agentKeys(directory);
  const steps = groupBy(audit.members.steps.values(), keyOfAgent);
  const known = { agents, calls: audit.calls, log: audit.members, directory, keyOfAgent, steps };
  return [
    ...failedAgents(facts),
    ...takenTeamNames(known),
    ...takenAgentNames(known),
    ...deletedTooSoon(known),
    ...passedLimits(known),
    ...crowdedTeams(known),
  ];
}

/** How teams and their members came and went, with the time of each step. The state keeps only the last step. */
export interface MembersLog {
  readonly founded: Map<string, Founded>;
  readonly deleted: Map<string, Deleted>;
  /** Agents with a name of their own, by the call that spawned them. */
  readonly spawned: Map<string, Spawned>;
  readonly steps: Map<string, Step>;
}

export function newMembersLog(): MembersLog {
  return { founded: new Map(), deleted: new Map(), spawned: new Map(), steps: new Map() };
}

export function noteMembers(log: MembersLog, event: Event, spot: Spot): void {
  switch (event.event) {
    case 'team:created':
      return noteFounded(log, event, spot);
    case 'team:deleted': {
      const { name, team, tool_use_id } = event;
      const key = keyOf(scopeOf(event), tool_use_id ?? spotKey(spot));
      getOrCreate(log.deleted, key, () => ({ ...spot, name: name ?? team, tool_use_id }));
      return;
    }
    case 'team:member:joined':
    case 'team:member:active':
    case 'team:member:idle':
    case 'team:member:shutting_down':
    case 'team:member:shutdown': {
      const { agent_id, name } = event.member;
      return noteStep(log, { ...spot, agent: agent_id ?? name ?? event.agent }, memberSteps[event.event], null);
    }
    case 'agent:started':
      if (isAgentWork(event.task_type) && !event.turn_only) noteStarted(log, event, spot);
      return;
    case 'agent:finished':
      // A file that was left behind does not say when the agent ended.
      if (isAgentWork(event.task_type) && event.on_disk !== true) noteStep(log, spot, 'gone', agentRun(event));
  }
}

interface TeamFacts extends State {
  readonly bare?: boolean;
  readonly audit: { readonly calls: AuditCalls; readonly members: MembersLog };
}

interface Known {
  readonly agents: State['agents'];
  readonly calls: AuditCalls;
  readonly log: MembersLog;
  readonly directory: Directory;
  keyOfAgent(spot: Pick<Spot, 'session_id' | 'team' | 'agent'>): string;
  /** The steps of each agent, by its key. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
}

/** Gives all ids of an agent the same key. The id of a teammate is its name, even in a session of its own. */
function agentKeys(directory: Directory): Known['keyOfAgent'] {
  return (spot) => {
    const { agent, name } = directory.agent(spot, spot.agent);
    return agent.includes('@') ? keyOf(directory.homeOf(spot), name) : keyOf(spot.session_id, agent);
  };
}

function failedAgents(facts: TeamFacts): FindingRow[] {
  return teamRowsOf(facts, { ended: true }).flatMap(({ team, session_id, members }) =>
    members
      .filter(({ kind, status }) => kind !== 'lead' && status === 'failed')
      .map(({ name, last_seen_at: time, error }) => {
        const detail = error === null || facts.bare ? `${name} failed` : `${name} failed: ${error.split('\n', 1)[0]}`;
        return findingAt('agent_failed', { time, session_id, team, line: null }, { agent: name, detail });
      }),
  );
}

/** Claude Code gives a team another name if the requested one is taken. */
function takenTeamNames({ agents, calls, log }: Known): FindingRow[] {
  return [...log.founded.values()].flatMap((team) => {
    const { name, tool_use_id } = team;
    const asked = calls.get(tool_use_id ?? '');
    if (asked?.teamName == null || isSpawnTool(asked.tool) || slug(asked.teamName) === slug(name)) return [];
    const detail = `asked for team ${asked.teamName}, got ${name}`;
    return finding(agents, 'duplicate_name', team, { team: name, tool_use_id, detail });
  });
}

/** Claude Code may change spaces and capitals even if the name is free. */
function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function takenAgentNames({ agents, calls, log, directory, keyOfAgent, steps }: Known): FindingRow[] {
  const latest = new Map<string, Spawned>();
  return [...log.spawned.values()].flatMap((spawned) => {
    const { name, tool_use_id } = spawned;
    const call = calls.get(tool_use_id);
    if (call !== undefined && !isSpawnTool(call.tool)) return [];
    const key = keyOf(directory.homeOf(spawned), name);
    const before = latest.get(key);
    latest.set(key, spawned);
    const asked = call?.name ?? name;
    const isRenamed = asked !== name && name.startsWith(`${asked}-`);
    if (!isRenamed && !(before && isThere(steps.get(keyOfAgent(before)) ?? [], spawned))) return [];
    const detail = isRenamed
      ? `asked for the name ${asked}, got ${name}`
      : `${name} was spawned while there was a ${name}`;
    return finding(agents, 'duplicate_name', spawned, { agent: name, tool_use_id, detail });
  });
}

/** Whether the agent had joined and not left just before the spot. */
function isThere(steps: readonly Step[], spot: Spot): boolean {
  const last = lastOf(steps.filter((step) => isEarlierSpot(step, spot)));
  return last !== undefined && last.to !== 'gone';
}

function deletedTooSoon({ agents, log, directory, keyOfAgent, steps }: Known): FindingRow[] {
  const teammates = directory.joined.filter(({ agent }) => agent.kind === 'teammate');
  const byHome = groupBy(teammates, ({ entry }) => directory.homeOf(entry));
  return [...log.deleted.values()].flatMap((deleted) => {
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

/** An agent that was asked to leave does not count as working: it may still write its answer, which no record shows. */
function isAtWork(steps: readonly Step[], deleted: Spot): boolean {
  const before = steps.filter((step) => isEarlierSpot(step, deleted));
  const joined = lastOf(before.filter(({ to }) => to === 'joined'));
  const left = before.some(
    (step) => (step.to === 'leaving' || step.to === 'gone') && joined && isEarlierSpot(joined, step),
  );
  const last = lastOf(before)?.to;
  return !left && (last === 'joined' || last === 'active');
}

function lastOf(steps: readonly Step[]): Step | undefined {
  return steps.reduce<Step | undefined>((last, step) => (last && isEarlierSpot(step, last) ? last : step), undefined);
}

function passedLimits({ agents, calls, log, directory }: Known): FindingRow[] {
  const founded = withoutFileCopies([...log.founded.values()].filter(({ protocol }) => protocol !== 'implicit'));
  const all = [...calls.values()];
  const worked = all.filter(({ outcome }) => outcome === 'ok');
  const spawns = worked.filter(({ tool }) => isSpawnTool(tool));
  const made = worked.filter(
    ({ tool, teamName }) => actOf(tool) === 'createTeam' || (canCreateTeam(tool) && teamName != null),
  );
  const ratesOver = (of: typeof all, rule: 'team_rate' | 'agent_rate' | 'call_rate') =>
    tooFast(of, rules[rule]).map(({ at, detail }) => finding(agents, rule, at, { tool_use_id: at.id, detail }));
  const teams = tooMany(founded, rules.many_teams);
  return [
    ...founded.filter(({ name }) => !teamNamePattern.test(name)).map((team) => oddName(agents, team)),
    ...(teams === null ? [] : [finding(agents, 'many_teams', teams.at, { detail: teams.detail })]),
    ...ratesOver(made, 'team_rate'),
    ...[...groupBy(spawns, (call) => directory.homeOf(call)).values()].flatMap((group) =>
      ratesOver(group, 'agent_rate'),
    ),
    ...ratesOver(all, 'call_rate'),
  ];
}

/** Team files do not name a session. If a session leads a team of that name, the files describe the same team. */
function withoutFileCopies(founded: readonly Founded[]): Founded[] {
  const led = new Set(founded.filter(({ session_id }) => session_id !== null).map(({ name }) => name));
  return founded.filter(({ session_id, name }) => session_id !== null || !led.has(name));
}

function oddName(agents: State['agents'], team: Founded): FindingRow {
  const { name, tool_use_id } = team;
  const detail = `${name} has more in it than small letters, digits and hyphens`;
  return finding(agents, 'team_name_pattern', team, { team: name, tool_use_id, detail });
}

/** Teams with too many agents, not counting the lead. */
function crowdedTeams({ agents, directory, keyOfAgent, steps }: Known): FindingRow[] {
  const others = directory.joined.filter(({ agent: { kind } }) => kind !== null && kind !== 'lead');
  const byScope = groupBy(others, ({ entry }) => entry.scope);
  return directory.teams.flatMap(({ team, session_id, scopes }) => {
    const here = scopes.flatMap((scope) => byScope.get(scope) ?? []);
    const keys = new Set(here.map(({ entry }) => keyOfAgent({ ...entry, agent: entry.id })));
    const arrivals = [...keys].flatMap((key) => steps.get(key)?.[0] ?? []);
    const passed = tooMany(arrivals, rules.many_agents);
    if (passed === null) return [];
    return finding(agents, 'many_agents', passed.at, { session_id, team, agent: null, detail: passed.detail });
  });
}

interface Founded extends Spot {
  readonly name: string;
  readonly tool_use_id: string | null;
  readonly protocol: EventMap['team:created']['protocol'];
  /** The input shows its creation or its config. Other teams may have members that the input never shows. */
  readonly fromStart: boolean;
}

interface Deleted extends Spot {
  readonly name: string | null;
  readonly tool_use_id: string | null;
}

interface Spawned extends Spot {
  readonly name: string;
  readonly tool_use_id: string;
}

/** A change of an agent's status. The spot's `agent` is its id. */
interface Step extends Spot {
  readonly to: 'joined' | 'active' | 'idle' | 'leaving' | 'gone';
}

const memberSteps = {
  'team:member:joined': 'joined',
  'team:member:active': 'active',
  'team:member:idle': 'idle',
  'team:member:shutting_down': 'leaving',
  'team:member:shutdown': 'gone',
} as const;

function noteFounded({ founded }: MembersLog, event: EventMap['team:created'], spot: Spot): void {
  const { name, protocol, tool_use_id, config_path } = event;
  const key = keyOf(scopeOf(event), name);
  const known = founded.get(key);
  const fromStart = protocol === 'files' || protocol === 'teammate-tool' || config_path !== null;
  if (known === undefined || (fromStart && !known.fromStart))
    founded.set(key, { ...spot, name, tool_use_id, protocol, fromStart });
}

function noteStarted(log: MembersLog, event: EventMap['agent:started'], spot: Spot): void {
  const { name, tool_use_id, resumed } = event;
  noteStep(log, spot, agentRun(event) === null ? 'active' : 'joined', agentRun(event));
  if (name !== null && tool_use_id !== null && resumed !== true)
    getOrCreate(log.spawned, tool_use_id, () => ({ ...spot, name, tool_use_id }));
}

/** Identifies a run, because several records may report the same start or end, some without a time. */
function agentRun({ run_id, tool_use_id }: EventMap['agent:started' | 'agent:finished']): string | null {
  return run_id ?? tool_use_id;
}

function noteStep({ steps }: MembersLog, spot: Spot, to: Step['to'], run: string | null): void {
  getOrCreate(steps, keyOf(scopeOf(spot), spot.agent, to, run ?? spotKey(spot)), () => ({ ...spot, to }));
}
