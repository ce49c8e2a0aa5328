// The fields of a state row and of a diff row.
import { figures } from '../../core/event/usage-row.js';
import {
  type Described,
  exactly,
  json,
  listOf,
  maybeText,
  means,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
} from '../../core/record/describe.js';
import { taskRow } from '../tasks/row.js';
import { teamRow } from '../teams/row.js';

const place = {
  cct: means(exactly(1), 'schema version'),
  at: means(maybeText, 'time of the event, or else the last known time before it'),
  line: means(orNull(number), 'line number in the input, from 1'),
  event: means(maybeText, 'name of the event that led to this state; null at the end of the input'),
};
const state = object({
  ...place,
  teams: means(listOf(teamRow), 'the rows of cct teams'),
  tasks: means(listOf(taskRow), 'the rows of cct tasks'),
  usage: means(listOf(object({ model: maybeText, ...figures })), 'the rows of cct usage, by model'),
});
const change = object({
  op: oneOf(['add', 'remove', 'replace']),
  path: text,
  value: optional(json),
});
const diff = object({
  ...place,
  changes: means(
    listOf(change),
    'JSON Patch (RFC 6902) of the previous state; the first one applies to {"teams":[],"tasks":[],"usage":[]}',
  ),
});

export const describedReplay: Described = {
  title: 'replay',
  means: 'one line of cct replay --states, --at or --diff',
  shapes: [state, diff],
};
