import { countOf, flagOf, textOf, timeOf } from '../../record/fields.js';
import { changed, finishAgent, finishWork, noAgentEnd, spawnNews, startAgent, startWork, whose } from '../agents.js';
import type { Call, Context, Origin } from '../context.js';
import { type Read, read, spelled, whole } from '../read.js';
import { alias, canonical, nameOf } from '../sessions.js';
import { isSpawnTool, startsAgents } from '../tools/table.js';

/** `system` frames about work that has an id of its own: agents, shells, monitors, workflows. */
const frameShape = {
  task_id: textOf,
  tool_use_id: textOf,
  task_type: textOf,
  run_id: textOf,
  description: textOf,
  agent_type: spelled(textOf, 'subagent_type'),
  prompt: textOf,
  background: spelled(flagOf, 'is_backgrounded'),
  parent_task_id: textOf,
  ambient: flagOf,
  skip_transcript: flagOf,
  last_tool: spelled(textOf, 'last_tool_name'),
  summary: textOf,
  status: textOf,
  usage: whole({ total_tokens: countOf, tool_uses: countOf, duration_ms: countOf }),
  patch: whole({ status: textOf, description: textOf, end_time: countOf, error: textOf, is_backgrounded: flagOf }),
};
type Frame = Read<typeof frameShape>;

/** task_started, task_progress, task_updated, task_notification: the life of an agent, or of a shell, monitor or workflow. */
export function taskFrame(context: Context, at: Origin, subtype: string): void {
  const frame = read(frameShape, at.record);
  const call = frame.tool_use_id === null ? undefined : context.calls.get(frame.tool_use_id);
  const found = agentOf(at, frame, call);
  if (subtype === 'task_started') return started(context, at, frame, call, found);
  const id = found === null ? null : ensureKnown(context, at, frame, found);
  const patched = frame.patch?.status ?? null;
  if (subtype === 'task_notification') ended(context, at, frame, id, frame.status);
  else if (subtype === 'task_updated' && isTerminal(patched)) ended(context, at, frame, id, patched);
  else progressed(context, at, frame, id);
}

/** The agent a frame is about; null when it is about work that is no agent. */
function agentOf(at: Origin, frame: Frame, call: Call | undefined): string | null {
  const { session } = at;
  const task = frame.task_id ?? '';
  const known = canonical(session, task);
  if (session.agents.has(known)) return known;
  if (!isAgentTask(frame.task_type, call)) return null;
  const byCall = frame.tool_use_id === null ? undefined : session.aliases.get(frame.tool_use_id);
  if (byCall !== undefined && session.agents.has(byCall)) return byCall;
  // Joined late: only agents have a type and tokens.
  const isAgent =
    frame.task_type !== null ||
    call !== undefined ||
    byCall !== undefined ||
    frame.agent_type !== null ||
    frame.usage !== null;
  return isAgent && task !== '' ? task : null;
}

/** Work that is an agent, not a shell, monitor or workflow. Frames without a type are judged by their call. */
function isAgentTask(type: string | null, call: Call | undefined): boolean {
  return type ? /agent|teammate/.test(type) : call === undefined || startsAgents(call.tool);
}

/** A stream joined after the agent was spawned: what the frame says of it is all there is. */
function ensureKnown(context: Context, at: Origin, frame: Frame, id: string): string {
  if (at.session.agents.has(id)) return id;
  const { task_id, tool_use_id, run_id, agent_type, description } = frame;
  const own = { task_id, tool_use_id, run_id, agent_type };
  // 2.1.140 ends a teammate with a notification that sums it up as `writer@report-crew`.
  const mate = /^([^@\s]+)@([^@\s]+)$/.exec(frame.summary ?? '');
  if (mate === null) return startAgent(context, at, { ...own, id, description }).id;
  at.session.team ??= mate[2] ?? null;
  return startAgent(context, at, { ...own, id: mate[0], kind: 'teammate', name: mate[1] ?? null }).id;
}

function started(context: Context, at: Origin, frame: Frame, call: Call | undefined, id: string | null): void {
  const { description, prompt, agent_type, tool_use_id, task_id, task_type, run_id, background } = frame;
  const parent = frame.parent_task_id === null ? (call?.at.agent ?? null) : canonical(at.session, frame.parent_task_id);
  const ambient = frame.ambient === true || frame.skip_transcript === true;
  const own = { description, prompt, agent_type, parent, tool_use_id, task_id, task_type, run_id, background, ambient };
  const byParent = { ...at, agent: parent ?? at.agent };
  if (id === null) return startWork(context, { ...byParent, time: at.time ?? call?.calledAt ?? null }, own);
  const isTeammate = /teammate/.test(task_type ?? '');
  if (call === undefined || !isSpawnTool(call.tool)) {
    // Resumed by a message: the prompt is that message, and the agent keeps its name. Or joined late: a teammate's description begins with its name.
    const mate = isTeammate ? /^([^:\s]+): /.exec(description ?? '')?.[1] : undefined;
    startAgent(context, byParent, {
      ...own,
      id,
      description: at.session.agents.get(id)?.description ?? description,
      ...(mate === undefined ? {} : { kind: 'teammate', name: mate }),
    });
    return;
  }
  call.seen = true;
  // Its receipt, which follows, has the name it goes by.
  if (isTeammate) return alias(at.session, task_id, call.id);
  const asked = spawnNews(call.input);
  startAgent(
    context,
    { ...at, agent: call.at.agent, time: at.time ?? call.calledAt },
    {
      ...asked,
      ...own,
      id,
      agent_type: agent_type ?? asked.agent_type,
      description: asked.description ?? description,
      prompt: prompt ?? asked.prompt,
      background: background ?? asked.background,
    },
  );
}

function ended(context: Context, at: Origin, frame: Frame, id: string | null, status: string | null): void {
  const own = {
    ...endOf(frame),
    status: status === 'killed' ? 'stopped' : status,
    summary: frame.summary ?? frame.patch?.error ?? null,
  };
  const when = { ...at, time: at.time ?? timeOf(frame.patch?.end_time) };
  if (id === null) return finishWork(context, when, own);
  finishAgent(context, when, id, own);
  if (at.session.agents.get(id)?.kind === 'teammate')
    changed(context, { ...when, agent: id }, 'team:member:shutdown', nameOf(at.session, id), null);
}

function progressed(context: Context, at: Origin, frame: Frame, id: string | null): void {
  if (id !== null) alias(at.session, frame.tool_use_id, id);
  context.emit({ ...at, agent: id ?? whose(at, frame.task_id).agent }, 'agent:progressed', {
    ...noAgentEnd,
    ...endOf(frame),
    status: frame.patch?.status ?? null,
    summary: frame.summary ?? frame.patch?.description ?? frame.description,
    background: frame.patch?.is_backgrounded ?? null,
    last_tool: frame.last_tool,
  });
}

/** What every frame says of how far the work is. */
function endOf({ task_id, task_type, run_id, tool_use_id, usage }: Frame) {
  const { total_tokens = null, tool_uses = null, duration_ms = null } = usage ?? {};
  return { task_id, task_type, run_id, tool_use_id, total_tokens, tool_uses, duration_ms };
}

function isTerminal(status: string | null): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped';
}
