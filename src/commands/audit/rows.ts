// What all audits share: where and when things were seen, what the calls of team tools say, and how findings are made.
import type { Event, EventMap, Message } from '../../core/event/event.js';
import { idOf, type JsonObject, objectOf, textOf } from '../../core/record/json.js';
import type { AgentsState } from '../../core/tables/agents.js';
import type { CallEvent, Caller, Calls } from '../../core/tables/calls/calls.js';
import type { CallTexts } from '../../core/tables/calls/details.js';
import { resolveAgent, teamOf } from '../../core/tables/directory.js';
import type { Moment } from '../../core/tables/moments.js';
import { compare, type Place } from '../../core/tables/order.js';
import { isWithdrawn } from '../../core/wire/tools/call-meta.js';
import { actOf, auditOf, isSpawnTool, missingInputs, wordsOf } from '../../core/wire/tools/table.js';
import { errorCode, readToolResult } from '../../core/wire/tools/tool-result.js';
import { type Audited, countedBy, type FindingRow, type Limit, type RuleName, rules, type Subject } from './row.js';

export type { FindingRow } from './row.js';

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
  // An update whose call is not in the input still says which task it was about. A workflow has a taskId too.
  const task = event.tool === null && typeof data?.success === 'boolean' ? idOf(data.taskId) : null;
  const tool = event.tool ?? (task === null ? null : 'TaskUpdate');
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

/** The known members of each team. */
export interface Roster {
  /** Whether an agent with this name or id exists. */
  knowsAgent(place: Place, who: string): boolean;
  /** Whether all members of the team are known, so that an unknown name is wrong. */
  isComplete(place: Place): boolean;
}

/** A finding at a spot. Its agent is the spot's, unless `about` names another. */
export function finding(agents: AgentsState, rule: RuleName, spot: Spot, about: About): FindingRow {
  const agent = spot.agent === null ? null : resolveAgent(agents, spot, spot.agent).name;
  return findingAt(rule, { ...spot, team: teamOf(agents, spot) }, { agent, ...about });
}

/** A finding at a place whose team is known. */
export function findingAt(
  rule: RuleName,
  { time, session_id, team, line }: Pick<FindingRow, 'time' | 'session_id' | 'team' | 'line'>,
  about: About,
): FindingRow {
  const { severity } = rules[rule];
  return { time, session_id, team, rule, severity, agent: null, task: null, tool_use_id: null, line, ...about };
}

export function sortedFindings(findings: readonly FindingRow[]): FindingRow[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.time, b.time) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.rule, b.rule) ||
      compare(a.tool_use_id, b.tool_use_id) ||
      compare(a.detail, b.detail) ||
      compare(JSON.stringify(a), JSON.stringify(b)),
  );
}

/** One finding per bad call: the rule that its error code names, else a missing input, else the failure. */
export function callFindings(agents: AgentsState, calls: AuditCalls, audited: Audited): FindingRow[] {
  return [...calls.values()].flatMap((call) => {
    const rule = call.subject === audited ? ruleOf(call) : null;
    if (rule === null) return [];
    const detail = rule === 'missing_field' ? missingText(call) : failureText(call);
    const isNote = rule === 'failed_call' && call.withdrawn;
    return finding(agents, rule, call, {
      ...{ tool_use_id: call.id, task: call.task ?? null, detail },
      ...(isNote && { severity: 'note' as const }),
    });
  });
}

/** The first one above the limit; null if there is none. */
export function tooMany<S extends Spot>(all: readonly S[], limit: Limit): Passed<S> | null {
  const at = ordered(all)[limit.max];
  return at === undefined ? null : { at, detail: limitText(all.length, limit) };
}

/** Each period in which a rate was exceeded. Takes linear time. */
export function tooFast<S extends Spot>(all: readonly S[], limit: Limit): Passed<S>[] {
  const timed = ordered(all.filter(({ time }) => time !== null));
  const times = timed.map(({ time }) => Date.parse(time ?? ''));
  const window = (limit.seconds ?? 0) * 1000;
  const stretches: { readonly at: S; most: number }[] = [];
  let from = 0;
  let isOver = false;
  for (const [place, at] of timed.entries()) {
    const now = times[place] ?? 0;
    while (now - (times[from] ?? now) >= window) from++;
    const count = place - from + 1;
    if (count > limit.max && !isOver) stretches.push({ at, most: 0 });
    isOver = count > limit.max;
    const stretch = isOver ? stretches.at(-1) : undefined;
    if (stretch !== undefined) stretch.most = Math.max(stretch.most, count);
  }
  return stretches.map(({ at, most }) => ({ at, detail: limitText(most, limit) }));
}

export function limitText(count: number, limit: Limit): string {
  return `${count} ${countedBy(limit)}, limit ${limit.max}`;
}

/** `severity`: if it is another one than the rule says. */
type About = Partial<Omit<FindingRow, 'rule'>> & { detail: string };

function ruleOf({ subject, outcome, missing, type, error_code }: AuditCall): RuleName | null {
  const hasFailed = outcome === 'failed';
  if (hasFailed && subject === 'messages' && type === 'broadcast') return 'refused_broadcast';
  const named = hasFailed ? refusals[subject].get(error_code ?? null) : undefined;
  return named ?? (missing ? 'missing_field' : hasFailed ? 'failed_call' : null);
}

/** The rule that an error code names. */
const refusals: Readonly<Record<Subject, ReadonlyMap<string | null, RuleName>>> = {
  teams: new Map([
    ['team_already_exists', 'duplicate_name'],
    ['agent_already_exists', 'duplicate_name'],
  ]),
  tasks: new Map([
    ['circular_dependency', 'circular_dependency'],
    ['invalid_status', 'status_backwards'],
    ['agent_not_found', 'unknown_owner'],
  ]),
  messages: new Map([['agent_not_found', 'unknown_recipient']]),
};

function missingText(call: AuditCall): string {
  const without = `${call.tool} without ${call.missing}`;
  return call.error == null ? without : `${without}: ${call.error}`;
}

function failureText({ tool, to, error, error_code }: AuditCall): string {
  const what = to == null ? tool : `${tool} to ${to}`;
  if (error == null || error === error_code) return `${what}: ${error_code ?? 'no reason given'}`;
  return `${what}: ${error}${error_code == null ? '' : ` (${error_code})`}`;
}

interface Passed<S> {
  /** The one that exceeded the limit. */
  readonly at: S;
  readonly detail: string;
}

/** The earliest first. */
export function ordered<S extends Spot>(spots: readonly S[]): S[] {
  return spots.toSorted((a, b) => (isEarlierSpot(a, b) ? -1 : isEarlierSpot(b, a) ? 1 : 0));
}
