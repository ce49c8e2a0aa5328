import { Chalk } from 'chalk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Layout, Row } from '../../src/view/formats.js';
import { asciiSigns, noPaint } from '../../src/view/signs.js';
import { tableWriter } from '../../src/view/table.js';
import { displayWidth } from '../../src/view/text.js';
import { hostileRow, hostileText, someFields } from './hostile.js';

const usage = ['model', 'messages', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cost_usd', 'cost_source'];
const sonnet = {
  model: 'claude-sonnet-4-5-20250929',
  messages: 1200,
  input_tokens: 1234,
  output_tokens: 98765,
  cache_read_tokens: 1234567,
  cost_usd: 1.25,
  cost_source: 'reported',
};
const other = {
  model: 'other',
  messages: 3,
  input_tokens: 0,
  output_tokens: 7,
  cache_read_tokens: 0,
  cost_usd: null,
  cost_source: 'unpriced',
};
const total = {
  model: 'total',
  messages: 1203,
  input_tokens: 1234,
  output_tokens: 98772,
  cache_read_tokens: 1234567,
  cost_usd: 1.25,
};

const tasks = ['id', 'status', 'owner', 'subject', 'blocked_by', 'ready'];
const first = {
  id: '1',
  status: 'in_progress',
  owner: 'writer',
  subject: 'Write the parser for records that come in pieces, and the tests of it',
  blocked_by: [],
  ready: false,
};
const second = {
  id: '12',
  status: 'pending',
  owner: null,
  subject: '測試 the board',
  blocked_by: ['1', '3'],
  ready: true,
};

describe('layout', () => {
  test('numbers are on the right, money is aligned, a total closes', () => {
    expect(`\n${shown(usage, [sonnet, other], { width: 100 }, total)}`).toBe(`
MODEL       MESSAGES  INPUT  OUTPUT  CACHE READ   COST  SOURCE
sonnet-4-5     1,200  1,234  98,765   1,234,567  $1.25  reported
other              3      0       7           0      -  unpriced
total          1,203  1,234  98,772   1,234,567  $1.25
`);
  });

  test('counts are short only where they would not fit, the money stays, and columns that are missing are named', () => {
    expect(`\n${shown(usage, [sonnet, other], { width: 60 }, total)}`).toBe(`
MODEL       MESSAGES  INPUT  OUTPUT  CACHE READ   COST
sonnet-4-5     1,200   1.2k   98.8k        1.2M  $1.25
other              3      0       7           0      -
total          1,203   1.2k   98.8k        1.2M  $1.25
+1 column, with --fields: cost_source
`);
    expect(`\n${shown(usage, [sonnet, other], { width: 40 }, total)}`).toBe(`
MODEL       MESSAGES  INPUT   COST
sonnet-4-5     1,200   1.2k  $1.25
other              3      0      -
total          1,203   1.2k  $1.25
+3 columns, with --fields:
output_tokens, cache_read_tokens,
cost_source
`);
  });

  test('a column of low rank is left out before a text is cut or a count is short', () => {
    const columns = { output_tokens: { rank: -1 }, cache_read_tokens: { rank: -1 }, cost_source: { rank: -1 } };
    expect(`\n${shown(usage, [sonnet, other], { width: 40, columns }, total)}`).toBe(`
MODEL       MESSAGES  INPUT   COST
sonnet-4-5     1,200  1,234  $1.25
other              3      0      -
total          1,203  1,234  $1.25
+3 columns, with --fields:
output_tokens, cache_read_tokens,
cost_source
`);
  });

  test('wide characters keep the columns straight, prose gives way', () => {
    expect(`\n${shown(tasks, [first, second], { width: 80 })}`).toBe(`
ID  STATUS       OWNER   SUBJECT                               BLOCKED BY  READY
1   in_progress  writer  Write the parser for records that c…  -           no
12  pending      -       測試 the board                        1, 3        yes
`);
  });

  test.each([
    [
      'team',
      ['team', 'members', 'tasks', 'created_at', 'duration_ms'],
      {
        team: 'a',
        members: [{}, {}],
        tasks: { pending: 0, in_progress: 1, completed: 4 },
        created_at: '2026-11-16T02:00:00.123Z',
        duration_ms: 245_000,
      },
      'TEAM  MEMBERS  TASKS                       CREATED (UTC)        DURATION\na           2  1 in_progress, 4 completed  2026-11-16 02:00:00     4m05s\n',
    ],
    [
      'nothing',
      ['team', 'members', 'tasks', 'error'],
      { team: null, members: [], tasks: { pending: 0 }, error: '' },
      'TEAM  MEMBERS  TASKS  ERROR\n-           0  -      -\n',
    ],
    [
      'objects',
      ['id', 'worktree'],
      { id: 'x', worktree: { path: '/tmp/w', branch: 'b' } },
      'ID  WORKTREE\nx   {"path":"/tmp/w","branch":"b"}\n',
    ],
    ['absent', ['id', 'constructor'], { id: 'x' }, 'ID  CONSTRUCTOR\nx   -\n'],
  ])('%s', (_, fields, row, text) => {
    expect(shown(fields, [row], { width: 100 })).toBe(text);
  });

  test('is nothing without rows', () => {
    expect(shown(usage, [], { width: 80 }, total)).toBe('');
    expect(shown(usage, [], { width: 80, streaming: true }, total)).toBe('');
  });

  test('a column may look otherwise than its name suggests', () => {
    const columns = { id: { title: 'KEY', align: 'right', kind: 'text' } } as const;
    expect(shown(['id', 'owner'], [first, second], { width: 80, columns })).toBe('KEY  OWNER\n  1  writer\n 12  -\n');
  });
});

test('a text keeps its comfort at the cost of columns of low rank', () => {
  const columns = { ready: { rank: -1 }, blocked_by: { rank: -2 } };
  const drawn = (comfort?: number) => {
    const subject = comfort === undefined ? {} : { comfort };
    return shown(tasks, [first, second], { width: 70, columns: { ...columns, subject } }).split('\n')[0];
  };
  expect(drawn()).toBe('ID  STATUS       OWNER   SUBJECT                                 READY');
  expect(drawn(60)).toBe('ID  STATUS       OWNER   SUBJECT');
});

test('a text that wraps goes on below', () => {
  const rows = [
    { id: '1', detail: 'one two three\nfour five-six-seven-eight' },
    { id: '2', detail: 'short' },
  ];
  expect(`\n${shown(['id', 'detail'], rows, { width: 16, columns: { detail: { wraps: true } } })}`).toBe(`
ID  DETAIL
1   one two
    three four
    five-six-sev
    en-eight
2   short
`);
});

describe('what says nothing is left out', () => {
  const leavesOut = true;
  const member = { name: 'a', kind: 'lead', status: 'idle', model: 'claude-opus-4-6', tool_calls: 0, error: null };
  const fields = ['name', 'kind', 'status', 'model', 'tool_calls', 'error'];

  test('a column that is the same in all rows is said in the heading, an empty one nowhere', () => {
    const rows = [member, { ...member, name: 'b', kind: 'subagent' }];
    expect(`\n${shown(fields, rows, { leavesOut })}`).toBe(`
status idle · model opus-4-6 · no calls
NAME  KIND
a     lead
b     subagent
`);
  });

  test('of a single row only what is empty', () => {
    expect(`\n${shown(fields, [member], { leavesOut })}`).toBe(`
NAME  KIND  STATUS  MODEL     CALLS
a     lead  idle    opus-4-6      0
`);
  });

  test('not the first column, and no number that adds up to another', () => {
    const rows = [member, { ...member, tool_calls: 0 }];
    expect(shown(['name', 'tool_calls'], rows, { leavesOut }, { tool_calls: 3 })).toBe(
      'NAME   CALLS\na          0\na          0\ntotal      3\n',
    );
  });

  test('a heading is as wide as the table may be, and safe', () => {
    const rows = [1, 2].map((id) => ({ id, status: 'a\n\x1b[31m', error: 'x'.repeat(30) }));
    expect(`\n${shown(['id', 'status', 'error'], rows, { leavesOut, width: 24 })}`).toBe(`
status a\\n\\x1b[31m
error xxxxxxxxxxxxxxxxx…
ID
1
2
`);
  });

  test('a column that tells twins apart is shown only where there are some', () => {
    const columns = { agent_id: { ifSame: ['name'] } };
    const twins = [
      { name: 'a', agent_id: 'x1', turn: 1 },
      { name: 'a', agent_id: 'x2', turn: 2 },
    ];
    const others = twins.map((row, at) => ({ ...row, name: `a${at}` }));
    const drawn = (rows: readonly Row[]) => shown(['name', 'agent_id', 'turn'], rows, { leavesOut, columns });
    expect(drawn(twins)).toBe('NAME  AGENT  TURN\na     x1        1\na     x2        2\n');
    expect(drawn(others)).toBe('NAME  TURN\na0       1\na1       2\n');
  });

  test('sections have their own heading and columns, and a total is of all', () => {
    const rows = [
      { team: 'x', id: '1', status: 'open', turn: 1 },
      { team: 'y', id: '2', status: 'idle', turn: 2 },
      { team: 'x', id: '3', status: 'idle', turn: 3 },
    ];
    const sections = {
      keyOf: ({ team }: Row) => String(team),
      heading: (part: readonly Row[]) => ({ parts: [`${part[0]?.['team']}`, `${part.length} rows`], says: ['team'] }),
    };
    const writer = tableWriter(['id', 'team', 'status', 'turn'], { width: 80, paint: noPaint, leavesOut, sections });
    for (const row of rows) writer.row(row);
    expect(`\n${writer.tail({ turn: 6 }, { notShown: 4, notes: ['A note.'] })}`).toBe(`
x · 2 rows
ID  STATUS  TURN
1   open       1
3   idle       3

y · 1 rows
ID     STATUS  TURN
2      idle       2
… 4 more not shown
total             6
A note.
`);
  });
});

describe('short names', () => {
  test('models lose their maker and date, ids are prefixes, both stay long where they would look the same', () => {
    const rows = [
      { session_id: '97a98319-1525-44dc-8375-d3f3422179bd', model: 'claude-haiku-4-5-20251001' },
      { session_id: 'aaaaaaaa-1525-44dc-8375-d3f3422179bd', model: 'claude-opus-4-6[1m]' },
      { session_id: 'aaaaaaaa-0000-44dc-8375-d3f3422179bd', model: 'claude-sonnet-4-5' },
      { session_id: 'a00427471a217110f', model: 'claude-sonnet-4-5-20250929' },
      { session_id: 'b170m4idw', model: 'us.anthropic.claude-opus-5-v1:0' },
    ];
    expect(`\n${shown(['session_id', 'model'], rows, {})}`).toBe(`
SESSION                               MODEL
97a98319                              haiku-4-5
aaaaaaaa-1525-44dc-8375-d3f3422179bd  opus-4-6[1m]
aaaaaaaa-0000-44dc-8375-d3f3422179bd  claude-sonnet-4-5
a0042747                              claude-sonnet-4-5-20250929
b170m4idw                             us.anthropic.claude-opus-5-v1:0
`);
  });
});

describe('times', () => {
  const zone = { name: 'Asia/Kolkata', local: () => '2026-11-16T05:06:21' };
  const rows = [1, 2].map((id) => ({ id, time: '2026-11-15T23:36:21.500Z' }));

  test('are those of the zone, which the title names, or the heading with the day they have in common', () => {
    expect(shown(['id', 'time'], rows.slice(0, 1), { zone })).toBe(
      'ID  TIME (Asia/Kolkata)\n1   2026-11-16 05:06:21\n',
    );
    const apart = [...rows, { id: 3, time: '2026-11-15T23:36:22.000Z' }];
    expect(shown(['id', 'time'], apart, { leavesOut: true })).toBe(
      '2026-11-15 UTC\nID  TIME\n1   23:36:21\n2   23:36:21\n3   23:36:22\n',
    );
    expect(
      shown(['id', 'time'], [...apart, { id: 4, time: '2026-11-16T00:00:00.000Z' }], { leavesOut: true }),
    ).toContain('times in UTC\nID  TIME\n1   2026-11-15 23:36:21\n');
  });
});

describe('money', () => {
  const rows = [
    { name: 'a', cost_usd: 0.1855, cost_source: 'lower_bound', share: 0.6666 },
    { name: 'b', cost_usd: 1234.5, cost_source: 'reported', share: 0.004 },
    { name: 'c', cost_usd: 0.5, cost_source: 'guess', share: 0 },
    { name: 'd', cost_usd: null, cost_source: 'unpriced', share: null },
  ];
  const fields = ['name', 'cost_usd', 'share'];

  test('what is only known to be at least so much, and a guess, say so; the largest share has a whole bar', () => {
    expect(`\n${shown(fields, rows, {}, { cost_usd: 1235.1855 })}`).toBe(`
NAME        COST  SHARE
a        ≥ $0.19  ████████████████  67%
b      $1,234.50  ▏                 <1%
c        ~ $0.50                     0%
d              -  -
total  $1,235.19
`);
  });

  test('without Unicode, and without room for a bar', () => {
    expect(shown(fields, rows.slice(0, 1), { signs: asciiSigns })).toContain(
      'a     >= $0.1855  ################  67%\n',
    );
    expect(`\n${shown(fields, rows.slice(0, 2), { width: 26 })}`).toBe(`
NAME       COST  SHARE
a       ≥ $0.19  67%
b     $1,234.50  <1%
`);
  });
});

describe('hostile cells', () => {
  test.each([
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\x1b]8;;https://x\x07y', '\\x1b]8;;https://x\\x07y'],
    ['a\u202eb', 'a\\u202eb'],
    ['two\nlines', 'two\\nlines'],
    ['  padded\n', 'padded'],
    ['=HYPERLINK("x")', '=HYPERLINK("x")'],
    ['| ` <b>', '| ` <b>'],
  ])('%j', (subject, cell) => {
    expect(shown(['subject', 'id'], [{ subject, id: '7' }], { width: 80 })).toBe(
      `${'SUBJECT'.padEnd(cell.length)}  ID\n${cell.padEnd(7)}  7\n`,
    );
  });

  test('a cell of megabytes costs no more than what is seen of it', () => {
    const content = '世\u0301'.repeat(2_000_000);
    const text = shown(['id', 'content'], Array(20).fill({ id: '1', content }), { width: 20 });
    expect(text.split('\n')[1]).toBe(`1   ${'世\u0301'.repeat(7)}…`);
  });

  test('no line is wider than the width, and none holds a control character', () => {
    const width = fc.oneof(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 30, max: 200 }),
      fc.constant(Number.POSITIVE_INFINITY),
    );
    fc.assert(
      fc.property(
        someFields,
        fc.array(hostileRow, { minLength: 1, maxLength: 6 }),
        width,
        fc.boolean(),
        fc.option(hostileRow, { nil: undefined }),
        fc.boolean(),
        (fields, rows, width, streaming, total, leavesOut) => {
          // The names of columns that did not fit take lines of their own.
          const isField = () => false;
          const text = shown(fields, rows, { width, streaming, leavesOut: leavesOut && !streaming, isField }, total);
          expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/);
          const lines = text.split('\n');
          const least = rows.length + (total === undefined ? 2 : 3);
          if (leavesOut) expect(lines.length).toBeGreaterThanOrEqual(least);
          else expect(lines).toHaveLength(least);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('columns start where their titles start, whatever the cells hold', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1, maxLength: 5 }), (texts) => {
        const rows = texts.map((name) => ({ name, id: 'END' }));
        const [header = '', ...lines] = shown(['name', 'id'], rows, { width: 60 }).trimEnd().split('\n');
        const starts = lines.map((line) => displayWidth(line.slice(0, line.lastIndexOf('END'))));
        expect(new Set(starts)).toEqual(new Set([header.lastIndexOf('ID')]));
      }),
    );
  });
});

