// What members of a team do to their own state: idle, active again, shutting down, shut down.

import type { Message } from '../event/event.js';
import type { JsonObject } from '../record/json.js';
import type { Context, Origin } from './context.js';
import { memberNamed, nameOf } from './sessions.js';
import { actOf } from './tools/table.js';

/** Events that follow from a protocol message, whether it was sent or seen arriving. */
export function announce(context: Context, at: Origin, message: Message): void {
  const { session } = at;
  const { request_id, from, to, content, approve, tool_use_id } = message;
  const own = { category: 'team_message' as const, tool_use_id, request_id, from, to };
  switch (message.type) {
    case 'shutdown_request':
      if (request_id !== null && from !== null) session.requests.set(request_id, from);
      context.emit(at, 'team:shutdown:requested', { ...own, reason: content });
      if (to !== null) changed(context, at, 'team:member:shutting_down', to, tool_use_id);
      break;
    case 'shutdown_response':
      context.emit(at, 'team:shutdown:response', { ...own, approved: approve, reason: content });
      if (from === null) break;
      if (approve === true) changed(context, at, 'team:member:shutdown', from, tool_use_id);
      // Whoever refuses goes on with its work.
      if (approve === false) changed(context, at, 'team:member:active', from, tool_use_id);
      break;
    case 'plan_approval_request':
      if (request_id !== null && from !== null) session.requests.set(request_id, from);
      context.emit(at, 'team:plan:requested', { ...own, plan: content });
      break;
    case 'plan_approval_response':
      context.emit(at, 'team:plan:resolved', { ...own, approved: approve, feedback: content });
      break;
  }
}

export function changed(
  context: Context,
  at: Origin,
  event: 'team:member:shutting_down' | 'team:member:shutdown' | 'team:member:active',
  name: string,
  tool_use_id: string | null,
): void {
  if (event === 'team:member:active') at.session.idle.delete(name);
  context.emit(at, event, { category: 'team_state_change', tool_use_id, member: memberNamed(at.session, name) });
}

export function idle(
  context: Context,
  at: Origin,
  name: string,
  more: { reason?: string | null; completed?: string | null; tool_use_id?: string | null },
): void {
  const { session } = at;
  const completed = more.completed ?? session.completed.get(name) ?? null;
  session.completed.delete(name);
  session.idle.add(name);
  context.emit(at, 'team:member:idle', {
    category: 'team_state_change',
    tool_use_id: more.tool_use_id ?? null,
    member: memberNamed(session, name),
    completed_task_id: completed,
    reason: more.reason ?? null,
  });
}

/** Each call of a member tells whether it is at work: no claim after a completed task is idleness, anything after idleness is work. */
export function noticeIdle(context: Context, at: Origin, tool: string, input: JsonObject): void {
  const { session } = at;
  if (session.completed.size === 0 && session.idle.size === 0) return;
  const name = nameOf(session, at.agent);
  if (session.completed.has(name)) {
    if (isTaskStep(tool, input)) session.completed.delete(name);
    else idle(context, at, name, {});
  } else if (session.idle.has(name)) {
    changed(context, at, 'team:member:active', name, null);
  }
}

/** A call that goes on from a completed task to the next. */
export function isTaskStep(tool: string, { status }: JsonObject): boolean {
  return actOf(tool) === 'updateTask' && (status === 'in_progress' || status === 'completed');
}
