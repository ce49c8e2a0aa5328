import type { JsonObject } from './json.js';

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
  if (typeof record.type === 'string') return isTranscript(record) ? 'transcript' : 'stream';
  if (typeof record.spawn_id === 'string') return 'spawn';
  if (Array.isArray(record.members)) return 'config';
  if (typeof record.subject === 'string' && typeof record.status === 'string') return 'task';
  if (typeof record.agentType === 'string') return 'meta';
  return 'unknown';
}

function isTranscript(record: JsonObject): boolean {
  return (
    typeof record.sessionId === 'string' ||
    'parentUuid' in record ||
    'isSidechain' in record ||
    'leafUuid' in record ||
    record.type === 'file-history-snapshot' ||
    record.type === 'summary'
  );
}
