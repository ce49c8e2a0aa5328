// Reduces events to a state: tables of facts, which are joined, so the order of files, reading twice and continuing later
// change nothing.
import type { Event } from '../event/event.js';
import { isOfRun } from '../event/names.js';
import { type AgentsState, isOfAgents, newAgents, noteAgents } from './agents.js';
import { type CallOptions, Calls } from './calls/calls.js';
import {
  compareOrder,
  type Fact,
  factOf,
  isKnownFact,
  isMove,
  joinFacts,
  type Order,
  orderOf,
  placeOf,
} from './facts.js';
import { HashTable } from './hash-table.js';
import { newReading, noteReading, type ReadingState } from './reading.js';
import { type MessagesState, newMessages, noteMessages } from './sends.js';
import { copySlice, Table, versionOf } from './table.js';
import { isOfTasks, newTasks, noteTasks, type TasksState } from './tasks.js';
import { newTeams, noteTeams, type TeamsState } from './teams.js';
import { copyUsage, newUsage, noteUsage, type UsageState, usageEvents } from './usage/usage.js';
import { copyWork, noteWork, type WorkState } from './work.js';

/** Changed in place by each event; `copyState` keeps one. */
export interface State extends Story {
  /** What happened, each thing once, in reading order. */
  facts: HashTable<Fact>;
  clocks: Clocks;
  /** The position of the last fact in the story. */
  told: Order | null;
  /** A fact came that belongs before others, so settle has to rebuild the story. */
  isStale: boolean;
  messages: MessagesState;
  work: WorkState;
  calls: Calls;
  usage: UsageState;
  /** Where reading stopped, for a parser that continues. */
  reading: ReadingState;
}

/** The slices that depend on the order of facts. */
interface Story {
  agents: AgentsState;
  teams: TeamsState;
  tasks: TasksState;
}

/** The current time of each source, for records without a time. */
interface Clocks {
  /** The source that is being read. */
  source: string;
  last: string | null;
  /** The last time of the other sources. */
  readonly lasts: Table<string>;
  readonly firsts: Table<string>;
}

export function newState(calls: CallOptions = {}): State {
  return {
    ...newStory(),
    facts: new HashTable(),
    clocks: { source: '', last: null, lasts: new Table(), firsts: new Table() },
    told: null,
    isStale: false,
    messages: newMessages(),
    work: new Table(),
    calls: new Calls(calls),
    usage: newUsage(),
    reading: newReading(),
  };
}

function newStory(): Story {
  return { agents: newAgents(), teams: newTeams(), tasks: newTasks() };
}

/** A copy that stays as it is while the state goes on. */
export function copyState(state: State): State {
  return {
    agents: copySlice(state.agents),
    teams: copySlice(state.teams),
    tasks: copySlice(state.tasks),
    facts: state.facts.copy(),
    clocks: copySlice(state.clocks),
    told: state.told,
    isStale: state.isStale,
    messages: copySlice(state.messages),
    work: copyWork(state.work),
    calls: state.calls.copy(),
    usage: copyUsage(state.usage),
    reading: copySlice(state.reading),
  };
}

/** Grows whenever something changes that rows are made from. */
export function versionOfState(state: State): number {
  const { messages, work, calls, usage } = state;
  return versionOfStory(state) + versionOf(messages) + work.version + calls.version + versionOf(usage);
}

function versionOfStory({ agents, teams, tasks }: Story): number {
  return versionOf(agents) + versionOf(teams) + versionOf(tasks);
}

/** What a command follows. Agents are always included; `story` adds teams and tasks. */
type Follows = {
  readonly [slice in 'story' | 'tasks' | 'messages' | 'work' | 'calls' | 'usage' | 'reading']?: boolean;
};

/** Sees each event with the state before and after it. */
export interface Watcher {
  before?(event: Event, state: State): void;
  /** `near`: the time of the nearest record before it in its source. */
  after(event: Event, state: State, near: string | null): void;
}

export interface Reducer {
  /** Changes the state as the event says. Returns the time of the nearest record before the event in its source. */
  (state: State, event: Event): string | null;
  /** Rebuilds the story of the state in the order of the facts, as far as this reducer follows it. Returns the state. */
  settle(state: State): State;
}

/** Reduces only some slices. */
export function reducerOf(follows: Follows): Reducer {
  const apply = follows.story ? applyFact : follows.tasks ? applyToTasks : applyToAgents;
  const reduceEvent = (state: State, event: Event): string | null => {
    const { clocks } = state;
    const isSameSource = clocks.source === (event.source ?? '');
    const before = clocks.last;
    advanceClocks(clocks, event);
    const near = isSameSource ? before : clocks.last;
    // Facts that nobody follows would only take memory.
    const isFollowed = follows.story || isOfAgents(event) || (follows.tasks === true && isOfTasks(event));
    const fact = isFollowed ? factOf(event, near) : null;
    if (fact !== null) addFact(state, fact, apply);
    if (follows.messages) noteMessages(state.messages, event);
    if (follows.work) noteWork(state.work, event);
    if (follows.calls) state.calls.note(event, near);
    if (follows.usage) noteUsage(state.usage, event, near);
    if (follows.reading) noteReading(state.reading, event, state.calls);
    return near;
  };
  return Object.assign(reduceEvent, { settle: settlerOf(apply) });
}

