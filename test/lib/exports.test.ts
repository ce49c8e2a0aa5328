import { expect, test } from 'vitest';
import * as browser from '../../src/lib.js';
import * as node from '../../src/node.js';

const names = [
  'StateError',
  'TeamToolCorrelationBuffer',
  'agentNames',
  'capabilities',
  'createParser',
  'eventJsonSchema',
  'eventNames',
  'eventSchema',
  'initialState',
  'isEventName',
  'isTeamMember',
  'isTeamMessage',
  'isTeamState',
  'isTeamStateChange',
  'isTeamTask',
  'isTeamTaskUpdate',
  'loadState',
  'memberRowSchema',
  'memberSchema',
  'messageRowSchema',
  'messageSchema',
  'modelUsageSchema',
  'observeTeam',
  'recognizeTeamToolUses',
  'redactSecrets',
  'reduce',
  'reduceTeamState',
  'saveState',
  'savedStateSchema',
  'selectMessages',
  'selectTasks',
  'selectTeams',
  'selectUsage',
  'taskChangeSchema',
  'taskRowSchema',
  'teamMemberSchema',
  'teamRowSchema',
  'teamStateOf',
  'teamStateSchema',
  'teamTaskSchema',
  'tokensSchema',
  'usageKeys',
  'withoutContent',
];

test('what people may build on', () => {
  expect(Object.keys(browser).sort()).toEqual(names);
});

test('Node has one thing more', () => {
  expect(Object.keys(node).sort()).toEqual([...names, 'eventStream'].sort());
});
