// Keeps what only findings need: where and when things were seen, and the calls of team tools.
import type { Event, EventMap, Message } from '../../core/event/event.js';
import { idOf, type JsonObject, objectOf, textOf } from '../../core/record/json.js';
import { type Caller, isFirstCaller } from '../../core/tables/calls/calls.js';
import type { Moment } from '../../core/tables/moments.js';
import { isWithdrawn } from '../../core/wire/tools/call-meta.js';
import { actOf, auditOf, isSpawnTool, missingInputs, wordsOf } from '../../core/wire/tools/table.js';
import { errorCode, readToolResult } from '../../core/wire/tools/tool-result.js';
import type { Subject } from './row.js';

/** Where and when something was seen. */
export interface Spot {
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly time: string | null;
  /** Its time, else the time of the record before it in the same file, because frames and results have no times. */
  readonly at: string | null;
  readonly line: number | null;
  readonly source: string | null;
  readonly seq: number;
}

/** `at`: the best estimate of when it happened. */
export function spotOf({ session_id, team, agent, time, line, source, seq }: Event, at: string | null): Spot {
  return { session_id, team, agent, time, at, line, source: source ?? null, seq };
}

/** Where and when something happened to a call. */
export function spotIn({ session_id, team, agent }: Caller, moment: Moment | null): Spot {
  const isoTime = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString());
  const [time, at, line] = [isoTime(moment?.own), isoTime(moment?.own ?? moment?.near), moment?.line || null];
  return { session_id, team, agent, time, at, line, source: moment?.source || null, seq: line ?? 0 };
}

/** Identifies a spot. It stays the same when the same input is read again. */
export function spotKey({ time, source, line }: Spot): string {
  return time ?? `${source ?? ''}:${line}`;
}

/** By time if both have one, else in reading order. */
export function isEarlierSpot(a: Spot, b: Spot): boolean {
  return a.at !== null && b.at !== null && a.at !== b.at ? a.at < b.at : a.seq < b.seq;
}

/** A call of a team tool. After the result came, the spot is that of the result; the agent is always the caller. */
export interface AuditCall extends Spot, Caller {
  readonly id: string;
  readonly tool: string;
  readonly subject: Subject;
  readonly outcome: 'open' | 'ok' | 'failed';
  readonly error: string | null;
  readonly error_code: string | null;
  /** A person refused or interrupted it, or it was cancelled with another call. */
  readonly withdrawn: boolean;
  /** Required inputs it does not have. */
  readonly missing: readonly string[];
  /** What it asked for: a team, a name for an agent, a task. */
  readonly teamName: string | null;
  readonly name: string | null;
  readonly task: string | null;
  /** The type of the message, if the call sends one. */
  readonly type: string | null;
  readonly to: string | null;
  /** The status of the task before the call, from the result. */
  readonly from: string | null;
}

/** By id. */
export type AuditCalls = Map<string, AuditCall>;

export function noteAuditCall(calls: AuditCalls, event: Event, spot: Spot): void {
  switch (event.event) {
    case 'tool:called':
      return noteCalled(calls, event, spot);
    case 'tool:returned':
      return noteReturned(calls, event, spot);
    // These results are recognized by their shape, even if the call is not in the input.
    case 'team:message:failed': {
      const { error, error_code, type, to } = event.message;
      const said = { outcome: 'failed', error, error_code, type, to } as const;
      return noteNew(calls, event.tool_use_id, 'SendMessage', 'messages', spot, said);
    }
    case 'team:cleanup_failed': {
      const said = { outcome: 'failed', error: event.error } as const;
      // The call is not in the input, so nobody knows which tool it was.
      return noteNew(calls, event.tool_use_id, 'cleanup', 'teams', spot, said);
    }
    case 'session:changed': {
      const ids: unknown = event.subtype === 'retracted' ? event['tool_use_ids'] : null;
      for (const id of Array.isArray(ids) ? ids : []) if (calls.get(id)?.outcome === 'open') calls.delete(id);
    }
  }
}

function noteCalled(calls: AuditCalls, event: EventMap['tool:called'], spot: Spot): void {
  const { tool, tool_use_id, message } = event;
  const subject = subjectOf(tool, message !== null);
  const input = objectOf(event.input);
  if (tool === null || subject === null) return;
  noteNew(calls, tool_use_id, tool, subject, spot, {
    missing: input === null ? [] : missingIn(tool, input, message),
    teamName: textOf(input?.team_name),
    name: textOf(input?.name),
    task: idOf(input?.taskId) ?? idOf(input?.task_id),
    type: message?.type ?? null,
    to: message?.to ?? null,
    copied: event.copied,
  });
  const known = calls.get(tool_use_id ?? '');
  if (known === undefined || !isFirstCaller(event, known)) return;
  // Until now only a fork was read, which repeats the call.
  const { session_id, team, agent, copied } = event;
  calls.set(known.id, { ...known, session_id, team, agent, copied });
}

