const rows = new Set(
  (
    'user assistant system progress summary file-history-snapshot last-prompt mode permission-mode cost-state ai-title custom-title agent-name agent-color ' +
    'agent-setting tag pr-link worktree-state content-replacement attribution-snapshot speculation-accept queue-operation attachment context-collapse'
  ).split(' '),
);

/** Types of rows that transcripts were seen to have. */
export function isTranscriptRow(type: string): boolean {
  return rows.has(type);
}
