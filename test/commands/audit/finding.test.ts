import { describe, expect, test } from 'vitest';
import type { Spot } from '../../../src/commands/audit/fold.js';
import { describedFinding, findingFields, findingRow, ruleNames, rules } from '../../../src/commands/audit/row.js';
import { type FindingRow, limitText, sortedFindings, tooFast, tooMany } from '../../../src/commands/audit/rows.js';
import { rowJsonSchema, zodOf } from '../../../src/core/event/schema.js';

test('the fields are those everybody builds on, in their order', () => {
  expect(findingFields).toEqual([
    'time',
    'session_id',
    'team',
    'rule',
    'severity',
    'agent',
    'task',
    'tool_use_id',
    'line',
    'detail',
  ]);
});

test('problems are what went wrong, notes the limits of the one table', () => {
  const named = (severity: string) => ruleNames.filter((name) => rules[name].severity === severity).sort();
  expect(named('problem')).toEqual(
    [
      ...['run_failed', 'no_result', 'open_call', 'open_agent', 'failed_control', 'agent_failed', 'task_failed'],
      'cleaned_up_with_open_tasks',
      'undelivered',
      'delivered_twice',
      'unknown_recipient',
      'unanswered_request',
      'refused_broadcast',
      'repeated_call',
      'denied_call',
      'too_many_calls',
      'missing_field',
      'unknown_owner',
      'status_backwards',
      'circular_dependency',
      'duplicate_name',
      'two_owners',
      'deleted_with_active_members',
      'failed_call',
    ].sort(),
  );
  const limits = ruleNames.filter((name) => 'max' in rules[name]);
  expect(named('note')).toEqual(
    [...limits, 'team_name_pattern', 'context_full', 'turn_failed', 'unfinished_task', 'failed_calls'].sort(),
  );
});

test('the schema says what each rule means', () => {
  const schema = JSON.stringify(rowJsonSchema(describedFinding));
  for (const name of ruleNames) expect(schema).toContain(`${name}: ${rules[name].means}`);
  expect(schema).toContain('"title":"finding"');
});

const row: FindingRow = {
  time: null,
  session_id: null,
  team: null,
  rule: 'failed_call',
  severity: 'problem',
  agent: null,
  task: null,
  tool_use_id: null,
  line: null,
  detail: '',
};

test('a row fits its schema', () => {
  expect(zodOf(findingRow).parse(row)).toEqual(row);
});

test('findings stand by time, then line, then rule', () => {
  const rows: FindingRow[] = [
    { ...row, time: '2026-11-16T10:00:01.000Z', line: 1 },
    { ...row, time: '2026-11-16T10:00:00.000Z', line: 10 },
    { ...row, time: '2026-11-16T10:00:00.000Z', line: 9, rule: 'undelivered' },
    { ...row, time: '2026-11-16T10:00:00.000Z', line: 9, rule: 'delivered_twice' },
    { ...row, line: 99 },
  ];
  const shown = sortedFindings(rows).map(({ line, rule }) => `${line} ${rule}`);
  expect(shown).toEqual(['99 failed_call', '9 delivered_twice', '9 undelivered', '10 failed_call', '1 failed_call']);
  expect(sortedFindings([...rows].reverse())).toEqual(sortedFindings(rows));
});

describe('a limit', () => {
  const limit = { ...rules.many_teams, max: 2, counts: 'things', seconds: 10 };
  const spot = (second: number | null): Spot => {
    const time = second === null ? null : new Date(second * 1000).toISOString();
    return { session_id: null, team: null, agent: null, time, at: time, line: second, source: null, seq: second ?? 0 };
  };
  const fast = (...seconds: (number | null)[]) =>
    tooFast(seconds.map(spot), limit).map(({ at, detail }) => `${at.line}: ${detail}`);

  test('is passed by the first that is one too many, by time', () => {
    expect(tooMany([3, 1, 2].map(spot), limit)?.at.line).toBe(3);
    expect(tooMany([1, 2].map(spot), limit)).toBeNull();
  });

  test('of a rate is passed within its time only', () => {
    expect(fast(0, 5, 9)).toEqual(['9: 3 things within 10 s, limit 2']);
    expect(fast(0, 5, 10)).toEqual([]);
  });

  test('of a rate is said once for each time it is passed, with the most there was', () => {
    expect(fast(3, 0, 1, 2, 100, 101, 102)).toEqual([
      '2: 4 things within 10 s, limit 2',
      '102: 3 things within 10 s, limit 2',
    ]);
  });

  test('of a rate needs times', () => {
    expect(fast(null, null, null)).toEqual([]);
  });

  test('is said in words', () => {
    expect(limitText(7, { ...limit, seconds: 86_400 })).toBe('7 things within a day, limit 2');
  });
});
