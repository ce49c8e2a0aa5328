// Calls of the team tools: what they lack, and how they failed.

import type { Event, EventMap, Message } from '../../core/event/event.js';
import { idOf, objectOf, textOf } from '../../core/record/fields.js';
import type { JsonObject } from '../../core/record/json.js';
import { compare } from '../../core/state/order.js';
import type { PersistentMap } from '../../core/state/persistent-map.js';
import { actOf, auditOf, isSpawnTool, missingInputs, wordsOf } from '../../core/wire/tools/table.js';
import { errorCode, readToolResult } from '../../core/wire/tools/tool-result.js';
import { type Facts, type Spot, spotOf } from './fold.js';
import { type Limit, type RuleName, type Subject, spelled } from './row.js';
import { type FindingRow, finding } from './rows.js';

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

export type AuditCalls = PersistentMap<AuditCall>;

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
  const { data, error: said } = readToolResult(block, objectOf(result) ?? undefined, wordsOf(tool));
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

function subjectOf(tool: string | null, sends: boolean): Subject | null {
  const subject = tool === null ? null : auditOf(tool);
  return sends && subject !== null ? 'messages' : subject;
}

function missingIn(tool: string, input: JsonObject, message: Message | null): string[] {
  if (message !== null) return missingInMessage(tool, input, message);
  const has = (name: string) => idOf(input[name]) !== null;
  // Agents that join no team need no name.
  if (isSpawnTool(tool)) return has('team_name') && !has('name') ? ['name'] : [];
  if (actOf(tool, input) === 'createTeam') return has('team_name') ? [] : ['team_name'];
  const missing = missingInputs(tool, input);
  return actOf(tool) === 'createTask' && !has('description') ? [...missing, 'description'] : missing;
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

// Findings any call of the team tools may give: what it lacks, and how it failed.

/** One finding for a call: what its error says it did wrong, else what it lacks, else that it failed. */
export function callFindings({ agents, audit }: Facts, subject: Subject): FindingRow[] {
  return audit.calls
    .values()
    .filter((call) => call.subject === subject)
    .flatMap((call) => {
      const rule = ruleOf(call);
      if (rule === null) return [];
      const detail = rule === 'missing_field' ? lack(call) : failure(call);
      return finding(agents, rule, call, { tool_use_id: call.id, task: call.task, detail });
    });
}

function ruleOf(call: AuditCall): RuleName | null {
  const named = call.outcome === 'failed' ? namedBy(call) : null;
  if (named !== null) return named;
  if (call.missing.length > 0) return 'missing_field';
  return call.outcome === 'failed' ? 'failed_call' : null;
}

function namedBy({ subject, type, error_code }: AuditCall): RuleName | null {
  if (subject === 'messages') {
    if (type === 'broadcast') return 'refused_broadcast';
    return error_code === 'agent_not_found' ? 'unknown_recipient' : null;
  }
  if (subject === 'teams')
    return error_code === 'team_already_exists' || error_code === 'agent_already_exists' ? 'duplicate_name' : null;
  if (error_code === 'circular_dependency') return 'circular_dependency';
  if (error_code === 'invalid_status') return 'status_backwards';
  return error_code === 'agent_not_found' ? 'unknown_owner' : null;
}

function lack(call: AuditCall): string {
  const without = `${call.tool} without ${call.missing.join(', ')}`;
  return call.error === null ? without : `${without}: ${call.error}`;
}

function failure({ tool, to, error, error_code }: AuditCall): string {
  const what = to === null ? tool : `${tool} to ${to}`;
  if (error === null || error === error_code) return `${what}: ${error_code ?? 'no reason given'}`;
  return `${what}: ${error}${error_code === null ? '' : ` (${error_code})`}`;
}

export interface Passed<S> {
  /** With which the limit was passed. */
  readonly at: S;
  readonly detail: string;
}

/** The first that is one too many; null while there are not. */
export function tooMany<S extends Spot>(all: readonly S[], limit: Limit): Passed<S> | null {
  const at = ordered(all)[limit.max];
  return at === undefined ? null : { at, detail: said(all.length, limit) };
}

/** Where a rate was passed: once for each stretch of time in which it was. Takes time in proportion to the spots. */
export function tooFast<S extends Spot>(all: readonly S[], limit: Limit): Passed<S>[] {
  const timed = ordered(all.filter(({ time }) => time !== null)).map((spot) => ({
    spot,
    at: Date.parse(spot.time ?? ''),
  }));
  const window = (limit.seconds ?? 0) * 1000;
  const stretches: { at: S; most: number }[] = [];
  let from = 0;
  let isOver = false;
  for (const [place, { spot, at }] of timed.entries()) {
    while (at - (timed[from]?.at ?? at) >= window) from++;
    const count = place - from + 1;
    if (count > limit.max) {
      if (!isOver) stretches.push({ at: spot, most: 0 });
      const stretch = stretches.at(-1);
      if (stretch !== undefined) stretch.most = Math.max(stretch.most, count);
    }
    isOver = count > limit.max;
  }
  return stretches.map(({ at, most }) => ({ at, detail: said(most, limit) }));
}

export function said(count: number, { max, counts, seconds }: Limit): string {
  return `${count} ${counts}${seconds === undefined ? '' : ` within ${spelled(seconds)}`}, limit ${max}`;
}

function ordered<S extends Spot>(spots: readonly S[]): S[] {
  return [...spots].sort((a, b) => compare(a.time, b.time) || a.seq - b.seq);
}
