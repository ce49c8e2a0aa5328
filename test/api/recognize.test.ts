import { describe, expect, test } from 'vitest';
import { recognizeTeamToolUses } from '../../src/lib.js';

function use(name: string, input: unknown, id: unknown = 'toolu_1') {
  return { type: 'tool_use', id, name, input };
}

function recognized(...blocks: unknown[]) {
  const warnings: string[] = [];
  const uses = recognizeTeamToolUses({ content: blocks }, { onWarning: (text) => warnings.push(text) });
  return { uses, warnings };
}

describe('every team tool is recognized', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['TeamCreate', { team_name: 'crew' }, 'team_state_change'],
    ['TeamDelete', {}, 'team_state_change'],
    ['Task', { team_name: 'crew', name: 'writer' }, 'team_state_change'],
    ['Agent', { team_name: 'crew', name: 'writer' }, 'team_state_change'],
    ['TaskCreate', { subject: 'Write' }, 'team_task_update'],
    ['TaskUpdate', { taskId: '1', status: 'completed' }, 'team_task_update'],
    ['TaskUpdate', { taskId: 1 }, 'team_task_update'],
    ['TaskList', {}, 'team_task_update'],
    ['TaskGet', { taskId: '1' }, 'team_task_update'],
    ['SendMessage', { type: 'broadcast', content: 'all' }, 'team_message'],
    ['SendMessage', { to: 'writer', message: 'hello' }, 'team_message'],
    ['SendMessage', { recipient: 'writer', content: 'hello' }, 'team_message'],
    ['Teammate', { operation: 'spawnTeam', team_name: 'crew' }, 'team_state_change'],
    ['Teammate', { operation: 'cleanup' }, 'team_state_change'],
    ['Teammate', { operation: 'write', target_agent_id: 'writer' }, 'team_message'],
  ])('%s %j', (toolName, input, category) => {
    const { uses, warnings } = recognized(use(toolName, input));
    expect(uses).toEqual([{ toolName, toolUseId: 'toolu_1', category, input }]);
    expect(warnings).toEqual([]);
  });
});

describe('what is no team call is passed over in silence', () => {
  test.each<[string, unknown]>([
    ['a subagent', use('Task', { description: 'Look', subagent_type: 'Explore' })],
    ['a named agent without a team', use('Agent', { name: 'writer', prompt: 'Write' })],
    ['a team that is no name', use('Task', { team_name: 1, name: 'writer' })],
    ['another tool', use('Bash', { command: 'ls' })],
    ['background work', use('TaskOutput', { task_id: 'b1' })],
    ['a text', { type: 'text', text: 'TeamCreate' }],
    ['a result', { type: 'tool_result', tool_use_id: 'toolu_1', content: 'TeamCreate' }],
    ['a block without a name', { type: 'tool_use', id: 'toolu_1', input: {} }],
    ['no block at all', null],
  ])('%s', (_, block) => {
    expect(recognized(block)).toEqual({ uses: [], warnings: [] });
  });

  test.each([[undefined], [null], ['text'], [{}], [{ content: 'text' }], [{ message: { content: 'text' } }]])(
    '%j',
    (message) => {
      expect(recognizeTeamToolUses(message)).toEqual([]);
    },
  );
});

describe('what is skipped is named', () => {
  test.each<[unknown, string]>([
    [use('TeamCreate', {}), 'TeamCreate toolu_1 skipped: it has no team_name'],
    [use('TeamCreate', null), 'TeamCreate toolu_1 skipped: it has no team_name'],
    [use('TaskCreate', { subject: '' }), 'TaskCreate toolu_1 skipped: it has no subject'],
    [use('TaskUpdate', { status: 'completed' }), 'TaskUpdate toolu_1 skipped: it has no taskId'],
    [use('TaskGet', {}), 'TaskGet toolu_1 skipped: it has no taskId'],
    [use('SendMessage', { content: 'hello' }), 'SendMessage toolu_1 skipped: it has no type'],
    [use('Teammate', {}), 'Teammate toolu_1 skipped: it has no operation'],
    [use('Task', { team_name: 'crew' }), 'Task toolu_1 skipped: it has no name'],
    [use('Task', { team_name: 'crew', name: 5 }), 'Task toolu_1 skipped: it has no name'],
    [use('TeamDelete', {}, null), 'TeamDelete skipped: it has no id'],
    [use('TaskCreate', {}, null), 'TaskCreate skipped: it has no id and no subject'],
    [use('TeamMerge', { into: 'crew' }), 'TeamMerge looks like a team tool, but cct does not know it'],
    [use('TaskArchive', {}), 'TaskArchive looks like a team tool, but cct does not know it'],
  ])('%j', (block, warning) => {
    expect(recognized(block)).toEqual({ uses: [], warnings: [warning] });
  });
});

test('several calls of one message, itself or in its `message`, keep their order', () => {
  const content = [
    { type: 'text', text: 'Two tasks.' },
    use('TaskCreate', { subject: 'One' }, 'a'),
    use('Read', { file_path: 'x' }, 'b'),
    use('TaskCreate', { subject: 'Two' }, 'c'),
  ];
  for (const message of [{ content }, { type: 'assistant', message: { content } }])
    expect(recognizeTeamToolUses(message).map((found) => found.toolUseId)).toEqual(['a', 'c']);
});
