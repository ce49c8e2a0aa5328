// Who is known in which team, as far as the input tells.
import { resolveAgent } from '../state/agents.js';
import type { Facts } from '../state/audit-facts.js';
import type { Place } from '../state/tasks-place.js';
import type { HomeOf } from './finding-home.js';
import type { MessageRow } from './message.js';

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
