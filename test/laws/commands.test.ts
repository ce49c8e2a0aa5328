import { describe, expect, test } from 'vitest';
import { loadAll } from '../../src/run/registry.js';
import { cct } from '../run.js';
import { bytesOf, homes, type Input, sessions } from './inputs.js';

/** The commands that read events, with the flags that choose what a row is. */
const ways: Readonly<Record<string, readonly (readonly string[])[]>> = {
  usage: ['total', 'model', 'session', 'agent', 'team', 'turn', 'day', 'message'].map((key) => ['--by', key]),
  teams: [[], ['--members']],
  tasks: [['--all']],
  messages: [[], ['--settled']],
};
const known = new Set((await loadAll()).map(({ name }) => name));
const commands = Object.entries(ways)
  .filter(([name]) => known.has(name))
  .flatMap(([name, flags]) => flags.map((more) => [name, ...more]));

describe.each(commands.map((words) => ({ line: words.join(' '), words })))('cct $line', ({ words }) => {
  test.each(sessions)('$name: normalize before it changes nothing', async (input) => {
    const { stdout: events } = await cct(['normalize'], bytesOf(input));
    expect(await rowsOf(words, Buffer.from(events))).toBe(await rowsOf(words, bytesOf(input)));
  });

  test.each(homes)('$name: normalize before it changes nothing', async (input) => {
    const files = pathsOf(input);
    const { stdout: events } = await cct(['normalize', ...files]);
    expect(await rowsOf(words, Buffer.from(events))).toBe(await rowsOf([...words, ...files]));
  });

  test.each(homes)('$name: the same files twice change nothing', async (input) => {
    const files = pathsOf(input);
    const rows = await rowsOf([...words, ...files]);
    expect(await rowsOf([...words, ...files, ...files])).toBe(rows);
  });

  test.each(homes)('$name: skipping lines changes nothing', async (input) => {
    const files = pathsOf(input);
    expect(await rowsOf([...words, '--strict', ...files])).toBe(await rowsOf([...words, ...files]));
  });

  test.each(sessions.filter(isWhole))('$name: the same stream twice changes nothing', async (input) => {
    const bytes = bytesOf(input);
    expect(await rowsOf(words, Buffer.concat([bytes, bytes]))).toBe(await rowsOf(words, bytes));
  });

  test.each(sessions)('$name: skipping lines changes nothing', async (input) => {
    expect(await rowsOf([...words, '--strict'], bytesOf(input))).toBe(await rowsOf(words, bytesOf(input)));
  });

  test.each(sessions.filter(isWhole))('$name: unknown records change nothing', async (input) => {
    const lines = bytesOf(input).toString().trimEnd().split('\n');
    const strange = lines.flatMap((line, at) => [line, stranger(at)]);
    const rows = await rowsOf(words, Buffer.from(strange.join('\n')));
    expect(rows.replace(/"line":\d+/g, '')).toBe((await rowsOf(words, bytesOf(input))).replace(/"line":\d+/g, ''));
  });
});

/** Every line is a record by itself, and the last one ends. */
function isWhole(input: Input): boolean {
  const text = bytesOf(input).toString();
  return text.endsWith('\n') && text.startsWith('{') && !input.name.includes('seed-000');
}

function pathsOf({ name, parts }: Input): string[] {
  return parts.map(({ path }) => new URL(`../../fixtures/${name}/${path}`, import.meta.url).pathname);
}

function stranger(at: number): string {
  const ids = { session_id: `elsewhere-${at}`, uuid: `strange-${at}` };
  return JSON.stringify(at % 2 ? { type: 'mystery', ...ids } : { type: 'system', subtype: 'mystery', ...ids });
}

async function rowsOf(words: readonly string[], stdin = Buffer.alloc(0)): Promise<string> {
  const { stdout, code, stderr } = await cct([...words, '--format', 'ndjson'], stdin);
  if (code !== 0 && code !== 4) throw new Error(`cct ${words.join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}
