// Makes traces from the facts: finds out who did what, lays it out in time, and connects agents by spawns and messages.
import { getOrCreate } from '../record/json.js';
import { scopeOf } from '../tables/agents.js';
import { agentNamed, Directory, type ResolvedAgent, resolveAgent, teamOf } from '../tables/directory.js';
import { axisOf, type Moment } from '../tables/moments.js';
import { compare, firstIndex, isLeadName, keyOf, plainName } from '../tables/order.js';
import { endingIn } from '../tables/outcome.js';
import type { State } from '../tables/reduce.js';
import type { TeamsState } from '../tables/teams.js';
import { sessionOrder } from '../tables/usage/homes.js';
import { implicitTeam } from '../wire/sessions.js';
import { accountsOf, addWaits } from './accounts.js';
import { type MessageFact, type Owner, runOfSessions, type SpanFacts } from './facts.js';
import { type Actor, Span, spanId, type Trace, traceId } from './model.js';
import { isAtWork, layOut, momentsOf, Work } from './turns.js';

/**
 * `known`: who is who, how they ended, and calls with their details. `lean`: without time accounts and the critical path,
 * which take most of the time.
 */
export function tracesOf(facts: SpanFacts, known: State, { lean = false } = {}): Trace[] {
  const people = peopleOf(known);
  const homes = new Map<string, Map<string, Work>>();
  const workOf = (owner: Owner): Work => {
    const { home, key } = people(owner);
    const works = getOrCreate(homes, home, () => new Map<string, Work>());
    const work = getOrCreate(works, key, () => new Work());
    work.owners.add(owner);
    return work;
  };
  const { ownerOf, isOwn } = requestersIn(facts, people);
  for (const message of facts.messages.values()) {
    const owner = ownerOf(message);
    if (owner !== null) workOf(owner).messages.push(message);
  }
  for (const { caller, tool, failed, details } of known.calls.all()) {
    if (details === null || details.id === '') continue;
    const message = facts.messages.get(details.message_id ?? '');
    const owner = message === undefined ? facts.ownerNamed(caller) : ownerOf(message);
    if (owner !== null) workOf(owner).calls.push({ ...details, tool: tool.tool, failed });
  }
  const streamed = new Set([...facts.turns.values()].flatMap((turn) => (turn.transcript ? [] : turn.owner.session_id)));
  for (const turn of facts.turns.values())
    if (isOwn(turn) && (!turn.transcript || !streamed.has(turn.owner.session_id))) workOf(turn.owner).begins.push(turn);
  for (const result of facts.results.values()) workOf(result.owner).results.push(result);
  for (const start of facts.starts.values()) if (isOwn(start)) workOf(start.owner).starts.push(start);
  for (const ask of facts.asks.values()) workOf(ask.owner).asks.push(ask);
  for (const [owner, inputs] of facts.inputs)
    for (const at of inputs.values()) if (isOwn({ owner, at })) workOf(owner).inputs.push(at);
  for (const [owner, at] of [...facts.ends, ...facts.sightings]) if (isOwn({ owner, at })) workOf(owner).ends.push(at);

  const sources = { lean, facts, known, people, statuses: statusesOf(known.teams, people) };
  return [...homes]
    .filter(([, works]) => [...works.values()].some(isAtWork))
    .map(([home, works]) => traceOf(home, works, sources))
    .sort((a, b) => a.root.start - b.root.start || compare(a.session_id, b.session_id));
}

interface Sources {
  readonly lean: boolean;
  readonly facts: SpanFacts;
  readonly known: State;
  readonly people: People;
  /** How agents ended, by trace and key. */
  readonly statuses: ReadonlyMap<string, string>;
}

/** The trace an agent is in, its key there, and who it is. */
type People = (owner: Pick<Owner, 'session_id' | 'team' | 'agent'>) => Person;

interface Person {
  readonly home: string;
  /** `main` for the lead. */
  readonly key: string;
  readonly agent: ResolvedAgent;
}

/** A trace is the session of a lead. The sessions of its teammates belong to it. */
function peopleOf({ agents, teams }: State): People {
  const homes = new Map<string, string>();
  const led = new Directory({ agents, teams }).teams;
  for (const { scope } of led) homes.set(scope, scope);
  for (const { scope, scopes } of led) for (const other of scopes) if (!homes.has(other)) homes.set(other, scope);
  const found = new Map<string, Person>();
  return ({ session_id, team, agent: id }) =>
    getOrCreate(found, keyOf(session_id, team, id), () => {
      const place = { session_id, team };
      const scope = scopeOf(place);
      const home = homes.get(scope) ?? scope;
      const agent = resolveAgent(agents, place, id);
      return { home, key: agent.kind === 'lead' && scope === home ? 'main' : agent.agent, agent };
    });
}

