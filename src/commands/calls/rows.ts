// Collects what rows of calls need besides the calls, MCP servers and agents that were stopped, and makes the rows.
import type { Event } from '../../core/event/event.js';
import { nameOnly } from '../../core/privacy/content.js';
import { getOrCreate, objectOf, textOf } from '../../core/record/json.js';
import { wallTime, zoneNamed } from '../../core/record/zone.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { type Caller, type CallFacts, type Calls, clocks, type Tool } from '../../core/tables/calls/calls.js';
import { agentKey, type ResolvedAgent, resolveAgent, teamOf } from '../../core/tables/directory.js';
import { compare, groupBy, type Place } from '../../core/tables/order.js';
import { newState, type State, type Watcher } from '../../core/tables/reduce.js';
import { matches } from '../../core/wire/interest.js';
import { targetOf } from '../../core/wire/tools/about.js';
import { nameInTool } from '../../core/wire/tools/call-meta.js';
import { type CallFigures, type CallGroupRow, type CallRow, callFields, figureFields } from './row.js';

/** Without session:changed, which reports refusals: it is passed on whenever its record is parsed. */
export const callEvents = ['tool:called', 'tool:returned', 'session:started', 'session:ended', 'hook:fired'] as const;

/** `single`: rows of single calls are wanted, which take more memory. */
export function newCallsState(single: boolean, seed = Math.floor(Math.random() * 2 ** 32)): State {
  return newState({ loops: true, seed, ...(single && { details: targetOf }) });
}

export class CallsFold implements Watcher {
  /** Names of the MCP servers that each session was connected to. */
  readonly servers = new Map<string | null, Set<string>>();
  /** Agents that something else stopped, and when. */
  readonly stops: (Caller & { readonly at: number })[] = [];

  after(event: Event): void {
    if (event.event === 'agent:finished' && event.status === 'stopped' && event.time !== null) {
      const { session_id, team, agent, time } = event;
      this.stops.push({ session_id, team, agent, at: Date.parse(time) });
    }
    if (event.event !== 'session:started') return;
    for (const item of event.mcp_servers ?? []) {
      const server = objectOf(item);
      const name = textOf(server?.name);
      if (name && server?.status === 'connected')
        getOrCreate(this.servers, event.session_id, () => new Set()).add(name);
    }
  }
}

export const callKeys = ['tool', 'agent', 'server', 'session', 'day', 'total', 'call'] as const;
export type CallKey = (typeof callKeys)[number];

const keyFields = {
  tool: ['tool'],
  agent: ['agent', 'name', 'agent_type'],
  server: ['server'],
  session: ['session_id'],
  day: ['day'],
  total: [],
  call: [],
} as const satisfies Record<CallKey, readonly (keyof Keys)[]>;

export interface CallsQuery {
  readonly by: readonly CallKey[];
  readonly session?: string | null;
  readonly team?: string | null;
  includesTime?(at: number): boolean;
  /** The time zone of days. */
  readonly timezone?: string;
  /** Leave out everything that somebody wrote. */
  readonly bare?: boolean;
  /** Globs of tools, and names or ids of agents; empty for all. */
  readonly tools?: readonly string[];
  readonly agents?: readonly string[];
  readonly failed?: boolean;
}

export interface CallsReport {
  readonly rows: readonly (CallGroupRow | CallRow)[];
  /** Absent for single calls. */
  readonly total?: CallFigures;
}

export function reportCalls(
  fold: CallsFold,
  { agents, calls: made }: Pick<State, 'agents' | 'calls'>,
  query: CallsQuery,
): CallsReport {
  const calls = wanted(fold, made, agents, query);
  return query.by.includes('call') ? { rows: singleRows(calls, query) } : groupRows(calls, fold, query);
}

export function rowFields(by: readonly CallKey[]): readonly string[] {
  return by.includes('call') ? callFields : [...keyFieldsOf(by), ...figureFields];
}

/** The fields that each key adds to a row, besides its figures. */
export const fieldsByKey = callKeys
  .map((key) => ({
    when: `with --by ${key}`,
    fields: rowFields([key]).filter((field) => !figureFields.some((figure) => figure === field)),
  }))
  .filter(({ fields }) => fields.length > 0);

export function keyFieldsOf(by: readonly CallKey[]): (keyof Keys)[] {
  return [...new Set(by.flatMap((key) => keyFields[key]))];
}

type Keys = Readonly<Record<Exclude<keyof Whose, 'team'> | keyof Tool | 'day', string | null>>;

/** Who made calls, under the names people know. */
interface Whose extends Place, Pick<ResolvedAgent, 'agent' | 'agent_type'> {
  readonly name: string | null;
}

