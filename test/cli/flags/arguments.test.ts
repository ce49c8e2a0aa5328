import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.js';
import { parseArguments } from '../../../src/cli/flags/arguments.js';

const command: Command = {
  name: 'sort',
  kind: 'map',
  summary: 'sort things',
  description: 'Sorts things.',
  options: [
    { flags: '--by <key,...>', summary: 'keys', kind: 'list', choices: ['name', 'size', 'age'] },
    { flags: '--match <text>', summary: 'text' },
    { flags: '--limit <n>', summary: 'number', kind: 'number', default: 10 },
    { flags: '--no-content', summary: 'flag that says no' },
    { flags: '--dry-run', summary: 'flag' },
    { flags: '--most <n>', summary: 'count', kind: 'count' },
    { flags: '--pay <amount>', summary: 'money', kind: 'money' },
  ],
  shared: ['output', 'general'],
  examples: [],
  interest: () => ({ events: [] }),
  run: async () => undefined,
};
const defaults = { limit: 10, color: 'auto' };

test.each<[string, string[], object, string[]]>([
  ['nothing', [], {}, []],
  ['files', ['a', '-', 'b'], {}, ['a', '-', 'b']],
  ['flags', ['--dry-run', '--no-content', '-q'], { dryRun: true, noContent: true, quiet: true }, []],
  ['flags in one', ['-qve', 'a'], { quiet: true, verbose: true, exitStatus: true }, ['a']],
  ['a text', ['--match', '-x', 'a'], { match: '-x' }, ['a']],
  ['a text behind =', ['--match=a=b'], { match: 'a=b' }, []],
  ['a number', ['--limit', '2.5'], { limit: 2.5 }, []],
  ['a choice', ['-f', 'csv', '--color=never'], { format: 'csv', color: 'never' }, []],
  ['another word for a choice', ['-f', 'jsonl'], { format: 'ndjson' }, []],
  ['and the other one', ['--format=markdown'], { format: 'md' }, []],
  ['--json', ['--json'], { format: 'json' }, []],
  ['--json, said twice', ['--json', '-f', 'json'], { format: 'json' }, []],
  ...(
    [
      ['500', 500],
      ['100k', 100_000],
      ['1.5M', 1_500_000],
      ['1.1m', 1_100_000],
      ['2B', 2_000_000_000],
      ['100,000', 100_000],
      ['1_000_000', 1_000_000],
    ] as const
  ).map(([typed, most]): [string, string[], object, string[]] => [
    `a count: ${typed}`,
    ['--most', typed],
    { most },
    [],
  ]),
  ...(
    [
      ['2', 2],
      ['$2', 2],
      ['$ 2.50', 2.5],
      ['2.5 USD', 2.5],
      ['1,000', 1000],
      ['0.01$', 0.01],
    ] as const
  ).map(([typed, pay]): [string, string[], object, string[]] => [`money: ${typed}`, ['--pay', typed], { pay }, []]),
  ['a list', ['--by', 'name, age'], { by: ['name', 'age'] }, []],
  ['a list in pieces', ['--by', 'name', '--by=size,age'], { by: ['name', 'size', 'age'] }, []],
  ['options after files', ['a', '-q', 'b'], { quiet: true }, ['a', 'b']],
  ['files that look like options', ['--', '-q', '--by'], {}, ['-q', '--by']],
])('%s', (_name, words, options, operands) => {
  expect(parseArguments(command, words)).toEqual({ options: { ...defaults, ...options }, operands });
});

test.each([[['-h']], [['--help']], [['a', '--help', '--zzz']]])('%s is a call for help', (words) => {
  expect(parseArguments(command, words)).toBe('help');
});

