// The rules and limits of audits, and the fields of a finding.
import {
  type Described,
  maybeText,
  maybeTime,
  means,
  namesOf,
  number,
  object,
  oneOf,
  orNull,
  placeFields,
  text,
  type ValueOf,
} from '../../core/record/describe.js';

/** The subjects whose tools cct follows. */
export type Subject = 'teams' | 'tasks' | 'messages';

/** What is audited, as --of names it. */
export const auditedSubjects = ['teams', 'tasks', 'messages', 'calls', 'run'] as const;
export type Audited = (typeof auditedSubjects)[number];

/** A documented limit. Claude Code may enforce another one or none, so exceeding it is only a note. */
export interface Limit extends Rule {
  readonly max: number;
  readonly counts: string;
  /** For a rate: the time span in seconds. */
  readonly seconds: number | null;
}

const times: Readonly<Record<number, string>> = { 86400: 'a day', 3600: 'an hour', 60: 'a minute' };

/** All rules and limits. Characters are code points. */
export const rules = {
  run_failed: problemRule(
    ['run'],
    'a session failed or was stopped: an error of the API, a refusal, a limit, an interruption; the detail says which',
  ),
  turn_failed: noteRule('run', 'a turn failed or was stopped, and the session went on after it'),
  no_result: problemRule(['run'], 'a stream ended before the result of its last turn'),
  open_call: problemRule(['run'], 'a call had not returned when the stream ended without a result'),
  open_agent: problemRule(['run'], 'an agent had not finished when the stream ended without a result'),
  failed_control: problemRule(['run'], 'Claude Code answered a control request with an error'),
  agent_failed: problemRule(['teams'], 'an agent failed'),
  task_failed: problemRule(['tasks'], 'a background task failed; an agent in the background is an agent_failed'),
  cleaned_up_with_open_tasks: problemRule(['tasks'], 'a team was deleted while tasks of its board were not completed'),
  unfinished_task: noteRule('tasks', 'a session ended, and a task of its board was not completed'),
  duplicate_name: problemRule(
    ['teams'],
    'a team or an agent was given a name that was taken: Claude Code refused it or chose another name, or two agents had the name at the same time',
  ),
  deleted_with_active_members: problemRule(
    ['teams'],
    'a team was deleted while teammates were working: they were not idle or gone, and had not been asked to shut down',
  ),
  unknown_owner: problemRule(['tasks'], 'a task was given to an agent that is not in the team'),
  status_backwards: problemRule(
    ['tasks'],
    'a completed task was opened again, or a task went from in_progress to pending and kept its owner',
  ),
  circular_dependency: problemRule(['tasks'], 'tasks wait for each other, so none of them can start'),
  two_owners: problemRule(['tasks'], 'an agent claimed a task that another agent had in progress'),
  undelivered: problemRule(
    ['messages'],
    'a message was sent and never reached its recipient; a note if it only said that an agent is idle. This is reported only if the input shows it: the message is unread in an inbox or queue, or the recipient went on without it in a transcript or stream that shows what arrives. A request that was answered has arrived',
  ),
  delivered_twice: problemRule(['messages'], 'one message arrived more than once'),
  unknown_recipient: problemRule(
    ['messages'],
    'a message was sent to a name that is not in the team, even if Claude Code said that it was sent',
  ),
  unanswered_request: problemRule(
    ['messages'],
    'a request to shut down or to approve a plan had no answer at the end of the input, and neither of the two agents has ended since',
  ),
  refused_broadcast: problemRule(['messages'], 'Claude Code refused to send a broadcast'),
  missing_field: problemRule(['teams', 'tasks', 'messages'], 'a required input of a call is missing'),
  failed_call: problemRule(
    ['teams', 'tasks', 'messages'],
    'a call returned an error that no other rule covers. teams checks calls that create or delete teams or spawn agents, tasks checks the task tools, messages checks calls that send messages. It is a note if a person refused or interrupted the call, or if it was cancelled with another one',
  ),
  failed_calls: noteRule('calls', 'calls of another tool failed: one note for each tool and agent'),
  repeated_call: problemRule(
    ['calls'],
    'the same call with the same input failed three times or more within ten calls of an agent',
  ),
  denied_call: problemRule(
    ['calls'],
    'a call was made that --deny or --rules forbids; a note if it was refused, so that nothing happened',
  ),
  too_many_calls: problemRule(['calls'], 'a session has more calls than --max-calls or --rules allows'),
  context_full: noteRule(
    'run',
    'the context was full: the conversation was compacted, automatically or on request, or a prompt took more than 90 % of the window that Claude Code reports for its model',
  ),
  team_name_pattern: noteRule('teams', 'a team name has characters other than lower-case letters, digits and hyphens'),
  many_teams: limitRule('teams', 100, 'teams of a user'),
  many_agents: limitRule('teams', 50, 'agents in a team'),
  team_rate: limitRule('teams', 10, 'teams created by a user', 3600),
  agent_rate: limitRule('teams', 50, 'agents spawned in a team', 3600),
  call_rate: limitRule('teams', 1000, 'calls of team tools by a user', 60),
  long_subject: limitRule('tasks', 200, 'characters of a task subject'),
  long_description: limitRule('tasks', 5000, 'characters of a task description'),
  many_tasks: limitRule('tasks', 1000, 'tasks of a team'),
  task_rate: limitRule('tasks', 1000, 'tasks created in a team', 86_400),
  long_message: limitRule('messages', 10_000, 'characters of a message'),
  long_summary: limitRule('messages', 100, 'characters of a message summary'),
  broadcast_rate: limitRule('messages', 1, 'broadcasts in a team', 5),
};

