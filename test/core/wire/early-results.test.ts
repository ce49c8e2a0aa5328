import { expect, test } from 'vitest';
import { type Part, readAll } from '../../laws/reading.js';

const calls = Array.from({ length: 10 }, (_, at) => `toolu_${at}`);

/** Calls that create tasks, in a file that is read after that of their results. */
function tasksWith(padding: string): number {
  const own = { sessionId: 's', timestamp: '2026-11-20T09:00:00.000Z', isSidechain: false };
  const results = calls.map((tool_use_id, at) => ({
    ...{
      ...own,
      type: 'user',
      uuid: `r${at}`,
      toolUseResult: { task: { id: `${at}`, subject: `Task ${at}` }, padding },
    },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: 'Created' }] },
  }));
  const made = calls.map((id, at) => ({
    ...{ ...own, type: 'assistant', uuid: `c${at}` },
    message: {
      id: `m${at}`,
      content: [
        {
          type: 'tool_use',
          id,
          name: 'TaskCreate',
          input: { subject: `Task ${at}`, description: 'words of the call' },
        },
      ],
    },
  }));
  const partOf = (path: string, records: readonly object[]): Part => ({
    path,
    bytes: Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  });
  const { events } = readAll([partOf('a.jsonl', results), partOf('b.jsonl', made)], { several: true });
  const known = events.flatMap((event) =>
    event.event === 'team:task:created' && event.task.description === 'words of the call' ? [event.task.id] : [],
  );
  return new Set(known).size;
}

test('results wait for calls that are read later', () => {
  expect(tasksWith('')).toBe(10);
});

test('they take a few megabytes at most', () => {
  expect(tasksWith('x'.repeat(1_000_000))).toBe(3);
});
