// A message is one, however often and wherever it is seen: the call that sends it, its inbox entry, its place in the queue, its arrival.
import { type AgentsState, resolveAgent } from './agents.js';
import type { MessagesState, Sighting } from './messages.js';

export interface JoinedMessage {
  /** The call that sent it, if that is in the input. */
  readonly call: Sighting | null;
  /** Wherever else it was seen, in the order of the input; never empty without a call. */
  readonly seen: readonly Sighting[];
}

interface Bundle extends JoinedMessage {
  readonly seen: Sighting[];
  readonly place: number;
  merged: boolean;
}

/** Messages in the order in which they were first seen. Linear in the number of sightings. */
export function joinMessages(state: MessagesState, agents: AgentsState): JoinedMessage[] {
  const names = new Names(agents);
  const bundles = withinSessions(state.sightings.values(), names);
  mergeAcross(bundles, (bundle) => teamKey(bundle, names), names);
  mergeAcross(bundles, (bundle) => contentKey(first(bundle), names), names);
  return bundles.filter(({ merged }) => !merged).sort((a, b) => a.place - b.place);
}

/** The team a sighting belongs to, as far as it is known by now. */
export function teamOf(
  agents: AgentsState,
  { session_id, team }: Pick<Sighting, 'session_id' | 'team'>,
): string | null {
  // The team of a session whose lead's file is read last is known by its stand-in until then.
  const standIn = session_id === null ? null : `session-${session_id.slice(0, 8)}`;
  return team === null || team === standIn ? resolveAgent(agents, { session_id, team }, null).team : team;
}

/** One name for each agent, also where it is addressed by an id; the lead has several names and is one. */
class Names {
  readonly #agents: AgentsState;

  constructor(agents: AgentsState) {
    this.#agents = agents;
  }

  of(scope: Sighting, who: string | null): string {
    if (who === null) return '';
    if (who === 'team-lead' || who.startsWith('team-lead@')) return 'main';
    const known = resolveAgent(this.#agents, scope, who);
    if (known.kind === 'lead') return 'main';
    return known.name === who ? (who.split('@')[0] ?? who) : known.name;
  }

  team(scope: Sighting): string | null {
    return teamOf(this.#agents, scope);
  }
}

interface Group {
  readonly bundles: Bundle[];
  /** How many of the bundles were seen on this way already. */
  readonly taken: Map<string, number>;
}

/** Each sighting joins the earliest send of its session that was not yet seen on this way; one more than there are sends is the last of them again. */
function withinSessions(sightings: readonly Sighting[], names: Names): Bundle[] {
  const bundles: Bundle[] = [];
  const groups = new Map<string, Group>();
  const add = (key: string, bundle: Bundle) => {
    bundles.push(bundle);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { bundles: [bundle], taken: new Map() });
    else group.bundles.push(bundle);
  };
  const key = (sighting: Sighting, reference = referenceOf(sighting), broadcast = sighting.type === 'broadcast') =>
    `${sighting.session_id ?? `${sighting.team} files`} ${broadcast ? addressed(sighting, names, '*') : contentKey(sighting, names, reference)} ${broadcast ? sighting.body : ''}`;

  for (const [place, sighting] of sightings.entries()) {
    if (sighting.via !== 'call') continue;
    const bundle = { call: sighting, seen: [], place, merged: false };
    if (sighting.status === 'failed') bundles.push(bundle);
    else add(key(sighting), bundle);
  }
  for (const [place, sighting] of sightings.entries()) {
    if (sighting.via === 'call') continue;
    const own = key(sighting);
    // A request that never came back has no id yet; a broadcast reaches everybody as a message.
    const keys = [own, key(sighting, sighting.body), key(sighting, '', true)];
    const home = free(keys, groups, sighting, names) ?? again(keys, groups);
    if (home !== null) home.seen.push(sighting);
    else {
      add(own, { call: null, seen: [sighting], place, merged: false });
      free([own], groups, sighting, names);
    }
  }
  return bundles;
}

function free(keys: string[], groups: Map<string, Group>, sighting: Sighting, names: Names): Bundle | null {
  for (const key of keys) {
    const group = groups.get(key);
    if (group === undefined) continue;
    const way = `${sighting.via} ${names.of(sighting, sighting.to)}`;
    const taken = group.taken.get(way) ?? 0;
    const bundle = group.bundles[taken];
    if (bundle === undefined) continue;
    group.taken.set(way, taken + 1);
    return bundle;
  }
  return null;
}

function again(keys: string[], groups: Map<string, Group>): Bundle | null {
  for (const key of keys) {
    const last = groups.get(key)?.bundles.at(-1);
    if (last?.call) return last;
  }
  return null;
}

/** What was seen in several sessions of a team, or in its files: bundles that share no way are one message. */
function mergeAcross(bundles: Bundle[], keyOf: (bundle: Bundle) => string | null, names: Names): void {
  const live = bundles.filter(({ merged, call }) => !merged && call?.status !== 'failed');
  const sorted = [...live.filter(({ call }) => call !== null), ...live.filter(({ call }) => call === null)];
  const lists = new Map<string, Bundle[]>();
  for (const bundle of sorted) {
    const key = keyOf(bundle);
    if (key === null) continue;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [bundle]);
    else list.push(bundle);
  }
  for (const list of lists.values()) if (list.length > 1) mergeList(list, names);
}

