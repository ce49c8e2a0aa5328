import { expect, test } from 'vitest';
import { kindOf } from '../../../src/core/wire/kinds.js';
import { ParsedRecord } from '../../../src/core/wire/view.js';

test.each([
  ['event', { cct: 1, event: 'text:produced', type: 'assistant' }],
  ['row', { cct: 1, message_id: 'm' }],
  ['stream', { cct: 2, event: 'text:produced', type: 'assistant' }],
  ['hook', { hook_event_name: 'Stop', session_id: 's', type: 'x' }],
  ['inbox', { from: 'writer', text: 'hello', read: false }],
  ['inbox', { from: 'writer', text: 'hello', type: 'message', msgV: 1 }],
  ['stream', { type: 'user', from: 'writer' }],
  ['stream', { type: 'assistant', session_id: 's' }],
  ['stream', { type: 'result' }],
  ['transcript', { type: 'user', sessionId: 's' }],
  ['transcript', { type: 'user', parentUuid: null }],
  ['transcript', { type: 'assistant', isSidechain: false }],
  ['transcript', { type: 'summary', summary: 'so far', leafUuid: 'u' }],
  ['transcript', { type: 'file-history-snapshot' }],
  ['transcript', { type: 'fork-context-ref', agentId: 'a' }],
  ['transcript', { type: 'result', key: 'v2:9f86', agentId: 'a', result: 'done' }],
  ['transcript', { type: 'failed', key: 'v2:9f86', agentId: 'a' }],
  ['transcript', { type: 'launched' }],
  ['stream', { type: 'launched', rocket: 'v2' }],
  ['stream', { type: 'progress' }],
  ['stream', { type: 'new-thing' }],
  ['spawn', { spawn_id: 'p', project_path: '/home/dev' }],
  ['config', { name: 'crew', members: [] }],
  ['task', { id: '1', subject: 'Write', status: 'pending' }],
  ['task', { taskId: 1, subject: 'Write', status: 'pending' }],
  ['meta', { agentType: 'writer' }],
  ['unknown', { permissions: { allow: [] }, hooks: {} }],
  ['unknown', { subject: 'Write' }],
  ['unknown', { type: 7 }],
  ['unknown', {}],
])('%s: %j', (kind, record) => {
  expect(kindOf(new ParsedRecord(record))).toBe(kind);
});