function whoIsWho(agents: AgentsState, bare: boolean): (caller: Caller) => Whose {
  return lookedUpOnce((caller) => {
    const { agent, name, agent_type } = resolveAgent(agents, caller, caller.agent);
    const { session_id } = caller;
    return { session_id, team: teamOf(agents, caller), agent, name: bare ? nameOnly(name) : name, agent_type };
  });
}

/** A server may be known only by its name inside a tool name, which has no spaces and dots. */
function toolNames({ servers }: CallsFold, calls: Calls): (tool: Tool) => Tool {
  const names = new Map<string, string>();
  const connected = [...servers.values()].flatMap((some) => [...some]);
  for (const server of [...connected, ...calls.tools.map(({ server }) => server)]) {
    const spelled = server === null ? '' : nameInTool(server);
    const known = names.get(spelled);
    if (server !== null && (known === undefined || server < known)) names.set(spelled, server);
  }
  return lookedUpOnce(({ tool, server }) => ({
    tool,
    server: server === null ? null : (names.get(nameInTool(server)) ?? server),
  }));
}

/** Looks each thing up once: there are few of them, and many calls of each. */
function lookedUpOnce<K, T>(find: (key: K) => T): (key: K) => T {
  const found = new Map<K, T>();
  return (key) => getOrCreate(found, key, () => find(key));
}

interface WantedCall {
  readonly call: CallFacts;
  readonly whose: Whose;
  readonly tool: Tool;
}

/** The calls that a query selects. */
function* wanted(fold: CallsFold, calls: Calls, agents: AgentsState, query: CallsQuery): Generator<WantedCall> {
  const { session = null, team = null, bare = false, tools = [], agents: names = [], failed = false } = query;
  const whoseOf = whoIsWho(agents, bare);
  const toolOf = toolNames(fold, calls);
  const wasCut = cutCalls(fold, agents);
  for (const call of calls.all()) {
    const whose = whoseOf(call.caller);
    if (session !== null && whose.session_id !== session) continue;
    if (team !== null && whose.team !== team) continue;
    if (failed && !call.failed) continue;
    if (tools.length > 0 && !tools.some((glob) => matches(glob, call.tool.tool))) continue;
    if (names.length > 0 && !names.some((name) => name === whose.name || name === whose.agent)) continue;
    if (query.includesTime?.(call.at) === false) continue;
    yield { call: call.denied && wasCut(call) ? { ...call, denied: false } : call, whose, tool: toolOf(call.tool) };
  }
}

/** Whether its agent was stopped during a call. Claude Code then says in the words of a refusal that it did not run. */
function cutCalls({ stops }: CallsFold, agents: AgentsState): (call: CallFacts) => boolean {
  const callerKey = (caller: Caller) => agentKey(agents, caller, caller.agent ?? 'main');
  const times = groupBy(stops, callerKey);
  return ({ caller, at, ms }) =>
    ms !== null && (times.get(callerKey(caller)) ?? []).some((stop) => at <= stop.at && stop.at <= at + ms + lag);
}

/** The lead may note the stop after the agent noted the end of its call, in milliseconds. */
const lag = 1000;

// Groups of calls.

function groupRows(calls: Iterable<WantedCall>, fold: CallsFold, query: CallsQuery): CallsReport {
  const fields = keyFieldsOf(query.by);
  const zone = zoneNamed(query.timezone ?? 'UTC');
  const isByDay = fields.includes('day');
  const groups = new Map<string, CallGroup>();
  const groupFor = (keys: Keys) => {
    const own = fields.map((field) => keys[field]);
    return getOrCreate(groups, JSON.stringify(own), () => new CallGroup(own));
  };
  const total = new CallGroup([]);
  // Calls of the same day are in the same group, as far as their caller and tool matter.
  const isByCaller = query.by.includes('agent') || query.by.includes('session');
  const isByTool = query.by.includes('tool') || query.by.includes('server');
  const groupOf = lookedUpOnce((whose: Whose | null) =>
    lookedUpOnce((tool: Tool | null) =>
      lookedUpOnce((day: string | null) => groupFor({ ...noKeys, ...whose, ...tool, day })),
    ),
  );
  for (const { call, whose, tool } of calls) {
    const day = isByDay && !Number.isNaN(call.at) ? wallTime(zone, call.at).slice(0, 10) : null;
    groupOf(isByCaller ? whose : null)(isByTool ? tool : null)(day).addCall(call);
    total.addCall(call);
  }
  if (fields.includes('server'))
    for (const keys of unusedServers(fold, query, [...groups.values()], fields)) groupFor(keys);
  if (fields.length === 0) groupFor(noKeys);
  const rows = [...groups.values()].sort((a, b) => compareKeys(a.keys, b.keys));
  return {
    rows: rows.map((group) => ({
      ...Object.fromEntries(fields.map((field, place) => [field, group.keys[place] ?? null])),
      ...group.toFigures(),
    })),
    total: total.toFigures(),
  };
}

