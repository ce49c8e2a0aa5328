import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cct, rows } from '../../run.js';
import { haiku, init, opus, result, row, said, story } from './usage-story.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-usage-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const session = (name: string) => readFileSync(`fixtures/sessions/${name}.ndjson`, 'utf8');

describe('--by', () => {
  test('model unless said otherwise', async () => {
    expect((await rows(['usage'], session('team-2.1.140'))).map((one) => one['model'])).toEqual([
      'claude-haiku-4-5-20251001',
      'claude-opus-4-6',
      'claude-sonnet-4-6',
    ]);
  });

  test.each([
    ['total', []],
    ['model', ['model']],
    ['session', ['session_id']],
    ['agent', ['agent', 'name', 'agent_type']],
    ['team', ['team']],
    ['turn', ['session_id', 'turn']],
    ['day', ['day']],
    ['week,month', ['week', 'month']],
    ['project,branch,version', ['project', 'branch', 'version']],
    ['agent,model', ['agent', 'name', 'agent_type', 'model']],
    ['turn,session', ['session_id', 'turn']],
    ['model,agent', ['model', 'agent', 'name', 'agent_type']],
  ])('%s', async (by, keys) => {
    const [first] = await rows(['usage', '--by', by], session('parallel-subagents'));
    const figures = ['messages', 'input_tokens', 'output_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens'];
    const rest = [
      'cache_read_tokens',
      'total_tokens',
      'web_search_requests',
      'cost_usd',
      'cost_source',
      'unpriced_tokens',
    ];
    const summary = ['duration_ms', 'duration_api_ms', 'num_turns', 'results', 'is_error', 'subtype', 'model'];
    const context = ['cache_read_share', 'context_tokens', 'context_window', 'compactions'];
    const breaks = ['cache_breaks', 'cache_break_causes'];
    const place = ['started_at', 'ended_at', 'outcome', 'project', 'branch', 'version', 'ci', 'labels'];
    place.push('reason', 'api_error_status');
    const [before, after] = by === 'session' ? [summary, place] : [[], by.includes('turn') ? breaks : []];
    expect(Object.keys(first ?? {})).toEqual([
      ...keys,
      ...figures,
      ...rest,
      ...before,
      ...context,
      ...after,
      'web_fetch_requests',
    ]);
  });

  test('message: one row per message in the order of the input, then what the result leaves over', async () => {
    const found = await rows(['usage', '--by', 'message'], session('parallel-subagents'));
    expect(found.map((one) => [one['cct'], one['name'], one['model'], one['result_id'] !== null])).toEqual([
      [1, 'main', 'claude-opus-4-6', false],
      [1, 'Survey the sources', 'claude-haiku-5-5', false],
      [1, 'Read the README', 'claude-sonnet-5-5', false],
      [1, 'Read the README', 'claude-sonnet-5-5', false],
      [1, 'main', 'claude-opus-4-6', false],
      [1, null, 'claude-opus-4-6', true],
      [1, null, 'claude-haiku-5-5', true],
      [1, null, 'claude-sonnet-5-5', true],
    ]);
  });

  test('total prints one row, also of nothing', async () => {
    expect(await rows(['usage', '--by', 'total'], '')).toHaveLength(1);
    expect(await rows(['usage'], '')).toEqual([]);
  });

  test('what does not exist', async () => {
    const { code, stderr } = await cct(['usage', '--by', 'modle'], '');
    expect([code, stderr]).toEqual([
      2,
      "cct: --by: 'modle' is not one of total, model, session, agent, team, turn, day, week, month, project, branch, version, program, agent_type, pr, label, message; did you mean model?\n",
    ]);
  });
});

