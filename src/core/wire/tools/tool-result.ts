// What came back from a call, read the same whether the record had a structured result or only text.
import { countOf, flagOf, isObject, type JsonObject, leadingJson, objectOf, textOf } from '../../record/json.js';
import { firstOf } from '../read.js';
import type { wordsOf } from './table.js';

export interface ToolResult {
  isError: boolean;
  success: boolean;
  /** The structured result: tool_use_result, or the JSON text of the tool_result. */
  data: JsonObject | null;
  /** The tool_result as text. */
  text: string;
  error: string | null;
}

export function readToolResult(block: JsonObject, result: unknown, words: Words): ToolResult {
  const text = textOfContent(block.content);
  const isError = flagOf(block.is_error) ?? textOf(objectOf(block.content)?.type)?.endsWith('_error') ?? false;
  const isBare = result === undefined || result === null;
  const data = objectOf(result) ?? (words !== 'output' && isBare ? leadingJson(text) : null);
  const refused = data === null ? saysFailure(textOf(result) ?? text, words) : isRefusal(data, words);
  const success = !isError && !refused;
  return { isError, success, data, text, error: success ? null : errorText(data, text, result) };
}

/** TaskGet of a task that is not there shows none. */
function isRefusal(data: JsonObject, words: Words): boolean {
  return data.success === false || (words !== 'output' && data.task === null);
}

/** tool_result content is a string or a list of blocks; only text blocks can be read. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => textOf(objectOf(block)?.text) ?? '')
    .filter(Boolean)
    .join('\n');
}

/** `agentId: a57ce7c (internal ID …)` and the like in result texts. */
export function labelled(text: string, label: string): string | null {
  // Texts are long, labels rare: looking for one as it stands takes a fiftieth of the time.
  if (!text.includes(`${label}:`)) return null;
  return new RegExp(`(?:^|\\n)[ \\t]*${label}:\\s*([^\\s(]+)`).exec(text)?.[1] ?? null;
}

/** `<usage>total_tokens: 14105\ntool_uses: 2</usage>` or its tag form `<usage><subagent_tokens>…`. */
export function usageInText(text: string): {
  total_tokens: number | null;
  tool_uses: number | null;
  duration_ms: number | null;
} {
  const number = (name: string) => {
    if (!text.includes(name)) return null;
    const found = new RegExp(`(?:<${name}>|${name}:)\\s*(\\d+)`).exec(text)?.[1];
    return found === undefined ? null : countOf(Number(found));
  };
  return {
    total_tokens: number('total_tokens') ?? number('subagent_tokens'),
    tool_uses: number('tool_uses'),
    duration_ms: number('duration_ms'),
  };
}

function errorText(data: JsonObject | null, text: string, result: unknown): string | null {
  const said = firstOf(textOf, data?.message, data?.error, result) ?? text;
  return said.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1').replace(/^Error: /, '') || null;
}

// Results that are nothing but text: logs without tool_use_result, and all results inside an agent. The text has to tell whether it went well.

/** As `wordsOf` says of the tool, or the output of something that is not ours. */
export type Words = ReturnType<typeof wordsOf> | 'output';

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

/** The documented word for a failure where it can be told from what was said, else null. */
export function errorCode(data: JsonObject | null, error: string | null): string | null {
  const word = textOf(data?.error);
  if (word !== null && Object.hasOwn(errorCodes, word)) return word;
  if (error === null) return null;
  const start = error.slice(0, 500);
  return Object.entries(errorCodes).find(([, pattern]) => pattern.test(start))?.[0] ?? null;
}

/** The first that fits counts. */
const errorCodes = {
  task_not_found: /\btask\b.*\bnot found\b|no task found/i,
  agent_not_found: /no agent named|\b(?:agent|teammate|member|recipient)\b.*\b(?:not found|does not exist|unknown)\b/i,
  team_not_found: /\bteam\b.*\b(?:not found|does not exist)\b|no such team/i,
  agent_already_exists: /\b(?:agent|teammate|member)\b.*\balready\b/i,
  team_already_exists: /\bteam\b.*\balready\b|already leading team/i,
  circular_dependency: /\bcircular\b|\bcycle\b/i,
  invalid_status: /\binvalid status\b|status transition/i,
  permission_denied: /permission|not allowed|denied/i,
  rate_limit: /rate limit|too many requests/i,
  internal_error: /internal error/i,
};

/** In a few words what a call is about: the file, the command, the task, the recipient. null where nothing of it is a text. */
export function briefOf(input: unknown): string | null {
  if (!isObject(input)) return null;
  for (const field of telling) {
    const value = input[field];
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, longest);
  }
  return null;
}

/** The first that is there says most. */
const telling = [
  ...['file_path', 'notebook_path', 'command', 'pattern', 'query', 'url', 'to', 'recipient', 'operation', 'subject'],
  ...['name', 'description', 'path', 'skill', 'team_name', 'taskId', 'task_id', 'summary'],
];

const longest = 400;
