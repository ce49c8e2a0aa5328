// Reduces events to a state. It joins facts, so the order of files, reading twice and continuing later change nothing.
import type { Event } from '../core/event/event.js';
import { type AgentsState, isOfAgents, noAgents, reduceAgents } from '../core/state/agents.js';
import { compareOrder, type Fact, factOf, isKnownFact, joinFacts, type Order, orderOf } from '../core/state/facts.js';
import { PersistentMap } from '../core/state/persistent-map.js';
import { noReading, type ReadingState, reduceReading } from '../core/state/reading.js';
import { noTeams, reduceTeams, type TeamsState } from '../core/state/teams.js';
import { noWork, reduceWork, type WorkState } from '../core/state/work.js';
import { type MessagesState, noMessages, reduceMessages } from './messages/fold.js';
import { noTasks, reduceTasks, type TasksState } from './tasks/fold.js';
import { noUsage, reduceUsage, type UsageState } from './usage/fold.js';

export interface State extends Story {
  /** What happened, each thing once, in reading order. */
  readonly facts: PersistentMap<Fact>;
  readonly clocks: Clocks;
  /** The position of the last fact in the story. */
  readonly told: Order | null;
  /** A fact came that belongs before others, so settle has to rebuild the story. */
  readonly isStale: boolean;
  readonly messages: MessagesState;
  readonly work: WorkState;
  readonly usage: UsageState;
  /** Where reading stopped, for a parser that continues. */
  readonly reading: ReadingState;
}

const noStory: Story = { agents: noAgents, teams: noTeams, tasks: noTasks };

export const initialState: State = {
  ...noStory,
  facts: new PersistentMap(),
  clocks: { source: '', last: null, lasts: new PersistentMap(), firsts: new PersistentMap() },
  told: null,
  isStale: false,
  messages: noMessages,
  work: noWork,
  usage: noUsage,
  reading: noReading,
};

export interface Reducer {
  (state: State, event: Event): State;
  /** The state with its story rebuilt in the order of the facts, as far as this reducer follows it. */
  settle(state: State): State;
}

/** Reduces only some slices. Agents are always included. */
export function reducerOf(
  follows: { [slice in 'story' | 'messages' | 'work' | 'usage' | 'reading']?: boolean },
): Reducer {
  const apply = follows.story ? applyFact : applyToAgents;
  const next = (state: State, event: Event): State => {
    const clocks = advanceClocks(state.clocks, event);
    const near = state.clocks.source === clocks.source ? state.clocks.last : clocks.last;
    // Without the story, facts about sessions and tasks would only take memory.
    const fact = follows.story || isOfAgents(event) ? factOf(event, near) : null;
    const after = fact === null ? state : addFact(state, clocks, fact, apply);
    const messages = follows.messages ? reduceMessages(state.messages, event) : state.messages;
    const work = follows.work ? reduceWork(state.work, event) : state.work;
    const usage = follows.usage ? reduceUsage(state.usage, event, near) : state.usage;
    const reading = follows.reading ? reduceReading(state.reading, event, work) : state.reading;
    if (
      after === state &&
      messages === state.messages &&
      work === state.work &&
      usage === state.usage &&
      reading === state.reading &&
      clocks === state.clocks
    )
      return state;
    // Written out field by field, because this runs for every event.
    const { agents, teams, tasks, facts, told, isStale } = after;
    return { agents, teams, tasks, facts, told, isStale, clocks, messages, work, usage, reading };
  };
  return Object.assign(next, { settle: settlerOf(apply) });
}

export const reduce: Reducer = reducerOf({
  story: true,
  messages: true,
  work: true,
  usage: true,
  reading: true,
});

/** All slices that rows need. Only a parser that continues needs `reading`. */
export const reduceRows: Reducer = reducerOf({ story: true, messages: true, work: true, usage: true });

/** Notes the time of a record whose events this reducer does not need. */
export function passTime(state: State, time: string, source: string): State {
  const clocks = clocksAt(state.clocks, source, time);
  return clocks === state.clocks ? state : { ...state, clocks };
}

/** The state with its whole story rebuilt in the order of the facts. */
export const settle = reduce.settle;

function settlerOf(apply: typeof applyFact): (state: State) => State {
  const settled = new WeakMap<State, State>();
  return (state) => {
    if (!state.isStale) return state;
    const known = settled.get(state);
    if (known !== undefined) return known;
    const firstOf = (source: string) => state.clocks.firsts.get(source) ?? null;
    const ordered = state.facts.values().map((fact) => ({ fact, order: orderOf(fact, firstOf) }));
    ordered.sort((a, b) => compareOrder(a.order, b.order));
    const story = ordered.reduce<Story>((before, { fact }) => apply(before, fact), noStory);
    const next = { ...state, ...story, told: ordered.at(-1)?.order ?? null, isStale: false };
    settled.set(state, next);
    return next;
  };
}

/** The slices that depend on the order of facts. */
interface Story {
  readonly agents: AgentsState;
  readonly teams: TeamsState;
  readonly tasks: TasksState;
}

/** The current time of each source, for records without a time. */
interface Clocks {
  /** The source that is being read. */
  readonly source: string;
  readonly last: string | null;
  /** The last time of the other sources. */
  readonly lasts: PersistentMap<string>;
  readonly firsts: PersistentMap<string>;
}

/** Applies a fact at once if it is the last so far. Otherwise settle applies it in order. */
function addFact(state: State, { firsts }: Clocks, said: Fact, apply: typeof applyFact): State {
  const known = state.facts.get(said.key);
  if (known !== undefined && isKnownFact(known, said)) return state;
  const fact = known === undefined ? said : joinFacts(known, said);
  const facts = state.facts.set(fact.key, fact);
  const order = orderOf(fact, (source) => firsts.get(source) ?? null);
  const isLast = known === undefined && (state.told === null || compareOrder(state.told, order) <= 0);
  if (state.isStale || !isLast) return { ...state, facts, isStale: true };
  return { ...state, ...apply(state, fact), facts, told: order };
}

function applyFact({ agents, teams, tasks }: Story, { event, near }: Fact): Story {
  return {
    agents: reduceAgents(agents, event),
    teams: reduceTeams(teams, event, near),
    tasks: reduceTasks(tasks, event),
  };
}

function applyToAgents({ agents, teams, tasks }: Story, { event }: Fact): Story {
  return { agents: reduceAgents(agents, event), teams, tasks };
}

function advanceClocks(clocks: Clocks, { event, source = '', time }: Event): Clocks {
  // Unknown records change nothing. When cct began to record says nothing about a run that is played back.
  return event === 'unknown' ? clocks : clocksAt(clocks, source, event === 'run:started' ? null : time);
}

function clocksAt(clocks: Clocks, source: string, time: string | null): Clocks {
  const isOther = source !== clocks.source;
  if (!isOther && (time === null || time === clocks.last)) return clocks;
  const lasts = isOther && clocks.last !== null ? clocks.lasts.set(clocks.source, clocks.last) : clocks.lasts;
  const last = time ?? (isOther ? (lasts.get(source) ?? null) : clocks.last);
  const isFirst = time !== null && !clocks.firsts.has(source);
  return { source, last, lasts, firsts: isFirst ? clocks.firsts.set(source, time) : clocks.firsts };
}