describe('which rows', () => {
  const two = story(
    said('m1', { input: 5 }, { session: 's1', at: '2026-11-15T23:30:00.000Z' }),
    said('m2', { input: 7 }, { session: 's2', at: '2026-11-16T00:30:00.000Z' }),
    said('m3', { input: 9 }, { session: 's2' }),
  );
  const input = async (...words: string[]) =>
    (await rows(['usage', '--by', 'total', ...words], two))[0]?.['input_tokens'];

  test('--session', async () => expect(await input('--session', 's2')).toBe(16));
  test('--since', async () => expect(await input('--since', '2026-11-16')).toBe(7));
  test('--until', async () => expect(await input('--until', '2026-11-16')).toBe(5));
  test('--timezone', async () => expect(await input('--since', '2026-11-16', '--timezone', 'Europe/Berlin')).toBe(12));

  test('what has no time is left out, and said', async () => {
    const { stderr } = await cct(['usage', '--since', '2026-11-16'], two);
    expect(stderr).toContain('cct: 1 message has no time and was left out\n');
  });

  test('--team, also for what was used before there was one', async () => {
    const text = session('team-2.1.39') + session('one-shot');
    const [whole] = await rows(['usage', '--by', 'total'], session('team-2.1.39'));
    expect(await rows(['usage', '--by', 'total', '--team', 'report-crew'], text)).toEqual([whole]);
  });
});

describe('formats', () => {
  test('a table has shares, a total and a note', async () => {
    const { stdout } = await cct(['usage', '-f', 'table'], session('team-2.1.140'));
    expect(stdout).toMatchInlineSnapshot(`
      "MODEL       MESSAGES  INPUT  OUTPUT  WRITE 5M  CACHE READ   TOKENS     COST  SHARE
      opus-4-6          16     90   3,791    20,071     215,331  239,283  $0.3283  ████████████████  74%
      sonnet-4-6         0     42   1,694     8,848      94,605  105,189  $0.0871  ████▎             20%
      haiku-4-5          0     40   1,572     7,737      81,999   91,348  $0.0258  █▎                 6%
      total             16    172   7,057    36,656     391,935  435,820  $0.4412
      Reported by the program.
      "
    `);
  });

  test('the note says what is missing', async () => {
    const text = story(
      row('m1', { input: 1e6 }),
      row('m2', { input: 700, output: 1 }, { final: false }),
      said('m3', { input: 5 }, { model: 'x' }),
    );
    const { stdout } = await cct(['usage', '--by', 'total', '-f', 'table'], text);
    expect(stdout.split('\n').slice(2, -1)).toEqual([
      '$5.00 calculated; $0.0035 at least, calculated from prices of 2026-11-13.',
      '≥ at least: some output counts are partial.',
      '5 tokens of x have no price.',
    ]);
  });

  test('--fields in every format', async () => {
    const fields = ['--fields', 'cost_usd,model'];
    const text = session('one-shot');
    expect((await cct(['usage', ...fields, '-f', 'csv'], text)).stdout).toBe(
      'cost_usd,model\n0.014083,claude-opus-4-6\n',
    );
    expect((await cct(['usage', ...fields], text)).stdout).toBe('{"cost_usd":0.014083,"model":"claude-opus-4-6"}\n');
  });

  test('github', async () => {
    const { stdout } = await cct(['usage', '-f', 'github'], session('one-shot'));
    expect(stdout.split('\n')).toContain('cost_usd=0.014083');
    expect(stdout).toMatch(/^rows=\[\{"model":"claude-opus-4-6".*\}\]$/m);
  });

  test('prometheus', async () => {
    const { stdout } = await cct(['usage', '-f', 'prometheus'], session('one-shot'));
    expect(stdout).toContain('cct_usage_tokens{model="claude-opus-4-6",kind="output"} 64\n');
    expect(stdout).toContain('cct_usage_cost_usd{model="claude-opus-4-6",cost_source="reported"} 0.014083\n');
  });
});

