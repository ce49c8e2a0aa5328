// What tells whether two sightings are of one message: who wrote to whom, by their names, and what.
import { type AgentsState, resolveAgent } from './agents.js';
import { compareOrder, type Order } from './facts.js';
import type { Sighting } from './messages.js';

export interface Described {
  readonly sighting: Sighting;
  readonly place: number;
  readonly session: string | null;
  readonly team: string | null;
  /** A way to see a message, which sees each once: two sightings on one way are two messages, or one that came twice. */
  readonly way: string;
  /** What the sightings of one message have in common; its own first, then those of calls it may stand for. */
  readonly keys: readonly string[];
  /** The same without the recipient, where that is only known by the id of its turn. */
  readonly unnamed: string | null;
}

/** In order of time, each once. */
export function describeAll(sightings: readonly Sighting[], agents: AgentsState): Described[] {
  return withoutCopies(ordered(sightings).map((sighting, place) => describe(sighting, place, agents)));
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
  const { session_id, via, type, request_id, approve, body, time, delivered_at } = sighting;
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
    session: session_id,
    team: teamOf(agents, sighting),
    // A stream without times and a transcript may show the same arrival.
    way: via === 'call' ? via : `${via} ${to}${delivered_at === null ? ' at no time' : ''}`,
    keys,
    unnamed: via === 'call' || isUnnamed ? `${type} ${from} ${said}` : null,
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
