import { describe, expect, test } from 'vitest';
import { labelled, readToolResult, textOfContent, usageInText } from '../../../../src/core/wire/tools/tool-result.js';

describe('success', () => {
  test.each<[string, object, unknown, boolean]>([
    ['a plain result', { content: 'ok' }, undefined, true],
    ['an error', { content: 'no', is_error: true }, undefined, false],
    ['an error whose data claims success', { content: '', is_error: true }, { success: true }, false],
    ['data that says no', { content: 'ok' }, { success: false }, false],
    ['text that says no', { content: '{"success":false,"message":"x"}' }, undefined, false],
    ['text that says no, but data does not', { content: '{"success":false}' }, { success: true }, true],
    ['no such task', { content: 'Task not found' }, undefined, false],
    ['no such task, beside data', { content: 'Task not found' }, { task: null }, false],
    ['a sentence that says no', { content: 'Cleanup failed.' }, undefined, false],
    ['a sentence that says no, but data does not', { content: 'Cleanup failed.' }, { success: true }, true],
    ['an error in the place of data', { content: 'gone' }, 'Error: no such team', false],
    ['a list of blocks that says no', { content: [{ type: 'text', text: '{"success": false}' }] }, null, false],
    ['a server tool that failed', { content: { type: 'web_search_tool_result_error' } }, undefined, false],
    ['data that says nothing of it', { content: '' }, { stdout: '' }, true],
  ])('%s', (_what, block, result, success) => {
    expect(readToolResult({ ...block }, result, 'program').success).toBe(success);
  });

  test('the output of a shell says nothing about its call', () => {
    const cat = readToolResult({ content: '{"success":false}' }, undefined, 'output');
    const { isError, success, data, text, error } = cat;
    expect([isError, success, data, text, error]).toEqual([false, true, null, '{"success":false}', null]);
    expect(readToolResult({ content: 'Task not found' }, undefined, 'output').success).toBe(true);
    expect(readToolResult({ content: '' }, { success: false }, 'output').success).toBe(false);
  });
});

describe('data', () => {
  test.each<[string, object, unknown, unknown]>([
    ['the structured twin', { content: '{"a":1}' }, { b: 2 }, { b: 2 }],
    ['JSON text where there is none', { content: '{"a":1}\nand more' }, undefined, { a: 1 }],
    ['nothing where the twin is an error text', { content: '{"a":1}' }, 'Error: x', null],
    ['nothing where text is prose', { content: 'Spawned successfully.' }, undefined, null],
    ['nothing from a list', { content: 'x' }, [1], null],
  ])('%s', (_what, block, result, data) => {
    expect(readToolResult({ ...block }, result, 'program').data).toEqual(data);
  });
});

describe('error', () => {
  test.each<[string, object, unknown, string | null]>([
    ['the message of the data', { content: 'x' }, { success: false, message: 'No agent', error: 'code' }, 'No agent'],
    ['the error of the data', { content: 'x' }, { success: false, error: 'Task not found' }, 'Task not found'],
    ['the text of the twin', { content: 'x', is_error: true }, 'Error: gone', 'gone'],
    [
      'the text',
      { content: '<tool_use_error>not supported</tool_use_error>', is_error: true },
      undefined,
      'not supported',
    ],
    ['nothing said', { content: '', is_error: true }, undefined, null],
    ['no error', { content: 'x' }, undefined, null],
  ])('%s', (_what, block, result, error) => {
    expect(readToolResult({ ...block }, result, 'program').error).toBe(error);
  });
});

test.each<[unknown, string]>([
  ['text', 'text'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'image', source: {} },
      { type: 'text', text: 'b' },
    ],
    'a\nb',
  ],
  [[{ text: 7 }, null, 'x'], ''],
  [{ type: 'text', text: 'a' }, ''],
  [undefined, ''],
])('the text of %j', (content, text) => {
  expect(textOfContent(content)).toBe(text);
});

test.each([
  ['agentId: a57ce7c (internal ID - do not mention)', 'agentId', 'a57ce7c'],
  ['Spawned successfully.\nagent_id: writer@crew\nname: writer', 'agent_id', 'writer@crew'],
  ['Spawned successfully.\nagent_id: writer@crew\nname: writer', 'name', 'writer'],
  ['launched\n  Task ID: b1\r\n', 'Task ID', 'b1'],
  ['output_file:\t/tmp/x.output', 'output_file', '/tmp/x.output'],
  ['my_agentId: x', 'agentId', null],
  ['agentId:', 'agentId', null],
  ['the agentId: x', 'agentId', null],
])('%j: %s', (text, label, id) => {
  expect(labelled(text, label)).toBe(id);
});

test.each([
  ['<usage>total_tokens: 14105\ntool_uses: 2\nduration_ms: 900</usage>', [14105, 2, 900]],
  ['<usage><subagent_tokens>15</subagent_tokens><tool_uses>3</tool_uses></usage>', [15, 3, null]],
  ['<total_tokens>7</total_tokens>', [7, null, null]],
  ['total_tokens: many', [null, null, null]],
  ['', [null, null, null]],
])('usage in %j', (text, [total_tokens, tool_uses, duration_ms]) => {
  expect(usageInText(text)).toEqual({ total_tokens, tool_uses, duration_ms });
});

test('a long text of blank lines takes no time', () => {
  expect(labelled('\n \t'.repeat(300_000), 'agentId')).toBeNull();
});
