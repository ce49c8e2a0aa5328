// Calls and their results: the correlation buffer joins them, then the tool's own handler says what they did.
import { idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { type At, type Call, type Desk, noInput } from './desk.js';
import { noticeIdle } from './members.js';
import { type Outcome, readOutcome } from './outcome.js';
import { isUnknownTeamTool } from './recognizer.js';
import { backgroundShell, outputRead, stopped, workStarted } from './tools/background.js';
import { planSubmitted } from './tools/plan.js';
import { readSend, sent } from './tools/send.js';
import { spawned } from './tools/spawn.js';
import { taskCreated, taskListed, taskRead, taskUpdated, todosWritten } from './tools/task.js';
import { teamCreated, teamDeleted, teammateReturned } from './tools/team.js';
import { wordsOf } from './words.js';

export type Handler = (desk: Desk, call: Call, outcome: Outcome) => void;

const handlers: Record<string, Handler> = {
  Agent: spawned,
  Task: spawned,
  TeamCreate: teamCreated,
  TeamDelete: teamDeleted,
  Teammate: teammateReturned,
  SendMessage: sent,
  TaskCreate: taskCreated,
  TaskUpdate: taskUpdated,
  TaskList: taskListed,
  TaskGet: taskRead,
  TodoWrite: todosWritten,
  Bash: backgroundShell,
  Monitor: workStarted,
  Workflow: workStarted,
  TaskStop: stopped,
  KillShell: stopped,
  KillBash: stopped,
  TaskOutput: outputRead,
  BashOutput: outputRead,
  AgentOutputTool: outputRead,
  ExitPlanMode: planSubmitted,
};

/** Whether a tool's result can say more than that it came. A shell says so itself when it went to the background. */
export function hasEffect(tool: string): boolean {
  return tool !== 'Bash' && Object.hasOwn(handlers, tool);
}

/** A tool_use block. A call seen before, in a copy or another file, is not called again. */
export function openCall(desk: Desk, at: At, block: JsonObject, messageId: string | null): void {
  const id = idOf(block.id);
  const tool = textOf(block.name) ?? '';
  const input = objectOf(block.input) ?? {};
  if (id !== null && !desk.seen.add(`call ${id}`)) return;
  if (isUnknownTeamTool(tool) && desk.seen.add(`tool ${tool}`)) {
    desk.warn(`tool ${tool} looks like a team tool but is not known; its calls are kept as tool:called`);
  }
  noticeIdle(desk, at, tool, input);
  const call = { id: id ?? '', tool, input, at, calledAt: at.time, seen: false };
  if (id !== null) desk.calls.open(id, call);
  desk.emit(at, 'tool:called', {
    tool,
    tool_use_id: id,
    message_id: messageId,
    input: block.input ?? null,
    message: readSend(call),
  });
}

/** A tool_result block. `result` is the record's structured twin of it, where it has one. */
export function closeCall(desk: Desk, at: At, block: JsonObject, result: unknown): void {
  const id = idOf(block.tool_use_id);
  if (objectOf(result)?.detachedToolCall === true) {
    desk.emit(at, 'session:changed', { type: 'user', subtype: 'call_detached', tool_use_id: id });
    return;
  }
  if (id !== null && !desk.seen.add(`result ${id}`)) return;
  const call = id === null ? undefined : desk.calls.close(id);
  const words = call === undefined || hasEffect(call.tool) ? wordsOf(call?.tool ?? null) : 'output';
  const outcome = readOutcome(block, result, words);
  const shape = call?.tool ?? toolOfShape(outcome.data);
  desk.emit(at, 'tool:returned', {
    tool: call?.tool ?? null,
    tool_use_id: id,
    is_error: outcome.isError,
    success: outcome.success,
    result: result ?? block.content ?? null,
  });
  const handler = shape !== null && Object.hasOwn(handlers, shape) ? handlers[shape] : undefined;
  // Both times matter: what a call did happened when its result came.
  handler?.(
    desk,
    {
      id: id ?? '',
      tool: shape ?? '',
      input: call?.input ?? noInput,
      seen: call?.seen ?? false,
      calledAt: call?.calledAt ?? null,
      at: { ...at, agent: call?.at.agent ?? at.agent },
    },
    outcome,
  );
}

/** A result whose call is not in the input (stream joined late) is known by its own shape. */
function toolOfShape(data: JsonObject | null): string | null {
  if (data === null) return null;
  if (data.status === 'async_launched' && /workflow/.test(textOf(data.taskType) ?? '')) return 'Workflow';
  if (data.status === 'teammate_spawned' || data.status === 'async_launched' || typeof data.teammate_id === 'string')
    return 'Agent';
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