describe('--prices', () => {
  const file = (name: string, content: unknown) => {
    const path = join(scratch, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  test('of ours', async () => {
    const path = file('ours.json', { models: { 'claude-opus-4-6': { input: 50, output: 250 } } });
    const [one] = await rows(['usage', '--prices', path, '--mode', 'calculated'], story(row('m1', { input: 1e6 })));
    expect(one?.['cost_usd']).toBe(50);
  });

  test('of LiteLLM', async () => {
    const path = file('litellm.json', { 'gpt-5': { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 } });
    const [one] = await rows(['usage', '--prices', path], story(row('m1', { input: 1e6 }, { model: 'gpt-5' })));
    expect([one?.['cost_usd'], one?.['cost_source']]).toEqual([1, 'calculated']);
  });

  test('show prints what can be read again', async () => {
    const { stdout } = await cct(['usage', '--prices', 'show', '-f', 'json']);
    const path = file('shown.json', JSON.parse(stdout));
    const words = ['usage', '--mode', 'calculated'];
    expect(await rows([...words, '--prices', path], session('team-2.1.325'))).toEqual(
      await rows(words, session('team-2.1.325')),
    );
  });

  test.each([
    ['a file that is not there', 'no/such/file', 'no such file'],
    [
      'a file that is something else',
      'package.json',
      "not a price table: it has no 'models', and no entry has input_cost_per_token or cost",
    ],
  ])('%s', async (_, path, problem) => {
    const { code, stderr } = await cct(['usage', '--prices', path], '');
    expect([code, stderr]).toEqual([2, `cct: --prices: ${path}: ${problem}\n`]);
  });
});

describe('a budget', () => {
  const messages = [1, 2, 3, 4].map((at) => said(`m${at}`, { input: 1_000_000 }));
  const run = story(init(), ...messages, result({ [opus]: { input: 4_000_000, cost: 20 } }));

  test('is passed at the record that passes it', async () => {
    const { code, stdout, stderr } = await cct(['usage', '--max-usd', '12'], run);
    expect(code).toBe(3);
    expect(stderr).toBe('cct: passed --max-usd 12 with at least $15.0001 (estimated) at line 4; reading stopped\n');
    expect(JSON.parse(stdout)).toMatchObject({ messages: 3, cost_usd: 15, cost_source: 'lower_bound' });
  });

  test('is kept where it is just reached', async () => {
    const reached = story(init(), result({ [opus]: { input: 4_000_000, cost: 20 } }));
    expect((await cct(['usage', '--max-usd', '20'], reached)).code).toBe(0);
  });

  test('counts tokens', async () => {
    const { code, stderr } = await cct(['usage', '--max-tokens', '1500000'], run);
    expect([code, stderr]).toEqual([
      3,
      'cct: passed --max-tokens 1500000 with at least 2,000,002 tokens (estimated) at line 3; reading stopped\n',
    ]);
  });

  test('is corrected by a result: it may cost less than the price table says, or more', async () => {
    const cheap = story(
      init(),
      said('m1', { input: 1e6 }),
      result({ [opus]: { input: 1e6, cost: 1 } }),
      said('m2', { input: 1e6 }),
    );
    expect((await cct(['usage', '--max-usd', '7'], cheap)).code).toBe(0);
    const dear = story(
      init(),
      said('m1', { input: 1e6 }),
      result({ [opus]: { input: 1e6, cost: 5 }, [haiku]: { input: 9, cost: 3 } }),
    );
    const { code, stderr } = await cct(['usage', '--max-usd', '7'], dear);
    expect([code, stderr]).toEqual([3, 'cct: passed --max-usd 7 with $8.0000 at line 3; reading stopped\n']);
  });

  test('is not passed twice by a gateway that answers under another name', async () => {
    const renamed = result({ 'my-opus': { input: 1e6, cost: 5 } });
    const text = story(init(), said('m1', { input: 1e6 }), renamed, said('m2', { input: 1e6 }));
    expect((await cct(['usage', '--max-usd', '11'], text)).code).toBe(0);
  });

  test('is each agent’s own, by agent', async () => {
    const records = [
      said('a1', { input: 1e6 }, { parent: 't1' }),
      said('m2', { input: 1e6 }),
      said('a2', { input: 1e6 }, { parent: 't1' }),
    ];
    const { code, stderr } = await cct(
      ['usage', '--by', 'agent', '--max-usd', '9'],
      story(init(), said('m1', { input: 5 }), ...records),
    );
    expect([code, stderr]).toEqual([
      3,
      'cct: t1 passed --max-usd 9 with at least $10.0000 (estimated) at line 5; reading stopped\n',
    ]);
  });

  test('is passed by a model without a price, at its first message', async () => {
    const foreign = story(init(), said('m1', { input: 5 }, { model: 'glm-5.1' }));
    const { code, stderr } = await cct(['usage', '--max-usd', '1'], foreign);
    expect(code).toBe(3);
    expect(stderr).toBe(
      'cct: --max-usd 1: no price for glm-5.1 at line 2; reading stopped; add a price with --prices, or use --allow-unpriced to count it as $0\n',
    );
    const allowed = await cct(['usage', '-q', '--max-usd', '1', '--allow-unpriced'], foreign);
    expect([allowed.code, allowed.stderr]).toEqual([0, '']);
    const told = await cct(['usage', '--max-usd', '1', '--allow-unpriced'], foreign);
    expect([told.code, told.stderr]).toEqual([
      0,
      'cct: stdin: no result\ncct: glm-5.1 has no price and is counted as $0\n',
    ]);
    expect((await cct(['usage', '--max-tokens', '9'], foreign)).code).toBe(0);
  });

  test('holds for rows read back', async () => {
    const { stdout } = await cct(['usage', '--by', 'message'], run);
    const { code, stderr } = await cct(['usage', '--max-usd', '12'], stdout);
    expect([code, stderr]).toEqual([3, 'cct: passed --max-usd 12 with $20.0000\n']);
  });

  test('goes on where an earlier run stopped', async () => {
    const state = ['--state', join(scratch, 'budget.json')];
    expect((await cct(['usage', ...state], story(init(), said('m1', { input: 1e6 })))).code).toBe(0);
    const { code, stderr } = await cct(
      ['usage', '--max-usd', '8', ...state],
      story(said('m2', { input: 1e6 }), said('m3', { input: 1e6 })),
    );
    expect([code, stderr]).toEqual([
      3,
      'cct: passed --max-usd 8 with at least $10.0000 (estimated) at line 1; reading stopped\n',
    ]);
  });

  test('reads no further: a producer that never ends is left', async () => {
    async function* endless() {
      yield `${JSON.stringify(init())}\n`;
      for (let at = 0; ; at++) {
        yield story(said(`m${at}`, { input: 1_000_000 }));
        await new Promise((next) => setTimeout(next, 1));
      }
    }
    expect((await cct(['usage', '--max-usd', '52'], endless())).code).toBe(3);
  });
});

describe('--watch', () => {
  test('writes a row again when it changed', async () => {
    const chunks = [
      story(init(), said('m1', { input: 5 })),
      story(said('m1', { input: 5 })),
      story(said('m2', { input: 7 })),
    ];
    const { stdout } = await cct(['usage', '--by', 'total', '--watch'], chunks);
    const counts = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).input_tokens);
    expect(counts).toEqual([0, 5, 12]);
  });
});

describe('-e', () => {
  test.each([
    ['a good run', session('one-shot'), 0],
    ['a failed one', session('api-error'), 1],
    ['rows of a good run', 'one-shot', 0],
    ['rows of a failed one', 'api-error', 1],
  ])('%s', async (_, text, code) => {
    const input = text.startsWith('{') ? text : (await cct(['usage', '--by', 'message'], session(text))).stdout;
    expect((await cct(['usage', '-e'], input)).code).toBe(code);
  });
});
