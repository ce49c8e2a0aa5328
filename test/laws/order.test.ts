// Law 7: files are one input. Whole files in any order, once or twice, give the same rows of every fold.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallsFold, callKeys, newCallsState, reportCalls } from '../../src/commands/calls/rows.js';
import { newSessionsState, SessionsFold, sessionRows } from '../../src/commands/sessions/rows.js';
import { reduceAll, reduceRows, settle } from '../../src/core/tables/reduce.js';
import {
  initialState,
  reduce,
  type State,
  selectTasks,
  selectTeams,
  selectUsage,
  type UsageKey,
} from '../../src/lib.js';
import { check } from './check.js';
import { homes, type Input, isInOrder, sessions } from './inputs.js';
import { type Part, readAll } from './reading.js';

/** A run of which both the stream and what it left on disk are there. */
const both: Input[] = [
  ['team-2.1.325', 'team-main-2.1.325'],
  ['clear-2.1.140', 'clear-2.1.140'],
  ['stop-agents-int-2.1.325', 'stop-agents-int-2.1.325'],
  ['billing-mix-2.1.325', 'billing-mix-2.1.325'],
].map(([session, home]) => {
  const stream = found(sessions, `sessions/${session}.ndjson`).parts.map((part) => ({ ...part, path: 'run.ndjson' }));
  return { name: `${home} with its stream`, parts: [...stream, ...found(homes, `files/${home}`).parts] };
});

function found(inputs: readonly Input[], name: string): Input {
  const input = inputs.find((one) => one.name === name);
  if (input === undefined) throw new Error(`there is no fixture ${name}`);
  return input;
}

/** The keys that do not depend on where a message stands in the input. */
const keys: readonly UsageKey[] = ['total', 'model', 'session', 'agent', 'team', 'day'];

function stateOf(parts: readonly Part[]): State {
  return readAll(parts).events.reduce(reduce, initialState);
}

function rowsOf(parts: readonly Part[]): Record<string, unknown> {
  const state = settle(stateOf(parts));
  const fold = new CallsFold();
  const made = reduceAll(readAll(parts).events, reduceRows, newCallsState(true), fold);
  const query = { session: null, team: null, includesTime: () => true, timezone: 'UTC', bare: false };
  const stories = new SessionsFold();
  const listed = newSessionsState();
  for (const event of readAll(parts).events) {
    reduceRows(listed, event);
    stories.after(event, listed, event.time);
  }
  return {
    // A copy elsewhere is another file.
    sessions: sessionRows(stories, settle(listed)).map(({ files: _, ...row }) => row),
    ...Object.fromEntries(callKeys.map((key) => [`calls by ${key}`, reportCalls(fold, made, { ...query, by: [key] })])),
    teams: selectTeams(state, { ended: true }),
    tasks: selectTasks(state, { all: true }),
    ...Object.fromEntries(keys.map((key) => [key, selectUsage(state, { by: [key] })])),
  };
}

const copied = (part: Part): Part => ({ ...part, path: `copy/${part.path}` });

describe('files in any order, some of them twice or as a copy elsewhere, are one input', () => {
  const several = [...homes, ...both].filter((home) => home.parts.length > 1 && !isInOrder(home));
  test.each(several.map((input) => [input.name, input] as const))('%s', (_, { parts }) => {
    const plain = rowsOf(parts);
    const orders = fc.record({
      order: fc.shuffledSubarray([...parts], { minLength: parts.length }),
      twice: fc.subarray([...parts]),
      elsewhere: fc.subarray([...parts]),
      first: fc.boolean(),
    });
    check(
      fc.property(orders, ({ order, twice, elsewhere, first }) => {
        const more = [...twice, ...elsewhere.map(copied)];
        const rows = rowsOf(first ? [...more, ...order] : [...order, ...more]);
        expect(rows).toEqual(plain);
      }),
      'order: files',
    );
  });
});

describe('the first row of a chain behind its answers is still the first', () => {
  test.each(['files/team-2.1.39', 'files/team-2.1.140', 'files/parley-refuse-2.1.140'])('%s', (name) => {
    const { parts } = found(homes, name);
    const moved = parts.map((part) =>
      part.path?.includes('subagents/') ? { ...part, bytes: behind(part.bytes) } : part,
    );
    expect(moved).not.toEqual(parts);
    const [straight, late] = [parts, moved].map((list) => selectTeams(stateOf(list), { ended: true }));
    expect(late).toEqual(straight);
  });
});

/** The first line of a file behind the two that follow it. */
function behind(bytes: Buffer): Buffer {
  const [first = '', second = '', third = '', ...rest] = bytes.toString().split('\n');
  return third === '' ? bytes : Buffer.from([second, third, first, ...rest].join('\n'));
}
