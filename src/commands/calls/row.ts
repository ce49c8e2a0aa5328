// The fields of a row of calls.

import {
  agentFields,
  type Described,
  flag,
  maybeDay,
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
  type ValueOf,
} from '../../core/record/describe.js';
import { clocks } from '../../core/tables/calls/calls.js';

const clockField = means(
  orNull(oneOf(clocks)),
  'what ms is: reported (the program says how long it took), hook (PostToolUse says so) or records (between the records of the call and of its result, so with the wait for a permission); of several calls, the weakest of these',
);

const figureShape = object({
  calls: means(number, 'how many calls'),
  errors: means(number, 'calls that failed, refused ones among them'),
  denied: means(number, 'calls that were not allowed to run'),
  open: means(number, 'calls without a result'),
  ms_total: means(maybeNumber, 'milliseconds of all calls whose duration is known; null if there is none'),
  ms_p50: means(maybeNumber, 'half of the calls took no longer'),
  ms_p95: means(maybeNumber, '95 of 100 calls took no longer'),
  ms_max: means(maybeNumber, 'the longest call'),
  clock: clockField,
  input_bytes: means(number, 'of the inputs as JSON, as normalize writes them'),
  result_bytes: means(number, 'the same of the results'),
  repeated: means(number, 'calls that failed with the same input at least three times within ten calls of their agent'),
  last_used_at: means(maybeTime, 'time of the last call'),
});
export type CallFigures = ValueOf<typeof figureShape>;
export const figureFields = namesOf(figureShape);

export const groupRow = object({
  tool: means(optional(maybeText), 'these keys are null for a server that nobody called'),
  agent: optional(maybeText),
  name: optional(maybeText),
  agent_type: optional(maybeText),
  server: means(optional(maybeText), 'MCP server; null for the tools of the program itself'),
  session_id: optional(maybeText),
  day: optional(maybeDay),
  ...figureShape.fields,
});

/** The figures of the calls of one group. */
export type CallGroupRow = Readonly<ValueOf<typeof groupRow>>;

export const callRow = object({
  time: means(maybeTime, 'of the call, else of its result'),
  ...agentFields,
  agent: text,
  tool: text,
  server: means(maybeText, 'MCP server'),
  target: means(maybeText, 'the path, command, pattern, url or address it was about'),
  tool_use_id: maybeText,
  ms: means(maybeNumber, 'how many milliseconds it took; null if not known'),
  clock: clockField,
  is_error: means(orNull(flag), 'it failed; null while it is open'),
  error: means(maybeText, 'why, as written'),
  input_bytes: means(number, 'of its input as JSON, as normalize writes it'),
  result_bytes: means(maybeNumber, 'of its result; null while it is open'),
  parallel: means(number, 'calls of the same agent that were open when it began'),
  line: maybeNumber,
});
export type CallRow = ValueOf<typeof callRow>;
export const callFields = namesOf(callRow);

export const describedCall: Described = {
  title: 'call',
  means: 'one row of cct calls',
  shapes: [
    means(groupRow, 'the keys that --by names, then the same figures whatever they are'),
    means(callRow, 'with --by call: one row for each call'),
  ],
};