/**
 * A message that several conversations contain belongs to the session that requested it, as usage counts it; within a
 * session to the main conversation, else to the first by name; to nobody if all that is there only repeats it.
 * What a fork repeats of its parent is not its own.
 */
function requestersIn({ messages, sessions }: SpanFacts, people: People) {
  const started = new Map(
    [...sessions].flatMap(([id, { started: time }]) => (time === null ? [] : [[id ?? '', time]])),
  );
  const compareSessions = sessionOrder(started, () => {
    const counts = new Map<string, number>();
    for (const { owners } of messages.values())
      for (const session of new Set([...owners].map(({ session_id }) => session_id ?? '')))
        counts.set(session, (counts.get(session) ?? 0) + 1);
    return counts;
  });
  const ownerOf = ({ owners, requesters, isCopied, turn }: MessageFact): Owner | null => {
    const [first = null, ...others] = isCopied ? requesters : owners;
    const isStream = (owner: Owner) => owner.session_id === turn?.owner.session_id;
    const isMain = (owner: Owner) => people(owner).key === 'main';
    return others.reduce<Owner | null>((best, owner) => {
      if (best === null) return owner;
      const order =
        owner.session_id === best.session_id
          ? Number(isMain(best)) - Number(isMain(owner)) || compare(best.agent, owner.agent)
          : Number(isStream(best)) - Number(isStream(owner)) ||
            compareSessions(best.session_id ?? '', owner.session_id ?? '');
      return order > 0 ? owner : best;
    }, first);
  };
  const lastCopies = new Map<string | null, number>();
  for (const message of messages.values()) {
    if (message.owners.size < 2 && !message.isCopied) continue;
    const home = ownerOf(message)?.session_id;
    for (const { session_id } of message.owners)
      if (session_id !== home)
        lastCopies.set(session_id, Math.max(lastCopies.get(session_id) ?? 0, message.first?.own ?? 0));
  }
  const isOwn = ({ owner, at }: { readonly owner: Owner; readonly at: Moment }) =>
    (at.own ?? Infinity) > (lastCopies.get(owner.session_id) ?? -Infinity);
  return { ownerOf, isOwn };
}

function statusesOf({ members }: TeamsState, people: People): Map<string, string> {
  const last = new Map<string, { readonly status: string; readonly told: number }>();
  for (const { id, session_id, team, status, told } of members.values()) {
    const { home, key } = people({ session_id, team, agent: id });
    const place = keyOf(home, key);
    if (status !== null && told >= (last.get(place)?.told ?? 0)) last.set(place, { status, told });
  }
  return new Map([...last].map(([place, { status }]) => [place, status]));
}

