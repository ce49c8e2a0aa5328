import { expect, test } from 'vitest';
import { capabilities } from '../../src/lib.js';
import { eventsOf } from '../lib/read-fixture.js';

test.each<[string[] | null, string]>([
  [['Task', 'TeamCreate', 'TaskCreate', 'SendMessage'], 'teams tasks messages'],
  [['Task', 'Teammate', 'TaskCreate'], 'teams tasks messages'],
  [['Agent', 'SendMessage'], 'teams messages'],
  [['Task', 'TodoWrite', 'Bash'], 'tasks'],
  [['SendMessage'], 'messages'],
  [['Task', 'Bash'], ''],
  [[], ''],
  [null, ''],
])('%j: %s', (tools, words) => {
  const able = capabilities({ tools });
  expect(
    Object.entries(able)
      .filter(([, can]) => can)
      .map(([word]) => word)
      .join(' '),
  ).toBe(words);
});

test.each(['team-2.1.39.ndjson', 'team-2.1.325.ndjson', 'teammate-tool.ndjson'])('%s', (session) => {
  const started = eventsOf(session).find((event) => event.event === 'session:started');
  expect(started && capabilities(started)).toEqual({ teams: true, tasks: true, messages: true });
});

test('a session that names no tools', () =>
  expect(capabilities({})).toEqual({ teams: false, tasks: false, messages: false }));
