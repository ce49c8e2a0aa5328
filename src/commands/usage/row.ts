// The fields of a usage row.
import { cacheBreaks, contextFigures, figures, sessionColumns, usageMessageRow } from '../../core/event/usage-row.js';
import {
  type Described,
  flag,
  listOf,
  maybeNumber,
  maybeText,
  means,
  namesOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
} from '../../core/record/describe.js';

export const figureFields = namesOf(object(figures));
export const contextFields = namesOf(object(contextFigures));
export const sessionFields = namesOf(object(sessionColumns));
export const usageMessageFields = namesOf(usageMessageRow);

const usageRow = means(
  object({
    model: optional(maybeText),
    session_id: optional(maybeText),
    agent: means(optional(maybeText), 'unattributed: what was reported and no message accounts for'),
    name: optional(maybeText),
    agent_type: optional(maybeText),
    team: optional(maybeText),
    turn: means(optional(maybeNumber), 'number of the prompt, 1 first'),
    day: optional(maybeText),
    week: means(optional(maybeText), 'of ISO 8601, such as 2026-W47'),
    month: means(optional(maybeText), 'such as 2026-11'),
    ...figures,
    duration_ms: means(optional(maybeNumber), 'this and what follows: only by session'),
    duration_api_ms: optional(maybeNumber),
    num_turns: optional(maybeNumber),
    results: optional(number),
    is_error: optional(orNull(flag)),
    subtype: optional(maybeText),
    ...contextFigures,
    cache_breaks: means(
      optional(number),
      'only by turn: prompts that grew while less of them was read from the cache than of the prompt before',
    ),
    cache_break_causes: means(
      optional(listOf(oneOf(cacheBreaks))),
      'only by turn: the likely causes; idle is longer than what was written to the cache lives',
    ),
    ...sessionColumns,
  }),
  'the keys that --by names, then the same figures whatever they are',
);

export const describedUsage: Described = {
  title: 'usage',
  means: 'one row of cct usage; with cct: 1, one of cct usage --by message',
  shapes: [
    usageRow,
    means(usageMessageRow, 'with --by message: one row for each API message, and for each result and model'),
  ],
};
