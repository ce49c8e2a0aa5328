// Makes the rows of the commands from a state or from events, for programs.
import { createAuditReader, findingsOf } from '../commands/audit/audit.js';
import { type Audited, auditedSubjects, type FindingRow, findingRow } from '../commands/audit/row.js';
import { type CallGroupRow, type CallRow, callRow, groupRow } from '../commands/calls/row.js';
import {
  type CallKey,
  CallsFold,
  type CallsQuery,
  callKeys,
  newCallsState,
  reportCalls,
} from '../commands/calls/rows.js';
import { messageRow } from '../commands/messages/row.js';
import { type MessageRow, Timeline } from '../commands/messages/rows.js';
import { type SessionRow, sessionRow } from '../commands/sessions/row.js';
import { newSessionsState, SessionsFold, sessionRows } from '../commands/sessions/rows.js';
import { taskRow } from '../commands/tasks/row.js';
import { type TaskRow, taskRows } from '../commands/tasks/rows.js';
import { type MemberRow, memberRow, type TeamRow, teamRow } from '../commands/teams/row.js';
import { teamRowsOf } from '../commands/teams/rows.js';
import { accountRows, newTraceState, spanRows, TraceFold } from '../commands/trace/fold.js';
import { type AccountRow, accountRow, type SpanRow, spanRow } from '../commands/trace/row.js';
import { usageRow } from '../commands/usage/row.js';
import {
  modes,
  reportUsage,
  type UsageKey,
  type UsageMessageRow,
  type UsageQuery,
  type UsageRow,
  usageKeys,
} from '../commands/usage/rows.js';
import {
  type Event,
  type EventName,
  eventNames,
  type Member,
  type Message,
  member,
  message,
  type TaskChange,
  taskChange,
} from '../core/event/event.js';
import { type Schema, zodOf, eventSchema as zodOfEvent } from '../core/event/schema.js';
import { type ReportedUsage, reportedUsage, type Tokens, tokens, usageMessageRow } from '../core/event/usage-row.js';
import { withoutContent as bare } from '../core/privacy/content.js';
import type { Trace } from '../core/spans/model.js';
import {
  copyState as copy,
  newState,
  reduceAll,
  reduce as reduceState,
  type State,
  settle,
} from '../core/tables/reduce.js';
import { loadSlices, type SavedState, saveSlices } from '../core/tables/save.js';
import { actsOf } from '../core/wire/tools/table.js';
import { checkEvent, checkEvents, checkOptions, checkState, is, refuse, useUp } from './arguments.js';
import { isTeamState, type TeamState } from './team.js';

/** The state before any event. It never changes. */
export const initialState: State = newState({ ids: true });

/** The state after an event. The given state is used up: go on with what this returns, or keep a copy of it before. */
export function reduce(state: State, event: Event): State {
  checkState('reduce', state);
  checkEvent('reduce', event);
  const next = state === initialState ? newState({ ids: true }) : { ...state };
  if (state !== initialState) useUp(state);
  reduceState(next, event);
  return next;
}

/** A state that stays as it is, whatever happens to the other. */
export function copyState(state: State): State {
  checkState('copyState', state);
  return copy(state);
}

/** `ended`: the input is over, so what is open stays open. */
export function selectTeams(state: State, options: { ended?: boolean } = {}): TeamRow[] {
  checkState('selectTeams', state);
  checkOptions('selectTeams', options, { ended: is.flag });
  return teamRowsOf(state, { ended: options.ended ?? false });
}

/** `all`: include deleted and internal tasks. */
export function selectTasks(state: State, options: { all?: boolean } = {}): TaskRow[] {
  checkState('selectTasks', state);
  checkOptions('selectTasks', options, { all: is.flag });
  const { tasks, agents } = settle(state);
  return taskRows(tasks, agents, { all: options.all ?? false });
}

export type UsageOptions<K extends UsageKey = UsageKey> = { by?: readonly K[] } & Partial<
  Omit<UsageQuery, 'by' | 'usage' | 'agents' | 'clocks'>