function noteReturned(calls: AuditCalls, event: EventMap['tool:returned'], spot: Spot): void {
  const id = event.tool_use_id;
  const data = objectOf(event.result);
  // An update whose call is not in the input still says which task it was about. A workflow has a taskId too.
  const task = typeof data?.success === 'boolean' ? idOf(data.taskId) : null;
  const tool = event.tool ?? (task === null ? null : 'TaskUpdate');
  const subject = subjectOf(tool, false);
  if (id === null || tool === null || subject === null) return;
  noteNew(calls, id, tool, subject, spot, { task });
  const known = calls.get(id);
  if (known === undefined) return;
  if (known.outcome !== 'open') {
    if (known.team === null && known.session_id === event.session_id) calls.set(id, { ...known, team: event.team });
    return;
  }
  const { session_id, team, agent } = known;
  calls.set(id, {
    ...known,
    ...spot,
    ...{ session_id, team: event.team ?? team, agent, time: event.time ?? known.time },
    ...(event.success ? { outcome: 'ok' } : { outcome: 'failed', ...failureOf(event) }),
    from: textOf(objectOf(data?.statusChange)?.from),
  });
}

function noteNew(
  calls: AuditCalls,
  id: string | null,
  tool: string,
  subject: Subject,
  spot: Spot,
  said: Partial<AuditCall>,
): void {
  if (id !== null && !calls.has(id)) calls.set(id, { ...spot, ...emptyCall, id, tool, subject, ...said });
}

const emptyCall = {
  outcome: 'open',
  ...{ error: null, error_code: null, withdrawn: false, missing: [] },
  ...{ teamName: null, name: null, task: null, type: null, to: null, from: null },
} as const;

function failureOf({
  tool,
  result,
  is_error,
}: EventMap['tool:returned']): Pick<AuditCall, 'error' | 'error_code' | 'withdrawn'> {
  const block = { content: result, is_error };
  const { data, error: said } = readToolResult(block, objectOf(result) ?? undefined, wordsOf(tool));
  // TaskGet says this only in the text beside its structured result.
  const error = said ?? (data?.task === null ? 'Task not found' : null);
  return { error, error_code: errorCode(data, error), withdrawn: isWithdrawn(error) };
}

function subjectOf(tool: string | null, sends: boolean): Subject | null {
  const subject = tool === null ? null : auditOf(tool);
  return sends && subject !== null ? 'messages' : subject;
}

function missingIn(tool: string, input: JsonObject, message: Message | null): string[] {
  if (message !== null) return missingInMessage(tool, input, message);
  const hasInput = (name: string) => idOf(input[name]) !== null;
  // Agents that do not join a team need no name.
  if (isSpawnTool(tool)) return hasInput('team_name') && !hasInput('name') ? ['name'] : [];
  if (actOf(tool, input) === 'createTeam') return hasInput('team_name') ? [] : ['team_name'];
  const missing = missingInputs(tool, input);
  return actOf(tool) === 'createTask' && !hasInput('description') ? [...missing, 'description'] : missing;
}

type MessagePart = 'to' | 'content' | 'request_id' | 'approve' | 'summary';

function missingInMessage(tool: string, input: JsonObject, message: Message): string[] {
  const needs = messageNeeds.get(message.type) ?? ['to'];
  // Only the first version of SendMessage requires a summary.
  const first = tool === 'SendMessage' && input.to === undefined && input.message === undefined;
  const needsSummary = first && (message.type === 'message' || message.type === 'broadcast');
  const all: readonly MessagePart[] = needsSummary ? [...needs, 'summary'] : needs;
  return all
    .filter((part) => message[part] === null || message[part] === '')
    .map((part) => (part === 'to' ? 'recipient' : part));
}

/** A Map, because the type of a message may be the name of any property. */
const messageNeeds: ReadonlyMap<string, readonly MessagePart[]> = new Map([
  ['message', ['to', 'content']],
  ['broadcast', ['content']],
  ['shutdown_request', ['to']],
  ['shutdown_response', ['request_id', 'approve']],
  ['plan_approval_response', ['request_id', 'approve', 'to']],
]);
