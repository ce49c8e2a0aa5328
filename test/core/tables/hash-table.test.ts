import { expect, test } from 'vitest';
import { scatter } from '../../../src/core/tables/calls/columns.js';
import { HashTable, type KeyPart } from '../../../src/core/tables/hash-table.js';
import { newState, reduce } from '../../../src/core/tables/reduce.js';
import { event } from '../../commands/messages/message-events.js';
import { cpuSeconds } from '../../cpu-seconds.js';

const prime = 0x01000193;
/** Their product is 1. */
const inverse = 0x359c449b;
const itself = (key: KeyPart) => [key];

// Found by solving the hash of a key for its last two characters: the lower halves of their hashes are the same.
const crafted = Array.from({ length: 60_000 }, (_, at) => craftedKey(`s${String(at).padStart(9, '0')}`));

test('keys that were crafted to crowd a slot cost no more than others', () => {
  scatter({ high: 0x2545f491, low: 0x9e6c63d1 });
  const table = new HashTable<string>();
  const seconds = cpuSeconds(() => {
    for (const key of crafted) table.set([key], key, itself);
  });
  expect(new Set(table.pack().map(([, low]) => low)).size).toBe(1);
  expect(table.size).toBe(crafted.length);
  expect(seconds).toBeLessThan(1);
});

test('a copy and a table that was packed find their keys, whatever came later', () => {
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  const table = new HashTable<number>();
  for (const at of numbers) table.set([at], at, itself);
  const [copy, packed] = [table.copy(), table.pack()];
  scatter({ high: 7, low: 9 });
  for (const one of [table, copy, HashTable.unpack(packed)]) {
    one.set([-1], -1, itself);
    expect([...numbers, -1].map((at) => one.get([at], itself))).toEqual([...numbers, -1]);
  }
});

test('a task is not hidden by one whose id was crafted for the same hash', () => {
  const state = newState();
  for (const id of ['\ub3b3\u2ab0\u2d21\ua62b', 'T-42', 'T-42']) reduce(state, created(id));
  expect(state.facts.pack().length).toBe(2);
});

/** All but its id is as it was when the id was searched for: it follows in the key, or goes before. */
function created(id: string) {
  const task = { id, subject: null, description: null, active_form: null, status: 'pending' as const };
  const change = { ...task, owner: null, blocked_by: null, blocks: null, metadata: null };
  const own = { category: 'team_task_update' as const, tool_use_id: null, kind: 'board' as const, list: null };
  return event(
    'team:task:created',
    { ...own, on_disk: false, task: change },
    { team: 'crew', time: '2026-11-15T23:36:19.401Z' },
  );
}

function craftedKey(begin: string): string {
  let low = Math.imul(0x811c9dc5 ^ (begin.length + 2), prime);
  for (let at = 0; at < begin.length; at += 2) {
    low = Math.imul(low ^ (begin.charCodeAt(at) | (begin.charCodeAt(at + 1) << 16)), prime);
    low ^= low >>> 15;
  }
  const code = Math.imul(0x12345678, inverse) ^ low;
  return begin + String.fromCharCode(code & 0xffff, code >>> 16);
}
