// Runs the audits of teams, tasks, messages, other calls and the run itself.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { Directory } from '../../core/tables/directory.js';
import { compareOrder, type Order } from '../../core/tables/facts.js';
import { isLeadName, latest, type Place, plainName } from '../../core/tables/order.js';
import { newState, reducerOf, type State, settle } from '../../core/tables/reduce.js';
import { targetOf } from '../../core/wire/tools/about.js';
import { canCreateTeam } from '../../core/wire/tools/table.js';
import { type MessagesLog, messageFindings, newMessagesLog, noteMessages } from '../messages/audit.js';
import { type MessageRow, settledMessages } from '../messages/rows.js';
import { noteTask, type TaskActs, taskFindings } from '../tasks/audit.js';
import { type MembersLog, newMembersLog, noteMembers, teamFindings } from '../teams/audit.js';
import { type AuditCalls, auditCalls, callTexts, spotOf } from './fold.js';
import { type OwnRule, ownFindings } from './own-rules.js';
import type { Audited, FindingRow } from './row.js';
import { callFindings, type Roster, sortedFindings } from './rows.js';
import { newRunLog, noteInOrder, noteRun, otherCallFindings, type RunLog, runFindings } from './run.js';

export interface Facts extends State {
  readonly audit: AuditLog & { readonly calls: AuditCalls };
  /** Findings quote nothing of the input. */
  readonly bare?: boolean;
  readonly rules?: readonly OwnRule[];
}

/** Data that only findings need. It is changed in place, because nobody saves it or returns to an earlier version. */
export interface AuditLog {
  /** The latest time in each session of each file. */
  readonly clocks: Map<string, string>;
  readonly acts: TaskActs;
  readonly members: MembersLog;
  readonly messages: MessagesLog;
  readonly run: RunLog;
}

/** The findings about these subjects, for an input that was read to its end. */
export function findingsOf(audited: readonly Audited[], facts: Facts): FindingRow[] {
  return sortedFindings(
    audited.flatMap((what) => [...callFindings(facts.agents, facts.audit.calls, what), ...findingsAbout(what, facts)]),
  );
}

export function createAuditReader() {
  const state = newState({ loops: true, details: targetOf, texts: callTexts });
  const audit = newAuditLog();
  /** Events of several files, which may report the same thing out of order. */
  const ofFiles: { readonly event: Event; readonly order: Order }[] = [];
  const clocks = new Map<string, string>();
  return {
    note(event: Event): void {
      followAll(state, event);
      noteInOrder(audit.run, event);
      const { source, seq, session_id } = event;
      if (source === undefined || isOrderIndependent(event)) return noteAudit(audit, event);
      const time = event.time ?? clocks.get(source) ?? '';
      clocks.set(source, time);
      ofFiles.push({ event, order: { time, rank: 0, session: session_id ?? '', source, seq } });
    },
    facts(): Facts {
      ofFiles.sort((a, b) => compareOrder(a.order, b.order));
      for (const { event } of ofFiles.splice(0)) noteAudit(audit, event);
      return { ...settle(state), audit: { ...audit, calls: auditCalls(state.calls) } };
    },
  };
}

export function newAuditLog(): AuditLog {
  return {
    clocks: new Map(),
    acts: new Map(),
    members: newMembersLog(),
    messages: newMessagesLog(),
    run: newRunLog(),
  };
}

export function noteAudit(log: AuditLog, event: Event): void {
  const clock = `${event.session_id} ${event.source}`;
  const now = latest(log.clocks.get(clock) ?? null, event.time);
  if (now !== null) log.clocks.set(clock, now);
  const spot = spotOf(event, event.time ?? now);
  noteTask(log.acts, event, spot);
  noteMembers(log.members, event, spot);
  noteMessages(log.messages, event, spot);
  noteRun(log.run, event, spot);
}

function findingsAbout(audited: Audited, facts: Facts): FindingRow[] {
  if (audited === 'teams') return teamFindings(facts);
  if (audited === 'run') return runFindings(facts);
  if (audited === 'calls') return [...otherCallFindings(facts), ...ownFindings(facts.rules ?? [], facts)];
  const directory = new Directory(facts);
  const messages = settledMessages(facts.messages, facts.agents);
  const rows = messages.map(({ row }) => row);
  const roster = rosterOf(facts, directory, rows);
  return audited === 'tasks' ? taskFindings(facts, roster) : messageFindings(facts, directory, messages, roster);
}

const followAll = reducerOf({ story: true, messages: true, work: true, calls: true });

/** The order of these events does not matter. There are many of them. */
function isOrderIndependent({ event }: Event): boolean {
  return event === 'usage:recorded' || event === 'text:produced' || event === 'thinking:produced';
}

function rosterOf({ audit }: Facts, directory: Directory, messages: readonly MessageRow[]): Roster {
  const names = new Map<string, Set<string>>();
  const addName = (place: Place, who: string | null) => {
    if (who !== null) getOrCreate(names, directory.homeOf(place), () => new Set()).add(plainName(who));
  };
  for (const { entry, agent } of directory.joined) {
    addName(entry, agent.name);
    addName(entry, entry.id);
  }
  // Configs drop members who left. But an agent that sent or received a message was a member.
  for (const row of messages) {
    addName(row, row.from);
    if (row.status === 'delivered' || (row.type === 'broadcast' && row.status === 'sent'))
      for (const recipient of row.recipients) addName(row, recipient);
  }
  const founded = [...audit.members.founded.values()].filter(({ protocol, fromStart, tool_use_id }) => {
    const tool = audit.calls.get(tool_use_id ?? '')?.tool;
    return protocol !== 'implicit' && (fromStart || canCreateTeam(tool ?? ''));
  });
  const complete = new Set(
    founded.filter(({ name }) => !/^session-/.test(name)).map((team) => directory.homeOf({ ...team, team: team.name })),
  );
  return {
    knowsAgent(place, who) {
      if (isLeadName(who) || names.get(directory.homeOf(place))?.has(plainName(who))) return true;
      const found = directory.agent(place, who);
      return found.kind !== null || found.agent !== who;
    },
    isComplete: (place) => complete.has(directory.homeOf(place)),
  };
}
