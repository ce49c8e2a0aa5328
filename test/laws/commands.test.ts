import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadAll } from '../../src/cli/registry.js';
import { cct } from '../run.js';
import { ndjson, streams } from '../streams.js';
import { checkLater } from './check.js';
import { bytesOf, homes, type Input, sessions } from './inputs.js';

const fixtures = new URL('../../fixtures/', import.meta.url);

/** The commands that read events, with the flags that choose what a row is. */
const ways: Readonly<Record<string, readonly (readonly string[])[]>> = {
  usage: ['total', 'message', 'agent', 'session,team,model,turn,day'].map((keys) => ['--by', keys]),
  teams: [[], ['--members']],
  tasks: [['--all']],
  messages: [[], ['--settled']],
};
const known = new Set((await loadAll()).map(({ name }) => name));
const commands = Object.entries(ways)
  .filter(([name]) => known.has(name))
  .flatMap(([name, flags]) => flags.map((more) => [name, ...more]));

describe.each(commands.map((words) => ({ line: words.join(' '), words })))('cct $line', ({ words }) => {
  test.each(sessions)('$name', async (input) => {
    const bytes = bytesOf(input);
    const rows = await rowsOf(words, bytes);
    const { stdout: events } = await cct(['normalize'], bytes);
    expect(await rowsOf(words, Buffer.from(events)), 'normalize before it').toBe(rows);
    expect(await rowsOf([...words, '--strict'], bytes), 'every line parsed').toBe(rows);
    if (!isWhole(input)) return;
    expect(await rowsOf(words, Buffer.concat([bytes, bytes])), 'the same stream twice').toBe(rows);
    const strange = await rowsOf(words, amongStrangers(bytes));
    expect(strange.replace(/"line":\d+/g, ''), 'unknown records between').toBe(rows.replace(/"line":\d+/g, ''));
  });

  test('any stream', async () => {
    await checkLater(
      fc.asyncProperty(streams(), async (records) => {
        const bytes = Buffer.from(ndjson(records));
        const rows = await rowsOf(words, bytes);
        const { stdout: events } = await cct(['normalize'], bytes);
        expect(await rowsOf(words, Buffer.from(events)), 'normalize before it').toBe(rows);
        expect(await rowsOf([...words, '--strict'], bytes), 'every line parsed').toBe(rows);
        expect(await rowsOf(words, Buffer.concat([bytes, bytes])), 'the same stream twice').toBe(rows);
        const strange = await rowsOf(words, amongStrangers(bytes));
        expect(strange.replace(/"line":\d+/g, ''), 'unknown records between').toBe(rows.replace(/"line":\d+/g, ''));
      }),
      10,
    );
  });

  test.each(homes)('$name', async (input) => {
    const files = input.parts.map(({ path }) => new URL(`${input.name}/${path}`, fixtures).pathname);
    const rows = await rowsOf([...words, ...files]);
    const { stdout: events } = await cct(['normalize', ...files]);
    expect(await rowsOf(words, Buffer.from(events)), 'normalize before it').toBe(rows);
    expect(await rowsOf([...words, '--strict', ...files]), 'every line parsed').toBe(rows);
    expect(await rowsOf([...words, ...files, ...files]), 'the same files twice').toBe(rows);
  });
});

/** Every line is a record by itself, and the last one ends. */
function isWhole(input: Input): boolean {
  const text = bytesOf(input).toString();
  return text.endsWith('\n') && text.startsWith('{') && !input.name.includes('seed-000');
}

function amongStrangers(bytes: Buffer): Buffer {
  const lines = bytes.toString().trimEnd().split('\n');
  const strange = lines.flatMap((line, at) => [line, stranger(at)]);
  return Buffer.from(strange.join('\n'));
}

function stranger(at: number): string {
  const ids = { session_id: `elsewhere-${at}`, uuid: `strange-${at}` };
  return JSON.stringify(at % 2 ? { type: 'mystery', ...ids } : { type: 'system', subtype: 'mystery', ...ids });
}

async function rowsOf(words: readonly string[], stdin: Buffer = Buffer.alloc(0)): Promise<string> {
  const { stdout, code, stderr } = await cct([...words, '--format', 'ndjson'], stdin);
  if (code !== 0 && code !== 4) throw new Error(`cct ${words.join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}
