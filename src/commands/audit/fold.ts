// What only findings need: where and when things were seen, and what the calls of team tools say.
import type { Event, EventMap, Message } from '../../core/event/event.js';
import { idOf, type JsonObject, objectOf, textOf } from '../../core/record/json.js';
import type { CallEvent, Caller, Calls } from '../../core/tables/calls/calls.js';
import type { CallTexts } from '../../core/tables/calls/details.js';
import type { Moment } from '../../core/tables/moments.js';
import { isWithdrawn } from '../../core/wire/tools/call-meta.js';
import { actOf, auditOf, isSpawnTool, missingInputs, toolOfShape, wordsOf } from '../../core/wire/tools/table.js';
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
export interface AuditCall extends Spot, CallTexts {
  readonly id: string;
  readonly tool: string;
  readonly subject: Subject;
  readonly outcome: 'open' | 'ok' | 'failed';
  /** A person refused or interrupted it, or it was cancelled with another call. */
  readonly withdrawn: boolean;
}

/** By id. */
export type AuditCalls = ReadonlyMap<string, AuditCall>;

/** The calls of team tools in a table that keeps what `callTexts` says. */
export function auditCalls(calls: Calls): AuditCalls {
  const found = new Map<string, AuditCall>();
  for (const { caller, tool, open, failed, details } of calls.all()) {
    if (details?.texts === undefined) continue;
    const { id, called, returned, texts } = details;
    const spot = spotIn(caller, returned ?? called);
    found.set(id, {
      ...{ ...spot, time: spot.time ?? spotIn(caller, called).time, ...texts, id, tool: tool.tool },
      subject: subjectOf(tool.tool, texts.type != null) ?? 'teams',
      outcome: open ? 'open' : failed ? 'failed' : 'ok',
      withdrawn: isWithdrawn(texts.error ?? null),
    });
  }
  return found;
}

/** What findings need of the input and the result of a call; null for the calls of other tools. */
export function callTexts(event: CallEvent): CallTexts | null {
  if (event.event === 'tool:called') return inputTexts(event);
  if (event.event === 'tool:returned') return resultTexts(event);
  // If the call is not in the input, nobody knows which tool it was.
  if (event.event === 'team:cleanup_failed') return { tool: 'cleanup', error: event.error };
  const { error, error_code, type, to } = event.message;
  return { tool: 'SendMessage', error, error_code, type, to };
}

function inputTexts({ tool, message, input: given }: EventMap['tool:called']): CallTexts | null {
  if (tool === null || subjectOf(tool, message !== null) === null) return null;
  const input = objectOf(given);
  return {
    tool,
    missing: (input === null ? [] : missingIn(tool, input, message)).join(', ') || null,
    teamName: textOf(input?.team_name),
    name: textOf(input?.name),
    task: idOf(input?.taskId) ?? idOf(input?.task_id),
    type: message?.type ?? null,
    to: message?.to ?? null,
  };
}

function resultTexts(event: EventMap['tool:returned']): CallTexts | null {
  const data = objectOf(event.result);
  const tool = event.tool ?? toolOfShape(data);
  // An update whose call is not in the input still says which task it was about.
  const task = event.tool === null && tool !== null && actOf(tool) === 'updateTask' ? idOf(data?.taskId) : null;
  if (event.tool === null && task === null) return null;
  if (tool === null || subjectOf(tool, false) === null) return null;
  return { tool, task, from: textOf(objectOf(data?.statusChange)?.from), ...(!event.success && failureOf(event)) };
}

function failureOf({ tool, result, is_error }: EventMap['tool:returned']): CallTexts {
  const block = { content: result, is_error };
  const { data, error: said } = readToolResult(block, objectOf(result) ?? undefined, wordsOf(tool));
  // TaskGet says this only in the text beside its structured result.
  const error = said ?? (data?.task === null ? 'Task not found' : null);
  return { error, error_code: errorCode(data, error) };
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
