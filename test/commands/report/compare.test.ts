// Two runs side by side: matched by name, with differences, never added up.
import { expect, test } from 'vitest';
import { comparisonsOf, openInput, runsOf } from '../../../src/commands/report/summary.js';
import { readText } from '../../laws/reading.js';

let number = 0;
/** A run with agents that make calls, and tasks by subject and status. */
function recordsOf(
  session_id: string,
  agents: Readonly<Record<string, number>>,
  tasks: readonly (readonly [subject: string, status: string])[],
): string {
  const at = () => new Date(Date.UTC(2026, 10, 1) + 1000 * number++).toISOString();
  const record = (type: string, content: unknown, more: object = {}) =>
    `${JSON.stringify({ type, session_id, uuid: `u${number}`, timestamp: at(), message: { id: `m${number}`, role: type, model: 'claude-opus-4-6', content, usage: { input_tokens: 100, output_tokens: 10 } }, ...more })}\n`;
  const call = (name: string, input: object, result: unknown, parent: object = {}) => {
    const id = `t${number}`;
    return (
      record('assistant', [{ type: 'tool_use', id, name, input }], parent) +
      record('user', [{ type: 'tool_result', tool_use_id: id, content: 'ok' }], { ...parent, tool_use_result: result })
    );
  };
  const worked = Object.entries(agents).map(([name, calls]) => {
    const id = `agent-${name}-${session_id}`;
    const input = { description: name, prompt: 'Go.', subagent_type: 'general-purpose', name };
    const inside = Array.from({ length: calls }, () => call('Bash', { command: 'ls' }, {}, { parent_tool_use_id: id }));
    return [
      record('assistant', [{ type: 'tool_use', id, name: 'Agent', input }]),
      ...inside,
      record('user', [{ type: 'tool_result', tool_use_id: id, content: 'done' }]),
    ].join('');
  });
  const board = tasks.map(([subject, status], place) => {
    const id = String(place + 1);
    const updated = { success: true, taskId: id, statusChange: { from: 'pending', to: status } };
    return (
      call('TaskCreate', { subject, description: subject }, { task: { id, subject } }) +
      (status === 'pending' ? '' : call('TaskUpdate', { taskId: id, status }, updated))
    );
  });
  return record('user', 'Go.') + worked.join('') + board.join('');
}

function compared(text: string) {
  const { events } = readText(text);
  const runs = runsOf(openInput(events, []));
  const [one, other] = runs;
  if (one === undefined || other === undefined || runs.length !== 2) throw new Error('two runs');
  const tables = new Map(comparisonsOf(one, other).map(({ title, rows }) => [title, rows]));
  return (title: string, name: string) => {
    const row = tables.get(title)?.find((one) => one.name === name);
    return row === undefined ? null : [row.first, row.second, row.difference, row.tone];
  };
}

const first = recordsOf('one', { api: 2, docs: 1 }, [
  ['Write it', 'completed'],
  ['Try it', 'pending'],
]);
const second = recordsOf('two', { api: 5, ui: 1 }, [
  ['Try it', 'completed'],
  ['Write it', 'in_progress'],
]);

test('in the order in which they were given, not by time', () => {
  expect(compared(first + second)('Comparison', 'calls')).toEqual(['8', '12', '+4 (+50 %)', 'bad']);
  expect(compared(second + first)('Comparison', 'calls')).toEqual(['12', '8', '−4 (−33 %)', 'good']);
});

test('agents by name', () => {
  const of = compared(first + second);
  expect(of('Agents compared', 'api')?.[0]).toMatch(/^\d+\.\ds · ≥ \$0\.\d+ · 2 calls$/);
  expect(of('Agents compared', 'api')?.[2]).toMatch(/^\+\d+\.\ds · \+\$0\.\d+ · \+3 calls$/);
  expect(of('Agents compared', 'docs')?.slice(1, 3)).toEqual(['', 'only in the first']);
  expect(of('Agents compared', 'ui')?.[2]).toBe('only in the second');
  expect(of('Agents compared', 'main')?.[0]).toMatch(/calls$/);
});

test('tasks by subject, wherever they stand', () => {
  const of = compared(first + second);
  expect(of('Tasks compared', 'Write it')?.slice(2)).toEqual(['completed → in progress', 'bad']);
  expect(of('Tasks compared', 'Try it')?.slice(2)).toEqual(['pending → completed', 'good']);
});
