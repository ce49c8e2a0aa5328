// Results that are nothing but text: logs without tool_use_result, and all results inside an agent. The text has to tell whether it went well.

/** Whose words a result is made of: the program's own, perhaps those of an agent or a board, or the output of something else. */
export type Words = 'program' | 'anybody' | 'output';

export function wordsOf(tool: string | null): Words {
  return tool !== null && speaking.has(tool) ? 'program' : 'anybody';
}

/** Tools that answer in a sentence of the program, and nobody else's. */
const speaking: ReadonlySet<string> = new Set([
  'TeamCreate',
  'TeamDelete',
  'Teammate',
  'SendMessage',
  'TaskCreate',
  'TaskUpdate',
  'TodoWrite',
  'TaskStop',
  'KillShell',
  'KillBash',
]);

/** Whether the text says that nothing was done. Who else but the program may have written it is believed only in its very words. */
export function saysFailure(text: string, words: Words): boolean {
  if (words === 'output') return false;
  const start = text.slice(0, 300);
  if (refusal.test(start)) return true;
  if (words !== 'program' || success.test(start)) return false;
  const [sentence = ''] = start.replace(quoted, '').split(/\n|[.;!](?:\s|$)/, 1);
  return failure.test(sentence);
}

const refusal =
  /^\s*(?:<tool_use_error>|The user doesn't want to proceed with this tool use\b|Task not found\b|Agent type '[^'\n]*' not found\b|Team "[^"\n]*" (?:does not exist|not found)\b|(?:Failed|Unable) to spawn\b|(?:Cannot|Could not) spawn\b|Spawn failed\b)/;

/** What it did comes first, and names follow: `Task #3 created successfully: Handle failed logins`. */
const success =
  /^\W*(?:success|ok\b|done\b|sent\b|team created|team deleted|cleaned up|updated task|task #?\S+ (?:was )?(?:created|updated|deleted)|message (?:was )?(?:sent|queued|delivered|broadcast)|shutdown (?:request|approved|rejected)|plan (?:approved|rejected)|todos (?:have been|were)|resum|agent .{1,200} resumed\b)/i;

const failure =
  /\b(?:errors?|fail(?:s|ed|ure)?|cannot|can't|could ?n[o']t|couldn't|unable|invalid|unknown|unsupported|refused|denied|rejected|forbidden|missing|required|not (?:found|sent|delivered|allowed|permitted|available|supported|reachable|running|created|updated|deleted|removed|stopped)|(?:does|do|did)(?: not|n't)|is(?: not|n't)|was(?: not|n't)|no (?:such|longer|team|agent|task|teammate|member|shell|process)|already (?:exists|leading|leads|has|in use|a member)|taken)\b/i;

const quoted = /"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|(?<=^|\s)'[^'\n]*'/g;