export type RuleName = keyof typeof rules;

export const ruleNames = Object.keys(rules).filter((name): name is RuleName => Object.hasOwn(rules, name));

export const teamNamePattern = /^[a-z0-9-]+$/;

/** The length of a text that exceeds its limit, else null. */
export function excess(text: string | null, { max }: Limit): number | null {
  if (text === null || text.length <= max) return null;
  const characters = [...text].length;
  return characters > max ? characters : null;
}

/** What a limit counts, and in which time: `broadcasts in a team within 5 s`. */
export function countedBy({ counts, seconds }: Pick<Limit, 'counts' | 'seconds'>): string {
  return seconds === null ? counts : `${counts} within ${times[seconds] ?? `${seconds} s`}`;
}

export const findingRow = object({
  time: maybeTime,
  ...placeFields,
  rule: means(oneOf(ruleNames), ruleNames.map((name) => `${name}: ${rules[name].means}`).join('. ')),
  severity: means(
    oneOf(['problem', 'note']),
    'problem: something went wrong; note: good to know, such as a limit that was passed',
  ),
  agent: means(
    maybeText,
    'agent that made the call or sent the message; for undelivered, delivered_twice and unanswered_request, the recipient; for rules about a member or an owner, that agent',
  ),
  task: means(maybeText, 'id of the board task or the background work'),
  tool_use_id: means(maybeText, 'id of the call it is about'),
  line: means(orNull(number), 'line of the result of that call, or another line that shows it'),
  detail: means(text, 'description; for a failed call, the error as written, with its code if it is known'),
});
export type FindingRow = ValueOf<typeof findingRow>;
export const findingFields = namesOf(findingRow);

export const describedFinding: Described = {
  title: 'finding',
  means: 'one row of cct audit',
  shapes: [findingRow],
};

interface Rule {
  /** The subjects it belongs to. cct audit shows all of them. */
  readonly of: readonly Audited[];
  readonly severity: 'problem' | 'note';
  readonly means: string;
}

function problemRule(of: readonly Audited[], means: string): Rule {
  return { of, severity: 'problem', means };
}

function noteRule(of: Audited, means: string): Rule {
  return { of: [of], severity: 'note', means };
}

function limitRule(of: Audited, max: number, counts: string, seconds: number | null = null): Limit {
  return { ...noteRule(of, `more ${countedBy({ counts, seconds })} than ${max}`), max, counts, seconds };
}
