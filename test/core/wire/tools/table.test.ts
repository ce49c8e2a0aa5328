import { expect, test } from 'vitest';
import { categoryOf, isUnknownTeamTool, missingInputs } from '../../../../src/core/wire/tools/table.js';

test.each<[string, object, string | null]>([
  ['TeamCreate', {}, 'team_state_change'],
  ['TeamDelete', {}, 'team_state_change'],
  ['Task', {}, 'team_state_change'],
  ['Agent', {}, 'team_state_change'],
  ['Teammate', { operation: 'spawnTeam' }, 'team_state_change'],
  ['Teammate', { operation: 'cleanup' }, 'team_state_change'],
  ['Teammate', { operation: 'write' }, 'team_message'],
  ['Teammate', {}, 'team_message'],
  ['SendMessage', {}, 'team_message'],
  ['TaskCreate', {}, 'team_task_update'],
  ['TaskUpdate', {}, 'team_task_update'],
  ['TaskList', {}, 'team_task_update'],
  ['TaskGet', {}, 'team_task_update'],
  ['TaskOutput', {}, null],
  ['Bash', {}, null],
  ['constructor', {}, null],
])('%s %j', (tool, input, category) => {
  expect(categoryOf(tool, { ...input })).toBe(category);
});

test.each<[string, object, string[]]>([
  ['TeamCreate', {}, ['team_name']],
  ['TeamCreate', { team_name: 'crew' }, []],
  ['TeamCreate', { team_name: '' }, ['team_name']],
  ['Agent', { name: 'writer' }, ['team_name']],
  ['Task', {}, ['team_name', 'name']],
  ['TaskUpdate', { task_id: 3 }, []],
  ['TaskUpdate', { status: 'completed' }, ['taskId']],
  ['SendMessage', { recipient: 'writer' }, []],
  ['SendMessage', { message: 'x' }, ['type']],
  ['TaskList', {}, []],
  ['Bash', {}, []],
])('%s %j lacks %j', (tool, input, missing) => {
  expect(missingInputs(tool, { ...input })).toEqual(missing);
});

test.each([
  ['TeamRename', true],
  ['TaskMove', true],
  ['SendPicture', true],
  ['TaskStop', false],
  ['SendMessage', false],
  ['Teammate', false],
  ['Bash', false],
  ['mcp__TeamThing', false],
  ['', false],
])('%s is new to us: %s', (tool, unknown) => {
  expect(isUnknownTeamTool(tool)).toBe(unknown);
});