/** Servers that were connected but have no row; per session, if that is a key. */
function unusedServers(
  { servers }: CallsFold,
  { session = null }: CallsQuery,
  groups: readonly CallGroup[],
  fields: readonly (keyof Keys)[],
): Keys[] {
  const bySession = fields.includes('session_id');
  const serverPlace = (server: unknown, session_id: unknown) => JSON.stringify([server, bySession ? session_id : null]);
  const used = new Set(
    groups.map(({ keys }) => serverPlace(keys[fields.indexOf('server')], keys[fields.indexOf('session_id')])),
  );
  return [...servers].flatMap(([session_id, connected]) =>
    session !== null && session !== session_id
      ? []
      : [...connected]
          .filter((server) => !used.has(serverPlace(server, session_id)))
          .map((server) => ({ ...noKeys, server, session_id })),
  );
}

const noKeys: Keys = {
  ...{ tool: null, agent: null, name: null, agent_type: null },
  ...{ server: null, session_id: null, day: null },
};

class CallGroup {
  readonly #sums = { calls: 0, errors: 0, denied: 0, open: 0, input_bytes: 0, result_bytes: 0, repeated: 0 };
  #lastAt = Number.NEGATIVE_INFINITY;
  /** The index of the weakest clock. */
  #clock = -1;
  /** Duration in milliseconds → how many calls took that long. */
  readonly #times = new Map<number, number>();

  constructor(readonly keys: readonly (string | null)[]) {}

  addCall({ at, open, failed, denied, repeated, ms, clock, input_bytes, result_bytes }: CallFacts): void {
    const sums = this.#sums;
    sums.calls++;
    if (failed) sums.errors++;
    if (denied) sums.denied++;
    if (open) sums.open++;
    if (repeated) sums.repeated++;
    sums.input_bytes += input_bytes;
    sums.result_bytes += result_bytes ?? 0;
    if (at > this.#lastAt) this.#lastAt = at;
    if (ms === null || clock === null) return;
    this.#times.set(ms, (this.#times.get(ms) ?? 0) + 1);
    this.#clock = Math.max(this.#clock, clocks.indexOf(clock));
  }

  toFigures(): CallFigures {
    const { calls, errors, denied, open, ...sums } = this.#sums;
    const times = [...this.#times].sort(([a], [b]) => a - b);
    const count = times.reduce((sum, [, calls]) => sum + calls, 0);
    return {
      ...{ calls, errors, denied, open },
      ms_total: count === 0 ? null : times.reduce((sum, [ms, calls]) => sum + ms * calls, 0),
      ms_p50: nearestRank(times, Math.ceil(0.5 * count)),
      ms_p95: nearestRank(times, Math.ceil(0.95 * count)),
      ms_max: times.at(-1)?.[0] ?? null,
      clock: clocks[this.#clock] ?? null,
      ...sums,
      last_used_at: this.#lastAt > Number.NEGATIVE_INFINITY ? timeAt(this.#lastAt) : null,
    };
  }
}

/** The duration of the call at this rank, from 1; null if there is none. */
function nearestRank(times: readonly (readonly [ms: number, calls: number])[], place: number): number | null {
  let before = 0;
  for (const [ms, calls] of times) {
    before += calls;
    if (before >= place) return ms;
  }
  return null;
}

/** By one key after the other; null comes last. */
function compareKeys(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [at, key] of a.entries()) {
    const other = b[at] ?? null;
    if (key === other) continue;
    return key === null || other === null ? (key === null ? 1 : -1) : key < other ? -1 : 1;
  }
  return 0;
}

// Single calls.

/** Ordered by time. Calls without a time come last, in input order. */
function singleRows(calls: Iterable<WantedCall>, query: CallsQuery): CallRow[] {
  const found = [...calls].sort(
    (a, b) =>
      compareKeys([timeAt(a.call.at)], [timeAt(b.call.at)]) ||
      compare(a.whose.session_id, b.whose.session_id) ||
      (a.call.details?.line ?? 0) - (b.call.details?.line ?? 0) ||
      compare(a.call.details?.id ?? '', b.call.details?.id ?? ''),
  );
  return found.map(({ call, whose, tool }) => {
    const { at, details, open, failed, ms, clock, input_bytes, result_bytes } = call;
    return {
      time: timeAt(at),
      session_id: whose.session_id,
      team: whose.team,
      agent: whose.agent,
      name: whose.name,
      ...tool,
      target: query.bare ? null : (details?.about ?? null),
      tool_use_id: details?.id || null,
      ms,
      clock,
      is_error: open ? null : failed,
      error: query.bare ? null : (details?.error ?? null),
      input_bytes,
      result_bytes,
      parallel: details?.parallel ?? 0,
      line: details?.line ?? null,
    };
  });
}

/** NaN is an unknown time. */
function timeAt(at: number): string | null {
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
