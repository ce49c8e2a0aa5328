// Runs the audits of teams, tasks, messages, other calls and the run itself.
import type { Event } from '../../core/event/event.js';
import { getOrCreate } from '../../core/record/json.js';
import { type AgentsState, scopeOf } from '../../core/tables/agents.js';
import { Directory, resolveAgent } from '../../core/tables/directory.js';
import { compareOrder, type Order } from '../../core/tables/facts.js';
import { groupBy, isLeadName, latest, type Place, plainName } from '../../core/tables/order.js';
import { newState, reducerOf, type State, settle } from '../../core/tables/reduce.js';
import { matches } from '../../core/wire/interest.js';
import { targetOf } from '../../core/wire/tools/about.js';
import { canCreateTeam } from '../../core/wire/tools/table.js';
import { messageFindings, newMessagesLog, noteMessages } from '../messages/audit.js';
import { type MessageRow, settledMessages } from '../messages/rows.js';
import { noteTask, type TaskActs, taskFindings } from '../tasks/audit.js';
import { newMembersLog, noteMembers, teamFindings } from '../teams/audit.js';
import { type AuditCalls, auditCalls, callTexts, type Spot, spotIn, spotOf } from './fold.js';
import type { Audited, FindingRow } from './row.js';
import { callFindings, finding, ordered, type Roster, sortedFindings } from './rows.js';
import { newRunLog, noteInOrder, noteRun, otherCallFindings, runFindings } from './run.js';

export interface Facts extends State {
  readonly audit: AuditLog & { readonly calls: AuditCalls };
  /** Findings quote nothing of the input. */
  readonly bare?: boolean;
  readonly rules?: readonly OwnRule[];
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
  const ofFiles: { readonly event: Event; readonly at: string | null; readonly order: Order }[] = [];
  /** The last time in each file. */
  const clocks = new Map<string, string>();
  return {
    note(event: Event): void {
      followAll(state, event);
      noteInOrder(audit.run, event);
      const { source, seq, session_id } = event;
      const at = timeOf(audit, event);
      if (source === undefined) return noteAudit(audit, event, at);
      // Texts count too: in a short run nothing else may have a time.
      const time = event.time ?? clocks.get(source) ?? '';
      clocks.set(source, time);
      if (isOrderIndependent(event)) return noteAudit(audit, event, at);
      ofFiles.push({ event, at, order: { time, rank: 0, session: session_id ?? '', source, seq } });
    },
    facts(): Facts {
      ofFiles.sort((a, b) => compareOrder(a.order, b.order));
      for (const { event, at } of ofFiles.splice(0)) noteAudit(audit, event, at);
      return { ...settle(state), audit: { ...audit, calls: auditCalls(state.calls) } };
    },
  };
}

/** Data that only findings need. It is changed in place, because nobody saves it or returns to an earlier version. */
export type AuditLog = ReturnType<typeof newAuditLog>;

export function newAuditLog() {
  const acts: TaskActs = new Map();
  return {
    /** The latest time in each session of each file. */
    clocks: new Map<string, string>(),
    acts,
    members: newMembersLog(),
    messages: newMessagesLog(),
    run: newRunLog(),
  };
}

export function noteAudit(log: AuditLog, event: Event, at = timeOf(log, event)): void {
  const spot = spotOf(event, at);
  noteTask(log.acts, event, spot);
  noteMembers(log.members, event, spot);
  noteMessages(log.messages, event, spot);
  noteRun(log.run, event, spot);
}

