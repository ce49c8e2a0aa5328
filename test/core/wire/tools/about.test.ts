import { expect, test } from 'vitest';
import { amountOf, changedLines, changesOf, failureIn, targetOf } from '../../../../src/core/wire/tools/about.js';

test.each<[tool: string, input: unknown, target: string | null]>([
  ['Edit', { file_path: '/home/dev/a.ts', old_string: 'a', new_string: 'b' }, '/home/dev/a.ts'],
  ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'b' }, 'a.ipynb'],
  ['Bash', { command: 'npm test', description: 'Run the tests' }, 'npm test'],
  ['Bash', { description: 'no command given' }, null],
  ['Grep', { pattern: 'export', path: 'src' }, 'export'],
  ['WebFetch', { url: 'https://example.com', prompt: 'What is it?' }, 'https://example.com'],
  ['SendMessage', { to: 'writer', summary: 'Say hello', message: 'Hello' }, 'writer'],
  ['SendMessage', { type: 'broadcast', summary: 'Save the lists', content: 'Write them down' }, 'Save the lists'],
  ['Teammate', { operation: 'spawnTeam', team_name: 'crew' }, 'spawnTeam'],
  ['Agent', { description: 'Survey', prompt: 'Look at everything', name: 'researcher' }, 'researcher'],
  ['Task', { description: 'Survey', prompt: 'Look at everything' }, 'Survey'],
  ['TaskUpdate', { taskId: '3', status: 'completed' }, '3'],
  ['AskUserQuestion', { questions: [{ question: 'Which one?' }] }, 'Which one?'],
  ['mcp__lab__slow', { what: 'two' }, 'two'],
  ['Unheard', { long: 'x'.repeat(1000), short: 'the first short text' }, 'the first short text'],
  ['Unheard', { __proto__: null, constructor: 'data' }, 'data'],
  ['Bash', { command: '', query: [] }, null],
  ['Bash', {}, null],
  ['Bash', ['file_path'], null],
  ['Bash', 'ls', null],
  ['Bash', null, null],
])('a call of %s with %j is about %j', (tool, input, target) => {
  expect(targetOf(tool, input)).toBe(target);
});

test.each<[tool: string, result: unknown, amount: unknown]>([
  ['Read', { type: 'text', file: { numLines: 3 } }, { lines: 3 }],
  ['Read', 'one\ntwo\n', { lines: 2 }],
  ['Grep', { mode: 'files_with_matches', numFiles: 2, filenames: ['a', 'b'] }, { files: 2 }],
  ['Grep', { mode: 'content', numFiles: 0, numLines: 7 }, { lines: 7 }],
  ['Glob', { filenames: ['a'], truncated: false }, { files: 1 }],
  ['WebFetch', { bytes: 512, code: 200 }, { bytes: 512 }],
  ['Bash', { stdout: '', backgroundTaskId: 'b1' }, { background: true }],
  ['Bash', { stdout: 'a\nb' }, {}],
  ['Edit', { filePath: 'a' }, {}],
])('%s gave %j', (tool, result, amount) => {
  expect(amountOf(tool, result)).toEqual(amount);
});

test.each<[before: string, after: string, lines: string[]]>([
  ['a\nb\nc', 'a\nx\nc', ['-b', '+x']],
  ['a\n', 'a\nb\n', ['+b']],
  ['', 'a\nb', ['+a', '+b']],
  ['a\na', 'a', ['-a']],
  ['same', 'same', []],
])('%j becomes %j', (before, after, lines) => {
  expect(changedLines(before, after).map(({ sign, text }) => sign + text)).toEqual(lines);
});

test('a change is what Claude Code says it was, else what the call asked for', () => {
  const input = {
    file_path: 'a',
    edits: [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ],
  };
  const shown = (result: unknown) => changesOf('MultiEdit', input, result)?.map(({ sign, text }) => sign + text);
  expect(shown({ structuredPatch: [{ lines: [' x', '-a', '+b', 7, '\\ No newline'] }] })).toEqual([' x', '-a', '+b']);
  expect(shown(null)).toEqual(['-a', '+b', '-c']);
  expect(changesOf('Bash', input, null)).toBeNull();
});

test('only a shell has an exit code', () => {
  expect(failureIn('Bash', 'Exit code 3\npartial')).toEqual({ exit: 3, text: 'partial' });
  expect(failureIn('Read', 'Exit code 3\npartial')).toEqual({ exit: null, text: 'Exit code 3\npartial' });
});
