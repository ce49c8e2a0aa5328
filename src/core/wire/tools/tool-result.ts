// Reads the result of a call, from a structured result or from text alone.
import { type JsonObject, leadingJson, objectOf, textOf, wholeOf } from '../../record/json.js';
import type { Picked } from '../../record/pick.js';
import { firstOf } from '../read.js';
import type { ResultKey } from '../spell.js';
import { type BlockView, lineCount, ParsedBlock, ParsedResult, type ResultView } from '../view.js';
import type { wordsOf } from './table.js';

/** Nothing is parsed until somebody asks. Dies with its line. */
export class ToolResult {
  readonly #block: BlockView;
  readonly #result: ResultView;
  readonly #words: ResultWords;
  #text: string | undefined;
  #data: JsonObject | null | undefined;
  #success: boolean | undefined;
  #error: string | null | undefined;

  constructor(block: BlockView, result: ResultView, words: ResultWords) {
    this.#block = block;
    this.#result = result;
    this.#words = words;
  }

  get isError(): boolean {
    return this.#block.isError ?? this.#block.contentType?.endsWith('_error') ?? false;
  }

  get success(): boolean {
    this.#success ??= !this.isError && !this.#isRefused();
    return this.#success;
  }

  /** The structured result: tool_use_result, or the JSON text of the tool_result. */
  get data(): JsonObject | null {
    if (this.#data !== undefined) return this.#data;
    if (this.#result.isObject) this.#data = objectOf(this.#result.value());
    else this.#data = this.#result.isGiven || this.#words === 'output' ? null : leadingJson(this.text);
    return this.#data;
  }

  /** Whether it has more than text. */
  get isStructured(): boolean {
    return this.#result.isObject;
  }

  /** A field of the structured result. */
  field(key: ResultKey): unknown {
    const isPicked = this.#result.isObject && this.#data === undefined;
    return isPicked ? this.#result.field(key) : this.data?.[key];
  }

  /** At least the fields of the structured result that say how long the call took. */
  timings(): JsonObject {
    const isPicked = this.#result.isObject && this.#data === undefined;
    return isPicked ? this.#result.timings() : (this.data ?? {});
  }

  /** At least these fields of what `data` gives. */
  brief(wanted: Picked): JsonObject | null {
    return this.#result.isObject && this.#data === undefined ? this.#result.pick(wanted) : this.data;
  }

  /** False only if no text in it has these ASCII letters. */
  mayHold(letters: string): boolean {
    return this.#result.isObject ? this.#result.mayHold(letters) : this.text.includes(letters);
  }

  /** At least these fields of a structured result. */
  pick(wanted: Picked): JsonObject {
    return this.#result.pick(wanted);
  }

  /** How many lines a result has that is not structured; 0 if it is no text. */
  get lines(): number {
    if (this.#result.isGiven) return lineCount(textOfContent(this.#result.value()));
    return this.#block.lines() ?? lineCount(this.text);
  }

  /** The tool_result as text. */
  get text(): string {
    this.#text ??= textOfContent(this.#block.content());
    return this.#text;
  }

  /** How its text begins. */
  get head(): string {
    return this.#block.head() || this.text;
  }

  /** Whether its text begins with these words, which are plain ASCII. */
  begins(words: string): boolean {
    return this.#block.begins(words) ?? this.text.startsWith(words);
  }

  get error(): string | null {
    if (this.#error === undefined)
      this.#error = this.success ? null : errorText(this.data, this.text, this.#result.value());
    return this.#error;
  }

  /** As normalize writes it. */
  get value(): unknown {
    return this.#result.isGiven ? this.#result.value() : (this.#block.content() ?? null);
  }

  get bytes(): number {
    return this.#result.isGiven ? this.#result.bytes() : this.#block.contentBytes();
  }

  #isRefused(): boolean {
    const words = this.#words;
    if (words === 'output') return this.#result.success === false;
    // TaskGet of a task that does not exist returns null.
    if (this.#result.isObject) return this.#result.success === false || this.field('task') === null;
    if (this.data !== null) return this.data.success === false || this.data.task === null;
    return saysFailure(textOf(this.#result.value()) ?? this.text, words);
  }
}

/** The same for a block and a result that are parsed. */
export function readToolResult(block: JsonObject, result: unknown, words: ResultWords): ToolResult {
  return new ToolResult(new ParsedBlock(block), new ParsedResult(result), words);
}

/** The content of a tool_result is a string or a list of blocks, of which only text blocks can be read. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => textOf(objectOf(block)?.text) ?? '')
    .filter(Boolean)
    .join('\n');
}

/** Finds `agentId: a57ce7c (internal ID …)` and similar in result texts. */
export function labelled(text: string, label: string): string | null {
  // Texts are long and labels rare: `includes` takes a fiftieth of the time of the regular expression.
  if (!text.includes(`${label}:`)) return null;
  return new RegExp(`(?:^|\\n)[ \\t]*${label}:\\s*([^\\s(]+)`).exec(text)?.[1] ?? null;
}

/** `<usage>total_tokens: 14105\ntool_uses: 2</usage>` or its tag form `<usage><subagent_tokens>…`. */
export function usageInText(text: string): {
  total_tokens: number | null;
  tool_uses: number | null;
  duration_ms: number | null;
} {
  const countSaid = (name: string) => {
    if (!text.includes(name)) return null;
    const found = new RegExp(`(?:<${name}>|${name}:)\\s*(\\d+)`).exec(text)?.[1];
    return found === undefined ? null : wholeOf(Number(found));
  };
  return {
    total_tokens: countSaid('total_tokens') ?? countSaid('subagent_tokens'),
    tool_uses: countSaid('tool_uses'),
    duration_ms: countSaid('duration_ms'),
  };
}

/**
 * Whether a text says that the call failed. Logs without tool_use_result, and all results inside an agent, have only
 * text. Unless Claude Code wrote the text, only its exact words count.
 */
export function saysFailure(text: string, words: ResultWords): boolean {
  if (words === 'output') return false;
  const start = text.slice(0, 300);
  if (refusal.test(start)) return true;
  if (words !== 'program' || success.test(start)) return false;
  const [sentence = ''] = start.replace(quoted, '').split(/\n|[.;!](?:\s|$)/, 1);
  return failure.test(sentence);
}

/** The documented error code, if the text shows which one applies, else null. */
export function errorCode(data: JsonObject | null, error: string | null): string | null {
  const word = textOf(data?.error);
  if (word !== null && Object.hasOwn(errorCodes, word)) return word;
  if (error === null) return null;
  const start = error.slice(0, 500);
  return Object.entries(errorCodes).find(([, pattern]) => pattern.test(start))?.[0] ?? null;
}

/** The first matching pattern is used. */
const errorCodes = {
  task_not_found: /\btask\b.*\bnot found\b|no task found/i,
  agent_not_found:
    /no agent named|\b(?:agent|teammate|member|recipient)\b.*\b(?:not found|does not exist)\b|\b(?:agent|teammate|member|recipient)(?: \S+)? (?:is |was )?unknown\b|\bunknown (?:agent|teammate|member|recipient)\b/i,
  team_not_found: /\bteam\b.*\b(?:not found|does not exist)\b|no such team/i,
  agent_already_exists: /\b(?:agent|teammate|member)\b.*\balready\b/i,
  team_already_exists: /\bteam\b.*\balready\b|already leading team/i,
  circular_dependency: /\bcircular\b|\bcycle\b/i,
  invalid_status: /\binvalid status\b|status transition/i,
  permission_denied: /permission|not allowed|denied/i,
  rate_limit: /rate limit|too many requests/i,
  internal_error: /internal error/i,
};

/** Who wrote the text: as `wordsOf` says, or `output` for a tool that cct does not follow. */
type ResultWords = ReturnType<typeof wordsOf> | 'output';

function errorText(data: JsonObject | null, text: string, result: unknown): string | null {
  const error = firstOf(textOf, data?.message, data?.error, result) ?? text;
  return error.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1').replace(/^Error: /, '') || null;
}

const refusal =
  /^\s*(?:<tool_use_error>|The user doesn't want to proceed with this tool use\b|Task not found\b|Agent type '[^'\n]*' not found\b|Team "[^"\n]*" (?:does not exist|not found)\b|(?:Failed|Unable) to spawn\b|(?:Cannot|Could not) spawn\b|Spawn failed\b)/;

/** The success comes first and names after it: `Task #3 created successfully: Handle failed logins`. */
const success =
  /^\W*(?:success|ok\b|done\b|sent\b|team created|team deleted|cleaned up|updated task|task #?\S+ (?:was )?(?:created|updated|deleted)|message (?:was )?(?:sent|queued|delivered|broadcast)|shutdown (?:request|approved|rejected)|plan (?:approved|rejected)|todos (?:have been|were)|resum|agent .{1,200} resumed\b)/i;

const failure =
  /\b(?:errors?|fail(?:s|ed|ure)?|cannot|can't|could ?n[o']t|couldn't|unable|invalid|unknown|unsupported|refused|denied|rejected|forbidden|missing|required|not (?:found|sent|delivered|allowed|permitted|available|supported|reachable|running|created|updated|deleted|removed|stopped)|(?:does|do|did)(?: not|n't)|is(?: not|n't)|was(?: not|n't)|no (?:such|longer|team|agent|task|teammate|member|shell|process)|already (?:exists|leading|leads|has|in use|a member)|taken)\b/i;

const quoted = /"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|(?<=^|\s)'[^'\n]*'/g;