describe('what is wrong is said', () => {
  test.each([
    [['--dry-rnu'], "sort: unknown option '--dry-rnu'; did you mean --dry-run?"],
    [['--zzzzzz'], "sort: unknown option '--zzzzzz'; see cct help sort"],
    [['-z'], "sort: unknown option '-z'; see cct help sort"],
    [['--match'], '--match: a value is missing'],
    [['--match', ''], '--match: a value is missing'],
    [['a', '-f'], '--format: a value is missing'],
    [['-qf'], '--format: a value is missing'],
    [['--zzz=1'], "sort: unknown option '--zzz=1'; see cct help sort"],
    [['a', '-', '-5', '--dry-rnu', '--', '-z'], "sort: unknown option '--dry-rnu'; did you mean --dry-run?"],
    [['--format', 'tabel'], "--format: 'tabel' is not one of table, ndjson, json, csv, tsv, md; did you mean table?"],
    [['--color', 'blue'], "--color: 'blue' is not one of auto, always, never"],
    [['--by', 'name,szie'], "--by: 'szie' is not one of name, size, age; did you mean size?"],
    [['--by', 'name,'], "--by: '' is not one of name, size, age"],
    [['--form', 'csv'], "sort: unknown option '--form'; did you mean --format?"],
    [['--form=csv'], "sort: unknown option '--form=csv'; did you mean --format?"],
    [['-f', 'mardown'], "--format: 'mardown' is not one of table, ndjson, json, csv, tsv, md; did you mean md?"],
    [['--json', '-f', 'csv'], '--json and --format csv cannot be used together'],
    [['-f', 'jsonl', '--json'], '--json and --format ndjson cannot be used together'],
    ...['1,5M', '1.5x', '0.5', '0', '-3', '1e3', '1.00001k', 'k', '9999999999999999'].map(
      (typed): [string[], string] => [
        ['--most', typed],
        `--most: '${typed}' is not a whole number above 0, such as 500, 100k or 1.5M`,
      ],
    ),
    ...['two', '0', '$', '€2', '-1', '1,5', '$2$3'].map((typed): [string[], string] => [
      ['--pay', typed],
      `--pay: '${typed}' is not an amount above 0, such as 2, 2.50 or '$2' (quoted, because the shell expands $2)`,
    ]),
    [['--limit', 'many'], "--limit: 'many' is not a number above 0"],
    [['--limit', '0'], "--limit: '0' is not a number above 0"],
    [['--limit', '-3'], "--limit: '-3' is not a number above 0"],
    [['--limit', '1e3'], "--limit: '1e3' is not a number above 0"],
    [['--limit', 'Infinity'], "--limit: 'Infinity' is not a number above 0"],
  ])('%s', (words, message) => {
    expect(() => parseArguments(command, words)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });
});

describe('an operand with choices', () => {
  const named: Command = {
    ...command,
    operand: { name: 'name', summary: '', choices: ['event', 'task'], default: 'all of them' },
  };

  test.each([
    [[], []],
    [['task'], ['task']],
  ])('%s', (words, operands) => {
    expect(parseArguments(named, words)).toMatchObject({ operands });
  });

  test.each([
    [['evnet'], "sort: 'evnet' is not one of event, task; did you mean event?"],
    [['event', 'task'], "sort: expected one name, but got 'task' too"],
  ])('%s is wrong', (words, message) => {
    expect(() => parseArguments(named, words)).toThrow(message);
  });
});

test.each<[string, string[], object]>([
  ['behind the value', ['-q', '--as', 'a', '--by', '-x', '--as', 'b'], { rest: ['--by', '-x', '--as', 'b'] }],
  ['behind the value in one word', ['-q', '--as=a', '-q'], { rest: ['-q'] }],
  ['none', ['-q', '--as', 'a'], {}],
])('the words of another program: %s', (_name, words, rest) => {
  const stand: Command = { ...command, options: [{ flags: '--as <file>', summary: 'file', endsWords: true }] };
  const options = { quiet: true, as: 'a', color: 'auto' };
  expect(parseArguments(stand, words)).toEqual({ options, operands: [], ...rest });
});

test('an option that ends our words needs its value', () => {
  const stand: Command = { ...command, options: [{ flags: '--as <file>', summary: 'file', endsWords: true }] };
  expect(() => parseArguments(stand, ['--as'])).toThrow('--as: a value is missing');
});

describe('a program and its words', () => {
  const runner: Command = {
    ...command,
    operand: { name: 'command', summary: 'what to run', choices: [], isProgram: true },
    options: [...command.options, { flags: '--label <key=value>', summary: 'labels', kind: 'texts' }],
  };

  test.each<[string, string[], object, string[] | undefined]>([
    ['behind --', ['--dry-run', '--', 'ls', '-l', '--', 'x'], { dryRun: true }, ['ls', '-l', '--', 'x']],
    ['without --', ['--dry-run', 'ls', '--dry-run', '--help'], { dryRun: true }, ['ls', '--dry-run', '--help']],
    ['behind a value', ['--match', 'ls', '-q', 'cat'], { match: 'ls', quiet: true }, ['cat']],
    ['behind a value with =', ['--match=x', 'ls'], { match: 'x' }, ['ls']],
    ['a name like a flag', ['--', '-x'], {}, ['-x']],
    ['none', ['-q'], { quiet: true }, undefined],
    ['texts one by one, commas and all', ['--label', 'a=1,2', '--label=b', 'ls'], { label: ['a=1,2', 'b'] }, ['ls']],
  ])('%s', (_, words, options, rest) => {
    const parsed = parseArguments(runner, words);
    expect(parsed).toEqual({ options: { ...defaults, ...options }, operands: [], ...(rest && { rest }) });
  });

  test('help is asked for before it, not behind', () => {
    expect(parseArguments(runner, ['--help', 'ls'])).toBe('help');
  });

  test('-- is no value', () => {
    expect(() => parseArguments(runner, ['--match', '--', 'ls'])).toThrow('--match: a value is missing');
    expect(() => parseArguments(runner, ['--mtach', 'x', 'ls'])).toThrow("sort: unknown option '--mtach'");
  });
});
