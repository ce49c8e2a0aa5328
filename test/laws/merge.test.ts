// Files may be read by several readers: their tables, joined, are those of one reader.
import { describe, expect, test } from 'vitest';
import { CallsFold, newCallsState, reportCalls } from '../../src/commands/calls/rows.js';
import { settledMessages } from '../../src/commands/messages/rows.js';
import { taskRows } from '../../src/commands/tasks/rows.js';
import { teamRowsOf } from '../../src/commands/teams/rows.js';
import { reportUsage, type UsageKey } from '../../src/commands/usage/rows.js';
import { mergeState, packState } from '../../src/core/tables/merge.js';
import { reduceAll, reduceRows, type State, settle } from '../../src/core/tables/reduce.js';
import { numberSources } from '../../src/core/tables/usage/sessions.js';
import { pathsForSecond } from '../../src/core/wire/shares.js';
import { homes } from './inputs.js';
import { inputsOf } from './laws.js';
import { type Part, readAll } from './reading.js';

const keys: readonly UsageKey[] = ['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'message'];

function stateOf(parts: readonly Part[], all: readonly Part[]): State {
  const state = newCallsState(true, 7);
  const names = all.map(({ path }) => path ?? 'stdin');
  numberSources(state.usage, names);
  return reduceAll(readAll(parts, { several: true }).events, reduceRows, state);
}

function rowsOf(state: State): Record<string, unknown> {
  const { tasks, agents, messages } = settle(state);
  const query = { session: null, team: null, includesTime: () => true, timezone: 'UTC', bare: false };
  return {
    teams: teamRowsOf(state, { ended: true }),
    tasks: taskRows(tasks, agents, { all: true }),
    messages: settledMessages(messages, agents).map(({ row }) => row),
    calls: reportCalls(new CallsFold(), state, { ...query, by: ['call'] }),
    ...Object.fromEntries(keys.map((by) => [`usage by ${by}`, reportUsage({ ...state, by: [by] }).rows])),
  };
}

describe('two readers know together what one would know', () => {
  const several = inputsOf(
    'merge: homes',
    homes.filter(({ parts }) => parts.length > 1),
  );
  test.each(several.map((home) => [home.name, home] as const))('%s', (_, { parts }) => {
    const whole = rowsOf(stateOf(parts, parts));
    const second = pathsForSecond(parts.map(({ path, bytes }) => ({ path: path ?? '', bytes: bytes.length })));
    const isMine = ({ path }: Part) => !second.has(path ?? '');
    for (const [one, other] of [
      [parts.filter(isMine), parts.filter((part) => !isMine(part))],
      [parts.filter((part) => !isMine(part)), parts.filter(isMine)],
    ]) {
      const state = stateOf(one ?? [], parts);
      mergeState(state, packState(stateOf(other ?? [], parts)));
      expect(rowsOf(state)).toEqual(whole);
    }
  });
});

test('both readers get about as much', () => {
  const files = [5, 4, 3, 3].map((bytes) => ({ path: `0000000${bytes}-0000-4000-8000-000000000000.jsonl`, bytes }));
  const second = pathsForSecond(files.map((file, at) => ({ ...file, path: `${at}${file.path.slice(1)}` })));
  expect([...second].map((path) => Number(path[7]))).toEqual([4, 3]);
  expect(pathsForSecond(files.slice(0, 2)).size).toBe(1);
});
