// The fields of a span, and of the time account of an agent.
import {
  agentFields,
  type Described,
  flag,
  listOf,
  maybeFlag,
  maybeMoney,
  maybeNumber,
  maybeText,
  maybeTime,
  means,
  namesOf,
  number,
  object,
  oneOf,
  orNull,
  text,
  type ValueOf,
} from '../../core/record/describe.js';
import { spanKinds } from '../../core/spans/model.js';

export const spanRow = object({
  time: means(maybeTime, 'when it began; null where no record has a time'),
  start_ms: means(number, 'since the beginning of its trace'),
  duration_ms: number,
  kind: means(
    oneOf(spanKinds),
    'the team as a whole, an agent, a turn of it, an API message, a call, or a wait between turns or for a permission',
  ),
  label: means(text, 'the team, the agent, turn 2, the model, the tool, or whom it waits for'),
  ...agentFields,
  session_id: means(maybeText, 'of the agent; of the team that of its lead'),
  name: means(maybeText, 'of the agent'),
  turn: means(maybeNumber, 'number of the turn of its agent, 1 first'),
  trace_id: means(text, '32 hexadecimal digits, made from the session of the lead'),
  span_id: means(text, '16 hexadecimal digits, made from the ids of the program: the same in every export'),
  parent_id: means(maybeText, 'an agent stands below the call that spawned it'),
  links: means(listOf(text), 'of a call that sent a message: the next API message of each recipient, by span_id'),
  open: means(flag, 'it had no end when the input ended'),
  is_error: flag,
  waits_for: means(orNull(oneOf(['agent', 'person'])), 'whom its agent waited for meanwhile'),
  critical_ms: means(number, 'how much of it is on the critical path of the team'),
  estimated: means(maybeFlag, 'a record of it has no time of its own and counts at that of the record before it'),
  to_scale: means(flag, 'false: no record has a time, and start_ms, duration_ms and critical_ms count records'),
  model: maybeText,
  message_id: maybeText,
  input_tokens: means(maybeNumber, 'without cached ones'),
  output_tokens: maybeNumber,
  cache_write_tokens: means(maybeNumber, 'written to the cache'),
  cache_read_tokens: maybeNumber,
  cost_usd: means(maybeMoney, 'of an API message: what the program says, else its tokens by the price table'),
  tool: maybeText,
  tool_use_id: maybeText,
  target: means(maybeText, 'what the call was about: a path, command, pattern, address or task'),
});
export type SpanRow = ValueOf<typeof spanRow>;
export const spanFields = namesOf(spanRow);

export const describedSpan: Described = { title: 'span', means: 'one row of cct trace', shapes: [spanRow] };

export const accountRow = object({
  ...agentFields,
  session_id: means(maybeText, 'of the lead'),
  agent: text,
  name: text,
  agent_type: maybeText,
  started_at: means(maybeTime, 'when it began'),
  ended_at: means(maybeTime, 'when it ended, or was last seen'),
  wall_ms: means(
    maybeNumber,
    'from its beginning to its end, or to its last record: the sum of the five that follow; null where that is not known',
  ),
  active_ms: means(maybeNumber, 'its model at work; null, like the next four, where no record of it is in the input'),
  tool_ms: means(maybeNumber, 'its calls running'),
  wait_agent_ms: means(maybeNumber, 'it waited for agents'),
  wait_person_ms: means(maybeNumber, 'it waited for a person; null also where the input could not show that'),
  idle_ms: means(maybeNumber, 'it had nothing to do'),
  critical_ms: means(maybeNumber, 'its part of the critical path of the team; null where wall_ms is'),
  turns: means(number, 'how often it was given something to do'),
  messages: means(number, 'API messages'),
  calls: means(number, 'calls of tools'),
  open: means(flag, 'it had not come to an end when the input did'),
  to_scale: means(flag, 'false: no record has a time, so all times are null'),
  records: means(maybeNumber, 'where it is not to scale: from its first record to its last, in records of the run'),
});
export type AccountRow = ValueOf<typeof accountRow>;
export const accountFields = namesOf(accountRow);

export const describedAccount: Described = {
  title: 'account',
  means: 'one row of cct trace --by agent',
  shapes: [accountRow],
};
