// Makes records in the shapes of Claude Code.
import { hash, hashed } from '../../record/hash.js';
import { countOf, type JsonObject, objectOf, parseJson, textOf } from '../../record/json.js';

export function isInit({ type, subtype }: JsonObject): boolean {
  return type === 'system' && subtype === 'init';
}

export function init(fields: JsonObject = {}): JsonObject {
  return { type: 'system', subtype: 'init', ...fields };
}

export function frame(subtype: string, fields: JsonObject): JsonObject {
  return { type: 'system', subtype, ...fields };
}

export function textRecord(text: unknown, message: JsonObject = {}): JsonObject {
  return assistantRecord([{ type: 'text', text }], message);
}

export function thinkingRecord(text: unknown, message: JsonObject = {}): JsonObject {
  return assistantRecord([{ type: 'thinking', thinking: text }], message);
}

export function callRecord(id: unknown, tool: unknown, input: unknown, message: JsonObject = {}): JsonObject {
  return assistantRecord([inOurWords({ type: 'tool_use', id, name: tool, input })], message);
}

function assistantRecord(content: readonly JsonObject[], message: JsonObject): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', ...message, content } };
}

/** The usage of a message, which is final. */
export function usageRecord(id: string, model: unknown, usage: JsonObject): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', id, model, content: [], stop_reason: 'end_turn', usage } };
}

/** `result` is what Claude Code has in tool_use_result. */
export function returnRecord(id: unknown, content: unknown, is_error: boolean, result?: JsonObject): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content: content ?? '', is_error };
  return { type: 'user', message: { role: 'user', content: [block] }, ...(result && { tool_use_result: result }) };
}

/** What Gemini and older versions of Qwen say of a command that wrote nothing and failed. */
export function isFailedCommand(output: unknown): boolean {
  return /^Command exited with code: [1-9]\d*$/.test(textOf(output) ?? '');
}

export function endRecord(error: string | null, fields: JsonObject = {}): JsonObject {
  return { type: 'result', ...endFields(error), ...fields };
}

/** How a result says that all went well, or why not. */
export function endFields(error: string | null): JsonObject {
  if (error === null) return { subtype: 'success', is_error: false };
  const api_error_status = statusIn(error);
  const isOfApi = api_error_status !== null || error.startsWith('API Error: ');
  const terminal_reason = isOfApi ? 'api_error' : 'error';
  const text = error.replace(/^API Error: (?:\d{3} )?/, '');
  const said = { result: text, errors: [text] };
  return { subtype: 'error_during_execution', is_error: true, terminal_reason, api_error_status, ...said };
}

/** `unexpected status 401 Unauthorized`, `last status: 429`, `[API Error: 400 …`, `{"error":{"code":400,…` */
function statusIn(error: string): number | null {
  const status = /(?:\bstatus:? |\bAPI Error: |"code": ?)([45]\d\d)\b/.exec(error.slice(0, 400))?.[1];
  return status === undefined ? null : Number(status);
}

/** `cached` tokens are part of `all`, as OpenAI and Google count them. Anthropic counts them apart. */
export function inputWithout(all: unknown, ...cached: unknown[]): number {
  return cached.reduce<number>((rest, part) => Math.max(0, rest - (countOf(part) ?? 0)), countOf(all) ?? 0);
}

/** An error is a text, or an object with one. */
export function errorOf(value: unknown): string {
  const { message, data, name } = objectOf(value) ?? {};
  const said = textOf(value) ?? textOf(message) ?? textOf(objectOf(data)?.message) ?? textOf(name);
  return said || 'it does not say why';
}

/** The text of an answer of an API, `{"error":{"message":"…"}}`, also in `[API Error: …]`; else the same text. */
export function plainError(text: string): string {
  const answer = /\{.*\}/s.exec(text)?.[0];
  const error = answer === undefined ? null : objectOf(objectOf(parseJson(answer))?.error);
  const message = textOf(error?.message);
  if (message === null) return text.replace(/^\[(API Error: .*)\]$/s, '$1');
  const status = countOf(error?.code);
  return status === null ? message : `API Error: ${status} ${message}`;
}

/** 16 hexadecimal digits. */
export function digestOf(text: string): string {
  hash(text, 0);
  return [hashed.high, hashed.low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** Tools that do what one of Claude Code's does have its name and inputs, so that boards, files and rules see them. */
export function inOurWords(block: JsonObject): JsonObject {
  const said = textOf(block.name) ?? '';
  const name = sameTools.get(said) ?? said;
  const isOfFile = name === 'Read' || name === 'Write' || name === 'Edit';
  const ours = (key: string) => sameInputs.get(key) ?? (isOfFile && key === 'path' ? 'file_path' : key);
  const input = Object.entries(objectOf(block.input) ?? {}).map(([key, value]) => [ours(key), value]);
  return { ...block, name, input: Object.fromEntries(input) };
}
const sameTools: ReadonlyMap<string, string> = new Map([
  ...['run_shell_command', 'bash', 'shell'].map((name) => [name, 'Bash'] as const),
  ...['read_file', 'read'].map((name) => [name, 'Read'] as const),
  ...['write_file', 'write'].map((name) => [name, 'Write'] as const),
  ...['edit', 'replace'].map((name) => [name, 'Edit'] as const),
  ...['grep_search', 'grep'].map((name) => [name, 'Grep'] as const),
  ['glob', 'Glob'],
  ...['web_fetch', 'webfetch'].map((name) => [name, 'WebFetch'] as const),
  ['google_web_search', 'WebSearch'],
  ...['todo_write', 'todowrite', 'updateTodos', 'write_todos'].map((name) => [name, 'TodoWrite'] as const),
  ...['agent', 'task', 'invoke_agent'].map((name) => [name, 'Agent'] as const),
]);
const sameInputs: ReadonlyMap<string, string> = new Map([
  ['filePath', 'file_path'],
  ['absolute_path', 'file_path'],
  ['oldString', 'old_string'],
  ['newString', 'new_string'],
  ['fileText', 'content'],
  ['agent_name', 'subagent_type'],
]);
