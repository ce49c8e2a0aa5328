import {
  type Described,
  maybeText,
  means,
  namesOf,
  number,
  object,
  oneOf,
  orNull,
  text,
  type ValueOf,
} from '../../core/record/describe.js';

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

export interface Rule {
  readonly severity: 'problem' | 'note';
  /** The commands whose --audit shows it. */
  readonly of: readonly Subject[];
  readonly means: string;
}

const problems = {
  duplicate_name: problem(
    ['teams'],
    'a team or an agent was given a name that was taken: the program refused it, chose another, or two agents had it at the same time',
  ),
  deleted_with_active_members: problem(
    ['teams'],
    'a team was deleted while teammates were at work who had neither been asked to shut down nor were idle or gone',
  ),
  unknown_owner: problem(['tasks'], 'a task was given to somebody who is not in the team'),
  status_backwards: problem(
    ['tasks'],
    'a task went from completed back to work, or from in_progress to pending while its owner kept it',
  ),
  circular_dependency: problem(['tasks'], 'tasks wait for each other, so that none of them can start'),
  two_owners: problem(['tasks'], 'a task was claimed by one agent while another had it in progress'),
  undelivered: problem(
    ['messages'],
    'a message was sent and never reached its recipient; only said where that can be seen: it lies unread in an inbox or a queue, or the recipient went on without it in a transcript or a stream that shows what arrives. A request that was answered has arrived',
  ),
  delivered_twice: problem(['messages'], 'one message arrived more than once'),
  unknown_recipient: problem(
    ['messages'],
    'a message went to nobody in the team, also where the program said it was sent',
  ),
  unanswered_request: problem(
    ['messages'],
    'a request to shut down or to approve a plan had no answer when the input ended, and neither whoever waits nor whoever was asked has ended since',
  ),
  refused_broadcast: problem(['messages'], 'the program refused to send a message to everybody'),
  missing_field: problem(['teams', 'tasks', 'messages'], 'a call lacks an input it must have'),
  failed_call: problem(
    ['teams', 'tasks', 'messages'],
    'a call came back with an error that no other rule names: of teams, those that make and delete teams and spawn agents; of tasks, the task tools; of messages, those that send',
  ),
};

const notes = {
  team_name_pattern: note('teams', 'a team is called something other than small letters, digits and hyphens'),
  many_teams: passed(limits.teams),
  many_agents: passed(limits.agents),
  team_rate: passed(limits.teamRate),
  agent_rate: passed(limits.agentRate),
  call_rate: passed(limits.callRate),
  long_subject: passed(limits.taskSubject),
  long_description: passed(limits.taskDescription),
  many_tasks: passed(limits.tasks),
  task_rate: passed(limits.taskRate),
  long_message: passed(limits.messageContent),
  long_summary: passed(limits.messageSummary),
  broadcast_rate: passed(limits.broadcastRate),
} satisfies Record<LimitRule | 'team_name_pattern', Rule>;

type LimitRule = (typeof limits)[keyof typeof limits]['rule'];

/** Every rule there is. */
export const rules = { ...problems, ...notes };

export type RuleName = keyof typeof rules;

export const ruleNames = Object.keys(rules).filter(isRule);

function isRule(name: string): name is RuleName {
  return Object.hasOwn(rules, name);
}

function problem(of: readonly Subject[], means: string): Rule {
  return { severity: 'problem', of, means };
}

function note(of: Subject, means: string): Rule {
  return { severity: 'note', of: [of], means };
}

function passed({ subject, max, counts, seconds }: Limit): Rule {
  return note(subject, `more ${counts}${seconds === undefined ? '' : ` within ${spelled(seconds)}`} than ${max}`);
}

/** 86400 → a day. */
export function spelled(seconds: number): string {
  return seconds === 86_400 ? 'a day' : seconds === 3600 ? 'an hour' : seconds === 60 ? 'a minute' : `${seconds} s`;
}

export const findingRow = object({
  time: maybeText,
  session_id: maybeText,
  team: maybeText,
  rule: means(oneOf(ruleNames), ruleNames.map((name) => `${name}: ${rules[name].means}`).join('. ')),
  severity: means(
    oneOf(['problem', 'note']),
    'a problem is something that went wrong; a note, a documented limit that was passed',
  ),
  agent: means(
    maybeText,
    'who made the call or sent the message; of undelivered, delivered_twice and unanswered_request, who it was for; of a rule about a member or an owner, that one',
  ),
  task: means(maybeText, 'id of the task: on its board, or of work in the background'),
  tool_use_id: means(maybeText, 'the call it is about'),
  line: means(orNull(number), 'of the result of that call, or where else it shows'),
  detail: means(text, 'in words; of a failed call, the error as written, with its code where that is known'),
});
export type FindingRow = ValueOf<typeof findingRow>;
export const findingFields = namesOf(findingRow);

export const describedFinding: Described = {
  title: 'finding',
  means: 'one row of cct teams, tasks or messages with --audit',
  shapes: [findingRow],
};
