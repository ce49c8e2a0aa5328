// Makes records in the shapes of Claude Code.
import { hash, hashed } from '../../record/hash.js';
import { countOf, type JsonObject, objectOf, textOf } from '../../record/json.js';

export function isInit({ type, subtype }: JsonObject): boolean {
  return type === 'system' && subtype === 'init';
}

export function init(fields: JsonObject = {}): JsonObject {
  return { type: 'system', subtype: 'init', ...fields };
}

export function frame(subtype: string, fields: JsonObject): JsonObject {
  return { type: 'system', subtype, ...fields };
}

export function spoke(text: unknown, message: JsonObject = {}): JsonObject {
  return answered([{ type: 'text', text }], message);
}

export function thought(text: unknown, message: JsonObject = {}): JsonObject {
  return answered([{ type: 'thinking', thinking: text }], message);
}

export function called(id: unknown, tool: unknown, input: unknown, message: JsonObject = {}): JsonObject {
  return answered([{ type: 'tool_use', id, name: toolNamed(textOf(tool) ?? ''), input: input ?? {} }], message);
}

function answered(content: readonly JsonObject[], message: JsonObject): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', ...message, content } };
}

/** The usage of a message, which is final. */
export function used(id: string, model: unknown, usage: JsonObject): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', id, model, content: [], stop_reason: 'end_turn', usage } };
}

/** `result` is what Claude Code has in tool_use_result. */
export function returned(id: unknown, content: unknown, is_error: boolean, result?: JsonObject): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content: content ?? '', is_error };
  return { type: 'user', message: { role: 'user', content: [block] }, ...(result && { tool_use_result: result }) };
}

export function ended(error: string | null, fields: JsonObject = {}): JsonObject {
  const how = error === null ? { subtype: 'success' } : { subtype: 'error', errors: [error] };
  return { type: 'result', ...how, is_error: error !== null, ...fields };
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

/** 16 hexadecimal digits. */
export function digestOf(text: string): string {
  hash(text, 0);
  return [hashed.high, hashed.low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** Tools that do what one of Claude Code's does have its name, so that boards, rosters and rules see them. */
export function toolNamed(name: string): string {
  return sameTools.get(name) ?? name;
}
const sameTools: ReadonlyMap<string, string> = new Map([
  ...['run_shell_command', 'bash', 'shell'].map((name) => [name, 'Bash'] as const),
  ...['todo_write', 'todowrite', 'updateTodos'].map((name) => [name, 'TodoWrite'] as const),
  ...['agent', 'task'].map((name) => [name, 'Agent'] as const),
]);
