// A message is one, however often and wherever it is seen: the call that sends it, its inbox entry, its place in a queue, its arrival.
import { type AgentsState, resolveAgent, teamOf } from '../../core/state/agents.js';
import { compareOrder, type Order } from '../../core/state/facts.js';
import { getOrCreate } from '../../core/state/order.js';
import type { MessagesState, Sighting } from './fold.js';

export interface JoinedMessage {
  /** The call that sent it, if that is in the input. */
  readonly call: Sighting | null;
  /** Wherever else it was seen; never empty without a call. */
  readonly seen: readonly Sighting[];
  /** It must have arrived, whether that was seen or not: somebody answered it, or it resumed its recipient. */
  readonly arrived: boolean;
}

/**
 * Messages in order of time, whichever file was read first; `asRead`: in the order in which they were read. Takes time in
 * proportion to the sightings.
 */
export function joinMessages(state: MessagesState, agents: AgentsState, { asRead = false } = {}): JoinedMessage[] {
  const bundles = withinSessions(describeAll(state.sightings.values(), agents));
  merge(bundles, byTeam);
  merge(bundles, byFile);
  const isAnswered = answersIn(state);
  const hasArrived = (sighting: Sighting | null) =>
    isAnswered(sighting) || state.starts.has(sighting?.tool_use_id ?? '');
  return bundles
    .filter(({ merged }) => !merged)
    .sort((a, b) => (asRead ? firstRead(a) - firstRead(b) : a.first.place - b.first.place))
    .map(({ call, seen }) => {
      const message = { call: call?.sighting ?? null, seen: seen.map(({ sighting }) => sighting) };
      return { ...message, arrived: [message.call, ...message.seen].some(hasArrived) };
    });
}

function firstRead({ first, seen }: Bundle): number {
  return seen.reduce((seq, { sighting }) => Math.min(seq, sighting.seq), first.sighting.seq);
}

/** Whether a request has an answer anywhere. Also one that was refused, or never came back, knows the request by its id. */
function answersIn({ sightings }: MessagesState): (request: Sighting | null) => boolean {
  const answers = new Set<string>();
  for (const { type, request_id } of sightings.values())
    if (request_id !== null && type.endsWith('_response')) answers.add(`${type} ${request_id}`);
  return (request) =>
    request?.request_id != null &&
    request.type.endsWith('_request') &&
    answers.has(`${request.type.replace(/request$/, 'response')} ${request.request_id}`);
}

/** One message, as far as it is put together. */
interface Bundle {
  readonly call: Described | null;
  readonly seen: Described[];
  readonly first: Described;
  merged: boolean;
}

/** Messages that are alike, one after the other. */
interface Line {
  readonly bundles: Bundle[];
  /** How many of them were seen on this way already. */
  readonly taken: Map<string, number>;
}

/** Each sighting joins the earliest send of its session that was not yet seen on its way; when all were, it is the last of them, seen again. */
function withinSessions(sightings: readonly Described[]): Bundle[] {
  const bundles: Bundle[] = [];
  const sent = new Map<string, Line>();
  const toAnybody = new Map<string, Line>();
  const arrived = new Map<string, Line>();
  for (const call of sightings.filter(({ way }) => way === 'call')) {
    const bundle = { call, seen: [], first: call, merged: false };
    bundles.push(bundle);
    if (call.sighting.status === 'failed') continue;
    lineOf(sent, inSession(call, call.keys[0])).bundles.push(bundle);
    lineOf(toAnybody, inSession(call, call.unnamed)).bundles.push(bundle);
  }
  const others = sightings.filter(({ way }) => way !== 'call');
  // Whoever is named goes first: what is left is for those nobody can name.
  const isNamed = ({ unnamed }: Described) => unnamed === null;
  for (const sighting of [...others.filter(isNamed), ...others.filter((one) => !isNamed(one))]) {
    const keys = sighting.keys.map((key) => inSession(sighting, key));
    const lines = keys.flatMap((key) => sent.get(key) ?? []);
    const seenBefore = keys.flatMap((key) => arrived.get(key) ?? []);
    const home =
      firstFree(lines, sighting) ??
      (sighting.unnamed === null
        ? undefined
        : unseen(toAnybody.get(inSession(sighting, sighting.unnamed)), sighting)) ??
      firstFree(seenBefore, sighting) ??
      // Entries of an inbox are messages, each of them.
      (sighting.sighting.via === 'inbox'
        ? undefined
        : lines.map(({ bundles }) => bundles.at(-1)).find((bundle) => fits(bundle, sighting)));
    if (home !== undefined) home.seen.push(sighting);
    else {
      const bundle = { call: null, seen: [sighting], first: sighting, merged: false };
      bundles.push(bundle);
      const line = lineOf(arrived, keys[0] ?? '');
      line.taken.set(sighting.way, line.bundles.push(bundle));
    }
  }
  return bundles;
}