function traceOf(home: string, works: ReadonlyMap<string, Work>, sources: Sources): Trace {
  const { lean, facts, known, people, statuses } = sources;
  const owners = [...works.values()].flatMap((work) => [...work.owners]).sort(compareOwners);
  const own = owners.find((owner) => scopeOf(owner) === home) ?? owners[0];
  const place = { session_id: own?.session_id ?? null, team: own?.team ?? null };
  const team = teamOf(known.agents, place);
  const said = [place, ...owners].flatMap(({ session_id }) => facts.sessions.get(session_id) ?? []);
  const session = known.teams.sessions.get(home);
  const axis = axisOf([...works.values()].flatMap(momentsOf), (source) => {
    const first = known.clocks.firsts.get(source);
    return first === undefined ? null : Date.parse(first);
  });

  const actors = new Map<string, Actor>();
  for (const [key, work] of works) {
    if (!isAtWork(work) && work.starts.length === 0) continue;
    const isLead = key === 'main';
    const status = statuses.get(keyOf(home, key)) ?? '';
    const [first = { ...place, agent: key }] = [...work.owners].sort(compareOwners);
    const { agent } = people(first);
    const open = isLead
      ? session?.stream === true && session.inTurn && !session.over
      : status === 'active' || status === 'shutting_down';
    const failed = isLead ? session !== undefined && endingIn(session).outcome === 'failed' : status === 'failed';
    actors.set(key, layOut(work, { home, key, axis, agent, team: teamOf(known.agents, first), isLead, open, failed }));
  }
  const ordered = [...actors.values()].sort(
    (a, b) => Number(b.isLead) - Number(a.isLead) || a.span.start - b.span.start || compare(a.agent, b.agent),
  );
  const rootId = spanId(home, 'team');
  joinBySpawns(rootId, actors, works, sources);
  closeAll(ordered);
  const start = ordered.reduce((least, { span }) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
  const end = ordered.reduce((most, { span }) => Math.max(most, span.end), start);
  const lead = actors.get('main');
  const root = new Span({
    id: rootId,
    kind: 'team',
    name: team ?? (place.session_id === null ? 'session' : implicitTeam(place.session_id)),
    start,
    end,
    open: lead?.span.open ?? false,
    failed: lead?.span.failed ?? false,
  });
  addWaits(ordered, (actor) => works.get(actor.key)?.asks ?? [], axis, home);
  joinBySends(ordered, actors, sources);
  return {
    id: traceId(home),
    session_id: place.session_id,
    team,
    program: facts.sessions.get(place.session_id)?.program ?? 'claude',
    version: facts.sessions.get(place.session_id)?.version ?? null,
    run: runOfSessions(said, axis),
    toScale: axis.toScale,
    asks: said.some(({ asks }) => asks),
    root,
    actors: ordered,
    accounts: lean ? [] : accountsOf({ root, actors: ordered }),
  };
}

function compareOwners(a: Owner, b: Owner): number {
  return compare(a.session_id, b.session_id) || compare(a.agent, b.agent);
}

/**
 * What is open lasts until the last record of its agent, because nobody knows more. An agent that waits in the call that
 * started another one lasts as long as that one.
 */
function closeAll(actors: readonly Actor[]): void {
  for (const { span, spawner, spawnCall } of actors) {
    let [above, call] = [spawner, spawnCall];
    while (above !== null && call?.end === Number.POSITIVE_INFINITY && above.span.end < span.end) {
      above.span.end = span.end;
      [above, call] = [above.spawner, above.spawnCall];
    }
  }
  for (const { span, turns, calls } of actors)
    for (const one of [...calls, ...turns]) if (one.end === Number.POSITIVE_INFINITY) one.end = span.end;
}

/** The parent of an agent is the call that spawned it, else the agent that spawned it, else the team. */
function joinBySpawns(
  root: string,
  actors: ReadonlyMap<string, Actor>,
  works: ReadonlyMap<string, Work>,
  { people }: Sources,
): void {
  const callers = new Map<string, { readonly actor: Actor; readonly span: Span }>();
  for (const actor of actors.values())
    for (const span of actor.calls) callers.set(span.call?.id ?? '', { actor, span });
  const lead = actors.get('main') ?? null;
  for (const [key, actor] of actors) {
    actor.span.parent = root;
    if (actor === lead) continue;
    const starts = works.get(key)?.starts ?? [];
    const calls = starts.flatMap(({ tool_use_id }) => callers.get(tool_use_id ?? '') ?? []);
    const [call] = calls.filter((one) => one.actor !== actor).sort((a, b) => a.span.start - b.span.start);
    const [parent = null] = starts.flatMap(({ owner, parent: id }) =>
      id === null ? [] : (actors.get(people({ ...owner, agent: id }).key) ?? []),
    );
    actor.spawner = call?.actor ?? (parent === actor ? null : parent) ?? lead;
    actor.spawnCall = call?.span ?? null;
  }
  for (const actor of actors.values()) {
    // Agents that seem to have started each other belong to the team: nothing may be its own ancestor.
    if (isCircular(actor)) {
      actor.spawner = actor === lead ? null : lead;
      actor.spawnCall = null;
    }
    actor.span.parent = actor.spawnCall?.id ?? actor.spawner?.span.id ?? root;
  }
}

function isCircular(actor: Actor): boolean {
  const above = new Set<Actor>();
  for (let next = actor.spawner; next !== null; next = next.spawner) {
    if (next === actor) return true;
    if (above.has(next)) return false;
    above.add(next);
  }
  return false;
}

/** A message arrives with the next answer of its recipient that can have read it. */
function joinBySends(ordered: readonly Actor[], actors: ReadonlyMap<string, Actor>, { facts, known, people }: Sources) {
  for (const sender of ordered)
    for (const span of sender.calls) {
      const send = facts.sends.get(span.call?.id ?? '');
      if (send === undefined || span.failed) continue;
      for (const name of send.recipients) {
        const found = agentNamed(known.agents, send.owner, plainName(name));
        const key = found === null ? null : people({ ...send.owner, agent: found.agent }).key;
        const to =
          actors.get(key ?? '') ??
          (isLeadName(name)
            ? actors.get('main')
            : ordered.find((one) => one.name === plainName(name) || one.agent === name));
        const chats = to === undefined || to === sender ? [] : to.chats;
        const next = chats[firstIndex(chats, ({ start }) => start < span.start)];
        if (next !== undefined && !span.links.includes(next)) span.links.push(next);
      }
    }
}
