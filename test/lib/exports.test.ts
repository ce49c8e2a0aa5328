import { expect, test } from 'vitest';
import * as browser from '../../src/lib.js';
import * as node from '../../src/node.js';

const names = [
  'StateError',
  'TeamToolCorrelationBuffer',
  'accountRowSchema',
  'agentNames',
  'auditedSubjects',
  'callGroupRowSchema',
  'callKeys',
  'callRowSchema',
  'capabilities',
  'copyState',
  'createParser',
  'eventJsonSchema',
  'eventNames',
  'eventSchema',
  'eventStream',
  'findingRowSchema',
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
  'selectAccounts',
  'selectCalls',
  'selectFindings',
  'selectMessages',
  'selectSessions',
  'selectSpans',
  'selectTasks',
  'selectTeams',
  'selectUsage',
  'sessionRowSchema',
  'spanRowSchema',
  'taskChangeSchema',
  'taskRowSchema',
  'teamMemberSchema',
  'teamRowSchema',
  'teamStateOf',
  'teamStateSchema',
  'teamTaskSchema',
  'tokensSchema',
  'usageKeys',
  'usageMessageRowSchema',
  'usageRowSchema',
  'withoutContent',
];

test('what people may build on', () => {
  expect(Object.keys(browser).sort()).toEqual(names);
});

test('the same names everywhere; only what eventStream does differs', () => {
  expect(Object.keys(node).sort()).toEqual(names);
  expect(typeof node.eventStream().pipe).toBe('function');
  expect(browser.eventStream).toThrow(
    "eventStream needs the streams of Node; elsewhere use createParser, or import 'cct-toolkit/node'",
  );
});