function inSession({ sighting: { session_id }, team }: Described, key: string | null | undefined): string {
  return `${session_id ?? `files of ${team}`} ${key ?? ''}`;
}

function lineOf(lines: Map<string, Line>, key: string): Line {
  return getOrCreate(lines, key, () => ({ bundles: [], taken: new Map() }));
}

function firstFree(lines: readonly Line[], sighting: Described): Bundle | undefined {
  for (const { bundles, taken } of lines) {
    const at = taken.get(sighting.way) ?? 0;
    const bundle = bundles[at];
    if (!fits(bundle, sighting)) continue;
    taken.set(sighting.way, at + 1);
    return bundle;
  }
  return undefined;
}

/** Nobody knows whose turn it is that got this; it is whom the call was for that nobody else got. */
function unseen(line: Line | undefined, sighting: Described): Bundle | undefined {
  const bundle = nextIn(line, '', ({ seen }) => !seen.some((one) => one.sighting.via === 'envelope'));
  return fits(bundle, sighting) ? bundle : undefined;
}

/** The next of a line to be looked at by all that are alike: what one of them cannot join, the others cannot either. */
function nextIn(line: Line | undefined, like: string, isIt: (bundle: Bundle) => boolean): Bundle | undefined {
  if (line === undefined) return undefined;
  const { bundles, taken } = line;
  let at = taken.get(like) ?? 0;
  for (let bundle = bundles[at]; bundle !== undefined && !isIt(bundle); bundle = bundles[at]) at++;
  taken.set(like, at);
  return bundles[at];
}

/** Nothing arrives before it is sent. Clocks may differ a little, as in a log that was stamped by whoever read it. */
function fits(bundle: Bundle | undefined, { sighting: { time } }: Described): bundle is Bundle {
  if (bundle === undefined) return false;
  const called = bundle.call?.sighting.called ?? null;
  return called === null || time === null || Date.parse(time) > Date.parse(called) - slackMs;
}
const slackMs = 1000;

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
    (a.sighting.session_id === null || b.sighting.session_id === null) &&
    (a.team === null || b.team === null || a.sighting.request_id !== null),
};

/** Bundles that were seen on different ways are one message. */
function merge(bundles: readonly Bundle[], relation: Relation): void {
  const sent = new Map<string, Line>();
  const arrived = new Map<string, Line>();
  const live = bundles.filter(({ merged, call }) => !merged && call?.sighting.status !== 'failed');
  for (const bundle of live) {
    const [key] = related(bundle.first, relation);
    if (key !== undefined) lineOf(bundle.call === null ? arrived : sent, key).bundles.push(bundle);
  }
  for (const bundle of live) {
    if (bundle.call !== null) continue;
    const target = targetOf(bundle, sent, arrived, relation);
    if (target === undefined) continue;
    target.seen.push(...bundle.seen);
    bundle.merged = true;
  }
}

function targetOf(
  { first, seen }: Bundle,
  sent: ReadonlyMap<string, Line>,
  arrived: ReadonlyMap<string, Line>,
  relation: Relation,
): Bundle | undefined {
  const ways = seen.map(({ way }) => way).sort();
  const like = `${first.sighting.session_id} ${first.team} ${ways.join()}`;
  const canTake = (target: Bundle) =>
    !target.merged && relation.holds(target.first, first) && !target.seen.some(({ way }) => ways.includes(way));
  const isBehind = (target: Bundle) => target.first.place >= first.place;
  for (const key of related(first, relation)) {
    const call = nextIn(sent.get(key), like, canTake);
    if (fits(call, first)) return call;
    const other = nextIn(arrived.get(key), like, (target) => isBehind(target) || canTake(target));
    if (other !== undefined && !isBehind(other)) return other;
  }
  return undefined;
}

function related(sighting: Described, { common }: Relation): string[] {
  const shared = common(sighting);
  return shared === null ? [] : sighting.keys.map((key) => `${shared} ${key}`);
}

