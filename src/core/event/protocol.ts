// Messages of the team protocol: JSON that agents and the program send each other in the place of text.
import { coalesce, flagOf, idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import { toJson } from '../record/leading-json.js';
import { briefOf } from './tools/brief.js';

/** What a person wants to read of it. Null where its type and fields of our own say all; as it stands where nobody knows its type. */
export function protocolText(body: JsonObject): string | null {
  const type = textOf(body.type) ?? '';
  const said = Object.hasOwn(readers, type) ? readers[type]?.(body) : undefined;
  const usual = coalesce(
    textOf(body.reason),
    textOf(body.feedback),
    textOf(body.planContent),
    textOf(body.plan),
    textOf(body.result),
  );
  return said ?? usual ?? (wordless.has(type) ? null : toJson(body));
}

/** Whether an answer says yes; null for what is no answer. */
export function protocolApproval(body: JsonObject): boolean | null {
  if (body.type === 'shutdown_approved') return true;
  if (body.type === 'shutdown_rejected') return false;
  if (body.type === 'permission_response' && body.approved === undefined) return body.subtype === 'success';
  return coalesce(flagOf(body.approve), flagOf(body.approved), flagOf(body.allow));
}

const wordless = new Set([
  'shutdown_request',
  'shutdown_response',
  'shutdown_approved',
  'shutdown_rejected',
  'plan_approval_request',
  'plan_approval_response',
  'idle_notification',
  'permission_response',
]);

const readers: Readonly<Record<string, (body: JsonObject) => string | null>> = {
  task_assignment: (body) => task(body, 'Task', textOf(body.subject), textOf(body.description)),
  task_completed: (body) => task(body, 'Completed task', textOf(body.taskSubject) ?? textOf(body.subject), null),
  teammate_terminated: (body) => textOf(body.message),
  permission_request: (body) =>
    joined(': ', textOf(body.tool_name), textOf(body.description) || briefOf(objectOf(body.input))),
  permission_response: (body) => textOf(body.error),
  sandbox_permission_request: (body) => joined(' ', 'Network access to', textOf(objectOf(body.hostPattern)?.host)),
  sandbox_permission_response: (body) => joined(' ', 'Network access to', textOf(body.host)),
  team_permission_update: (body) => joined(': ', textOf(body.toolName), textOf(body.directoryPath)),
  mode_set_request: (body) => textOf(body.mode),
};

/** `Task #3: Review the report`, and below it what is to be done. */
function task(body: JsonObject, what: string, subject: string | null, description: string | null): string | null {
  const id = coalesce(idOf(body.taskId), idOf(body.task_id));
  const title = joined(': ', id === null ? what : `${what} #${id}`, subject);
  return id === null && subject === null ? null : joined('\n', title, description === subject ? null : description);
}

function joined(by: string, ...parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(by) || null;
}
