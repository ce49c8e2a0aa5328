// The fields of a usage row.
import {
  cacheBreaks,
  contextFigures,
  figures,
  lastFigures,
  type MessageRow,
  sessionColumns,
  usageMessageRow,
} from '../../core/event/usage-row.js';
import {
  type Described,
  flag,
  listOf,
  maybeDay,
  maybeNumber,
  maybeText,
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

export const figureFields = namesOf(object(figures));
export const contextFields = namesOf(object(contextFigures));
export const lastFields = namesOf(object(lastFigures));
export const sessionFields = namesOf(object(sessionColumns));
export const usageMessageFields = namesOf(usageMessageRow);

export const usageRow = means(
  object({
    model: optional(maybeText),
    session_id: optional(maybeText),
    agent: means(optional(maybeText), 'agent that spent it; unattributed: reported, but part of no message'),
    name: optional(maybeText),
    agent_type: optional(maybeText),
    team: optional(maybeText),
    turn: means(optional(maybeNumber), 'number of the prompt, from 1'),
    day: optional(maybeDay),
    week: means(optional(maybeText), 'ISO 8601 week, such as 2026-W47'),
    month: means(optional(maybeText), 'month, such as 2026-11'),
    program: means(optional(text), 'claude, or the other agent that wrote the stream'),
    pr: means(optional(maybeText), 'pull request, as cct run or a log says'),
    label: means(optional(maybeText), 'labels, as cct run or a log says'),
    ...figures,
    duration_ms: means(
      optional(maybeNumber),
      'how long it took, in milliseconds; this field and those that follow only by session',
    ),
    duration_api_ms: optional(maybeNumber),
    num_turns: optional(maybeNumber),
    results: optional(number),
    is_error: optional(orNull(flag)),
    subtype: optional(maybeText),
    ...contextFigures,
    cache_breaks: means(
      optional(number),
      'only by turn: number of prompts that grew while less of them was read from the cache than of the prompt before',
    ),
    cache_break_causes: means(
      optional(listOf(oneOf(cacheBreaks))),
      'only by turn: likely causes; idle means a pause longer than the cache lives',
    ),
    ...sessionColumns,
    ...lastFigures,
  }),
  'the keys of --by come first, then the same figures for all keys',
);

export type UsageRow = Readonly<ValueOf<typeof usageRow>>;
/** A row of `--by message`. The periods among the keys come last. */
export type UsageMessageRow = Readonly<MessageRow & Pick<UsageRow, 'day' | 'week' | 'month'>>;

export const describedUsage: Described = {
  title: 'usage',
  means: 'one row of cct usage; rows of cct usage --by message start with cct: 1',
  shapes: [
    usageRow,
    means(usageMessageRow, 'with --by message: one row for each API message, and for each result and model'),
  ],
};
