// codex exec --json. It says neither its model nor any time, and numbers its items anew in each run of a thread.
import { isObject, type JsonObject, listOf, objectOf, textOf, textsOf, toJson } from '../../record/json.js';
import type { Known, Program } from './programs.js';
import {
  called,
  digestOf,
  ended,
  errorOf,
  frame,
  init,
  inputWithout,
  returned,
  spoke,
  thought,
  used,
} from './shapes.js';

export const codex: Program = {
  name: 'codex',
  wrote: (_, type) => /^(?:thread|turn|item)\.[a-z]+$/.test(type),
  translate(record, type, known) {
    const { usage, error } = record;
    switch (type) {
      case 'thread.started':
        return [{ ...init(), session_id: record.thread_id, uuid: record.thread_id }];
      case 'turn.started':
        return [];
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return itemOf(objectOf(record.item) ?? {}, type === 'item.completed', known);
      case 'turn.completed':
        return [...(isObject(usage) ? [usageOf(usage, known)] : []), ended(null)];
      case 'turn.failed':
        return [ended(errorOf(error))];
      case 'error':
        return [frame('api_retry', { error: errorOf(record) })];
    }
    return null;
  },
};

/** Cumulative for the thread, also over its runs: the largest counts of a message count. Agents are not in it. */
function usageOf(usage: JsonObject, { session }: Known): JsonObject {
  const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = usage;
  return used(`usage-${session}`, null, {
    input_tokens: inputWithout(input_tokens, cached_input_tokens, cache_write_input_tokens),
    cache_read_input_tokens: cached_input_tokens,
    cache_creation_input_tokens: cache_write_input_tokens,
    output_tokens,
  });
}

function itemOf(item: JsonObject, isDone: boolean, { session }: Known): JsonObject[] {
  const type = textOf(item.type) ?? '';
  if (type === 'agent_message') return isDone ? [spoke(item.text)] : [];
  if (type === 'reasoning') return isDone ? [thought(item.text)] : [];
  if (type === 'error') return isDone ? [frame('informational', { content: item.message })] : [];
  const [tool, input] = (type === 'collab_tool_call' ? collabOf : callOf)(item, type);
  // The same item of another run has another input.
  const id = `${item.id}-${digestOf(`${session} ${item.id} ${toJson(input)}`).slice(0, 8)}`;
  const call = called(id, tool, input);
  if (!isDone) return type === 'todo_list' || type === 'collab_tool_call' ? [] : [call];
  const isFailed = item.status === 'failed' || item.status === 'declined';
  const said = isFailed && item.error != null ? errorOf(item.error) : (item.aggregated_output ?? resultText(item));
  if (type !== 'collab_tool_call') return [call, returned(id, said, isFailed)];
  return [call, returned(id, isFailed ? 'failed' : '', isFailed, isFailed ? undefined : handed(item)), ...lives(item)];
}

function callOf(item: JsonObject, type: string): [string, JsonObject] {
  const { command, changes, query, server, tool } = item;
  switch (type) {
    case 'command_execution':
      return ['Bash', { command }];
    case 'file_change': {
      const [first] = listOf(changes) ?? [];
      return ['Edit', { file_path: objectOf(first)?.path, changes }];
    }
    case 'web_search':
      return ['WebSearch', { query }];
    case 'mcp_tool_call':
      return [`mcp__${server}__${tool}`, objectOf(item.arguments) ?? {}];
    case 'todo_list':
      return ['TodoWrite', { todos: (listOf(item.items) ?? []).map(todoOf) }];
  }
  return [type, {}];
}

function todoOf(item: unknown): JsonObject {
  const { text, completed } = objectOf(item) ?? {};
  return { content: text, status: completed === true ? 'completed' : 'pending' };
}

function resultText({ result }: JsonObject): unknown {
  return objectOf(result)?.content ?? (result == null ? '' : toJson(result));
}

// Its agents: a team of threads. Only their states are in the stream, not what they do or spend.

/** The receivers of a wait that has ended are those that have an answer, so they are no part of its input. */
function collabOf({ tool, prompt, receiver_thread_ids }: JsonObject): [string, JsonObject] {
  const [to] = textsOf(receiver_thread_ids) ?? [];
  switch (tool) {
    case 'spawn_agent':
      return ['Agent', { prompt, description: textOf(prompt)?.split('\n', 1)[0]?.slice(0, 80) }];
    case 'send_input':
      return ['SendMessage', { to, message: prompt }];
    case 'resume_agent':
      return ['Agent', { resume: to }];
    default:
      return [textOf(tool) ?? 'collab', {}];
  }
}

function handed({ tool, receiver_thread_ids, agents_states }: JsonObject): JsonObject {
  const [to] = textsOf(receiver_thread_ids) ?? [];
  if (tool === 'spawn_agent' || tool === 'resume_agent') return { status: 'async_launched', agentId: to };
  return tool === 'send_input' ? { success: true, resumedAgentId: to } : { states: agents_states };
}

/** Closing an agent shows what it was before. */
function lives({ tool, agents_states }: JsonObject): JsonObject[] {
  if (tool !== 'wait' && tool !== 'close_agent') return [];
  return Object.entries(objectOf(agents_states) ?? {}).flatMap(([task_id, state]) => {
    const { status, message } = objectOf(state) ?? {};
    const end = ends.get(textOf(status) ?? '') ?? (tool === 'close_agent' ? 'stopped' : undefined);
    return end === undefined ? [] : [frame('task_notification', { task_id, status: end, summary: message })];
  });
}
const ends: ReadonlyMap<string, string> = new Map([
  ['completed', 'completed'],
  ['errored', 'failed'],
  ['interrupted', 'stopped'],
  ['shutdown', 'stopped'],
  ['not_found', 'failed'],
]);
