// What a directory of many small files takes. Nothing here depends on how busy the machine is.
import { createHook } from 'node:async_hooks';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../effort.js';
import { cct } from '../run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cct-many-files-'));
  for (let number = 0; number < most; number++) {
    // The first quarter of the files has a folder of its own.
    const project = join(folder, number < most / 4 ? 'quarter' : 'rest', `project-${number % 8}`);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${number}.jsonl`), sessionOf(number));
  }
  writeFileSync(join(folder, 'one.ndjson'), Array.from({ length: most }, (_, number) => sessionOf(number)).join(''));
});
afterAll(() => rmSync(folder, { recursive: true }));

const most = 1000;

test('says the same as one file with all of them', async () => {
  const words = ['usage', '--by', 'project,week'];
  const { stdout: ofFiles } = await cct([...words, join(folder, 'quarter'), join(folder, 'rest')]);
  expect(ofFiles).toBe((await cct([...words, join(folder, 'one.ndjson')])).stdout);
  expect(ofFiles.trim().split('\n').length).toBeGreaterThan(8);
});

test('a file takes a few promises, and no other thread reads it', async () => {
  // The first run also loads modules.
  await waits('quarter');
  const [few, many] = [await waits('quarter'), await waits('rest')];
  const perFile = (many.promises - few.promises) / (most / 2);
  expect(perFile).toBeLessThan(10);
  expect(many.threads).toBe(few.threads);
});

describe('four times as many files take four times as long', () => {
  const all = [
    'usage --by project,week',
    'usage --by session',
    'teams',
    'tasks',
    'messages',
    'calls',
    'sessions',
    'trace',
    'audit',
  ];
  test.each(sample([...all, 'normalize'], 4))('%s', async (line) => {
    const words = line.split(' ');
    const isSteep = async (): Promise<boolean> => {
      const quarter = await cpuMs([...words, join(folder, 'quarter')]);
      return (await cpuMs([...words, join(folder, 'quarter'), join(folder, 'rest')])) > 9 * quarter;
    };
    // Once may be chance.
    expect((await isSteep()) && (await isSteep()) && (await isSteep())).toBe(false);
  });
});

/** How many promises and requests to other threads a run makes. */
async function waits(name: string): Promise<{ promises: number; threads: number }> {
  let [promises, threads] = [0, 0];
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++;
      if (type.startsWith('FSREQ')) threads++;
    },
  });
  hook.enable();
  await cct(['usage', '--by', 'project,week', join(folder, name)]);
  hook.disable();
  return { promises, threads };
}

async function cpuMs(words: readonly string[]): Promise<number> {
  const before = process.cpuUsage();
  const { code, stderr } = await cct(words);
  if (code > 1) throw new Error(stderr);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A transcript: a prompt, a call of an agent and its result, and an answer. */
function sessionOf(number: number): string {
  const id = String(number).padStart(12, '0');
  const day = 1 + (number % 28);
  const row = (at: number, type: string, message: object) => ({
    type,
    message,
    uuid: `0000000${at}-0000-4000-a000-${id}`,
    timestamp: new Date(Date.UTC(2026, 8, day, 8, 0, at)).toISOString(),
    sessionId: `00000000-0000-4000-b000-${id}`,
    cwd: `/home/dev/project-${number % 8}`,
    version: '2.1.140',
  });
  const said = (at: number, block: object) => {
    const usage = { input_tokens: number, output_tokens: at, cache_read_input_tokens: 1000 };
    const content = [block];
    return row(at, 'assistant', { id: `msg_${at}_${id}`, role: 'assistant', model: 'claude-opus-4-5', content, usage });
  };
  const call = { id: `toolu_${id}`, name: 'Task', input: { description: 'review', prompt: `look at ${number}` } };
  const result = { type: 'tool_result', tool_use_id: call.id, content: 'looks good' };
  const rows = [
    row(1, 'user', { role: 'user', content: `do ${number}` }),
    said(2, { type: 'tool_use', ...call }),
    row(3, 'user', { role: 'user', content: [result] }),
    said(4, { type: 'text', text: 'done' }),
  ];
  return rows.map((each) => `${JSON.stringify(each)}\n`).join('');
}