>;

/** Rows by message have fields of their own. */
export type UsageRowBy<K extends UsageKey> = UsageKey extends K
  ? UsageRow | UsageMessageRow
  : 'message' extends K
    ? UsageMessageRow
    : UsageRow;

export function selectUsage<const K extends UsageKey = 'model'>(
  state: State,
  options?: UsageOptions<K>,
): readonly UsageRowBy<K>[];
export function selectUsage(state: State, options: UsageOptions = {}): readonly (UsageRow | UsageMessageRow)[] {
  checkState('selectUsage', state);
  checkOptions('selectUsage', options, usageOptions);
  const { by = ['model'], ...query } = options;
  const { usage, clocks } = state;
  return reportUsage({ ...query, by, usage, clocks, agents: settle(state).agents }).rows;
}
const usageOptions = {
  by: is.listOf(usageKeys),
  session: is.text,
  team: is.text,
  includes: is.function,
  timezone: is.zone,
  prices: is.prices,
  mode: is.oneOf(modes),
};

/** States keep no texts, so messages come from events. `settled`: return all at the end, with their delivery. */
export function selectMessages(events: Iterable<Event>, options: { settled?: boolean } = {}): Generator<MessageRow> {
  const checked = checkEvents('selectMessages', events);
  checkOptions('selectMessages', options, { settled: is.flag });
  return messagesIn(checked, options.settled ?? false);
}

function* messagesIn(events: Iterable<Event>, settled: boolean): Generator<MessageRow> {
  const timeline = new Timeline({ settled });
  for (const event of events) yield* timeline.follow(event);
  yield* timeline.end();
}

export type CallsOptions<K extends CallKey = CallKey> = { by?: readonly K[] } & Partial<
  Pick<CallsQuery, 'session' | 'team' | 'timezone'>
>;

export type CallRowBy<K extends CallKey> = CallKey extends K
  ? CallGroupRow | CallRow
  : 'call' extends K
    ? CallRow
    : CallGroupRow;

/** States do not keep single calls, so they come from events. */
export function selectCalls<const K extends CallKey = 'tool'>(
  events: Iterable<Event>,
  options?: CallsOptions<K>,
): readonly CallRowBy<K>[];
export function selectCalls(events: Iterable<Event>, options: CallsOptions = {}): readonly (CallGroupRow | CallRow)[] {
  const checked = checkEvents('selectCalls', events);
  checkOptions('selectCalls', options, { by: is.listOf(callKeys), session: is.text, team: is.text, timezone: is.zone });
  const { by = ['tool'], session = null, team = null, timezone = 'UTC' } = options;
  if (by.includes('call') && by.length > 1)
    throw new TypeError("selectCalls: by 'call' gives every call by itself; no other key goes with it");
  const fold = new CallsFold();
  const state = reduceAll(checked, reduceState, newCallsState(by.includes('call')), fold);
  return reportCalls(fold, state, { by, session, team, timezone }).rows;
}

/** What there is, the newest first. States keep no titles and prompts, so they come from events. */
export function selectSessions(events: Iterable<Event>): SessionRow[] {
  const checked = checkEvents('selectSessions', events);
  const fold = new SessionsFold();
  return sessionRows(fold, reduceAll(checked, reduceState, newSessionsState(), fold));
}

/** What went wrong. `of`: only findings about these. */
export function selectFindings(events: Iterable<Event>, options: { of?: readonly Audited[] } = {}): FindingRow[] {
  const checked = checkEvents('selectFindings', events);
  checkOptions('selectFindings', options, { of: is.listOf(auditedSubjects) });
  const { of = auditedSubjects } = options;
  const reader = createAuditReader();
  for (const event of checked) reader.note(event);
  return findingsOf(of, reader.facts());
}

/** Who did what when, parents before children. */
export function selectSpans(events: Iterable<Event>): SpanRow[] {
  return tracesIn(checkEvents('selectSpans', events)).flatMap(spanRows);
}

