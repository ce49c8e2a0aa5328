// Joins the sightings of a message: the call that sends it, its inbox entry, its place in a queue, its arrival.
import { getOrCreate } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import { agentNamed, leadSession, type ResolvedAgent, resolveAgent, teamOf } from '../../core/tables/directory.js';
import { compareOrder } from '../../core/tables/facts.js';
import { memoizeLast } from '../../core/tables/order.js';
import { isLost, type MessagesState, type Sighting } from '../../core/tables/sends.js';

export interface JoinedMessage {
  /** The call that sent it, if it is in the input. */
  readonly call: Sighting | null;
  /** The other sightings. Not empty if there is no call. */
  readonly seen: readonly Sighting[];
  /** It must have arrived, even if no record shows it: it was answered, or it resumed its recipient. */
  readonly arrived: boolean;
}

/** Messages ordered by time, whichever file was read first; `asRead`: in reading order. Takes linear time. */
export function joinMessages(state: MessagesState, agents: AgentsState, { asRead = false } = {}): JoinedMessage[] {
  const bundles = withinSessions(describeAll(state.sightings.values(), agents));
  mergeRelated(bundles, byTeam);
  mergeRelated(bundles, byFile);
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

/** One name per agent, even if it is addressed by an id. All names of the lead become `main`. */
export function sharedName(agents: AgentsState, scope: Sighting, who: string | null): string {
  if (who === null) return '';
  if (isTeamLead(who)) return 'main';
  const known = agentBehind(agents, scope, who);
  if (known.kind === 'lead') return 'main';
  return known.name === who ? (who.split('@')[0] ?? who) : known.name;
}

/** An inbox of 2.1.178 names a sender by the id of its turn. Only the session of the team's lead knows whose turn it is. */
export function agentBehind(agents: AgentsState, scope: Sighting, who: string): ResolvedAgent {
  const known = resolveAgent(agents, scope, who);
  if (known.kind !== null || scope.session_id !== null || agentNamed(agents, scope, who) !== null) return known;
  const session_id = leadSessionOf(agents, scope.team);
  return session_id === null ? known : resolveAgent(agents, { session_id, team: scope.team }, who);
}

export function leadSessionOf(agents: AgentsState, team: string | null): string | null {
  return getOrCreate(leadsAsked(agents.sessions), team, () => leadSession(agents, team));
}
/** Asked for each entry of an inbox, so the answers are kept until the sessions change. */
const leadsAsked = memoizeLast((_: AgentsState['sessions']) => new Map<string | null, string | null>());

export function isTeamLead(who: string): boolean {
  return who === 'team-lead' || who.startsWith('team-lead@');
}

function firstRead({ first, seen }: Bundle): number {
  return seen.reduce((seq, { sighting }) => Math.min(seq, sighting.seq), first.sighting.seq);
}

/** Whether a request was answered anywhere. An answer that failed or never returned counts too, by its request id. */
function answersIn({ sightings }: MessagesState): (request: Sighting | null) => boolean {
  const answers = new Set<string>();
  for (const { type, request_id } of sightings.values())
    if (request_id !== null && type.endsWith('_response')) answers.add(`${type} ${request_id}`);
  return (request) =>
    request?.request_id != null &&
    request.type.endsWith('_request') &&
    answers.has(`${request.type.replace(/request$/, 'response')} ${request.request_id}`);
}

/** The sightings of one message that have been joined so far. */
interface Bundle {
  readonly call: Described | null;
  readonly seen: Described[];
  readonly first: Described;
  merged: boolean;
}

/** Similar messages in order. */
class Queue {
  readonly bundles: Bundle[] = [];
  /** How many of them each channel has already shown. */
  readonly taken = new Map<string, number>();
}

/** Joins each sighting to the earliest call of its session that its channel has not shown yet, else to the last one. */
function withinSessions(sightings: readonly Described[]): Bundle[] {
  const bundles: Bundle[] = [];
  const isCall = ({ sighting }: Described) => sighting.via === 'call';
  const others = sightings.filter((one) => !isCall(one));
  // Most messages are seen only in their calls, so calls that nothing may belong to stand in no queue.
  const sent = emptyQueues(others.flatMap((one) => one.identity.keys.map((key) => inSession(one, key))));
  const toAnybody = emptyQueues(
    others.flatMap((one) => (one.identity.unnamed === null ? [] : inSession(one, one.identity.unnamed))),
  );
  const arrived = new Map<string, Queue>();
  for (const call of sightings.filter(isCall)) {
    const bundle = { call, seen: [], first: call, merged: false };
    bundles.push(bundle);
    if (isLost(call.sighting)) continue;
    if (sent.size > 0) sent.get(inSession(call, call.identity.keys[0]))?.bundles.push(bundle);
    if (toAnybody.size > 0) toAnybody.get(inSession(call, call.identity.unnamed))?.bundles.push(bundle);
  }
  // Named recipients go first. The remaining messages are for recipients whose name is unknown.
  const isNamed = ({ identity }: Described) => identity.unnamed === null;
  for (const sighting of [...others.filter(isNamed), ...others.filter((one) => !isNamed(one))]) {
    const { unnamed, channel } = sighting.identity;
    const keys = sighting.identity.keys.map((key) => inSession(sighting, key));
    const queues = keys.flatMap((key) => sent.get(key) ?? []);
    const seenBefore = keys.flatMap((key) => arrived.get(key) ?? []);
    const home =
      firstFree(queues, sighting) ??
      (unnamed === null ? undefined : unseen(toAnybody.get(inSession(sighting, unnamed)), sighting)) ??
      firstFree(seenBefore, sighting) ??
      // Each inbox entry is a message of its own.
      (sighting.sighting.via === 'inbox'
        ? undefined
        : queues.map(({ bundles }) => bundles.at(-1)).find((bundle) => canFollow(bundle, sighting)));
    if (home !== undefined) home.seen.push(sighting);
    else {
      const bundle = { call: null, seen: [sighting], first: sighting, merged: false };
      bundles.push(bundle);
      const queue = queueOf(arrived, keys[0] ?? '');
      queue.taken.set(channel, queue.bundles.push(bundle));
    }
  }
  return bundles;
}

function inSession({ sighting: { session_id }, team }: Described, key: string | null | undefined): string {
  return `${session_id ?? `files of ${team}`} ${key ?? ''}`;
}

function emptyQueues(keys: readonly string[]): Map<string, Queue> {
  return new Map(keys.map((key) => [key, new Queue()]));
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  return getOrCreate(queues, key, () => new Queue());
}

function firstFree(queues: readonly Queue[], sighting: Described): Bundle | undefined {
  for (const { bundles, taken } of queues) {
    const at = taken.get(sighting.identity.channel) ?? 0;
    const bundle = bundles[at];
    if (!canFollow(bundle, sighting)) continue;
    taken.set(sighting.identity.channel, at + 1);
    return bundle;
  }
  return undefined;
}

/** For a recipient whose name is unknown: the first call whose message no conversation shows. */
function unseen(queue: Queue | undefined, sighting: Described): Bundle | undefined {
  const bundle = nextIn(queue, '', ({ seen }) => !seen.some((one) => one.sighting.via === 'envelope'));
  return canFollow(bundle, sighting) ? bundle : undefined;
}

/** The next match in a queue. Skipped bundles stay skipped: if one sighting cannot join, similar ones cannot either. */
function nextIn(queue: Queue | undefined, like: string, matches: (bundle: Bundle) => boolean): Bundle | undefined {
  if (queue === undefined) return undefined;
  const { bundles, taken } = queue;
  let at = taken.get(like) ?? 0;
  for (let bundle = bundles[at]; bundle !== undefined && !matches(bundle); bundle = bundles[at]) at++;
  taken.set(like, at);
  return bundles[at];
}

/** Nothing arrives before it is sent. But clocks may differ a little, as in a log whose reader stamped the times. */
function canFollow(bundle: Bundle | undefined, { sighting: { time } }: Described): bundle is Bundle {
  if (bundle === undefined) return false;
  const called = bundle.call?.sighting.called ?? null;
  return called === null || time === null || Date.parse(time) > Date.parse(called) - clockToleranceMs;
}
const clockToleranceMs = 1000;

interface Relation {
  /** What related sightings share besides their keys; null if a sighting has no relations. */
  common(sighting: Described): string | null;
  holds(a: Described, b: Described): boolean;
}

/** Sessions of one team, and its files. */
const byTeam: Relation = {
  common: ({ team }) => team,
  holds: () => true,
};

/** Files without a team, or under another team: 2.1.325 puts shutdown requests into a team called default. */
const byFile: Relation = {
  common: () => '',
  holds: (a, b) =>
    (a.sighting.session_id === null || b.sighting.session_id === null) &&
    (a.team === null || b.team === null || a.sighting.request_id !== null),
};

/** Merges bundles that were seen in different channels. */
function mergeRelated(bundles: readonly Bundle[], relation: Relation): void {
  const live = bundles.filter(({ merged, call }) => !merged && (call === null || !isLost(call.sighting)));
  const loose = live.filter(({ call }) => call === null);
  if (loose.length === 0) return;
  const sent = new Map<string, Queue>();
  const arrived = new Map<string, Queue>();
  for (const bundle of live) {
    const [key] = related(bundle.first, relation);
    if (key !== undefined) queueOf(bundle.call === null ? arrived : sent, key).bundles.push(bundle);
  }
  for (const bundle of loose) {
    const target = mergeTarget(bundle, sent, arrived, relation);
    if (target === undefined) continue;
    for (const one of bundle.seen) target.seen.push(one);
    bundle.merged = true;
  }
}

function mergeTarget(
  { first, seen }: Bundle,
  sent: ReadonlyMap<string, Queue>,
  arrived: ReadonlyMap<string, Queue>,
  relation: Relation,
): Bundle | undefined {
  const channels = seen.map(({ identity }) => identity.channel).sort();
  const like = `${first.sighting.session_id} ${first.team} ${channels.join()}`;
  const canTake = (target: Bundle) =>
    !target.merged &&
    relation.holds(target.first, first) &&
    !target.seen.some(({ identity }) => channels.includes(identity.channel));
  const isBehind = (target: Bundle) => target.first.place >= first.place;
  for (const key of related(first, relation)) {
    const call = nextIn(sent.get(key), like, canTake);
    if (canFollow(call, first)) return call;
    const other = nextIn(arrived.get(key), like, (target) => isBehind(target) || canTake(target));
    if (other !== undefined && !isBehind(other)) return other;
  }
  return undefined;
}

function related(sighting: Described, { common }: Relation): string[] {
  const shared = common(sighting);
  return shared === null ? [] : sighting.identity.keys.map((key) => `${shared} ${key}`);
}

/** A sighting with what identifies its message. That is worked out only for those that may be joined. */
class Described {
  #identity: Identity | null = null;

  /** `place`: its index in the order of time. */
  constructor(
    readonly sighting: Sighting,
    readonly place: number,
    readonly agents: AgentsState,
  ) {}

  get team(): string | null {
    return teamOf(this.agents, this.sighting);
  }

  get identity(): Identity {
    this.#identity ??= identityOf(this.sighting, this.agents);
    return this.#identity;
  }
}

/** Who wrote what to whom. */
interface Identity {
  /**
   * Where it was seen. A channel shows each message once, so two sightings are two messages, or one that arrived twice.
   */
  readonly channel: string;
  /** The keys that sightings of one message share: its own first, then those of calls it may belong to. */
  readonly keys: readonly string[];
  /** The key without the recipient, if only the id of the recipient's turn is known. */
  readonly unnamed: string | null;
}

function identityOf(sighting: Sighting, agents: AgentsState): Identity {
  const { via, type, request_id, approve, body, time, delivered_at } = sighting;
  const from = sharedName(agents, sighting, sighting.from ?? sighting.agent);
  const to = sharedName(agents, sighting, sighting.to);
  const all = `broadcast ${from} ${body}`;
  // Claude Code repeats these with the same text, so the key includes the time.
  const said = type === 'idle_notification' || type === 'task_assignment' ? `${body} ${time}` : body;
  const keys = [type === 'broadcast' ? all : `${type} ${from} ${to} ${said}`];
  // The id of a request is known only after its call returned. Claude Code may answer a plan a second time by itself.
  if (request_id !== null) keys.unshift(`${type} ${approve} of request ${request_id}`);
  // A broadcast reaches everybody as a message.
  if (type === 'message') keys.push(all);
  const isUnnamed =
    via === 'envelope' && sighting.to === sighting.agent && resolveAgent(agents, sighting, sighting.to).kind === null;
  return {
    // A stream without times and a transcript may show the same arrival.
    channel: `${via} ${to}${delivered_at === null ? ' at no time' : ''}`,
    keys,
    unnamed: via === 'call' || isUnnamed ? `${type} ${from} ${said}` : null,
  };
}

/** Ordered by time, without copies. */
function describeAll(sightings: readonly Sighting[], agents: AgentsState): Described[] {
  const placed = withTimes(sightings).map(({ sighting, time }) => {
    const { via, source, seq } = sighting;
    // Inbox files come after other sightings of the same time.
    return { sighting, order: { time, rank: via === 'inbox' ? 1 : 0, session: '', source, seq } };
  });
  placed.sort((a, b) => compareOrder(a.order, b.order));
  return withoutCopies(placed.map(({ sighting }, place) => new Described(sighting, place, agents)));
}

/** A sighting without a time takes the time of the nearest one before it in its file, else after it. */
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

/** Up to 2.1.140 the file of each turn of a teammate repeats the turns before it, and a fork repeats the whole session. */
function withoutCopies(sightings: readonly Described[]): Described[] {
  const seen = new Set<string>();
  return sightings.filter((described) => {
    const { via, time, delivered_at, nth } = described.sighting;
    if (via === 'call' || via === 'inbox' || time === null) return true;
    const copy = [described.identity.channel, ...described.identity.keys, time, delivered_at, nth].join(' ');
    return !seen.has(copy) && seen.add(copy);
  });
}
