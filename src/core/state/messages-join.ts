// A message is one, however often and wherever it is seen: the call that sends it, its inbox entry, its place in a queue, its arrival.
import { type AgentsState, resolveAgent } from './agents.js';
import { compareOrder, type Order } from './facts.js';
import type { MessagesState, Sighting } from './messages.js';

export interface JoinedMessage {
  /** The call that sent it, if that is in the input. */
  readonly call: Sighting | null;
  /** Wherever else it was seen; never empty without a call. */
  readonly seen: readonly Sighting[];
}

/**
 * Messages in the order in which they were first seen, that of law 7; `asRead`: in which they were read. Takes time in
 * proportion to the sightings.
 */
export function joinMessages(state: MessagesState, agents: AgentsState, { asRead = false } = {}): JoinedMessage[] {
  const all = state.sightings.values();
  const sightings = (asRead ? all : ordered(all)).map((sighting, place) => describe(sighting, place, agents));
  const bundles = withinSessions(sightings);
  merge(bundles, byTeam);
  merge(bundles, byFile);
  return bundles
    .filter(({ merged }) => !merged)
    .sort((a, b) => a.first.place - b.first.place)
    .map(({ call, seen }) => ({ call: call?.sighting ?? null, seen: seen.map(({ sighting }) => sighting) }));
}

/** One stream is read in its order; files are one input, whichever is read first. */
function ordered(sightings: Sighting[]): Sighting[] {
  if (sightings.every(({ source }) => source === '')) return sightings;
  const placed = sightings.map((sighting) => ({ sighting, order: orderOf(sighting) }));
  return placed.sort((a, b) => compareOrder(a.order, b.order)).map(({ sighting }) => sighting);
}

function orderOf({ time, near, session_id, source, seq }: Sighting): Order {
  return { time: time ?? near ?? '', rank: 0, session: session_id ?? '', source, seq };
}

/** The team a sighting belongs to, as far as it is known by now. */
export function teamOf(
  agents: AgentsState,
  { session_id, team }: Pick<Sighting, 'session_id' | 'team'>,
): string | null {
  // Until the lead's file is read, the team of a session may be known only by a stand-in.
  const standIn = session_id === null ? null : `session-${session_id.slice(0, 8)}`;
  return team === null || team === standIn ? resolveAgent(agents, { session_id, team }, null).team : team;
}

interface Described {
  readonly sighting: Sighting;
  readonly place: number;
  readonly session: string | null;
  readonly team: string | null;
  /** A way to see a message, which sees each once: two sightings on one way are two messages, or one that came twice. */
  readonly way: string;
  /** What the sightings of one message have in common; its own first, then those of calls it may stand for. */
  readonly keys: readonly string[];
}

function describe(sighting: Sighting, place: number, agents: AgentsState): Described {
  const { session_id, via, type, request_id, body, time } = sighting;
  const from = nameOf(agents, sighting, sighting.from ?? sighting.agent);
  const to = nameOf(agents, sighting, sighting.to);
  const all = `broadcast ${from} ${body}`;
  // Idle notifications say the same each time.
  const said = type === 'idle_notification' ? `${body} ${time}` : body;
  const keys = [type === 'broadcast' ? all : `${type} ${from} ${to} ${said}`];
  // The id of a request is known only when its call came back.
  if (request_id !== null) keys.unshift(`${type} of request ${request_id}`);
  // A broadcast reaches everybody as a message.
  if (type === 'message') keys.push(all);
  return {
    sighting,
    place,
    session: session_id,
    team: teamOf(agents, sighting),
    way: via === 'call' ? via : `${via} ${to}`,
    keys,
  };
}

/** One name for each agent, also where it is addressed by an id; the lead has several names and is one. */
function nameOf(agents: AgentsState, scope: Sighting, who: string | null): string {
  if (who === null) return '';
  if (who === 'team-lead' || who.startsWith('team-lead@')) return 'main';
  const known = resolveAgent(agents, scope, who);
  if (known.kind === 'lead') return 'main';
  return known.name === who ? (who.split('@')[0] ?? who) : known.name;
}

interface Bundle {
  readonly call: Described | null;
  readonly seen: Described[];
  readonly first: Described;
  merged: boolean;
}

interface Group {
  readonly bundles: Bundle[];
  /** How many of the bundles were seen on this way already. */
  readonly taken: Map<string, number>;
}

