// Matches each result with its call by id, and runs the handler for what the tool does.
import { objectOf } from '../../record/json.js';
import { noticeIdle } from '../agents.js';
import {
  type Call,
  type Context,
  noInput,
  type Origin,
  ofAgent,
  passTime,
  type ToolReading,
  type Waiting,
} from '../context.js';
import { isRepeated } from '../dialects/usage.js';
import type { BlockView, ResultView } from '../view.js';
import { briefResult } from './about.js';
import { backgroundShell, outputRead, stopped, workStarted } from './background.js';
import { isDenied, reportedMs, serverOf } from './call-meta.js';
import { keepEarly } from './early-results.js';
import { readSend, sent } from './send.js';
import { type Act, actOf, eventsOf, hasEffect, isUnknownTeamTool, toolOfShape, wordsOf } from './table.js';
import { taskCreated, taskListed, taskRead, taskUpdated, todosWritten } from './task.js';
import { planSubmitted, skillUsed, spawned, teamCreated, teamDeleted } from './team.js';
import { ToolResult } from './tool-result.js';

/** Handles a tool_use block. A call seen before, in a copy or another file, is not counted again. */
export function openCall(context: Context, at: Origin, block: BlockView): void {
  if (!block.isNewCall(context.seen)) return;
  const { id, name: tool } = block;
  const { needsInput, isUnknown } = readingOf(context, tool);
  const given = needsInput ? block.input() : null;
  const input = objectOf(given) ?? noInput;
  if (isUnknown && context.seen.add(`tool ${tool}`)) {
    context.warn(`tool ${tool} looks like a team tool, but cct does not know it; its calls are kept as tool:called`);
  }
  noticeIdle(context, at, tool, input);
  // Field by field, here and below: calls are frequent, and a spread takes ten times as long.
  const { record, session, agent, time, line, transcript } = at;
  const place = { session, agent, time, line, transcript, said: record.mark(context.seen.seed) };
  const copied = isRepeated(at) || undefined;
  const mark = block.callMark(context.seen.seed);
  const call = { id: id ?? '', mark, tool, input, at: place, calledAt: time, seen: false, copied };
  if (id !== null) {
    context.calls.open(call);
    context.early?.drop(mark, context.place);
  }
  const message = copied ? null : readSend(call);
  // A message that is never sent is known only by its call.
  if (message === null && !context.isWanted(at, 'tool:called')) return;
  const server = context.content === 'none' ? null : serverOf(tool, input, record);
  context.tell(at, {
    cct: 1,
    seq: 0,
    event: 'tool:called',
    time,
    session_id: session.id,
    team: session.team,
    agent,
    line,
    source: undefined,
    tool,
    tool_use_id: id,
    message_id: record.messageId,
    input: given ?? null,
    server: server ?? undefined,
    message,
    copied,
  });
}

/** How the calls of a tool are read. Worked out once per tool, because calls are frequent. */
export function readingOf(context: Context, tool: string): ToolReading {
  const known = context.tools.get(tool);
  if (known !== undefined) return known;
  const { content, detail } = context;
  const follows = isFollowed(context, tool);
  const reading = {
    isFollowed: follows,
    // The input of a tool that cct does not follow is only read for those who want to see it.
    needsInput: content !== 'none' || (follows && (detail !== 'rows' || actOf(tool) !== 'runShell')),
    isUnknown: isUnknownTeamTool(tool),
    words: hasEffect(tool) ? wordsOf(tool) : 'output',
  } as const;
  // Hostile input may invent any number of tools.
  if (context.tools.size >= mostTools) context.tools.clear();
  context.tools.set(tool, reading);
  return reading;
}
const mostTools = 1000;

/** Whether the input and the result of a tool matter to anybody. */
function isFollowed({ detail, wants }: Context, tool: string): boolean {
  const act = actOf(tool);
  // Most calls are shells, and few of them go to the background.
  if (act === null || (detail === 'sums' && act === 'runShell')) return false;
  return eventsOf(tool)?.some(wants) ?? true;
}

/** Handles a tool_result block. `result` is the record's structured result, if it has one. */
export function closeCall(context: Context, at: Origin, block: BlockView, result: ResultView): void {
  if (result.field('detachedToolCall') === true) {
    const own = { type: 'user', subtype: 'call_detached', tool_use_id: block.toolUseId };
    return context.emit(at, 'session:changed', own);
  }
  if (!block.isNewReturn(context.seen)) return;
  const call = context.calls.take(block.returnMark(context.seen.seed));
  const reading = call === undefined ? null : readingOf(context, call.tool);
  // Most calls mean nothing to those who do not ask for calls.
  if (reading?.isFollowed === false && !context.wants('tool:returned')) return passTime(context, at.time);
  const id = block.toolUseId;
  const outcome = new ToolResult(block, result, reading?.words ?? 'anybody');
  const shape = call?.tool ?? (result.isObject && !result.isTelling ? null : toolOfShape(outcome.data));
  if (context.isWanted(at, 'tool:returned')) returned(context, at, id, call, outcome);
  if (reading?.isFollowed === false || call?.copied || isRepeated(at)) return;
  if (call === undefined) keepEarly(context, at, block);
  if (shape !== null) tellEffect(context, at, { id: id ?? '', tool: shape }, call, outcome);
}

/** Tells what a call did. Without the call, its result shows some of it. */
export function tellEffect(
  context: Context,
  at: Origin,
  { id, tool }: Pick<Call, 'id' | 'tool'>,
  call: Waiting | undefined,
  outcome: ToolResult,
): void {
  if (!readingOf(context, tool).isFollowed) return;
  const input = call?.input ?? noInput;
  const act = actOf(tool, input);
  if (act === null) return;
  // Handlers need both times. The effect of a call has the time of its result.
  const { seen = false, calledAt = null } = call ?? {};
  const origin = ofAgent(at, call?.at.agent ?? at.agent);
  handlers[act](context, { id, tool, input, seen, calledAt, at: origin }, outcome);
}

export function returned(
  context: Context,
  at: Origin,
  id: string | null,
  call: Waiting | undefined,
  outcome: ToolResult,
): void {
  const { content } = context;
  const { session, agent, time, line } = at;
  const { isError: is_error, success } = outcome;
  const isTold = content !== 'none';
  // An agent that was running was interrupted, whatever the words say.
  const denied =
    isTold && !success && !call?.seen && isDenied(at.record, id, outcome, session.started?.permission_mode ?? null);
  context.tell(at, {
    cct: 1,
    seq: 0,
    event: 'tool:returned',
    time,
    session_id: session.id,
    team: session.team,
    agent,
    line,
    source: undefined,
    tool: call?.tool ?? null,
    tool_use_id: id,
    is_error,
    success,
    result: content === 'all' ? outcome.value : content === 'brief' ? briefResult(call?.tool ?? null, outcome) : null,
    result_bytes: content === 'sizes' ? outcome.bytes : undefined,
    error: isTold && !success ? (outcome.error ?? undefined) : undefined,
    denied: denied || undefined,
    duration_ms: isTold ? (reportedMs(call?.tool, outcome) ?? undefined) : undefined,
  });
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
  useSkill: skillUsed,
};