/** When an event happened, as far as its file shows it. Give it all events as they are read. */
function timeOf({ clocks }: AuditLog, { session_id, source, time }: Event): string | null {
  const clock = `${session_id} ${source}`;
  const now = latest(clocks.get(clock) ?? null, time);
  if (now !== null) clocks.set(clock, now);
  return time ?? now;
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

// Rules of one's own: calls that must not be made, and how many calls are too many.
export interface OwnRule {
  /** As it was written. */
  readonly text: string;
  readonly agent: string;
  readonly tool: string;
  readonly target: string | null;
  /** How many such calls a session may have. */
  readonly most: number;
}

/** `Bash(rm -rf *)`, `mcp__*`, `reviewer:Edit(/etc/*)`; null if it is no such pattern. `*` is any text. */
export function denial(text: string): OwnRule | null {
  const [, agent = '*', tool = '', target = null] =
    /^(?:([^:()]+):)?([^:()\s]+)(?:\((.+)\))?$/s.exec(text.trim()) ?? [];
  return tool === '' ? null : { text: text.trim(), agent, tool, target, most: 0 };
}

/** `WebFetch=20` */
export function limitOf(text: string): OwnRule | null {
  const [, pattern = '', count = ''] = /^(.+)=(\d{1,9})$/s.exec(text.trim()) ?? [];
  const rule = denial(pattern);
  return rule === null ? null : { ...rule, text: pattern, most: Number(count) };
}

/** A file of rules: `deny Bash(rm -rf *)` or `max-calls WebFetch=20` on each line. Throws an Error with the wrong line. */
export function readRules(text: string): OwnRule[] {
  return text.split('\n').flatMap((line, at) => {
    const [word = '', ...rest] = line.trim().split(/\s+(.*)/s);
    if (word === '' || word.startsWith('#')) return [];
    const rule = word === 'deny' ? denial(rest[0] ?? '') : word === 'max-calls' ? limitOf(rest[0] ?? '') : null;
    if (rule === null)
      throw new Error(
        `line ${at + 1}: expected 'deny Bash(rm -rf *)' or 'max-calls WebFetch=20', not '${line.trim()}'`,
      );
    return [rule];
  });
}

export function ownFindings(rules: readonly OwnRule[], { agents, calls, bare = false }: Facts): FindingRow[] {
  if (rules.length === 0) return [];
  const made = [...calls.all()].flatMap(({ caller, tool, denied, details }) => {
    if (!details?.called || details.id === '') return [];
    const { id, called, about: target } = details;
    return [{ ...spotIn(caller, called), id, tool: tool.tool, target, denied }];
  });
  return rules.flatMap((rule) => {
    const meant = made.filter((call) => isMeant(rule, call, agents));
    return rule.most === 0
      ? meant.map((call) => deniedCall(rule, call, agents, bare))
      : tooManyCalls(rule, meant, agents);
  });
}

interface MadeCall extends Spot {
  readonly id: string;
  readonly tool: string;
  readonly target: string | null;
  /** A person or a rule refused it, so nothing happened. */
  readonly denied: boolean;
}

function deniedCall({ text }: OwnRule, call: MadeCall, agents: AgentsState, bare: boolean): FindingRow {
  const { id: tool_use_id, tool, target } = call;
  const detail = bare || target === null ? `${tool} (${text})` : `${tool}: ${target} (${text})`;
  const severity = call.denied ? 'note' : 'problem';
  return finding(agents, 'denied_call', call, { tool_use_id, detail, severity });
}

/** Found where the limit was passed. */
function tooManyCalls({ text, most }: OwnRule, meant: readonly MadeCall[], agents: AgentsState): FindingRow[] {
  return [...groupBy(meant, scopeOf).values()].flatMap((group) => {
    const call = ordered(group)[most];
    if (call === undefined) return [];
    const detail = `${group.length} calls of ${text}, limit ${most}`;
    return [finding(agents, 'too_many_calls', call, { tool_use_id: call.id, detail })];
  });
}

function isMeant({ agent, tool, target }: OwnRule, call: MadeCall, agents: AgentsState): boolean {
  if (!matches(tool, call.tool)) return false;
  if (agent !== '*' && !matches(agent, resolveAgent(agents, call, call.agent).name)) return false;
  return target === null || (call.target !== null && wordings(call.target).some((text) => matches(target, text)));
}

/** What may stand in front of a command. */
const inFront = /^(?:(?:sudo|env|nohup|exec|command|time)\s+(?:-\S+\s+)*|\w+=\S*\s+)+/;

/** A target as it is, and each command in it: `cd build && rm -rf .`, `bash -lc 'rm -rf build'`. */
function wordings(target: string): string[] {
  const inner = /^\S*sh -l?c (['"]?)(.*)\1$/s.exec(target)?.[2] ?? target;
  const parts = inner.split(/[;|&\n()`]/).map((part) => part.trim());
  return [target, inner, ...parts, ...parts.map((part) => part.replace(inFront, ''))];
}