/** Where the time of every agent went. */
export function selectAccounts(events: Iterable<Event>): AccountRow[] {
  return tracesIn(checkEvents('selectAccounts', events)).flatMap(accountRows);
}

function tracesIn(events: Iterable<Event>): Trace[] {
  const fold = new TraceFold();
  return fold.traces(reduceAll(events, reduceState, newTraceState(), fold));
}

/** Names of the agents of a team, or of all teams of a state that were not deleted, without the lead. */
export function agentNames(state: TeamState | State | undefined): string[] {
  if (state === undefined) return [];
  if (isTeamState(state)) return state.members.map((member) => member.name);
  checkState('agentNames', state);
  const living = selectTeams(state).filter(({ status }) => status !== 'cleaned_up');
  const members = living.flatMap((team) => team.members).filter(({ kind }) => kind !== 'lead');
  return [...new Map(members.map(({ agent_id, name }) => [agent_id, name])).values()];
}

/** A state as plain JSON, for loadState. */
export function saveState(state: State): SavedState {
  checkState('saveState', state);
  return saveSlices(state);
}

/** Takes the result of saveState, parsed or as JSON text. Throws StateError if it is newer, foreign or damaged. */
export function loadState(saved: unknown): State {
  return loadSlices(saved, initialState);
}

// The zod schemas of the library, made from the descriptions that commands use, and the capabilities of a session.
export const memberSchema: Schema<Member> = zodOf(member);
export const messageSchema: Schema<Message> = zodOf(message);
export const taskChangeSchema: Schema<TaskChange> = zodOf(taskChange);
export const tokensSchema: Schema<Tokens> = zodOf(tokens);
export const modelUsageSchema: Schema<ReportedUsage> = zodOf(reportedUsage);

export const memberRowSchema: Schema<MemberRow> = zodOf(memberRow);
export const messageRowSchema: Schema<MessageRow> = zodOf(messageRow);
export const taskRowSchema: Schema<TaskRow> = zodOf(taskRow);
export const teamRowSchema: Schema<TeamRow> = zodOf(teamRow);
export const usageRowSchema: Schema<UsageRow> = zodOf(usageRow);
export const usageMessageRowSchema: Schema<UsageMessageRow> = zodOf(usageMessageRow);
export const callGroupRowSchema: Schema<CallGroupRow> = zodOf(groupRow);
export const callRowSchema: Schema<CallRow> = zodOf(callRow);
export const findingRowSchema: Schema<FindingRow> = zodOf(findingRow);
export const sessionRowSchema: Schema<SessionRow> = zodOf(sessionRow);
export const spanRowSchema: Schema<SpanRow> = zodOf(spanRow);
export const accountRowSchema: Schema<AccountRow> = zodOf(accountRow);

/** The schema of one whole event with its envelope. */
export function eventSchema(name: EventName) {
  is.oneOf(eventNames())('eventSchema', 'the name of the event', name);
  return zodOfEvent(name);
}

/** The event without what people and agents wrote. */
export function withoutContent(event: Event): Event {
  checkEvent('withoutContent', event);
  is.oneOf(eventNames())('withoutContent', 'the name of the event', event.event);
  return bare(event);
}

export interface Capabilities {
  /** Whether it can work with agents that stay alive and talk to each other. */
  teams: boolean;
  tasks: boolean;
  messages: boolean;
}

/** What a session can do, judging by the tools in its session:started; nothing if it names no tools. */
export function capabilities(session: { readonly tools?: readonly string[] | null }): Capabilities {
  const tools = session?.tools ?? [];
  if (!Array.isArray(tools)) refuse('capabilities: tools has to be a list of names', tools);
  const acts = new Set(tools.filter((tool) => typeof tool === 'string').flatMap(actsOf));
  const messages = acts.has('send');
  return {
    // Since 2.1.178 no tool creates a team. A session that can spawn agents and message them has one.
    teams: acts.has('createTeam') || (messages && acts.has('spawn')),
    tasks: acts.has('createTask') || acts.has('writeTodos'),
    messages,
  };
}
