// What came back from a call, read the same whether the record had a structured result or only text.
import { countOf, flagOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { leadingJson } from '../record/leading-json.js';
import { saysFailure, type Words } from './words.js';

export interface Outcome {
  isError: boolean;
  success: boolean;
  /** The structured result: tool_use_result, or the JSON text of the tool_result. */
  data: JsonObject | null;
  /** The tool_result as text. */
  text: string;
  error: string | null;
}

export function readOutcome(block: JsonObject, result: unknown, words: Words): Outcome {
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
  const said = textOf(data?.message) ?? textOf(data?.error) ?? textOf(result) ?? text;
  return said.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1').replace(/^Error: /, '') || null;
}
