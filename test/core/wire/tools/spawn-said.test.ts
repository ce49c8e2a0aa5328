import { expect, test } from 'vitest';
import { createParser, type Event } from '../../../../src/lib.js';

const said = ['The fix is on a branch.', 'Worktree: /tmp/made-up', 'Branch: main', 'agentId: a0000000000000000'].join(
  '\n',
);

/** The events of an agent whose call came back with this result. */
function spawned(tool_use_result: object | undefined): Event[] {
  const session_id = '00000000-aaaa-4bbb-8ccc-000000000001';
  const content = [
    { type: 'tool_use', id: 'toolu_1', name: 'Agent', input: { prompt: 'Fix it.', description: 'fix' } },
  ];
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: said }] };
  const parser = createParser();
  return [
    parser.push({ type: 'assistant', message: { id: 'msg_1', content }, session_id, uuid: 'u1' }),
    parser.push({ type: 'user', message: { content: [result] }, tool_use_result, session_id, uuid: 'u2' }),
    parser.end(),
  ].flat();
}

test('what an agent says is not what the program says of it', () => {
  const structured = { status: 'completed', agentId: 'a1111111111111111', content: [{ type: 'text', text: said }] };
  const [started] = spawned(structured).filter(({ event }) => event === 'agent:started');
  expect(started).toMatchObject({ agent: 'a1111111111111111', worktree: null });
});

test('a result that is nothing but text still says which worktree it was', () => {
  const [started] = spawned(undefined).filter(({ event }) => event === 'agent:started');
  expect(started).toMatchObject({ agent: 'a0000000000000000', worktree: { path: '/tmp/made-up', branch: 'main' } });
});
