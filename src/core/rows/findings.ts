import type { Facts } from '../state/audit-facts.js';
import type { Subject } from '../state/audit-limits.js';
import { joinMessages } from '../state/messages-join.js';
import { type FindingRow, inOrder } from './finding.js';
import { homes } from './finding-home.js';
import { messageFindings } from './finding-messages.js';
import { rosterOf } from './finding-roster.js';
import { taskFindings } from './finding-tasks.js';
import { teamFindings } from './finding-teams.js';
import { noText, settledRow } from './message.js';

/** What is wrong, or worth a note, with the teams, the tasks or the messages of an input that has been read to its end. */
export function findingsOf(subject: Subject, facts: Facts): FindingRow[] {
  const homeOf = homes(facts);
  if (subject === 'teams') return inOrder(teamFindings(facts, homeOf));
  const messages = joinMessages(facts.messages, facts.agents).map((message) => ({
    ...message,
    row: settledRow(message, () => noText, facts.agents),
  }));
  const rows = messages.map(({ row }) => row);
  const roster = rosterOf(facts, homeOf, rows);
  return inOrder(subject === 'tasks' ? taskFindings(facts, roster) : messageFindings(facts, homeOf, messages, roster));
}