// What tells whether two sightings are of one message: who wrote to whom, by their names, and what.

interface Described {
  readonly sighting: Sighting;
  /** Its place in the order of time. */
  readonly place: number;
  readonly team: string | null;
  /** A way to see a message, which sees each once: two sightings on one way are two messages, or one that came twice. */
  readonly way: string;
  /** What the sightings of one message have in common; its own first, then those of calls it may stand for. */
  readonly keys: readonly string[];
  /** The same without the recipient, where that is only known by the id of its turn. */
  readonly unnamed: string | null;
}

/** In order of time, each once. */
function describeAll(sightings: readonly Sighting[], agents: AgentsState): Described[] {
  return withoutCopies(ordered(sightings).map((sighting, place) => describe(sighting, place, agents)));
}

function ordered(sightings: readonly Sighting[]): Sighting[] {
  const placed = withTimes(sightings).map(({ sighting, time }) => ({ sighting, order: orderOf(sighting, time) }));
  return placed.sort((a, b) => compareOrder(a.order, b.order)).map(({ sighting }) => sighting);
}

/** One without a time has that of the nearest before it in its file that has one, else after it. */
function withTimes(sightings: readonly Sighting[]): { sighting: Sighting; time: string }[] {
  const last = new Map<string, string>();
  const first = new Map<string, string>();
  const near = [...sightings]
    .sort((a, b) => a.seq - b.seq)
    .map((sighting) => {
      const { source, time, delivered_at } = sighting;
      const now = delivered_at ?? time;
      if (now !== null) last.set(source, now);
      if (now !== null && !first.has(source)) first.set(source, now);
      return { sighting, time: time ?? last.get(source) ?? null };
    });
  return near.map(({ sighting, time }) => ({ sighting, time: time ?? first.get(sighting.source) ?? '' }));
}

/** Files show what was left of what happened. */
function orderOf({ via, source, seq }: Sighting, time: string): Order {
  return { time, rank: via === 'inbox' ? 1 : 0, session: '', source, seq };
}

function describe(sighting: Sighting, place: number, agents: AgentsState): Described {
  const { via, type, request_id, approve, body, time, delivered_at } = sighting;
  const from = nameOf(agents, sighting, sighting.from ?? sighting.agent);
  const to = nameOf(agents, sighting, sighting.to);
  const all = `broadcast ${from} ${body}`;
  // The program says the same each time, and when.
  const said = type === 'idle_notification' || type === 'task_assignment' ? `${body} ${time}` : body;
  const keys = [type === 'broadcast' ? all : `${type} ${from} ${to} ${said}`];
  // The id of a request is known only when its call came back. A plan may be answered twice, once by the program itself.
  if (request_id !== null) keys.unshift(`${type} ${approve} of request ${request_id}`);
  // A broadcast reaches everybody as a message.
  if (type === 'message') keys.push(all);
  const isUnnamed =
    via === 'envelope' && sighting.to === sighting.agent && resolveAgent(agents, sighting, sighting.to).kind === null;
  return {
    sighting,
    place,
    team: teamOf(agents, sighting),
    // A stream without times and a transcript may show the same arrival.
    way: via === 'call' ? via : `${via} ${to}${delivered_at === null ? ' at no time' : ''}`,
    keys,
    unnamed: via === 'call' || isUnnamed ? `${type} ${from} ${said}` : null,
  };
}

/** One name for each agent, also where it is addressed by an id; the lead has several names and is one. */
export function nameOf(agents: AgentsState, scope: Sighting, who: string | null): string {
  if (who === null) return '';
  if (isTeamLead(who)) return 'main';
  const known = resolveAgent(agents, scope, who);
  if (known.kind === 'lead') return 'main';
  return known.name === who ? (who.split('@')[0] ?? who) : known.name;
}

export function isTeamLead(who: string): boolean {
  return who === 'team-lead' || who.startsWith('team-lead@');
}

/** Up to 2.1.140 the file of each turn of a teammate repeats those before it, and a fork the whole session. */
function withoutCopies(sightings: readonly Described[]): Described[] {
  const seen = new Set<string>();
  return sightings.filter(({ sighting, way, keys }) => {
    const { via, time, delivered_at, nth } = sighting;
    if (via === 'call' || via === 'inbox' || time === null) return true;
    const copy = [way, ...keys, time, delivered_at, nth].join(' ');
    return !seen.has(copy) && seen.add(copy);
  });
}
