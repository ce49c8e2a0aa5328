// Matches each result with its call by id, and runs the handler for what the tool does.
import { idOf, type JsonObject, objectOf, textOf } from '../../record/json.js';
import { noticeIdle } from '../agents.js';
import { type Call, type Context, calledKey, noInput, type Origin, returnedKey } from '../context.js';
import { backgroundShell, outputRead, stopped, workStarted } from './background.js';
import { isDenied, reportedMs, serverOf } from './call-meta.js';
import { readSend, sent } from './send.js';
import { type Act, actOf, hasEffect, isUnknownTeamTool, wordsOf } from './table.js';
import { taskCreated, taskListed, taskRead, taskUpdated, todosWritten } from './task.js';
import { planSubmitted, spawned, teamCreated, teamDeleted } from './team.js';
import { readToolResult, type ToolResult } from './tool-result.js';

/** Handles a tool_use block. A call seen before, in a copy or another file, is not counted again. */
export function openCall(context: Context, at: Origin, block: JsonObject, messageId: string | null): void {
  const id = idOf(block.id);
  const tool = textOf(block.name) ?? '';
  const input = objectOf(block.input) ?? {};
  if (id !== null && !context.seen.add(calledKey(id))) return;
  if (isUnknownTeamTool(tool) && context.seen.add(`tool ${tool}`)) {
    context.warn(`tool ${tool} looks like a team tool, but cct does not know it; its calls are kept as tool:called`);
  }
  noticeIdle(context, at, tool, input);
  const call = { id: id ?? '', tool, input, at, calledAt: at.time, seen: false };
  if (id !== null) context.calls.set(id, call);
  const server = serverOf(tool, input, at.record);
  context.emit(at, 'tool:called', {
    tool,
    tool_use_id: id,
    message_id: messageId,
    input: block.input ?? null,
    ...(server !== null && { server }),
    message: readSend(call),
  });
}

/** Handles a tool_result block. `result` is the record's structured result, if it has one. */
export function closeCall(context: Context, at: Origin, block: JsonObject, result: unknown): void {
  const id = idOf(block.tool_use_id);
  if (objectOf(result)?.detachedToolCall === true) {
    context.emit(at, 'session:changed', { type: 'user', subtype: 'call_detached', tool_use_id: id });
    return;
  }
  if (id !== null && !context.seen.add(returnedKey(id))) return;
  const call = id === null ? undefined : context.calls.get(id);
  if (id !== null) context.calls.delete(id);
  const words = call === undefined || hasEffect(call.tool) ? wordsOf(call?.tool ?? null) : 'output';
  const outcome = readToolResult(block, result, words);
  const shape = call?.tool ?? toolOfShape(outcome.data);
  const duration_ms = reportedMs(call?.tool, result, outcome);
  context.emit(at, 'tool:returned', {
    tool: call?.tool ?? null,
    tool_use_id: id,
    is_error: outcome.isError,
    success: outcome.success,
    result: result ?? block.content ?? null,
    ...(!outcome.success && outcome.error !== null && { error: outcome.error }),
    // An agent that was running was interrupted, whatever the words say.
    ...(!outcome.success && !call?.seen && isDenied(at.record, id, outcome) && { denied: true }),
    ...(duration_ms !== null && { duration_ms }),
  });
  const input = call?.input ?? noInput;
  const act = shape === null ? null : actOf(shape, input);
  if (shape === null || act === null) return;
  // Handlers need both times. The effect of a call has the time of its result.
  const { seen = false, calledAt = null } = call ?? {};
  const origin = { ...at, agent: call?.at.agent ?? at.agent };
  handlers[act](context, { id: id ?? '', tool: shape, input, seen, calledAt, at: origin }, outcome);
}

type Handler = (context: Context, call: Call, outcome: ToolResult) => void;

const handlers: Record<Act, Handler> = {
  spawn: spawned,
  createTeam: teamCreated,
  deleteTeam: teamDeleted,
  send: sent,
  submitPlan: planSubmitted,
  createTask: taskCreated,
  updateTask: taskUpdated,
  listTasks: taskListed,
  showTask: taskRead,
  writeTodos: todosWritten,
  runShell: backgroundShell,
  launch: workStarted,
  stop: stopped,
  readOutput: outputRead,
};

/** Recognizes the tool of a result by its shape, when the call is not in the input because the stream began later. */
function toolOfShape(data: JsonObject | null): string | null {
  if (data === null) return null;
  if (data.status === 'async_launched' && /workflow/.test(textOf(data.taskType) ?? '')) return 'Workflow';
  if (data.status === 'teammate_spawned' || data.status === 'async_launched' || typeof data.teammate_id === 'string')
    return 'Agent';
  if (data.status === 'completed' && typeof data.agentId === 'string') return 'Agent';
  if (typeof data.team_file_path === 'string') return 'TeamCreate';
  if (objectOf(data.routing) !== null) return 'SendMessage';
  if (typeof data.request_id === 'string' && typeof data.target === 'string') return 'SendMessage';
  if (idOf(objectOf(data.task)?.id) !== null)
    return objectOf(data.task)?.status === undefined ? 'TaskCreate' : 'TaskGet';
  if (typeof data.success === 'boolean' && idOf(data.taskId) !== null) return 'TaskUpdate';
  if (typeof data.success === 'boolean' && typeof data.team_name === 'string') return 'TeamDelete';
  if (Array.isArray(data.tasks) && data.tasks.every((task) => idOf(objectOf(task)?.id) !== null)) return 'TaskList';
  return null;
}