/** Each sighting joins the earliest send of its session that was not yet seen on its way; when all were, it is the last of them, seen again. */
function withinSessions(sightings: readonly Described[]): Bundle[] {
  const bundles: Bundle[] = [];
  const groups = new Map<string, Group>();
  const open = (bundle: Bundle) => {
    bundles.push(bundle);
    if (bundle.call?.sighting.status === 'failed') return;
    const key = scoped(bundle.first)[0] ?? '';
    const group: Group = groups.get(key) ?? { bundles: [], taken: new Map() };
    groups.set(key, group);
    group.bundles.push(bundle);
  };
  for (const call of sightings) {
    if (call.way === 'call') open({ call, seen: [], first: call, merged: false });
  }
  for (const sighting of sightings) {
    if (sighting.way === 'call') continue;
    const found = scoped(sighting).flatMap((key) => groups.get(key) ?? []);
    const home = earliest(found, sighting.way) ?? found.map(({ bundles }) => bundles.at(-1)).find((last) => last?.call);
    if (home) home.seen.push(sighting);
    else {
      open({ call: null, seen: [sighting], first: sighting, merged: false });
      earliest([groups.get(scoped(sighting)[0] ?? '') ?? noGroup], sighting.way);
    }
  }
  return bundles;
}
const noGroup: Group = { bundles: [], taken: new Map() };

function scoped({ session, team, keys }: Described): string[] {
  return keys.map((key) => `${session ?? `files of ${team}`} ${key}`);
}

function earliest(groups: readonly Group[], way: string): Bundle | undefined {
  for (const { bundles, taken } of groups) {
    const at = taken.get(way) ?? 0;
    const bundle = bundles[at];
    if (bundle === undefined) continue;
    taken.set(way, at + 1);
    return bundle;
  }
  return undefined;
}

interface Relation {
  /** What related sightings have in common besides their keys; null for one that has no relations. */
  common(sighting: Described): string | null;
  holds(a: Described, b: Described): boolean;
}

/** Sessions of one team, and its files. */
const byTeam: Relation = {
  common: ({ team }) => team,
  holds: () => true,
};

/** Files that do not say which team they belong to, or are kept under another: 2.1.325 puts shutdown requests into one called default. */
const byFile: Relation = {
  common: () => '',
  holds: (a, b) =>
    (a.session === null || b.session === null) &&
    (a.team === null || b.team === null || a.sighting.request_id !== null),
};

/** Bundles that were seen on different ways are one message. */
function merge(bundles: readonly Bundle[], relation: Relation): void {
  const live = bundles.filter(({ merged, call }) => !merged && call?.sighting.status !== 'failed');
  const received = live.filter(({ call }) => call === null);
  const lists = new Map<string, Bundle[]>();
  for (const bundle of [...live.filter(({ call }) => call !== null), ...received]) {
    const key = related(bundle.first, relation)[0];
    if (key === undefined) continue;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [bundle]);
    else list.push(bundle);
  }
  /** Bundles before this place of a list are no match for one like this, and will not become one. */
  const passed = new Map<string, number>();
  for (const bundle of received) {
    const ways = bundle.seen.map(({ way }) => way);
    const like = `${bundle.first.session} ${bundle.first.team} ${ways.sort().join()}`;
    for (const key of related(bundle.first, relation)) {
      const list = lists.get(key) ?? [];
      let at = passed.get(`${like} ${key}`) ?? 0;
      while (isBefore(list[at], bundle) && !canTake(list[at], bundle, ways, relation)) at++;
      passed.set(`${like} ${key}`, at);
      const target = list[at];
      if (target === undefined || !isBefore(target, bundle)) continue;
      target.seen.push(...bundle.seen);
      bundle.merged = true;
      break;
    }
  }
}

function related(sighting: Described, { common }: Relation): string[] {
  const shared = common(sighting);
  return shared === null ? [] : sighting.keys.map((key) => `${shared} ${key}`);
}

function isBefore(target: Bundle | undefined, bundle: Bundle): boolean {
  return target !== undefined && (target.call !== null || target.first.place < bundle.first.place);
}

function canTake(target: Bundle | undefined, bundle: Bundle, ways: readonly string[], { holds }: Relation): boolean {
  if (target === undefined || target.merged || !holds(target.first, bundle.first)) return false;
  return !target.seen.some(({ way }) => ways.includes(way));
}
