import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportUsage } from '../../src/commands/usage/rows.js';
import { usageEvents } from '../../src/core/tables/usage/usage.js';
import type { UsageKey } from '../../src/lib.js';
import { stateOf } from '../commands/usage/used.js';
import { check } from './check.js';
import { homes, isInOrder } from './inputs.js';
import { type Part, readAll } from './reading.js';

/** As the command reads. */
const interest = { events: [...usageEvents, 'agent:*', 'team:created', 'team:message:*'], once: true };

const keys: readonly (readonly UsageKey[])[] = [
  ['total'],
  ['model'],
  ['session'],
  ['session', 'model'],
  ['team'],
  ['turn'],
  ['day'],
  ['week', 'project', 'branch', 'version'],
  ['agent'],
  ['agent', 'model'],
  ['message'],
];

interface Asked {
  readonly keys: typeof keys;
  readonly leftOut: readonly string[];
}
const everything: Asked = { keys, leftOut: [] };

/** Which teammate a turn of 2.1.140 belongs to, and so whether one's usage is missing, is for core/tables/agents to find. */
const withoutNames: Asked = {
  keys: keys.filter((by) => !by.includes('agent') && !by.includes('message')),
  leftOut: ['cost_source'],
};

/** Files that hold usage. */
const used = homes.filter((home) => !home.name.includes('hooks') && !isInOrder(home));

describe('the order of files, and reading some twice, changes no row of usage', () => {
  test.each(used)('$name', ({ name, parts }) => {
    const asked = name.includes('team-2.1.140') ? withoutNames : everything;
    const whole = parts.map(({ path, bytes }) => ({ path, bytes: Buffer.concat([bytes, Buffer.from('\n')]) }));
    const straight = rowsOf(whole, asked);
    const order = fc.shuffledSubarray([...whole.keys()], { minLength: whole.length });
    const again = fc.subarray([...whole.keys()]);
    check(
      fc.property(order, again, order, (first, twice, then) => {
        const second = then.filter((at) => twice.includes(at));
        const list = [...first, ...second].flatMap((at) => whole[at] ?? []);
        expect(rowsOf(list, asked)).toEqual(straight);
      }),
      'usage-order: orders',
    );
  });
});

/** By each key, in the order of their texts: rows of messages stand in the order of the input. */
function rowsOf(parts: readonly Part[], { keys: bys, leftOut }: Asked): Record<string, string[]> {
  const state = stateOf(readAll(parts, { interest }).events);
  return Object.fromEntries(
    bys.map((by) => {
      const { rows } = reportUsage({ ...state, by });
      const texts = rows.map((row) => JSON.stringify(row, (key, value) => (leftOut.includes(key) ? undefined : value)));
      return [by.join(), texts.sort()];
    }),
  );
}
