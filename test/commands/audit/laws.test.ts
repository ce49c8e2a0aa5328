// That an audit is the same of events, and of a stream that comes twice, is a law of all commands: laws/commands.test.ts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkLater } from '../../laws/check.js';
import { rows } from '../../run.js';
import { ndjson, streams } from '../../streams.js';

const subjects = ['teams', 'tasks', 'messages'];

test('any part of a stream can be audited, and its findings stand in order', async () => {
  let findings = 0;
  await checkLater(
    fc.asyncProperty(
      streams(),
      fc.nat(80),
      fc.nat(80),
      fc.constantFrom(...subjects),
      async (records, from, length, subject) => {
        const found = await audit(subject, ndjson(records.slice(from, from + length)));
        const order = found.map(({ time, line, rule }) => [time ?? '', String(line ?? 0).padStart(9), rule].join(' '));
        expect(order).toEqual([...order].sort());
        findings += found.length;
      },
    ),
    100,
    300,
  );
  expect(findings).toBeGreaterThan(0);
});

test('thousands of agents, tasks and messages are a matter of reading', async () => {
  // Quadratic would not end within the time a test has.
  const text = ndjson(crowd(2000));
  const found = await Promise.all(subjects.map((subject) => audit(subject, text)));
  expect(found.flat().length).toBeGreaterThan(1);
});

function audit(subject: string, text: string): Promise<Record<string, unknown>[]> {
  return rows(['audit', '--of', subject, '--quiet', '--format', 'ndjson'], text);
}

/** A board where every task waits for another in pairs, and agents that talk to each other and to nobody. */
function crowd(count: number): unknown[] {
  const lines: unknown[] = [];
  const session_id = 'bbbbbbbb-0000';
  const call = (at: number, name: string, input: object, data: object) => {
    const id = `toolu_${name}_${at}`;
    const timestamp = new Date(1_790_000_000_000 + lines.length * 1000).toISOString();
    const block = { type: 'tool_use', id, name, input };
    lines.push({ type: 'assistant', session_id, uuid: `a${id}`, message: { id: `m${id}`, content: [block] } });
    const result = { type: 'tool_result', tool_use_id: id, content: 'ok' };
    lines.push({
      type: 'user',
      session_id,
      uuid: `u${id}`,
      timestamp,
      message: { content: [result] },
      tool_use_result: data,
    });
  };
  for (let at = 0; at < count; at++) {
    const task = { id: `${at}`, subject: 'x' };
    call(at, 'TaskCreate', { subject: 'x', description: 'y' }, { task });
    call(
      at,
      'TaskUpdate',
      { taskId: `${at}`, addBlockedBy: [`${at ^ 1}`], owner: `m${at}` },
      { success: true, taskId: `${at}` },
    );
    if (at % 10 === 0)
      call(
        at,
        'Agent',
        { name: `m${at}`, prompt: `p${at}`, description: 'd' },
        { status: 'async_launched', agentId: `id${at}` },
      );
    call(at, 'SendMessage', { to: `m${at}`, message: `hello ${at}` }, { success: true, message: 'sent' });
  }
  return lines;
}
