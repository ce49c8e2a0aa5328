import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../src/cli/flags/arguments.js';
import { readArguments } from '../../../src/cli/flags/flags.js';
import { loadAll } from '../../../src/cli/registry.js';

const commands = await loadAll();

describe.each(commands)('$name: words without a flag mean the same with and without the parser', (command) => {
  const first = command.operand?.choices[0] ?? 'file';
  test.each([
    [[]],
    [[first]],
    [['-']],
    [['']],
    [['help']],
    [['a', '-', 'b c', 'd=e', '–long']],
    [[command.name, first, 'nobody']],
  ])('%j', async (words) => {
    expect(await said(() => readArguments(command, words))).toEqual(await said(() => parseArguments(command, words)));
  });
});

test.each<[string, string[], object | 'help']>([
  ['a flag', ['a', '-q'], { options: { quiet: true }, operands: ['a'] }],
  ['an operand behind --', ['--', '-q'], { operands: ['-q'] }],
  ['help', ['a', '--help'], 'help'],
])('%s is parsed', async (_name, words, expected) => {
  const teams = commands.find(({ name }) => name === 'teams');
  const read = teams && (await readArguments(teams, words));
  if (expected === 'help') expect(read).toBe('help');
  else expect(read).toMatchObject(expected);
});

/** What comes of it, or the words of the refusal. */
async function said(
  read: () => ReturnType<typeof parseArguments> | ReturnType<typeof readArguments>,
): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error;
  }
}