describe('streaming', () => {
  const fields = ['time', 'from', 'to', 'status', 'summary'];
  const message = {
    time: '2026-11-16T02:00:01.500Z',
    from: 'team-lead',
    to: 'writer',
    status: 'sent',
    summary: 'Begin',
  };

  test('each row is written as it comes, later ones cut to the widths of the first', () => {
    const writer = tableWriter(fields, { width: 60, paint: noPaint, streaming: true });
    expect(writer.head).toBe('');
    expect(writer.row(message)).toBe(
      'TIME (UTC)      FROM        TO         STATUS     SUMMARY\n11-16 02:00:01  team-lead   writer     sent       Begin\n',
    );
    expect(writer.row({ ...message, from: 'a-very-long-name', summary: 'Now the tests' })).toBe(
      '11-16 02:00:01  a-very-lo…  writer     sent       Now the t…\n',
    );
    expect(writer.tail()).toBe('');
  });

  test('where lines may have any length nothing is cut', () => {
    const writer = tableWriter(['to', 'summary'], { width: Number.POSITIVE_INFINITY, paint: noPaint, streaming: true });
    writer.row(message);
    expect(writer.row({ to: 'a-name-of-many-letters', summary: 'x'.repeat(100) })).toBe(
      `a-name-of-many-letters  ${'x'.repeat(100)}\n`,
    );
    expect(writer.row({ to: 'b', summary: 'y' })).toBe(`b                       y\n`);
  });

  test('a row that is written again is written only if it looks otherwise', () => {
    const rowKey = ({ id }: Row) => String(id);
    const writer = tableWriter(['name', 'status'], { width: 60, paint: noPaint, streaming: true, rowKey });
    const lines = [
      writer.row({ id: 1, name: 'a', status: 'active', calls: 1 }),
      writer.row({ id: 1, name: 'a', status: 'active', calls: 2 }),
      writer.row({ id: 1, name: 'a', status: 'idle', calls: 2 }),
      writer.row({ id: 1, name: 'a', status: 'active', calls: 3 }),
    ];
    expect(lines.map((line) => line.trim().split('\n').at(-1)?.split(/ +/))).toEqual([
      ['a', 'active'],
      [''],
      ['a', 'idle'],
      ['a', 'active'],
    ]);
  });
});

