import { expect, test } from 'vitest';
import { CorrelationBuffer } from '../../../src/core/wire/context.js';

test('what opens is closed once, in any order', () => {
  const buffer = new CorrelationBuffer<string>();
  buffer.open('a', 'first');
  buffer.open('b', 'second');
  expect(buffer.size).toBe(2);
  expect(buffer.get('b')).toBe('second');
  expect(buffer.close('b')).toBe('second');
  expect(buffer.close('b')).toBeUndefined();
  expect(buffer.get('b')).toBeUndefined();
  expect(buffer.close('never')).toBeUndefined();
  expect([...buffer.values()]).toEqual(['first']);
  expect(buffer.size).toBe(1);
});

test('an id opened twice is the later one', () => {
  const buffer = new CorrelationBuffer<string>();
  buffer.open('a', 'old');
  buffer.open('a', 'new');
  expect(buffer.size).toBe(1);
  expect(buffer.close('a')).toBe('new');
});

test('what is too old is dropped, by the times it was given', () => {
  const buffer = new CorrelationBuffer<string>();
  buffer.open('old', 'x', 100);
  buffer.open('at', 'y', 200);
  buffer.open('new', 'z', 300);
  buffer.open('no time', 'w');
  expect(buffer.dropBefore(200)).toBe(2);
  expect([...buffer.values()]).toEqual(['y', 'z']);
  expect(buffer.dropBefore(200)).toBe(0);
});

test('keys of objects are only keys', () => {
  const buffer = new CorrelationBuffer<number>();
  expect(buffer.get('constructor')).toBeUndefined();
  buffer.open('__proto__', 1);
  expect(buffer.close('__proto__')).toBe(1);
});
