// codex exec --json. It says neither its model nor any time, and numbers its items anew in each run of a thread.
import { isObject, type JsonObject, listOf, objectOf, textOf, textsOf, toJson } from '../../record/json.js';
import type { Known, Program } from './programs.js';
import {
  callRecord,
  digestOf,
  endRecord,
  errorOf,
  frame,
  init,
  inputWithout,
  plainError,
  returnRecord,
  textRecord,
  thinkingRecord,
  usageRecord,
} from './shapes.js';

export const codex: Program = {
  name: 'codex',
  wrote: (_, type) => /^(?:thread|turn|item)\.[a-z]+$/.test(type),
  inOurShapes(record, type, known) {
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
        return [...(isObject(usage) ? [codexUsage(usage, known)] : []), endRecord(null)];
      case 'turn.failed':
        return [endRecord(plainError(errorOf(error)))];
      case 'error':
        return [errorSaid(plainError(errorOf(record)))];
    }
    return null;
  },
};

/** `Reconnecting... 1/5 (…)`; any other error is said again by the turn that fails. */
function errorSaid(error: string): JsonObject {
  if (!error.startsWith('Reconnecting')) return frame('informational', { level: 'error', content: error });
  const [, attempt, most, why] = /^Reconnecting\.* (\d+)\/(\d+) \((.*)\)$/s.exec(error) ?? [];
  if (why === undefined) return frame('api_retry', { error });
  return frame('api_retry', { attempt: Number(attempt), max_retries: Number(most), error: why });
}

/** Cumulative for the thread, also over its runs: the largest counts of a message count. Agents are not in it. */
function codexUsage(usage: JsonObject, { session }: Known): JsonObject {
  const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = usage;
  return usageRecord(`usage-${session}`, null, {
    input_tokens: inputWithout(input_tokens, cached_input_tokens, cache_write_input_tokens),
    cache_read_input_tokens: cached_input_tokens,
    cache_creation_input_tokens: cache_write_input_tokens,
    output_tokens,
  });
}

function itemOf(item: JsonObject, isDone: boolean, { session }: Known): JsonObject[] | null {
  const type = textOf(item.type) ?? '';
  if (type === 'agent_message') return isDone ? [textRecord(item.text)] : [];
  if (type === 'reasoning') return isDone ? [thinkingRecord(item.text)] : [];
  if (type === 'error') return isDone ? [frame('informational', { content: item.message })] : [];
  if (type === 'collab_tool_call') return collabOf(item, isDone, session);
  const called = codexCall(item, type);
  if (called === null) return null;
  const [tool, input] = called;
  const id = callId(item, input, session);
  const call = callRecord(id, tool, input);
  // Each list is a call of its own. The last one comes again at the end.
  if (type === 'todo_list') return [call, returnRecord(id, '', false)];
  // What is searched for is known at the end.
  if (!isDone) return type === 'web_search' ? [] : [call];
  const isFailed = item.status === 'failed' || item.status === 'declined' || Boolean(item.exit_code);
  const said = isFailed && item.error != null ? errorOf(item.error) : (item.aggregated_output ?? resultText(item));
  return [call, returnRecord(id, said, isFailed)];
}

/** The same item of another run has another input. */
function callId(item: JsonObject, input: JsonObject, session: string | null): string {
  return `${item.id}-${digestOf(`${session} ${item.id} ${toJson(input)}`).slice(0, 8)}`;
}

function codexCall(item: JsonObject, type: string): [string, JsonObject] | null {
  const { command, changes, query, server, tool } = item;
  switch (type) {
    case 'command_execution':
      return ['Bash', { command: inShell(textOf(command) ?? '') }];
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
  return null;
}

/** `ls -a` of `/bin/bash -lc 'ls -a'`; the whole text where it is quoted in parts. */
function inShell(command: string): string {
  const [, word, single, double] =
    /^\S*\b(?:ba|z)?sh -l?c (?:([\w./-]+)|'([^']*)'|"((?:[^"\\]|\\.)*)")$/s.exec(command) ?? [];
  return word ?? single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? command;
}

function todoOf(item: unknown): JsonObject {
  const { text, completed } = objectOf(item) ?? {};
  return { content: text, status: completed === true ? 'completed' : 'pending' };
}

function resultText({ result }: JsonObject): unknown {
  return objectOf(result)?.content ?? (result == null ? '' : toJson(result));
}

// Its agents: a team of threads. Only their states are in the stream, not what they do or spend.

function collabOf(item: JsonObject, isDone: boolean, session: string | null): JsonObject[] {
  const states = Object.entries(objectOf(item.agents_states) ?? {}).map(([id, state]) => ({
    id,
    ...threadState(state),
  }));
  const [{ id: to = textsOf(item.receiver_thread_ids)?.[0], status = '' } = {}] = states;
  // resume_agent is written as a wait for an agent that has not begun.
  const isResumed = item.tool === 'resume_agent' || (item.tool === 'wait' && status === 'pending_init');
  const [tool, input] = isResumed ? (['Agent', { resume: to }] as const) : collabCall(item, to);
  const id = callId(item, input, session);
  const call = callRecord(id, tool, input);
  // What a wait waits for is known when it has ended.
  if (!isDone) return item.tool === 'wait' || item.tool === 'resume_agent' ? [] : [call];
  // Closing an agent that failed is said to have failed.
  const isFailed = item.status === 'failed' && (status === 'not_found' || tool === 'Agent' || tool === 'SendMessage');
  if (isFailed) return [call, returnRecord(id, status === '' ? 'failed' : status.replaceAll('_', ' '), true)];
  const handed =
    tool === 'Agent'
      ? { status: 'async_launched', agentId: to }
      : tool === 'SendMessage'
        ? { success: true, resumedAgentId: to }
        : { states: item.agents_states };
  const ended = tool === 'wait' || tool === 'close_agent' ? states.flatMap((state) => lifeOf(state, tool)) : [];
  return [call, returnRecord(id, '', false, handed), ...ended];
}

function collabCall({ tool, prompt }: JsonObject, to: string | undefined): readonly [string, JsonObject] {
  switch (tool) {
    case 'spawn_agent':
      return ['Agent', { prompt, description: textOf(prompt)?.split('\n', 1)[0]?.slice(0, 80) }];
    case 'send_input':
      return ['SendMessage', { to, message: prompt }];
    default:
      return [textOf(tool) ?? 'collab', {}];
  }
}

interface ThreadState {
  readonly status: string;
  readonly message: string | null;
}

function threadState(value: unknown): ThreadState {
  const { status, message } = objectOf(value) ?? {};
  return { status: textOf(status) ?? '', message: textOf(message) };
}

/** That an agent has ended, and with what. Closing it shows what it was before. */
function lifeOf({ id, status, message }: ThreadState & { id: string }, tool: string): JsonObject[] {
  const end = ends.get(status) ?? (tool === 'close_agent' && status !== 'not_found' ? 'stopped' : undefined);
  const summary = message && plainError(message);
  return end === undefined ? [] : [frame('task_notification', { task_id: id, status: end, summary })];
}
const ends: ReadonlyMap<string, string> = new Map([
  ['completed', 'completed'],
  ['errored', 'failed'],
  ['interrupted', 'stopped'],
  ['shutdown', 'stopped'],
]);