function mergeList(list: readonly Bundle[], names: Names): void {
  /** Bundles before this place are no match for one seen on these ways, and will not become one. */
  const passed = new Map<string, number>();
  for (const [at, bundle] of list.entries()) {
    if (bundle.call !== null) continue;
    const scope = first(bundle);
    const ways = waysOf(bundle);
    const kind = `${[...ways].sort().join()} ${scope.session_id} ${names.team(scope)}`;
    let to = passed.get(kind) ?? 0;
    while (to < at && !canMerge(list[to], bundle, ways, names)) to++;
    passed.set(kind, to);
    const target = to < at ? list[to] : undefined;
    if (target === undefined) continue;
    target.seen.push(...bundle.seen);
    bundle.merged = true;
  }
}

function canMerge(target: Bundle | undefined, bundle: Bundle, ways: ReadonlySet<string>, names: Names): boolean {
  if (target === undefined || target.merged) return false;
  const [a, b] = [first(target), first(bundle)];
  // Two sessions have only their team in common; files without a known team may belong to any session.
  const [one, other] = [names.team(a), names.team(b)];
  const related =
    one === null || other === null || a.request_id !== null
      ? a.session_id === null || b.session_id === null
      : one === other;
  return (related || (one !== null && one === other)) && [...waysOf(target)].every((way) => !ways.has(way));
}

function waysOf({ call, seen }: JoinedMessage): Set<string> {
  return new Set(call === null ? seen.map(({ via }) => via) : ['call', ...seen.map(({ via }) => via)]);
}

function first({ call, seen }: JoinedMessage): Sighting {
  const sighting = call ?? seen[0];
  if (sighting === undefined) throw new Error('a message that was seen nowhere');
  return sighting;
}

function teamKey(bundle: Bundle, names: Names): string | null {
  const team = names.team(first(bundle));
  return team === null ? null : `${team} ${contentKey(first(bundle), names)}`;
}

function contentKey(sighting: Sighting, names: Names, reference = referenceOf(sighting)): string {
  return `${sighting.type} ${addressed(sighting, names, names.of(sighting, sighting.to))} ${reference}`;
}

function addressed(sighting: Sighting, names: Names, to: string): string {
  return `${names.of(sighting, sighting.from ?? sighting.agent)} ${to}`;
}

/** What tells a message from others between the same two. Idle notifications say the same each time. */
function referenceOf({ type, request_id, body, time }: Sighting): string {
  if (request_id !== null) return `request ${request_id}`;
  return type === 'idle_notification' ? `${body} ${time}` : body;
}
