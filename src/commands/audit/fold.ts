// What findings need besides the states of agents, teams, tasks and messages, and nothing more.
import type { Event } from '../../core/event/event.js';
import { compareOrder, type Order } from '../../core/state/facts.js';
import { latest } from '../../core/state/order.js';
import { PersistentMap } from '../../core/state/persistent-map.js';
import { type MessagesLog, noMessagesLog, reduceMessagesLog } from '../messages/audit.js';
import { initialState, reducerOf, type State, settle } from '../reduce.js';
import { reduceTaskActs, type TaskActs } from '../tasks/audit.js';
import { type MembersLog, noMembersLog, reduceMembersLog } from '../teams/audit.js';
import { type AuditCalls, reduceAuditCalls } from './calls.js';

export interface AuditState {
  /** How late it is in each session of each file. */
  readonly clocks: PersistentMap<string>;
  readonly calls: AuditCalls;
  readonly acts: TaskActs;
  readonly members: MembersLog;
  readonly messages: MessagesLog;
}

export const noAudit: AuditState = {
  clocks: new PersistentMap(),
  calls: new PersistentMap(),
  acts: new PersistentMap(),
  members: noMembersLog,
  messages: noMessagesLog,
};

export function reduceAudit(state: AuditState, event: Event): AuditState {
  const clock = `${event.session_id} ${event.source}`;
  const known = state.clocks.get(clock) ?? null;
  const now = latest(known, event.time);
  const clocks = now === null || now === known ? state.clocks : state.clocks.set(clock, now);
  const at = event.time ?? now;
  const calls = reduceAuditCalls(state.calls, event, at);
  const acts = reduceTaskActs(state.acts, event, at);
  const members = reduceMembersLog(state.members, event, at);
  const messages = reduceMessagesLog(state.messages, event, at);
  const isSame =
    clocks === state.clocks &&
    calls === state.calls &&
    acts === state.acts &&
    members === state.members &&
    messages === state.messages;
  return isSame ? state : { clocks, calls, acts, members, messages };
}

/** Everything findings are made from. */
export interface Facts extends State {
  readonly audit: AuditState;
}

/** Reads events and says what findings are made from. */
export interface AuditReader {
  note(event: Event): void;
  facts(): Facts;
}

export function createAuditReader(): AuditReader {
  let state = initialState;
  let audit = noAudit;
  /** Events of several files, which may tell of one thing out of order. */
  const several: Dated[] = [];
  const clocks = new Map<string, string>();
  return {
    note(event) {
      state = follow(state, event);
      if (event.source === undefined || isCount(event)) audit = reduceAudit(audit, event);
      else {
        const time = event.time ?? clocks.get(event.source) ?? '';
        clocks.set(event.source, time);
        several.push({
          event,
          order: { time, rank: 0, session: event.session_id ?? '', source: event.source, seq: event.seq },
        });
      }
    },
    facts() {
      several.sort((a, b) => compareOrder(a.order, b.order));
      for (const { event } of several.splice(0)) audit = reduceAudit(audit, event);
      return { ...settle(state), audit };
    },
  };
}

interface Dated {
  readonly event: Event;
  readonly order: Order;
}

const follow = reducerOf({ story: true, messages: true, work: true });

/** In any order these come to the same, and there are many of them. */
function isCount({ event }: Event): boolean {
  return event === 'usage:recorded' || event === 'text:produced' || event === 'thinking:produced';
}

/** Where and when something was seen. */
export interface Spot {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  /** Its time or, where it has none, that of what stands before it in the same file: frames and results have no times. */
  readonly at: string | null;
  readonly line: number | null;
  readonly source: string | null;
  readonly seq: number;
}

/** `at`: when it happened, as near as can be told. */
export function spotOf({ session_id, team, agent, time, line, source, seq }: Event, at: string | null): Spot {
  return { session_id, team, agent, time, at, line, source: source ?? null, seq };
}

/** Tells one spot from another, and is the same when the same input is read again. */
export function spotKey({
  time,
  source,
  line,
}: Pick<Spot, 'time' | 'line'> & { source?: string | null | undefined }): string {
  return time ?? `${source ?? ''}:${line}`;
}

/** By time where both have one, else in the order of reading. */
export function isBefore(a: Spot, b: Spot): boolean {
  return a.at !== null && b.at !== null && a.at !== b.at ? a.at < b.at : a.seq < b.seq;
}
