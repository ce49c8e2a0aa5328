// Every selector gives the rows of its command.
import { describe, expect, test } from 'vitest';
import {
  accountRowSchema,
  callGroupRowSchema,
  callRowSchema,
  type Event,
  findingRowSchema,
  initialState,
  reduce,
  selectAccounts,
  selectCalls,
  selectFindings,
  selectMessages,
  selectSessions,
  selectSpans,
  selectTasks,
  selectTeams,
  selectUsage,
  sessionRowSchema,
  spanRowSchema,
  usageMessageRowSchema,
  usageRowSchema,
} from '../../src/lib.js';
import { eventsOf } from '../lib/read-fixture.js';
import { rows } from '../run.js';

type Selector = [command: string, select: (events: Event[]) => readonly unknown[], schema?: Schema];
interface Schema {
  safeParse(value: unknown): { success: boolean };
}

const stateOf = (events: Event[]) => events.reduce(reduce, initialState);

const selectors: Selector[] = [
  ['teams', (events) => selectTeams(stateOf(events), { ended: true })],
  ['tasks', (events) => selectTasks(stateOf(events)).filter(({ status }) => status !== 'deleted')],
  ['messages', (events) => [...selectMessages(events)]],
  ['usage', (events) => selectUsage(stateOf(events)), usageRowSchema],
  ['usage --by message', (events) => selectUsage(stateOf(events), { by: ['message'] }), usageMessageRowSchema],
  ['calls', (events) => selectCalls(events), callGroupRowSchema],
  ['calls --by agent,day', (events) => selectCalls(events, { by: ['agent', 'day'] }), callGroupRowSchema],
  ['calls --by call', (events) => selectCalls(events, { by: ['call'] }), callRowSchema],
  ['sessions', (events) => selectSessions(events), sessionRowSchema],
  ['audit', (events) => selectFindings(events), findingRowSchema],
  ['audit --of messages', (events) => selectFindings(events, { of: ['messages'] }), findingRowSchema],
  ['trace', (events) => selectSpans(events), spanRowSchema],
  ['trace --by agent', (events) => selectAccounts(events), accountRowSchema],
];

describe.each(['team-2.1.325', 'team-2.1.39', 'nested-2.1.326', 'loop-same-2.1.325', 'killed-midway'])('%s', (name) => {
  test.each(selectors)('%s', async (command, select, schema) => {
    const printed = await rows([...command.split(' '), `fixtures/sessions/${name}.ndjson`]);
    const selected = select(eventsOf(`${name}.ndjson`));
    expect(JSON.parse(JSON.stringify(selected))).toEqual(printed);
    expect(selected.filter((row) => schema?.safeParse(row).success === false)).toEqual([]);
  });
});
