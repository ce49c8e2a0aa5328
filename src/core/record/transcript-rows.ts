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
