// The kind of a record, and whether its type is known.
import { isJournal } from './dialects/workflows.js';
import type { RecordView } from './view.js';

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
  | 'workflow'
  | 'unknown';

/** Looks only at the keys of the record, because dialects may be mixed in one input. */
export function kindOf(view: RecordView): Kind {
  if (view.isStrange) return strangeKind(view);
  return isTranscript(view) ? 'transcript' : 'stream';
}

function strangeKind(view: RecordView): Kind {
  const record = view.whole();
  if (record.cct === 1) return typeof record.event === 'string' ? 'event' : 'row';
  if (typeof record.hook_event_name === 'string') return 'hook';
  if (typeof record.from === 'string' && typeof record.text === 'string') return 'inbox';
  if (typeof record.type === 'string') {
    const isRow = isTranscript(view) || 'leafUuid' in record || isJournal(record);
    return isRow ? 'transcript' : 'stream';
  }
  if (typeof record.spawn_id === 'string') return 'spawn';
  if (Array.isArray(record.members)) return 'config';
  if (typeof record.subject === 'string' && typeof record.status === 'string') return 'task';
  if (typeof record.agentType === 'string') return 'meta';
  if (typeof record.runId === 'string' && Array.isArray(record.workflowProgress)) return 'workflow';
  return 'unknown';
}

/** Whether the type of a record, and the subtype of a frame, was ever seen or declared. */
export function isKnown(
  kind: 'hook' | 'spawn' | 'stream' | 'transcript',
  type: string,
  subtype: string | null,
): boolean {
  if (kind === 'hook' || kind === 'spawn') return true;
  if (type === 'system') return subtype === null || systemFrames.has(subtype);
  return conversation.has(type) || (kind === 'stream' ? otherFrames.has(type) : rows.has(type));
}

/** Some rows have only a type. Only types with a hyphen differ from the frames of a stream. */
function isTranscript(view: RecordView): boolean {
  const { hasRowKeys, type } = view;
  if (hasRowKeys || type === 'summary' || (type.includes('-') && rows.has(type))) return true;
  // The first line of a workflow's journal.
  return type === 'launched' && Object.keys(view.whole()).length === 1;
}

/** Whether a row only notes what the program did: of such rows nothing is told but that they are there. */
export function isPlainRow(view: RecordView): boolean {
  const { type } = view;
  if (!view.hasRowKeys || view.isStrange) return false;
  return type === 'progress' ? view.dataType !== 'agent_progress' : plainRows.has(type);
}

function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Types that streams and transcripts share. */
const conversation = words(
  'assistant user system result stream_event keep_alive rate_limit_event conversation_reset',
  'control_request control_response control_cancel_request',
);

const systemFrames = words(
  'init compact_boundary status task_started task_progress task_updated task_notification background_tasks_changed',
  'hook_started hook_progress hook_response files_persisted session_state_changed api_retry permission_denied',
  'thinking_tokens model_refusal_fallback model_refusal_no_fallback informational notification local_command_output',
  'commands_changed plugin_install memory_recall elicitation_complete mirror_error control_request_progress',
  'worker_shutting_down session_writes_lost start end post_turn_summary task_summary api_error turn_duration',
  'stop_hook_summary local_command microcompact_boundary away_summary bridge_status agents_killed scheduled_task_fire',
  'model_consent_fallback model_fallback session_title_changed peer_message_hold ui_invalidate',
);

const otherFrames = words(
  'tool_progress tool_use_summary auth_status prompt_suggestion active_goal streamlined_text',
  'streamlined_tool_use_summary post_turn_summary task_summary transcript_mirror command_lifecycle queued_notification',
  'peer_message_hold',
);

/** Types of rows seen only in transcripts and in the workflow journals beside them. */
const rows = words(
  'progress summary file-history-snapshot file-history-delta last-prompt mode permission-mode memory-mode cost-state',
  'ai-title custom-title agent-name agent-color agent-setting tag pr-link frame-link worktree-state relocated',
  'continued-in ended-by-model content-replacement attribution-snapshot speculation-accept queue-operation attachment',
  'context-collapse atis-latch isolation-latch tools-used bridge-session history-suppression dev-mods fork-context-ref',
  'observer-ref artifact-comment-monitor artifact-autoreact-ledger api-request api-request-shape api-request-blob',
  'saved_hook_context peer_message_hold launched started failed',
);

const plainRows = words('file-history-snapshot file-history-delta mode permission-mode');
