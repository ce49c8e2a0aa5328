import type { JsonObject } from '../record/json.js';

export type Kind =
  | 'event'
  | 'row'
  | 'hook'
  | 'spawn'
  | 'inbox'
  | 'transcript'
  | 'stream'
  | 'config'
  | 'task'
  | 'meta'
  | 'unknown';

/** Which dialect a record speaks, told from its keys alone: dialects may be mixed freely in one input. */
export function kindOf(record: JsonObject): Kind {
  if (record.cct === 1) return typeof record.event === 'string' ? 'event' : 'row';
  if (typeof record.hook_event_name === 'string') return 'hook';
  if (typeof record.from === 'string' && typeof record.text === 'string') return 'inbox';
  if (typeof record.type === 'string') return isTranscript(record, record.type) ? 'transcript' : 'stream';
  if (typeof record.spawn_id === 'string') return 'spawn';
  if (Array.isArray(record.members)) return 'config';
  if (typeof record.subject === 'string' && typeof record.status === 'string') return 'task';
  if (typeof record.agentType === 'string') return 'meta';
  return 'unknown';
}

function isTranscript(record: JsonObject, type: string): boolean {
  return (
    typeof record.sessionId === 'string' ||
    'parentUuid' in record ||
    'isSidechain' in record ||
    'leafUuid' in record ||
    type === 'summary' ||
    // Some rows say nothing but what they are; a hyphen tells them from the frames of a stream.
    (type.includes('-') && isTranscriptRow(type)) ||
    isJournal(record)
  );
}

/** What a workflow notes of its agents, `{"type":"result","key":"v2:…","agentId":"…","result":…}`, ends no session. */
function isJournal(record: JsonObject): boolean {
  return typeof record.key === 'string' && typeof record.agentId === 'string';
}

const rows = new Set(
  (
    'progress summary file-history-snapshot file-history-delta last-prompt mode permission-mode memory-mode cost-state ai-title custom-title agent-name ' +
    'agent-color agent-setting tag pr-link frame-link worktree-state relocated continued-in ended-by-model content-replacement attribution-snapshot ' +
    'speculation-accept queue-operation attachment context-collapse atis-latch isolation-latch tools-used bridge-session history-suppression dev-mods ' +
    'fork-context-ref observer-ref artifact-comment-monitor artifact-autoreact-ledger api-request api-request-shape api-request-blob saved_hook_context started'
  ).split(' '),
);

/** Types of rows that only transcripts, and the journals of workflows beside them, were seen to have. */
export function isTranscriptRow(type: string): boolean {
  return rows.has(type);
}
