import { describe, expect, test } from 'vitest';
import * as wire from '../../../src/core/wire/shapes.js';
import {
  configWire,
  initWire,
  modelUsageWire,
  read,
  type Shape,
  spawnResultWire,
  taskFrameWire,
  taskWire,
} from '../../../src/core/wire/shapes.js';

describe('a bad field does not cost the others', () => {
  test.each([
    ['a wrong type', spawnResultWire, { agentId: 7, name: 'writer' }, { name: 'writer' }],
    ['several', spawnResultWire, { agentId: 7, model: [], name: 'writer', totalTokens: '9' }, { name: 'writer' }],
    ['no list where one is due', taskWire, { id: 1, blockedBy: '2' }, { id: 1 }],
    ['no number', modelUsageWire, { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1 }, { outputTokens: 1 }],
    ['a list with something else in it', initWire, { model: 'm', tools: ['Read', 7] }, { model: 'm' }],
    [
      'a bad field further in costs its piece',
      taskFrameWire,
      { task_id: 'b', patch: { status: 7, error: 'x' } },
      { task_id: 'b' },
    ],
    [
      'what is not said further in',
      taskFrameWire,
      { patch: { error: null, more: 7 } },
      { patch: { error: null, more: 7 } },
    ],
    ['null is said', taskFrameWire, { task_id: null, status: 'completed' }, { task_id: null, status: 'completed' }],
    ['unknown ones are left', configWire, { name: 'crew', color: 'blue' }, { name: 'crew' }],
  ])('%s', (_what, shape, value, expected) => {
    expect(read<Shape>(shape, value)).toEqual(expected);
  });

  test.each([null, undefined, 'text', 7, [], [{ name: 'x' }]])('%j reads as an empty object', (value) => {
    expect(read(spawnResultWire, value)).toEqual({});
  });

  test('whatever is wrong, and in every shape', () => {
    const { read, ...shapes } = wire;
    expect(Object.keys(shapes).length).toBeGreaterThan(8);
    for (const shape of Object.values(shapes)) {
      for (const odd of [Symbol('x'), () => {}, 1n]) {
        const all = Object.fromEntries(Object.keys(shape).map((name) => [name, odd]));
        expect(() => read<Shape>(shape, all)).not.toThrow();
      }
    }
  });

  test('the value itself stays as it was', () => {
    const value = { agentId: 7, name: 'writer' };
    read(spawnResultWire, value);
    expect(value).toEqual({ agentId: 7, name: 'writer' });
  });
});
