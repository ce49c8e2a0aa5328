import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UsageKey } from '../../../src/lib.js';
import { runs as effort, seed } from '../../effort.js';
import { sessions } from '../../laws/inputs.js';
import { readText, written as writtenEvents } from '../../laws/reading.js';
import { ndjson, streams } from '../../streams.js';
import { home, messageRows, report, rowsOf, session, written } from './used.js';

const everyKey: readonly (readonly UsageKey[])[] = [
  ['total'],
  ['model'],
  ['session'],
  ['agent'],
  ['team'],
  ['turn'],
  ['day'],
  ['week', 'month'],
  ['project'],
  ['branch', 'version'],
  ['agent', 'model'],
  ['session', 'turn', 'agent'],
];
/** What does not depend on where one run is cut. */
const ofPieces: readonly (readonly UsageKey[])[] = [['total'], ['model'], ['session'], ['day']];

const texts = sessions.map(({ name, parts }) => [name, parts.map(({ bytes }) => bytes.toString()).join('')] as const);

/** Whole runs, each with everything its session left behind. */
const runs: readonly (readonly [string, string])[] = [
  ...[
    'one-shot',
    'background-2.1.325',
    'autocompact-2.1.325',
    'compact-2.1.39',
    'killed-midway',
    'parallel-subagents',
    'partial-2.1.325',
    'team-2.1.325',
  ].map((name) => [name, session(name)] as const),
  ['resume', session('resume-1') + session('resume-2')],
  ['fork', session('resume-3')],
  ['resume-2.1.140', session('resume-1-2.1.140') + session('resume-2-2.1.140')],
  ['team-2.1.140', session('team-2.1.140') + textOf('team-2.1.140')],
  ['team-2.1.39', textOf('team-2.1.39') + session('team-2.1.39')],
  ['team-tty', textOf('team-2.1.325')],
  ['stop-agents-int', session('stop-agents-int-2.1.325') + textOf('stop-agents-int-2.1.325')],
];

describe('merge', () => {
  test('whole runs in any order, by every key', () => {
    const mapped = new Map(runs.map(([name, text]) => [name, messageRows(text)]));
    fc.assert(
      fc.property(fc.shuffledSubarray([...runs], { minLength: 2 }), fc.constantFrom(...everyKey), (some, by) => {
        const direct = written(rowsOf(some.map(([, text]) => text).join(''), by));
        const reduced = some.toReversed().map(([name]) => mapped.get(name) ?? '');
        expect(written(rowsOf(reduced.join(''), by))).toBe(direct);
      }),
      { seed, numRuns: effort(5, 25) },
    );
  });

  // Codex names its session only in the first record, and counts on from there.
  const named = texts.filter(([name]) => !name.includes('codex'));

  test.each(named)('%s, cut anywhere, the pieces in order', (_, text) => {
    const lines = text.split('\n').map((line) => `${line}\n`);
    fc.assert(
      fc.property(
        fc.array(fc.nat(lines.length), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...ofPieces),
        (cuts, by) => {
          const at = [0, ...cuts.sort((a, b) => a - b), lines.length];
          const pieces = at.slice(1).map((end, index) => lines.slice(at[index], end).join(''));
          expect(written(rowsOf(pieces.map(messageRows).join(''), by))).toBe(written(rowsOf(text, by)));
        },
      ),
      { seed, numRuns: effort(1, 8) },
    );
  });

  test('generated streams, cut anywhere', () => {
    fc.assert(
      fc.property(streams(), fc.nat(1000), fc.constantFrom(...ofPieces), (made, cut, by) => {
        // The generated ones have no whole block between the start and the end of a message, as real ones do.
        const records = made.filter(({ type }) => type !== 'stream_event');
        const at = cut % (records.length + 1);
        const pieces = [ndjson(records.slice(0, at)), ndjson(records.slice(at))];
        expect(written(rowsOf(pieces.map(messageRows).join(''), by))).toBe(written(rowsOf(ndjson(records), by)));
      }),
      { seed, numRuns: effort(15, 60) },
    );
  });
});

describe('rows of messages', () => {
  test.each(runs)('%s: read back, once or twice, they are the same report', (_, text) => {
    const rows = messageRows(text);
    for (const by of everyKey) expect(written(rowsOf(rows + rows, by)), String(by)).toBe(written(rowsOf(text, by)));
    expect(messageRows(rows)).toBe(rows);
  });
});

// Of single sessions this is a law of all commands: laws/commands.test.ts.
describe('idempotence and closure', () => {
  test.each(runs)('%s', (_, text) => {
    const events = writtenEvents(readText(text).events);
    for (const by of [...everyKey, ['message'] as const]) {
      const once = written(rowsOf(text, by));
      expect(written(rowsOf(text + text, by)), `twice by ${by}`).toBe(once);
      expect(written(rowsOf(events, by)), `normalized by ${by}`).toBe(once);
    }
  });
});

describe('rows add up', () => {
  test.each([...texts, ...runs])('%s', (_, text) => {
    for (const mode of ['auto', 'reported', 'calculated'] as const) {
      const { total } = report(text, ['total'], { mode });
      for (const by of [...everyKey, ['message'] as const]) {
        const rows = rowsOf(text, by, { mode });
        const sum = (field: 'total_tokens' | 'messages' | 'web_search_requests') =>
          rows.reduce((all, row) => all + row[field], 0);
        expect(sum('total_tokens'), `${mode} by ${by}`).toBe(total.total_tokens);
        expect(sum('messages')).toBe(total.messages);
        const cost = rows.reduce((all, row) => all + (row.cost_usd ?? 0), 0);
        expect(Math.abs(cost - (total.cost_usd ?? 0)), `${mode} cost by ${by}`).toBeLessThan(1e-9);
        expect(rows.every((row) => row.cost_usd === null || row.cost_usd >= 0)).toBe(true);
      }
    }
  });
});

function textOf(name: string): string {
  return home(name, (path) => path.endsWith('.jsonl'))
    .map(({ bytes }) => bytes.toString())
    .join('');
}
