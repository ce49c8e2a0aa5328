import { textOf } from '../record/fields.js';
import { nameLead, startAgent } from './agents.js';
import type { At, Desk } from './desk.js';

/** Rows of a teammate in its own pane are a session of their own, tagged with team and name: the main conversation there is that teammate. */
export function joinSession(desk: Desk, at: At): void {
  const { record, session } = at;
  const team = textOf(record.teamName);
  if (!team || record.isSidechain === true || session.tagged === team) return;
  session.tagged = team;
  session.team = team;
  session.implicit = session.id !== null && team === `session-${session.id.slice(0, 8)}`;
  const name = textOf(record.agentName);
  session.lead = `${name ?? 'team-lead'}@${team}`;
  at.agent = session.lead;
  // A lead's file joined late: nothing else may say that it has one.
  if (name === null || name === 'team-lead') return nameLead(desk, at, session.lead);
  startAgent(desk, at, { id: session.lead, kind: 'teammate', name });
}
