/** A documented limit. The program may enforce others, or none: to pass one is worth a note. */
export interface Limit {
  readonly rule: string;
  /** Whose audit looks at it. */
  readonly subject: Subject;
  /** The most that is allowed. */
  readonly max: number;
  readonly counts: string;
  /** Within which time, for a rate. */
  readonly seconds?: number;
}

/** What an audit can be of: the rows it takes the place of. */
export type Subject = 'teams' | 'tasks' | 'messages';

/** Every limit there is, in one place. Characters are code points; a user is whoever made the input. */
export const limits = {
  teams: { rule: 'many_teams', subject: 'teams', max: 100, counts: 'teams of a user' },
  agents: { rule: 'many_agents', subject: 'teams', max: 50, counts: 'agents in a team' },
  teamRate: { rule: 'team_rate', subject: 'teams', max: 10, counts: 'teams created by a user', seconds: 3600 },
  agentRate: { rule: 'agent_rate', subject: 'teams', max: 50, counts: 'agents spawned in a team', seconds: 3600 },
  callRate: { rule: 'call_rate', subject: 'teams', max: 1000, counts: 'calls of team tools by a user', seconds: 60 },
  taskSubject: { rule: 'long_subject', subject: 'tasks', max: 200, counts: 'characters of a task subject' },
  taskDescription: {
    rule: 'long_description',
    subject: 'tasks',
    max: 5000,
    counts: 'characters of a task description',
  },
  tasks: { rule: 'many_tasks', subject: 'tasks', max: 1000, counts: 'tasks of a team' },
  taskRate: { rule: 'task_rate', subject: 'tasks', max: 1000, counts: 'tasks created in a team', seconds: 86_400 },
  messageContent: { rule: 'long_message', subject: 'messages', max: 10_000, counts: 'characters of a message' },
  messageSummary: { rule: 'long_summary', subject: 'messages', max: 100, counts: 'characters of a message summary' },
  broadcastRate: { rule: 'broadcast_rate', subject: 'messages', max: 1, counts: 'broadcasts in a team', seconds: 5 },
} as const satisfies Readonly<Record<string, Limit>>;

/** What a team may be called. */
export const teamNamePattern = /^[a-z0-9-]+$/;

/** How much longer than its limit a text is; null where it is not. */
export function excess(text: string | null, { max }: Limit): number | null {
  if (text === null || text.length <= max) return null;
  const characters = [...text].length;
  return characters > max ? characters : null;
}
