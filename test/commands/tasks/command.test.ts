import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cct, rows } from '../../run.js';

const read = (file: string) => readFileSync(`fixtures/sessions/${file}.ndjson`, 'utf8');
const team = read('team-2.1.325');

describe('formats', () => {
  test('a table on a terminal, NDJSON in a pipe', async () => {
    const shown = await cct(['tasks', '--color', 'never'], team, { tty: { stdout: true }, columns: 72 });
    expect(shown.stdout.split('\n')[1]).toMatch(/^ID +STATUS +OWNER +SUBJECT/);
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(72);
    expect((await rows(['tasks'], team)).map(({ id }) => id)).toEqual([
      '1',
      '2',
      '3',
      'a00427471a217110f',
      'a704452b330fac70f',
    ]);
  });

  test.each(['json', 'csv', 'tsv', 'md', 'mermaid', 'dot'])(
    '%s of nothing has the shape of something',
    async (format) => {
      const full = await cct(['tasks', '-f', format], team);
      const empty = await cct(['tasks', '-f', format], '');
      const first = (text: string) => text.split('\n')[0]?.slice(0, 1);
      expect(first(empty.stdout)).toBe(first(full.stdout));
      expect(empty.code).toBe(0);
    },
  );

  test('a board fits the terminal, and no board is nothing', async () => {
    const { stdout } = await cct(['tasks', '--board', '--kind', 'board'], team, { tty: { stdout: true }, columns: 50 });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
    expect(stdout).toContain('PENDING (1)');
    expect(await cct(['tasks', '--board'], '', { tty: { stderr: true } })).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('no tasks'),
    });
  });

  test('the fields of a table that are not asked for are not shown', async () => {
    const { stdout } = await cct(['tasks', '-f', 'table', '--fields', 'id,owner', '--kind', 'board'], team);
    expect(stdout).toBe('ID  OWNER\n1   researcher\n2   writer\n3   -\n');
  });
});

describe('what does not go together', () => {
  test.each<[words: string, says: string]>([
    ['--board -f json', '--board prints a table, so --format json cannot be used with it'],
    ['--board -f mermaid', '--board prints a table, so --format mermaid cannot be used with it'],
    ['--board --fields id', '--fields selects columns, but --board has none'],
    ['-f dot --fields id', '--fields selects columns, but --format dot has none'],
    ['--kind bord', "--kind: 'bord' is not one of board, todo, background; did you mean board?"],
    ['--status done', "--status: 'done' is not one of pending, in_progress, completed, deleted, failed, stopped"],
    ['--fields nobody', '--fields: unknown field nobody'],
    ['--since tomorrow', "--since: 'tomorrow' is not a time"],
    ['--format yaml', "--format: 'yaml' is not one of table, ndjson, json, csv, tsv, md, mermaid, dot"],
  ])('%s', async (words, says) => {
    const { code, stdout, stderr } = await cct(['tasks', ...words.split(' ')], team);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

describe('--since and --until', () => {
  const ids = async (...words: string[]) => (await rows(['tasks', ...words], team)).map(({ id }) => id);

  test('look at the last change', async () => {
    expect(await ids('--since', '2026-11-15T23:36:21.944Z', '--kind', 'board')).toEqual(['1', '2']);
    expect(await ids('--until', '2026-11-15T23:36:21.944Z', '--kind', 'board')).toEqual(['3']);
    expect(await ids('--since', '2026-11-16T00:36:22', '--timezone', 'Europe/Berlin')).toEqual(['a704452b330fac70f']);
  });

  test('say how many tasks have no time', async () => {
    const { stdout, stderr } = await cct(['tasks', '--since', '2026-01-01'], read('team-2.1.39'));
    expect([stdout, stderr]).toEqual(['', 'cct: 3 tasks have no time and were left out\n']);
  });

  test('count only tasks that were asked for', async () => {
    const { stderr } = await cct(['tasks', '--since', '2026-01-01', '--ready'], read('team-2.1.39'));
    expect(stderr).toContain('1 task has no time and was left out');
  });
});

describe('-e', () => {
  test.each<[name: string, words: string[], stdin: string, code: number]>([
    ['tasks', [], team, 0],
    ['none that were asked for', ['--owner', 'nobody'], team, 1],
    ['none at all', [], '', 1],
  ])('%s', async (_name, words, stdin, code) => {
    expect((await cct(['tasks', '-e', ...words], stdin)).code).toBe(code);
  });
});

test('nothing an agent writes can act in a table, a board or a drawing', async () => {
  const evil = '\x1b[31mred\x9b0m\u202e"];\n';
  const records = [
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'TaskCreate', input: { subject: evil } }] },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
      tool_use_result: { task: { id: '1' } },
    },
  ];
  const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  for (const words of [['--board'], ['-f', 'table'], ['-f', 'mermaid'], ['-f', 'dot'], []]) {
    const { stdout } = await cct(['tasks', '--color', 'never', ...words], stdin, { tty: { stdout: true } });
    expect(stdout).toContain('red');
    expect(stdout).not.toMatch(/[\x1b\x80-\x9f\u202e]/);
  }
});
