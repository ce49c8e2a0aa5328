/** What a stand-in heeds of the words that were meant for claude; it ignores all others. */
export interface ClaudeFlags {
  /** Prompts and control requests come as NDJSON on stdin. */
  readonly conversing: boolean;
  readonly output: 'stream-json' | 'json' | 'text';
  readonly verbose: boolean;
  readonly maxBudgetUsd: number | null;
}

export function claudeFlags(words: readonly string[]): ClaudeFlags {
  const output = flagValue(words, '--output-format');
  return {
    conversing: flagValue(words, '--input-format') === 'stream-json',
    output: output === 'json' || output === 'text' ? output : 'stream-json',
    verbose: words.includes('--verbose'),
    maxBudgetUsd: Number.parseFloat(flagValue(words, '--max-budget-usd') ?? '') || null,
  };
}

/** The last one counts. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word === flag ? words[at + 1] : word?.slice(flag.length + 1);
}
