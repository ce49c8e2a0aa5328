// Calls of the team tools: what they lack, and how they failed.
import { errorCode } from '../event/error-code.js';
import type { Event, EventMap, Message } from '../event/event.js';
import { readOutcome } from '../event/outcome.js';
import { missingInputs } from '../event/recognizer.js';
import { wordsOf } from '../event/words.js';
import { idOf, objectOf, textOf } from '../record/fields.js';
import type { JsonObject } from '../record/json.js';
import type { Subject } from './audit-limits.js';
import { type Spot, spotOf } from './audit-spot.js';
import type { Table } from './table.js';

/** The spot is that of the result, once it came; the agent is who made the call. */
export interface AuditCall extends Spot {
  readonly id: string;
  readonly tool: string;
  readonly subject: Subject;
  readonly outcome: 'open' | 'ok' | 'failed';
  readonly error: string | null;
  readonly error_code: string | null;
  /** Required inputs it does not have. */
  readonly missing: readonly string[];
  /** What it asked for: a team, a name for an agent, a task. */
  readonly teamName: string | null;
  readonly name: string | null;
  readonly task: string | null;
  /** Of a call that sends a message, what kind of. */
  readonly type: string | null;
  readonly to: string | null;
  /** The status a task had before, as the result says it. */
  readonly from: string | null;
}

export type AuditCalls = Table<AuditCall>;

export function reduceAuditCalls(calls: AuditCalls, event: Event, at: string | null): AuditCalls {
  switch (event.event) {
    case 'tool:called':
      return called(calls, event, spotOf(event, at));
    case 'tool:returned':
      return returned(calls, event, spotOf(event, at));
    // The results of these are known by their shape, also where the call is not in the input.
    case 'team:message:failed':
      return failed(calls, event.tool_use_id, spotOf(event, at), {
        tool: 'SendMessage',
        subject: 'messages',
        ...event.message,
      });
    case 'team:cleanup_failed':
      return failed(calls, event.tool_use_id, spotOf(event, at), { tool: 'TeamDelete', subject: 'teams', ...event });
    case 'session:changed':
      return event.subtype === 'retracted' ? withoutRetracted(calls, event['tool_use_ids']) : calls;
    default:
      return calls;
  }
}

function called(calls: AuditCalls, event: EventMap['tool:called'], spot: Spot): AuditCalls {
  const { tool, tool_use_id: id, message } = event;
  const subject = subjectOf(tool, message !== null);
  if (id === null || tool === null || subject === null || calls.has(id)) return calls;
  const input = objectOf(event.input);
  return calls.set(id, {
    ...unasked(spot, id, tool, subject),
    missing: input === null ? [] : missingIn(tool, input, message),
    teamName: textOf(input?.team_name),
    name: textOf(input?.name),
    task: idOf(input?.taskId) ?? idOf(input?.task_id),
    type: message?.type ?? null,
    to: message?.to ?? null,
  });
}

function returned(calls: AuditCalls, event: EventMap['tool:returned'], spot: Spot): AuditCalls {
  const id = event.tool_use_id;
  const data = objectOf(event.result);
  // An update whose call is not in the input still says which task it was about.
  const task = idOf(data?.taskId);
  const tool = event.tool ?? (task === null ? null : 'TaskUpdate');
  const subject = subjectOf(tool, false);
  if (id === null || tool === null || subject === null) return calls;
  const known = calls.get(id) ?? { ...unasked(spot, id, tool, subject), task };
  if (known.outcome !== 'open') return calls;
  const { session_id, team, agent } = known;
  return calls.set(id, {
    ...known,
    ...spot,
    ...{ session_id, team: event.team ?? team, agent, time: event.time ?? known.time },
    ...(event.success ? { outcome: 'ok' } : { outcome: 'failed', ...failureOf(event) }),
    from: textOf(objectOf(data?.statusChange)?.from),
  });
}

function failureOf({ tool, result, is_error }: EventMap['tool:returned']): Pick<AuditCall, 'error' | 'error_code'> {
  const block = { content: result, is_error };
  const { data, error: said } = readOutcome(block, objectOf(result) ?? undefined, wordsOf(tool));
  // TaskGet says it in a text that stands beside its structured result.
  const error = said ?? (data?.task === null ? 'Task not found' : null);
  return { error, error_code: errorCode(data, error) };
}

function failed(
  calls: AuditCalls,
  id: string | null,
  spot: Spot,
  said: Pick<AuditCall, 'tool' | 'subject' | 'error'> & Partial<Pick<AuditCall, 'error_code' | 'type' | 'to'>>,
): AuditCalls {
  if (id === null || calls.has(id)) return calls;
  const { tool, subject, error, error_code = null, type = null, to = null } = said;
  return calls.set(id, { ...unasked(spot, id, tool, subject), outcome: 'failed', error, error_code, type, to });
}

function withoutRetracted(calls: AuditCalls, ids: unknown): AuditCalls {
  let left = calls;
  for (const id of Array.isArray(ids) ? ids : [])
    if (typeof id === 'string' && left.get(id)?.outcome === 'open') left = left.delete(id);
  return left;
}

function unasked(spot: Spot, id: string, tool: string, subject: Subject): AuditCall {
  const nothing = { error: null, error_code: null, teamName: null, name: null, task: null, type: null, to: null };
  return { ...spot, id, tool, subject, outcome: 'open', missing: [], ...nothing, from: null };
}

const subjects: Readonly<Record<string, Subject>> = {
  TeamCreate: 'teams',
  TeamDelete: 'teams',
  Teammate: 'teams',
  Task: 'teams',
  Agent: 'teams',
  TaskCreate: 'tasks',
  TaskUpdate: 'tasks',
  TaskGet: 'tasks',
  TaskList: 'tasks',
  TodoWrite: 'tasks',
  TaskOutput: 'tasks',
  TaskStop: 'tasks',
  SendMessage: 'messages',
};

function subjectOf(tool: string | null, sends: boolean): Subject | null {
  if (tool === null || !Object.hasOwn(subjects, tool)) return null;
  return sends ? 'messages' : (subjects[tool] ?? null);
}

function missingIn(tool: string, input: JsonObject, message: Message | null): string[] {
  if (message !== null) return missingInMessage(tool, input, message);
  const has = (name: string) => idOf(input[name]) !== null;
  // Agents that join no team need no name.
  if (tool === 'Task' || tool === 'Agent') return has('team_name') && !has('name') ? ['name'] : [];
  if (tool === 'Teammate' && input.operation === 'spawnTeam') return has('team_name') ? [] : ['team_name'];
  const missing = missingInputs(tool, input);
  return tool === 'TaskCreate' && !has('description') ? [...missing, 'description'] : missing;
}

type Part = 'to' | 'content' | 'request_id' | 'approve' | 'summary';

function missingInMessage(tool: string, input: JsonObject, message: Message): string[] {
  const needs = messageNeeds[message.type] ?? ['to'];
  // Only the first generation of SendMessage insists on a summary.
  const first = tool === 'SendMessage' && input.to === undefined && input.message === undefined;
  const summed = first && (message.type === 'message' || message.type === 'broadcast');
  const all: readonly Part[] = summed ? [...needs, 'summary'] : needs;
  return all
    .filter((part) => message[part] === null || message[part] === '')
    .map((part) => (part === 'to' ? 'recipient' : part));
}

const messageNeeds: Readonly<Record<string, readonly Part[]>> = {
  message: ['to', 'content'],
  broadcast: ['content'],
  shutdown_request: ['to'],
  shutdown_response: ['request_id', 'approve'],
  plan_approval_response: ['request_id', 'approve', 'to'],
};
