// The fields of a line of the log, as data.
import {
  type Described,
  maybeNumber,
  maybeText,
  maybeTime,
  means,
  namesOf,
  object,
  oneOf,
  text,
  type ValueOf,
} from '../../core/record/describe.js';
import { lineKinds } from '../../core/story/line.js';

export const logRow = object({
  time: means(maybeTime, 'its time, or that of the record before it in its file'),
  session_id: maybeText,
  team: maybeText,
  agent: means(maybeText, 'id of the agent that did it'),
  name: means(text, 'name of the agent; of a message that was received, of its sender'),
  kind: means(oneOf(lineKinds), 'what the line is about'),
  text: means(maybeText, 'what was said; of a call, why it failed'),
  tool: maybeText,
  target: means(
    maybeText,
    'what a call was about; who got a message; which agent was started; which task changed; why a run ended as it did',
  ),
  status: means(
    maybeText,
    'how it ended. Calls: ok, failed, denied or open. Messages: as in cct messages. Results: their outcome. Prompts: inserted, if nobody typed them. Others: what became of them, such as started or completed',
  ),
  ms: means(maybeNumber, 'how long it took'),
  tool_use_id: means(maybeText, 'id of the call it comes from'),
  line: means(maybeNumber, 'line in the input; of a call, where it was made'),
});
export type LogRow = ValueOf<typeof logRow>;
export const logFields = namesOf(logRow);

export const describedLine: Described = { title: 'line', means: 'one row of cct log -f ndjson', shapes: [logRow] };
