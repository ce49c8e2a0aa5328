// Handles work that continues after its call: shells, monitors, workflows.
import { flagOf, idOf, objectOf, textOf } from '../../record/json.js';
import { finishWork, startWork, whose, workOf } from '../agents.js';
import { atTime, type Call, type Context, ofAgent } from '../context.js';
import { workflowType } from '../dialects/workflows.js';
import { firstOf } from '../read.js';
import type { ToolResult } from './tool-result.js';

/** A Bash call that went to the background. The work has an id and belongs to the agent that started it. */
export function backgroundShell(context: Context, call: Call, outcome: ToolResult): void {
  const task = idOf(outcome.field('backgroundTaskId')) ?? taskSaid(outcome);
  if (task === null || !outcome.success) return;
  workBegun(context, call, task, 'local_bash', firstOf(textOf, call.input.description, call.input.command));
}

function taskSaid(outcome: ToolResult): string | null {
  if (!outcome.begins(inBackground)) return null;
  return /^[^\s.]+/.exec(outcome.head.slice(inBackground.length))?.[0] ?? null;
}
const inBackground = 'Command running in background with ID: ';

/** Monitor and Workflow start work and return at once. */
export function workStarted(context: Context, call: Call, outcome: ToolResult): void {
  const task = idOf(outcome.data?.taskId);
  if (!outcome.success || task === null) return;
  const { taskType, summary, workflowName } = outcome.data ?? {};
  const type = textOf(taskType) ?? (call.tool === 'Workflow' ? workflowType : 'monitor');
  const { description, name } = call.input;
  workBegun(context, call, task, type, firstOf(textOf, description, summary, workflowName, name));
}

/** TaskStop and its older names. */
export function stopped(context: Context, { at, input }: Call, { success, data }: ToolResult): void {
  const task_id = firstOf(idOf, data?.task_id, data?.shell_id, input.task_id, input.shell_id);
  if (!success || task_id === null) return;
  const end = { task_type: textOf(data?.task_type), status: 'stopped', summary: textOf(data?.message) };
  finishWork(context, at, { task_id, ...end });
}

/** TaskOutput shows the status of the work. */
export function outputRead(context: Context, call: Call, outcome: ToolResult): void {
  if (!outcome.success) return;
  const task = objectOf(outcome.data?.task);
  const id = firstOf(idOf, task?.task_id, call.input.task_id) ?? tagged(outcome.text, 'task_id');
  const status = textOf(task?.status) ?? tagged(outcome.text, 'status');
  if (id === null || status === null) return;
  const task_type = textOf(task?.task_type) ?? tagged(outcome.text, 'task_type');
  const own = workOf({ task_id: id, task_type, status, summary: textOf(task?.description) });
  if (status !== 'running' && status !== 'pending') return finishWork(context, call.at, own);
  const { agent } = whose(call.at, id);
  context.emit(ofAgent(call.at, agent), 'agent:progressed', { ...own, background: true, last_tool: null });
}

function workBegun(context: Context, call: Call, task: string, type: string, description: string | null): void {
  startWork(
    context,
    // Like an agent, it starts at the time of its call.
    atTime(call.at, call.calledAt ?? call.at.time),
    {
      description,
      tool_use_id: call.id || null,
      task_id: task,
      task_type: type,
      background: flagOf(call.input.run_in_background) ?? true,
    },
  );
}

function tagged(text: string, tag: string): string | null {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1] ?? null;
}