describe('colour', () => {
  const chalk = new Chalk({ level: 1 });

  test('headers and totals are bold, statuses have their colour, nothing is dim', () => {
    const rows = [{ id: '1', status: 'failed', owner: null }];
    expect(shown(['id', 'status', 'owner'], rows, { width: 80, paint: chalk }, { id: 'all' })).toBe(
      `${chalk.bold('ID')}   ${chalk.bold('STATUS')}  ${chalk.bold('OWNER')}\n1    ${chalk.red('failed')}  ${chalk.dim('-')}\n${chalk.bold('all')}\n`,
    );
  });

  test('changes nothing but the colour', () => {
    fc.assert(
      fc.property(
        someFields,
        fc.array(hostileRow, { maxLength: 4 }),
        fc.integer({ min: 1, max: 120 }),
        (fields, rows, width) => {
          const painted = shown(fields, rows, { width, paint: chalk });
          expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(shown(fields, rows, { width }));
        },
      ),
    );
  });
});

function shown(fields: readonly string[], rows: readonly Row[], layout: Partial<Layout>, total?: Row): string {
  const writer = tableWriter(fields, { width: 80, paint: noPaint, ...layout });
  return writer.head + rows.map((row) => writer.row(row)).join('') + writer.tail(total);
}

test('a name is shown in the colour its agent was given', () => {
  const marked = (color: string) => (text: string) => `<${color}>${text}</>`;
  const paint = { ...noPaint, blue: marked('blue'), magenta: marked('magenta') };
  const writer = tableWriter(['name', 'model'], { width: 80, paint });
  const text = [
    writer.row({ name: 'reader', model: 'm', color: 'blue' }),
    writer.row({ name: 'writer', model: 'm', color: 'pink' }),
    writer.row({ name: 'lead', model: 'm', color: '\u001b[31m' }),
    writer.tail(),
  ].join('');
  expect(text).toContain('<blue>reader</>  m\n');
  expect(text).toContain('<magenta>writer</>  m\n');
  expect(text).toContain('\nlead    m\n');
});
