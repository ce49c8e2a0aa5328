// The fields of a state row.
import { figures } from '../../core/event/usage-row.js';
import {
  type Described,
  exactly,
  listOf,
  maybeText,
  means,
  number,
  object,
  orNull,
} from '../../core/record/describe.js';
import { taskRow } from '../tasks/row.js';
import { teamRow } from '../teams/row.js';

const state = object({
  cct: means(exactly(1), 'schema version'),
  at: means(maybeText, 'time of the event, or else the last known time before it'),
  line: means(orNull(number), 'line number in the input, from 1'),
  event: means(maybeText, 'name of the event that led to this state; null at the end of the input'),
  teams: means(listOf(teamRow), 'the rows of cct teams'),
  tasks: means(listOf(taskRow), 'the rows of cct tasks'),
  usage: means(listOf(object({ model: maybeText, ...figures })), 'the rows of cct usage, by model'),
});

export const describedReplay: Described = {
  title: 'replay',
  means: 'one line of cct replay --states or --at',
  shapes: [state],
};
