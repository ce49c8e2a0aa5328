import { expect, test } from 'vitest';
import { briefOf } from '../../../../src/core/wire/tools/tool-result.js';

test.each<[input: unknown, brief: string | null]>([
  [{ file_path: '/home/dev/a.ts', old_string: 'a', new_string: 'b' }, '/home/dev/a.ts'],
  [{ command: ' npm test ', description: 'Run the tests' }, 'npm test'],
  [{ pattern: 'export', path: 'src' }, 'export'],
  [{ to: 'writer', summary: 'Say hello', message: 'Hello' }, 'writer'],
  [{ type: 'broadcast', summary: 'Save the lists', content: 'Write them down' }, 'Save the lists'],
  [{ operation: 'spawnTeam', team_name: 'crew' }, 'spawnTeam'],
  [{ description: 'Survey', prompt: 'Look at everything', name: 'researcher' }, 'researcher'],
  [{ taskId: '3', status: 'completed' }, '3'],
  [{ command: '', query: 7 }, null],
  [{}, null],
  [['file_path'], null],
  ['ls', null],
  [null, null],
  [{ command: 'x'.repeat(100_000) }, 'x'.repeat(400)],
])('a call with %j is about %j', (input, brief) => {
  expect(briefOf(input)).toBe(brief);
});
