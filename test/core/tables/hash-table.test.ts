import { expect, test } from 'vitest';
import { scatter } from '../../../src/core/tables/calls/columns.js';
import { HashTable } from '../../../src/core/tables/hash-table.js';
import { cpuSeconds } from '../../cpu-seconds.js';

const prime = 0x01000193;
/** Their product is 1. */
const inverse = 0x359c449b;

// Found by solving the hash of a key for its last two characters: the lower halves of their hashes are the same.
const crafted = Array.from({ length: 60_000 }, (_, at) => craftedKey(`s${String(at).padStart(9, '0')}`));

test('keys that were crafted to crowd a slot cost no more than others', () => {
  scatter({ high: 0x2545f491, low: 0x9e6c63d1 });
  const table = new HashTable<number>();
  const seconds = cpuSeconds(() => {
    for (const [at, key] of crafted.entries()) table.set([key], at);
  });
  expect(new Set(table.pack().map(([, low]) => low)).size).toBe(1);
  expect(table.size).toBe(crafted.length);
  expect(seconds).toBeLessThan(1);
});

test('a copy and a table that was packed find their keys, whatever came later', () => {
  const table = new HashTable<number>();
  for (const at of crafted.keys()) if (at < 1000) table.set([at], at);
  const [copy, packed] = [table.copy(), table.pack()];
  scatter({ high: 7, low: 9 });
  for (const one of [table, copy, HashTable.unpack(packed)]) {
    one.set(['more'], -1);
    expect(Array.from({ length: 1000 }, (_, at) => one.get([at]))).toEqual(Array.from({ length: 1000 }, (_, at) => at));
    expect(one.get(['more'])).toBe(-1);
  }
});

function craftedKey(begin: string): string {
  let low = Math.imul(0x811c9dc5 ^ (begin.length + 2), prime);
  for (let at = 0; at < begin.length; at += 2) {
    low = Math.imul(low ^ (begin.charCodeAt(at) | (begin.charCodeAt(at + 1) << 16)), prime);
    low ^= low >>> 15;
  }
  const code = Math.imul(0x12345678, inverse) ^ low;
  return begin + String.fromCharCode(code & 0xffff, code >>> 16);
}