export const reduce: Reducer = reducerOf({
  story: true,
  messages: true,
  work: true,
  calls: true,
  usage: true,
  reading: true,
});

/** The state of all events. */
export function reduceAll(events: Iterable<Event>, reducer: Reducer, state = newState(), watcher?: Watcher): State {
  for (const event of events) {
    watcher?.before?.(event, state);
    const near = reducer(state, event);
    watcher?.after(event, state, near);
  }
  return reducer.settle(state);
}

/** The events that rows are made from. What changes the meaning of others comes without being asked for. */
export const rowEvents: readonly string[] = [
  ...usageEvents,
  ...['prompt:received', 'text:produced', 'thinking:produced', 'tool:*', 'agent:*', 'team:*', 'hook:fired', 'run:*'],
];

/** All slices that rows need. Only a parser that continues needs `reading`. */
export const reduceRows: Reducer = reducerOf({ story: true, messages: true, work: true, calls: true, usage: true });

/** Notes the time of a record whose events this reducer does not need. */
export function noteTime({ clocks }: State, time: string, source: string): void {
  setClock(clocks, source, time);
}

/** The state with its whole story rebuilt in the order of the facts. */
export const settle = reduce.settle;

function settlerOf(apply: typeof applyFact): (state: State) => State {
  return (state) => {
    if (!state.isStale) return state;
    const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
    const ordered = state.facts.values().map((fact) => ({ fact, order: orderOf(fact, firstOf) }));
    ordered.sort((a, b) => compareOrder(a.order, b.order));
    const story = newStory();
    for (const { fact } of ordered) apply(story, fact);
    // The version of a state only grows.
    story.agents.links.version += versionOfStory(state) + 1;
    return Object.assign(state, story, { told: ordered.at(-1)?.order ?? null, isStale: false });
  };
}

/** Applies a fact at once if it is the last so far. Otherwise settle applies it in order. */
export function addFact(state: State, said: Fact, apply = applyFact): void {
  const place = placeOf(state.facts, said);
  const known = state.facts.at(place);
  if (known !== undefined && isMove(said.event)) return addMove(state, said, apply);
  if (known !== undefined && isKnownFact(known, said)) return;
  const fact = known === undefined ? said : joinFacts(known, said);
  state.facts.put(place, fact);
  tellLast(state, fact, known === undefined, apply);
}

/** A session that is announced again: only the first and the last time matter. */
function addMove(state: State, said: Fact, apply: typeof applyFact): void {
  const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
  for (const isLast of [false, true]) {
    const place = placeOf(state.facts, said, isLast);
    const known = state.facts.at(place);
    const order = known === undefined ? 0 : compareOrder(orderOf(said, firstOf), orderOf(known, firstOf));
    if (known !== undefined && (isLast ? order <= 0 : order >= 0)) continue;
    state.facts.put(place, said);
    tellLast(state, said, isLast, apply);
  }
}

/** `isNew`: nothing that was told before is taken back. */
function tellLast(state: State, fact: Fact, isNew: boolean, apply: typeof applyFact): void {
  if (state.isStale) return;
  const order = orderOf(fact, (source) => state.clocks.firsts.get(source) ?? null);
  const isLast = isNew && (state.told === null || compareOrder(state.told, order) <= 0);
  state.isStale = !isLast;
  if (!isLast) return;
  apply(state, fact);
  state.told = order;
}

function applyFact({ agents, teams, tasks }: Story, { event, near }: Fact): void {
  noteAgents(agents, event);
  noteTeams(teams, event, near);
  noteTasks(tasks, event);
}

function applyToTasks({ agents, tasks }: Story, { event }: Fact): void {
  noteAgents(agents, event);
  noteTasks(tasks, event);
}

function applyToAgents({ agents }: Story, { event }: Fact): void {
  noteAgents(agents, event);
}

function advanceClocks(clocks: Clocks, { event, source = '', time }: Event): void {
  // Unknown records change nothing.
  if (event !== 'unknown') setClock(clocks, source, isOfRun(event) ? null : time);
}

function setClock(clocks: Clocks, source: string, time: string | null): void {
  if (source !== clocks.source) {
    if (clocks.last !== null) clocks.lasts.set(clocks.source, clocks.last);
    clocks.source = source;
    clocks.last = clocks.lasts.get(source) ?? null;
  }
  if (time === null) return;
  if (clocks.last === null) clocks.firsts.set(source, time);
  clocks.last = time;
}
