// That what cct writes is what cct schema says, by another program than the one that made the schema.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { cct, rows } from '../../run.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stream = 'fixtures/sessions/team-2.1.325.ndjson';

async function validatorOf(name: string): Promise<ValidateFunction> {
  const { stdout } = await cct(['schema', name]);
  return new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
}

describe('the file of --state', () => {
  test.each(['teams', 'tasks', 'usage'])('of %s', async (command) => {
    const isState = await validatorOf('state');
    const path = join(folder, command);
    expect((await cct([command, '--state', path, stream])).code).toBe(0);
    const saved = JSON.parse(readFileSync(path, 'utf8'));
    isState(saved);
    expect(isState.errors).toBeNull();
    const { digest, ...damaged } = saved;
    expect([typeof digest, isState(damaged)]).toEqual(['string', false]);
  });

  test('is not a line of replay', async () => {
    const isState = await validatorOf('state');
    for (const line of await rows(['replay', '--states', '--no-wait', stream])) expect(isState(line)).toBe(false);
  });
});

test.each([
  ['event', 'normalize'],
  ['team', 'teams'],
  ['member', 'teams --members'],
  ['task', 'tasks --all'],
  ['message', 'messages --settled'],
  ['usage', 'usage --by session'],
  ['usage', 'usage --by agent,model'],
  ['usage', 'usage --by message'],
  ['finding', 'audit'],
  ['replay', 'replay --states --no-wait'],
])('%s: the rows of cct %s', async (name, words) => {
  const isRow = await validatorOf(name);
  const written = await rows([...words.split(' '), stream]);
  expect(written.length).toBeGreaterThan(0);
  for (const row of written) {
    isRow(row);
    expect(isRow.errors).toBeNull();
  }
  expect(isRow({ cct: 'no such row' })).toBe(false);
});
