// The fields of a row of sessions.
import { costSources, outcomes } from '../../core/event/usage-row.js';
import {
  type Described,
  maybeMoney,
  maybeNumber,
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
  texts,
  type ValueOf,
} from '../../core/record/describe.js';

export const sessionRow = object({
  started_at: means(maybeTime, 'time of its first record'),
  ended_at: means(maybeTime, 'time of its last record'),
  project: means(maybeText, 'directory it was started in'),
  branch: maybeText,
  session_id: maybeText,
  title: means(maybeText, 'what Claude Code or the user called it, else the first line of its first prompt'),
  prompt: means(maybeText, 'its first prompt; most streams do not repeat it'),
  agents: means(number, 'how many agents worked in it, the main conversation among them'),
  calls: means(number, 'how many tools were called'),
  errors: means(number, 'how many of these calls failed'),
  duration_ms: means(maybeNumber, 'from its first record to its last, or what its results say if that is more'),
  total_tokens: means(maybeNumber, 'null if it does not say what it used'),
  cost_usd: maybeMoney,
  cost_source: orNull(oneOf(costSources)),
  outcome: means(
    orNull(oneOf(outcomes)),
    'unfinished: a stream without its result; null: a transcript that does not show how it ended',
  ),
  reason: means(maybeText, 'why it failed or stopped'),
  version: means(maybeText, 'version of Claude Code'),
  model: means(maybeText, 'model of its last answer'),
  parent_session: means(maybeText, 'for a fork: the session that it continues, if that was read too'),
  program: means(optional(text), 'claude, codex, …; only if a stream of another agent was read'),
  files: means(texts, 'files it was found in, if several files were read'),
});

export type SessionRow = ValueOf<typeof sessionRow>;
export const sessionRowFields = namesOf(sessionRow);

export const describedSession: Described = {
  title: 'session',
  means: 'one row of cct sessions',
  shapes: [sessionRow],
};
