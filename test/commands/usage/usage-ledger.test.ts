import { describe, expect, test } from 'vitest';
import { byModel, home, rowsOf, served, session, sum, tokens } from './used.js';

describe('a stream counts what was served, to the token', () => {
  test.each([
    'api-error',
    'api-error-2.1.39',
    'background-2.1.325',
    'background-notify-2.1.140',
    'budget-exceeded',
    'compact-2.1.39',
    'forked-2.1.300',
    'hooks-events-2.1.325',
    'multiturn',
    'one-shot',
    'parallel-subagents',
    'parallel-subagents-2.1.39',
    'partial-2.1.325',
    'replay-2.1.140',
    'resumed-after-background-2.1.140',
    'resumed-twice-2.1.140',
    'several-tools',
    'subagent',
    'team-2.1.140',
    'team-2.1.325',
    'team-2.1.39',
  ])('%s', (story) => {
    expect(byModel(rowsOf(session(story)))).toEqual(served(story));
  });

  // 2.1.325 carries the figures of earlier runs over, 2.1.140 starts at zero and still costs more the second time.
  test.each([
    ['resume', ['resume-1', 'resume-2', 'resume-3']],
    ['resume-2.1.140', ['resume-1-2.1.140', 'resume-2-2.1.140', 'resume-3-2.1.140']],
  ])('%s: a run, its resumption and a fork', (story, runs) => {
    expect(byModel(rowsOf(runs.map(session).join('')))).toEqual(served(story));
    expect(byModel(rowsOf(runs.toReversed().map(session).join('')))).toEqual(served(story));
  });

  // The second run has no times, and its figures fit in those of the first.
  test('out-of-turns-2.1.140: two files, of a run with agents and of the one that continued it', () => {
    const story = 'out-of-turns-2.1.140';
    const runs = ['out-of-turns-1-2.1.140', 'out-of-turns-2-2.1.140'].map((name) => ({
      path: name,
      bytes: Buffer.from(session(name)),
    }));
    expect(byModel(rowsOf(runs))).toEqual(served(story));
    expect(byModel(rowsOf(runs.toReversed()))).toEqual(served(story));
  });

  test('max-turns: a helper call that ends after the result is in no figure of the program', () => {
    const [first] = Object.values(served('max-turns', ({ agent }) => agent === 'aux'));
    expect(byModel(rowsOf(session('max-turns')))).toEqual({
      ...served('max-turns'),
      'claude-haiku-4-5-20251001': { ...first, input: 212, output: 57 },
    });
  });
});

describe('transcripts count what was served', () => {
  test.each([
    ['team-2.1.140', 'team-2.1.140'],
    ['team-2.1.325', 'team-tty-2.1.325'],
  ])('%s', (files, story) => {
    expect(byModel(rowsOf(home(files)))).toEqual(served(story));
    expect(byModel(rowsOf(home(files).toReversed()))).toEqual(served(story));
  });

  test('team-2.1.39: exact but for the output, of which the files hold only the beginning', () => {
    const rows = rowsOf(home('team-2.1.39'));
    const opus = served('team-2.1.39')['claude-opus-4-6'];
    expect(rows.map(({ model, cost_source }) => [model, cost_source])).toEqual([['claude-opus-4-6', 'lower_bound']]);
    expect(tokens(rows[0])).toEqual({ ...opus, output: 132 });
  });
});

describe('stream and transcripts of one session are one account', () => {
  test.each(['team-2.1.140', 'team-2.1.39'])('%s', (story) => {
    const stream = { path: null, bytes: Buffer.from(session(story)) };
    const files = home(story);
    const both = rowsOf([stream, ...files], ['model']);
    expect(byModel(both)).toEqual(served(story));
    expect(rowsOf([...files, stream], ['model'])).toEqual(both);
    expect(both.map((row) => row.cost_source)).toEqual(both.map(() => 'reported'));
  });

  test('with both, every token of 2.1.140 has its agent', () => {
    const stream = { path: null, bytes: Buffer.from(session('team-2.1.140')) };
    const rows = rowsOf([stream, ...home('team-2.1.140')], ['agent']);
    const mates = (agent: string) => sum(Object.values(served('team-2.1.140', (call) => call.agent === agent)));
    expect(Object.fromEntries(rows.map((row) => [row['name'], tokens(row)]))).toEqual({
      'team-lead': mates('lead'),
      researcher: mates('mate:researcher'),
      writer: mates('mate:writer'),
    });
  });
});
