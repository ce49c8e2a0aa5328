import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cct, rows } from '../../run.js';

const swarm = readFileSync(new URL('../../../fixtures/sessions/seed-000-swarm.ndjson', import.meta.url), 'utf8');
const lines = swarm.trimEnd().split('\n');
const [team] = ['port-review'];

/** The team after the first lines of the swarm. */
async function upTo(count: number) {
  const [row] = await rows(['teams', '-q'], `${lines.slice(0, count).join('\n')}\n`);
  return { row, members: (row?.members ?? []) as Record<string, unknown>[] };
}

describe('a swarm written by hand: no session, no uuid, a brace too many, cleanups without their calls', () => {
  test('tells the whole story', async () => {
    const { row, members } = await upTo(lines.length);
    expect(row).toMatchObject({
      team,
      status: 'cleaned_up',
      error: null,
      protocol: 'teammate-tool',
      role: 'lead',
      messages: 3,
    });
    expect(row?.cost_usd).toBeCloseTo(8.55993775, 12);
    expect(members.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['team-lead lead', 'go-reader teammate']);
    const messages = await rows(['messages', '-q'], swarm);
    expect(messages.map(({ type, from, to }) => [type, from, to])).toEqual([
      ['message', 'team-lead', 'go-reader'],
      ['broadcast', 'team-lead', null],
      ['shutdown_request', 'team-lead', 'go-reader'],
    ]);
    const [summary] = await rows(['usage', '-q', '--by', 'session'], swarm);
    expect(summary).toMatchObject({ num_turns: 2, duration_ms: 10786, is_error: false, subtype: 'success' });
  });

  test('a spawned teammate is a new card with its colour and model', async () => {
    expect((await upTo(3)).members).toHaveLength(1);
    expect((await upTo(4)).members[1]).toMatchObject({
      name: 'go-reader',
      color: 'blue',
      model: 'claude-opus-4-6',
      status: 'active',
    });
  });

  test('a broadcast names who got it', async () => {
    const [message] = await rows(['messages', '-q', '--type', 'broadcast'], swarm);
    expect(message).toMatchObject({ to: null, recipients: ['go-reader', 'c-reader'] });
  });

  test('an acknowledged shutdown request shows on its card', async () => {
    expect((await upTo(9)).members[1]).toMatchObject({ status: 'active' });
    expect((await upTo(10)).members[1]).toMatchObject({ status: 'shutting_down' });
  });

  test('a failed cleanup leaves the team as it was and shows why', async () => {
    const { row, members } = await upTo(11);
    expect(row?.status).not.toBe('cleaned_up');
    expect(row?.error).toMatch(/^Cannot cleanup team with 2 active member/);
    expect(members[1]).toMatchObject({ status: 'shutting_down' });
  });
});

test('20,000 tasks and 2,000 agents are a matter of reading', async () => {
  const session = 'aaaaaaaa-0000-4000-8000-000000000000';
  const at = (fields: object) => JSON.stringify({ ...fields, session_id: session });
  const call = (id: string, name: string, input: object) =>
    at({ type: 'assistant', message: { id: `m${id}`, content: [{ type: 'tool_use', id, name, input }] } });
  const result = (id: string, tool_use_result: object) =>
    at({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '' }] },
      tool_use_result,
    });
  const stream = [at({ type: 'system', subtype: 'init', model: 'm' })];
  for (let n = 1; n <= 2000; n++)
    stream.push(
      call(`a${n}`, 'Agent', { description: `d${n}`, name: `w${n}` }),
      result(`a${n}`, { status: 'async_launched', agentId: `id${n}` }),
    );
  for (let n = 1; n <= 20000; n++)
    stream.push(
      call(`t${n}`, 'TaskCreate', { subject: `s${n}` }),
      result(`t${n}`, { task: { id: String(n), subject: `s${n}` } }),
    );
  const { code, stdout } = await cct(['teams'], `${stream.join('\n')}\n`);
  const row = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(row.members).toHaveLength(2001);
  expect(row.tasks.pending).toBe(20000);
});

describe('--watch', () => {
  const words = ['teams', '-q', '--members', '--watch', '--fields', 'name,status'];

  test('writes a row when it is new and when it changed, as far as it is shown', async () => {
    const { stdout } = await cct(words, `${lines.slice(0, 10).join('\n')}\n`);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { name: 'team-lead', status: 'active' },
      { name: 'go-reader', status: 'active' },
      { name: 'go-reader', status: 'shutting_down' },
    ]);
  });

  test('writes the same, however the records come', async () => {
    const all = ['teams', '-q', '--members', '--watch'];
    const { stdout: atOnce } = await cct(all, `${lines.join('\n')}\n`);
    const { stdout: oneByOne } = await cct(
      all,
      lines.map((line) => `${line}\n`),
    );
    expect(oneByOne).toBe(atOnce);
    expect(atOnce.split('\n').length).toBeGreaterThan(6);
  });
});
