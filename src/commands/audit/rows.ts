import { type AgentsState, resolveAgent } from '../../core/state/agents.js';
import { Directory } from '../../core/state/directory.js';
import type { Place } from '../../core/state/keys.js';
import { compare } from '../../core/state/order.js';
import { messageFindings } from '../messages/audit.js';
import { joinMessages, teamOf } from '../messages/join.js';
import { type MessageRow, noText, settledRow } from '../messages/rows.js';
import { taskFindings } from '../tasks/audit.js';
import { teamFindings } from '../teams/audit.js';
import type { Facts, Spot } from './fold.js';
import { type FindingRow, type RuleName, rules, type Subject } from './row.js';

/** What is wrong, or worth a note, with the teams, the tasks or the messages of an input that has been read to its end. */
export function findingsOf(subject: Subject, facts: Facts): FindingRow[] {
  const homeOf = homes(facts);
  if (subject === 'teams') return inOrder(teamFindings(facts));
  const messages = joinMessages(facts.messages, facts.agents).map((message) => ({
    ...message,
    row: settledRow(message, () => noText, facts.agents),
  }));
  const rows = messages.map(({ row }) => row);
  const roster = rosterOf(facts, homeOf, rows);
  return inOrder(subject === 'tasks' ? taskFindings(facts, roster) : messageFindings(facts, homeOf, messages, roster));
}

export type { FindingRow } from './row.js';

type About = Partial<Omit<FindingRow, 'rule' | 'severity'>> & { detail: string };

/** A finding at a spot, about whoever the spot names unless `about` names another. */
export function finding(agents: AgentsState, rule: RuleName, spot: Spot, about: About): FindingRow {
  const agent = spot.agent === null ? null : resolveAgent(agents, spot, spot.agent).name;
  return findingAt(rule, { ...spot, team: teamOf(agents, spot) }, { agent, ...about });
}

/** A finding at a place whose team is known. */
export function findingAt(
  rule: RuleName,
  { time, session_id, team, line }: Pick<FindingRow, 'time' | 'session_id' | 'team' | 'line'>,
  about: About,
): FindingRow {
  const { severity } = rules[rule];
  return { time, session_id, team, rule, severity, agent: null, task: null, tool_use_id: null, line, ...about };
}

/** By time, then line, then rule; what is still alike, by what it says. */
export function inOrder(findings: readonly FindingRow[]): FindingRow[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.time, b.time) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.rule, b.rule) ||
      compare(a.tool_use_id, b.tool_use_id) ||
      compare(a.detail, b.detail) ||
      compare(JSON.stringify(a), JSON.stringify(b)),
  );
}

/** Tells one team from another: two sessions may each have a team of the same name, and one team several sessions and files. */
export type HomeOf = (place: Place) => string;

export function homes(facts: Facts): HomeOf {
  const directory = new Directory(facts);
  return (place) => directory.homeOf(place);
}

// Who is known in which team, as far as the input tells.

export interface Roster {
  /** Whether there is an agent of this name or id. */
  knows(place: Place, who: string): boolean;
  /** Whether everybody in the team of a place is known, so that a name nobody has is nobody's. */
  isComplete(place: Place): boolean;
}

export function rosterOf({ agents, teams, audit }: Facts, homeOf: HomeOf, messages: readonly MessageRow[]): Roster {
  const names = new Map<string, Set<string>>();
  const learn = (place: Place, who: string | null) => {
    if (who === null) return;
    const home = homeOf(place);
    const known = names.get(home) ?? new Set();
    names.set(home, known.add(plainName(who)));
  };
  for (const member of teams.members.values()) {
    if (!member.joined) continue;
    learn(member, resolveAgent(agents, member, member.id).name);
    learn(member, member.id);
  }
  // Configs forget members who left; who sent something or was reached has been there.
  for (const row of messages) {
    learn(row, row.from);
    if (row.status === 'delivered' || (row.type === 'broadcast' && row.status === 'sent'))
      for (const recipient of row.recipients) learn(row, recipient);
  }
  const founded = audit.members.founded.values().filter(({ protocol, fromStart, tool_use_id }) => {
    const tool = audit.calls.get(tool_use_id ?? '')?.tool;
    return protocol !== 'implicit' && (fromStart || tool === 'TeamCreate' || tool === 'Teammate');
  });
  const complete = new Set(
    founded.filter(({ name }) => !/^session-/.test(name)).map((team) => homeOf({ ...team, team: team.name })),
  );
  return {
    knows(place, who) {
      if (isLead(who) || names.get(homeOf(place))?.has(plainName(who))) return true;
      const found = resolveAgent(agents, place, who);
      return found.kind !== null || found.agent !== who;
    },
    isComplete: (place) => complete.has(homeOf(place)),
  };
}

/** `@writer` and `writer@crew` are writer. */
export function plainName(who: string): string {
  return who.replace(/^@/, '').replace(/(?<=.)@.*$/s, '');
}

export function isLead(who: string): boolean {
  const name = plainName(who);
  return name === 'main' || name === 'team-lead';
}
