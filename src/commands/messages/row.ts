// The fields of a message row.
import { messageStatuses } from '../../core/event/event.js';
import {
  type Described,
  flag,
  listOf,
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

export const messageRow = object({
  time: means(
    maybeTime,
    'when the call returned; for a message known only from its delivery, when it was written or seen',
  ),
  ...placeFields,
  type: text,
  from: maybeText,
  to: means(maybeText, 'recipient, as written; null for a broadcast'),
  recipients: listOf(text),
  summary: maybeText,
  content: maybeText,
  request_id: maybeText,
  approve: orNull(flag),
  status: oneOf(messageStatuses),
  error: maybeText,
  error_code: maybeText,
  delivered_at: maybeTime,
  tool_use_id: means(maybeText, 'id of the call that sent it; null if it is known only from its delivery'),
  line: orNull(number),
});
export type MessageRow = ValueOf<typeof messageRow>;
export const messageFields = namesOf(messageRow);

export const describedMessage: Described = { title: 'message', means: 'one row of cct messages', shapes: [messageRow] };
