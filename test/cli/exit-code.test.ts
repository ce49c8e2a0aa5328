import { expect, test } from 'vitest';
import { exitCodeOf, type Outcome } from '../../src/cli/counts.js';

const well: Outcome = {
  command: { kind: 'map' },
  options: {},
  verdict: { rows: 3 },
  out: { closed: false, problem: null },
  seen: { unreadable: 0, idle: false, account: { failed: false } },
  damaged: 0,
};
const asked = { exitStatus: true };
const account = (change: Partial<Outcome['seen']['account']>) => ({
  ...well.seen,
  account: { ...well.seen.account, ...change },
});

test.each<[number, string, Partial<Outcome>]>([
  [0, 'all is well', {}],
  [0, 'all is well, and asked', { options: asked }],
  [0, 'nothing written, not asked', { verdict: { rows: 0 } }],
  [1, 'nothing written, asked', { verdict: { rows: 0 }, options: asked }],
  [0, 'a failed run, not asked', { seen: account({ failed: true }) }],
  [1, 'a failed run, asked', { seen: account({ failed: true }), options: asked }],
  [0, 'stands for a run that went well', { verdict: { rows: 1, recorded: 'well' }, seen: account({ failed: true }) }],
  [1, 'stands for a run that failed, not asked', { verdict: { rows: 1, recorded: 'badly' } }],
  [
    2,
    'a recording that cannot be read',
    { verdict: { rows: 0, recorded: 'badly' }, seen: { ...well.seen, unreadable: 1 } },
  ],
  [1, 'an audit with a problem, asked', { verdict: { rows: 1, failed: true }, options: asked }],
  [0, 'an audit with a problem, not asked', { verdict: { rows: 1, failed: true } }],
  [0, 'an audit without a problem, asked', { verdict: { rows: 2, failed: false }, options: asked }],
  [0, 'an audit that found nothing, asked', { verdict: { rows: 0, failed: false }, options: asked }],
  [
    0,
    'an audit without a problem of a failed run, asked',
    { verdict: { rows: 0, failed: false }, seen: account({ failed: true }), options: asked },
  ],
  [
    4,
    'an audit with a problem, and damage',
    { verdict: { rows: 1, failed: true }, damaged: 1, options: { strict: true, ...asked } },
  ],
  [0, 'a command without input, asked', { command: { kind: 'text' }, seen: account({ failed: true }), options: asked }],
  [1, 'too long without a record', { seen: { ...well.seen, idle: true } }],
  [2, 'a file that cannot be read', { seen: { ...well.seen, unreadable: 1 } }],
  [
    2,
    'a file that cannot be read, a failed run, asked',
    { seen: { ...account({ failed: true }), unreadable: 1 }, options: asked },
  ],
  [2, 'a full disk', { out: { closed: true, problem: 'no space left on device' } }],
  [3, 'a budget passed', { verdict: { rows: 1, overBudget: true } }],
  [
    3,
    'a budget passed, the reader gone',
    { verdict: { rows: 1, overBudget: true }, out: { closed: true, problem: null } },
  ],
  [0, 'damage, not asked', { damaged: 2 }],
  [4, 'damage, strict', { damaged: 2, options: { strict: true } }],
  [4, 'damage and a failed run', { damaged: 2, seen: account({ failed: true }), options: { strict: true, ...asked } }],
  [0, 'no damage, strict', { options: { strict: true } }],
  [0, 'the reader gone', { out: { closed: true, problem: null }, verdict: { rows: 0 }, options: asked }],
])('%i: %s', (code, _name, change) => {
  expect(exitCodeOf({ ...well, ...change })).toBe(code);
});
