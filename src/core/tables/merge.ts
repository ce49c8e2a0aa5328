// Joins the states of two readers that read different files, so that several may read at once. Facts are joined as they
// are while reading, so the answer is the same as if one had read all files.
import type { PackedCalls } from './calls/calls.js';
import type { Fact } from './facts.js';
import { HashTable, type PackedHashTable } from './hash-table.js';
import { addFact, type State } from './reduce.js';
import { type MessagesState, noteSighting, retract } from './sends.js';
import { Table } from './table.js';
import { mergeUse, originKey, othersOf } from './usage/messages.js';
import { addTurn, type SessionUse, sessionKey, sessionOf } from './usage/sessions.js';
import { mergeResult, notePairs, type UsageState } from './usage/usage.js';
import { type AgentWork, joinWork } from './work.js';

/** What a reader knows, as plain values that can be sent to another thread. The story is made of its facts. */
export interface Packed {
  readonly facts: readonly Fact[];
  readonly clocks: {
    readonly source: string;
    readonly last: string | null;
    firsts: Entries<string>;
    lasts: Entries<string>;
  };
  readonly messages: { readonly [K in keyof MessagesState]: Entries<EntryOf<MessagesState[K]>> };
  readonly work: Entries<AgentWork>;
  readonly calls: PackedCalls;
  readonly usage: PackedUsage;
}

type Entries<V> = ReadonlyMap<string, V>;
type EntryOf<T> = T extends Table<infer V> ? V : never;
type PackedTables<S> = {
  readonly [K in keyof S]: S[K] extends Table<infer V>
    ? Entries<V>
    : S[K] extends HashTable<infer V>
      ? PackedHashTable<V>
      : S[K];
};
type PackedUsage = Omit<PackedTables<UsageState>, 'sessions'> & {
  readonly sessions: Entries<PackedTables<SessionUse>>;
};

export function packState({ facts, clocks, messages, work, calls, usage }: State): Packed {
  return {
    facts: facts.values(),
    clocks: packSlice(clocks),
    messages: packSlice(messages),
    work: work.toMap(),
    calls: calls.pack(),
    usage: {
      ...packSlice(usage),
      sessions: new Map(usage.sessions.entries().map(([key, session]) => [key, packSlice(session)])),
    },
  };
}

function packSlice<S extends object>(slice: S): PackedTables<S> {
  const packed = Object.entries(slice).map(([name, value]) => [name, packedTable(value)]);
  // Its tables, and only they, are other values now.
  return Object.fromEntries(packed) as PackedTables<S>;
}

function packedTable(value: unknown): unknown {
  if (value instanceof Table) return value.toMap();
  return value instanceof HashTable ? value.pack() : value;
}

/** Adds everything that another reader knows. The story is told anew when somebody asks. */
export function mergeState(state: State, other: Packed): void {
  for (const [source, time] of other.clocks.firsts) state.clocks.firsts.set(source, time);
  for (const [source, time] of other.clocks.lasts) state.clocks.lasts.set(source, time);
  if (other.clocks.last !== null) state.clocks.lasts.set(other.clocks.source, other.clocks.last);
  state.isStale = true;
  for (const fact of other.facts) addFact(state, fact);
  for (const sighting of other.messages.sightings.values()) noteSighting(state.messages, sighting);
  for (const id of other.messages.retracted.keys()) retract(state.messages, id);
  for (const id of other.messages.starts.keys()) state.messages.starts.set(id, true);
  for (const [key, work] of other.work) state.work.set(key, joinWork(state.work.get(key), work));
  state.calls.merge(other.calls);
  mergeUsage(state.usage, other.usage);
}

function mergeUsage(state: UsageState, other: PackedUsage): void {
  state.origins.merge(other.origins, originKey);
  for (const [key, said] of other.messages) {
    const known = state.messages.get(key);
    const message = known === undefined ? said : mergeUse(known, said);
    state.messages.set(key, message);
    if (message.others.length > 0) notePairs(state.shared, message);
  }
  for (const session of other.sessions.values()) mergeSession(sessionOf(state, session), session);
  for (const [id, key] of other.ends) state.ends.set(id, key);
  for (const [speaker, key] of other.spoken) state.spoken.set(speaker, key);
  for (const [key, pair] of other.shared) state.shared.set(key, pair);
  for (const [key, context] of other.contexts) state.contexts.set(key, context);
  for (const [source, count] of other.sources) if (count.count > 0) state.sources.set(source, count);
  for (const [key, said] of other.compactions) {
    const known = state.compactions.get(key) ?? said;
    const owner = sessionKey(said.session_id) < sessionKey(known.session_id) ? said : known;
    const all = [known.session_id, said.session_id, ...known.others, ...said.others];
    const others = othersOf(sessionKey(owner.session_id), all, known.others);
    const time = known.time === null || (said.time !== null && said.time < known.time) ? said.time : known.time;
    state.compactions.set(key, { ...owner, others, time });
  }
  state.run ??= other.run;
}

function mergeSession(session: SessionUse, other: PackedTables<SessionUse>): void {
  session.turn =
    session.turn === null || other.turn === null ? (session.turn ?? other.turn) : Math.max(session.turn, other.turn);
  for (const [key, turn] of other.turns) addTurn(session.turns, key, turn);
  session.reset ||= other.reset;
  for (const [key, result] of other.results) {
    const known = session.results.get(key);
    session.results.set(key, known === undefined ? result : mergeResult(known, result));
  }
  for (const [agent, who] of other.agents) if (session.agents.get(agent) == null) session.agents.set(agent, who);
  for (const [source, file] of other.files) if (!session.files.has(source)) session.files.set(source, file);
}
