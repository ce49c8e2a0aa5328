// That the rows are the same of events, and of a stream that comes twice, is a law of all commands: laws/commands.test.ts.
import { describe, expect, test } from 'vitest';
import { messages } from '../../../src/commands/messages/command.js';
import { Timeline } from '../../../src/commands/messages/rows.js';
import { isTurn } from '../../effort.js';
import { families } from '../../laws/families.js';
import { broken, bytesOf, homes, type Input, sessions } from '../../laws/inputs.js';
import { readAll } from '../../laws/reading.js';
import { cct } from '../../run.js';

describe('plain and settled show the same messages', () => {
  test.each([...sessions, ...homes, ...broken])('$name', expectSame);

  // Not in one stream: a plain row does not know the team of the next specimen, a settled one does.
  test.each(families)('each of $name', async ({ specimens }) => {
    for (const [index, specimen] of specimens.entries()) if (isTurn(index, 4, 0)) await expectSame(specimen);
  });

  async function expectSame(input: Input): Promise<void> {
    const plain = await rowsOf([], input);
    const settled = await rowsOf(['--settled'], input);
    expect(settled.map(asSettled).sort(), input.name).toEqual(plain.map(asSettled).sort());
  }
});

describe('a row is written at once, in the order of the calls', () => {
  test.each(sessions)('$name', ({ parts }) => {
    const { events } = readAll(parts, { interest: messages.interest({}) });
    const called = events.filter((event) => /^team:message:(?:sent|failed)$/.test(event.event));
    const sent = called.filter((event) => 'tool_use_id' in event && event.tool_use_id !== null);
    const timeline = new Timeline();
    const lines = events.flatMap((event) => timeline.follow(event).map(({ line }) => line));
    expect(lines).toEqual(sent.map(({ line }) => line));
  });
});

async function rowsOf(words: readonly string[], { name, parts }: Input): Promise<Record<string, unknown>[]> {
  const files = parts.flatMap(({ path }) => (path === null ? [] : [`fixtures/${name}/${path}`]));
  const { stdout } = await cct(['messages', ...words, ...files], files.length > 0 ? '' : bytesOf({ name, parts }));
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

/** A row as text, without what only the end of the input can tell. */
function asSettled({ status, delivered_at: _delivered, ...row }: Record<string, unknown>): string {
  return JSON.stringify({ ...row, failed: status === 'failed' });
}
