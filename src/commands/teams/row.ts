// The fields of a team row and of a member row.
import {
  type Described,
  flag,
  listOf,
  maybeMoney,
  maybeText,
  maybeTime,
  means,
  namesOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
  type ValueOf,
} from '../../core/record/describe.js';

export const memberRow = object({
  name: text,
  agent_id: text,
  kind: oneOf(['lead', 'teammate', 'subagent']),
  agent_type: maybeText,
  model: maybeText,
  color: maybeText,
  status: oneOf(['active', 'idle', 'shutting_down', 'shutdown', 'finished', 'failed', 'stopped', 'unknown']),
  task: means(maybeText, 'id of its board task in progress'),
  parent: means(maybeText, 'agent that spawned it'),
  joined_at: maybeTime,
  last_seen_at: maybeTime,
  runs: number,
  tool_calls: orNull(number),
  tool_errors: number,
  open_calls: number,
  messages_sent: number,
  messages_received: number,
  total_tokens: means(orNull(number), 'tokens that its messages used'),
  context_tokens: means(orNull(number), 'size of its context at its end, as Claude Code reports it'),
  worktree: orNull(object({ path: maybeText, branch: maybeText })),
  cwd: maybeText,
  backend: maybeText,
  plan_mode_required: orNull(flag),
  error: maybeText,
});
export type MemberRow = ValueOf<typeof memberRow>;

export const teamRow = object({
  team: text,
  session_id: maybeText,
  status: oneOf(['active', 'cleaned_up', 'ended', 'unfinished']),
  protocol: oneOf(['teammate-tool', 'team-create', 'implicit', 'files']),
  role: orNull(oneOf(['lead', 'teammate'])),
  lead: maybeText,
  description: maybeText,
  created_at: maybeTime,
  ended_at: maybeTime,
  error: maybeText,
  members: listOf(memberRow),
  tasks: object({ pending: number, in_progress: number, completed: number, deleted: number }),
  messages: number,
  cost_usd: maybeMoney,
  cost_source: means(maybeText, 'where the cost comes from: reported, calculated, lower_bound, guess or unpriced'),
  program: means(optional(text), 'claude, codex, …; only if a stream of another agent was read'),
});
export type TeamRow = ValueOf<typeof teamRow>;
export const memberFields = namesOf(memberRow);
export const teamFields = namesOf(teamRow);

export const describedTeam: Described = { title: 'team', means: 'one row of cct teams', shapes: [teamRow] };
export const describedMember: Described = {
  title: 'member',
  means: 'one member of a team; in rows of cct teams --members, team and session_id come first',
  shapes: [memberRow],
};
