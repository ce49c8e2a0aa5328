import { expect, test } from 'vitest';
import { Calls } from '../../../src/core/state/calls.js';
import { runs } from '../../effort.js';

const envelope = { cct: 1, team: null, agent: 'main', line: 1 } as const;

function* events(count: number) {
  const base = Date.UTC(2026, 0, 1);
  for (let at = 0; at < count; at++) {
    const session_id = `session ${at >>> 10}`;
    const call = { tool: `Tool${at % 17}`, tool_use_id: `toolu_01${at.toString(36).padStart(22, '_')}` };
    const time = new Date(base + 1000 * at).toISOString();
    const own = { ...envelope, session_id, seq: 2 * at, time, ...call } as const;
    yield { ...own, event: 'tool:called', message_id: null, input: { command: 'ls' }, message: null } as const;
    const later = new Date(base + 1000 * at + (at % 500)).toISOString();
    const result = { is_error: false, success: true, result: 'ok' };
    yield { ...own, event: 'tool:returned', time: later, ...result } as const;
  }
}

/** Ten million with `npm run test:all`. */
test('many calls take few bytes each', () => {
  const count = runs(200_000, 10_000_000);
  const before = process.memoryUsage();
  const calls = new Calls();
  for (const event of events(count)) calls.note(event);
  const after = process.memoryUsage();
  let known = 0;
  let ms = 0;
  for (const call of calls.all()) {
    known++;
    ms += call.ms ?? 0;
  }
  expect([known, ms]).toEqual([count, (count / 500) * ((499 * 500) / 2)]);
  const each = (after.arrayBuffers - before.arrayBuffers) / count;
  // 37 in the columns, the rest in the table of ids. Of few calls, arrays that were outgrown and not collected yet are a large part.
  expect(each).toBeLessThan(count < 1_000_000 ? 130 : 60);
}, 600_000);
