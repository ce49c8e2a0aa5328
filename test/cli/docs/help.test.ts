import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.js';
import { commandHelp, helpFor, proseOf, topics } from '../../../src/cli/docs/help.js';
import { parseArguments } from '../../../src/cli/flags/arguments.js';
import { longFlag, optionsOf, sharedOptions } from '../../../src/cli/flags/flags.js';
import { loadAll } from '../../../src/cli/registry.js';
import { ExitCode } from '../../../src/io/exit.js';
import { eventNames } from '../../../src/lib.js';

const commands = await loadAll();
const output = sharedOptions.output.map(longFlag);
const common = Object.values(sharedOptions).flat().map(longFlag);

describe.each(commands.map((command): [string, Command] => [command.name, command]))('%s', (name, command) => {
  test('its help names every flag of its own, and no other', () => {
    const text = commandHelp(command, 80);
    const shown = [...text.matchAll(/^ {2}(?: {4}|-\w, )(--[a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    const own = command.options.map(longFlag).filter((flag) => !output.includes(flag));
    expect(shown.filter((flag) => flag !== '--format').sort()).toEqual(own.sort());
  });

  test('its help fits on a screen', () => {
    expect(commandHelp(command, 80).split('\n').length).toBeLessThanOrEqual(45);
  });

  test('no flag twice, no letter twice', () => {
    const words = optionsOf(command).flatMap(({ flags }) => flags.match(/(?<![\w-])--?[a-z][a-z-]*/gi) ?? []);
    expect(words).toEqual([...new Set(words)]);
  });

  test('its words are as all words are', () => {
    const { summary, examples } = command;
    const paragraphs = proseOf(command).filter((part) => typeof part === 'string');
    expect(summary).toMatch(/^[a-z].{10,64}[^.]$/);
    expect(paragraphs[0]).toMatch(/^[A-Z]/);
    for (const paragraph of paragraphs) expect(paragraph).toMatch(/[.:]$/);
    expect(examples.length).toBeGreaterThan(1);
    for (const { run } of examples) expect(run).toContain(`cct ${name}`);
    for (const option of optionsOf(command)) expect(option.summary).toMatch(/^[a-z].*[^.]$/);
  });
});

test('the overview names every command and topic', async () => {
  const text = await helpFor(commands, [], 80);
  const width = Math.max(...commands.map(({ name }) => name.length));
  for (const { name, summary } of commands) expect(text).toContain(`  ${name.padEnd(width)}  ${summary}`);
  const [, last = ''] = text.split('cct help <command>');
  for (const { name } of topics) expect(last.replaceAll('\n', ' ')).toMatch(new RegExp(`[ ,]${name}[ ,]`));
});

const examples = [...commands, ...topics].flatMap((page) => page.examples.map(({ run }) => run));

test.each(examples)('an example that can be typed: %s', (run) => {
  const lines = [...run.matchAll(/\bcct ([^|;&>)]+)/g)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const [name, ...words] = (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
      word.replace(/^(['"])(.*)\1$/, '$2'),
    );
    const command = commands.find((each) => each.name === name);
    expect(command?.name).toBe(name);
    expect(() => command && parseArguments(command, words)).not.toThrow();
  }
});

test.each(topics)('help of $name begins with examples', async ({ name, examples }) => {
  const text = await helpFor(commands, [name], 80);
  expect(text.split('\n').slice(1, 4)).toEqual(['', 'Examples:', `  # ${examples[0]?.does}`]);
});

test('one page has every flag that commands share', () => {
  const text = helpFor(commands, ['options'], 80);
  for (const flag of common) expect(text).toContain(flag);
});

test('no topic is called like a command', () => {
  const names = [...commands, ...topics].map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('every exit code is explained', async () => {
  const text = await helpFor(commands, ['exit-codes'], 80);
  const codes = [...text.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(ExitCode));
});

test('every event is explained', async () => {
  const text = await helpFor(commands, ['events'], 80);
  for (const name of eventNames()) expect(text).toContain(`\n  ${name} `);
});
