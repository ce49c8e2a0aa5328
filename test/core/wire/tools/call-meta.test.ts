import { describe, expect, test } from 'vitest';
import { isDenied, reportedMs, serverOf } from '../../../../src/core/wire/tools/call-meta.js';
import { readToolResult } from '../../../../src/core/wire/tools/tool-result.js';
import { ParsedRecord } from '../../../../src/core/wire/view.js';

test.each<[string, object, string | null]>([
  ['Bash', {}, null],
  ['Bash', { attributionMcpServer: 'lab' }, null],
  ['mcp__lab__fast', {}, 'lab'],
  ['mcp__claude_ai_Gmail__send', {}, 'claude_ai_Gmail'],
  ['mcp__claude_ai_Gmail__send', { attributionMcpServer: 'claude.ai Gmail' }, 'claude.ai Gmail'],
  ['mcp__lab__fast', { attributionMcpServer: 'other' }, 'lab'],
  ['mcp__lab__fast', { mcp_server: { name: 'lab', source: 'dynamic' } }, 'lab'],
  ['mcp__my_lab__fast', { tool_use_meta: [{ id: 't', server_display_name: 'my lab' }] }, 'my lab'],
  ['mcp__lab__fast', { tool_use_meta: 'none' }, 'lab'],
  ['mcp__a__b__fast', { attributionMcpServer: 'a__b' }, 'a__b'],
  ['mcp____', {}, null],
])('the server of %s in %j', (tool, record, server) => {
  expect(serverOf(tool, { server: 'other' }, new ParsedRecord({ ...record }))).toBe(server);
});

test.each<[string, object, string | null]>([
  ['ListMcpResourcesTool', { server: 'my lab' }, 'my lab'],
  ['ReadMcpResourceTool', { server: 'lab', uri: 'lab://one' }, 'lab'],
  ['ReadMcpResourceDirTool', { server: 'lab' }, 'lab'],
  ['ListMcpResourcesTool', {}, null],
  ['ListMcpResourcesTool', { server: '' }, null],
  ['Deploy', { server: 'lab' }, null],
])('the server in the input of %s with %j', (tool, input, server) => {
  expect(serverOf(tool, { ...input }, new ParsedRecord({}))).toBe(server);
});

describe('whether a call was allowed to run', () => {
  const failed = (text: string) => readToolResult({ content: text, is_error: true }, undefined, 'output');
  const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
  test.each<[boolean, string, object, string]>([
    [true, 'a rule', { tool_result_meta: [{ id: 't', non_execution_kind: 'permission-rule' }] }, 'no'],
    [true, 'a person', { tool_result_meta: [{ id: 't', non_execution_kind: 'user-rejected' }] }, refused],
    [true, 'a row of a transcript', { toolDenialKind: 'user-rejected' }, refused],
    [
      false,
      'another call of the record',
      { tool_result_meta: [{ id: 'u', non_execution_kind: 'permission-rule' }] },
      'no',
    ],
    [false, 'an interruption', { tool_result_meta: [{ id: 't', non_execution_kind: 'interrupted' }] }, refused],
    [
      false,
      'an interruption by its words',
      {},
      `${refused} Correction: this call was stopped while running, not refused.`,
    ],
    [
      false,
      'a call that was allowed',
      { toolDenialKind: 'user-rejected', permissionDecision: { decision: 'accept' } },
      refused,
    ],
    [
      true,
      'a call that was not allowed',
      {
        tool_result_meta: [
          { id: 't', non_execution_kind: 'permission-rule', permission_decision: { decision: 'reject' } },
        ],
      },
      'no',
    ],
    [true, 'words alone', {}, refused],
    [false, 'an interruption in print mode', { toolDenialKind: 'user-rejected', entrypoint: 'sdk-cli' }, refused],
    [true, 'a host that refused', { toolDenialBeforeRun: true, entrypoint: 'sdk-cli' }, refused],
    [true, 'a person that refused', { toolDenialKind: 'user-rejected', entrypoint: 'cli' }, refused],
    [true, 'nobody that could be asked', { entrypoint: 'sdk-cli' }, 'This command requires approval'],
    [true, 'words alone', {}, "Claude requested permissions to use Bash, but you haven't granted it yet."],
    [true, 'words alone', {}, 'Permission to use Bash with command rm has been denied.'],
    [true, 'words alone', {}, 'This command requires approval'],
    [
      true,
      'words of 2.1.140',
      {},
      "rm in '/p/src' was blocked. For security, Claude Code may only remove files from …",
    ],
    [true, 'words of 2.1.327', {}, "rm in '/p/src' needs approval. The path is inside the working directories"],
    [true, 'a hook, by its words', {}, 'PreToolUse:Bash hook error: [/p/pre.sh]: not allowed here\n'],
    [true, 'a mode, by its words', {}, 'Cannot write to /p/x.txt while in plan mode.'],
    [true, 'a mode, by its words', {}, 'Exit plan mode?'],
    [false, 'the words of a file', {}, 'Exit plan mode? Press y'],
    [false, 'the words of a file', {}, 'Exit code 1\nPermission to use the door has been denied.'],
    [false, 'the words of a system', {}, 'Exit code 126\nbash: ./x: Permission denied'],
  ])('%s: %s (%j)', (denied, _, record, text) => {
    expect(isDenied(new ParsedRecord({ ...record }), 't', failed(text), null)).toBe(denied);
  });

  test('nobody is asked in the mode bypassPermissions', () => {
    const isDeniedIn = (mode: string, text: string) => isDenied(new ParsedRecord({}), 't', failed(text), mode);
    expect(isDeniedIn('bypassPermissions', refused)).toBe(false);
    expect(isDeniedIn('acceptEdits', refused)).toBe(true);
    expect(isDeniedIn('bypassPermissions', 'Permission to use Bash has been denied.')).toBe(true);
  });
});

test.each<[string | undefined, unknown, string, number | null]>([
  ['Agent', { totalDurationMs: 525 }, '', 525],
  ['Glob', { durationMs: 12 }, '', 12],
  ['WebSearch', { durationSeconds: 0.074965057 }, '', 75],
  ['Agent', undefined, '<usage>total_tokens: 14105\ntool_uses: 2\nduration_ms: 525</usage>', 525],
  ['Bash', undefined, 'duration_ms: 525', null],
  ['Bash', { stdout: '' }, '', null],
  ['mcp__lab__fast', { durationMs: 12 }, '', null],
  ['Glob', { durationMs: -1 }, '', null],
  ['Glob', { durationMs: 1e300 }, '', null],
  ['Glob', { durationMs: '12' }, '', null],
  [undefined, { durationMs: 12 }, '', null],
])('%s with %j took as long as the program says', (tool, result, text, ms) => {
  expect(reportedMs(tool, readToolResult({ content: text }, result, 'output'))).toBe(ms);
});
