import { timeOf } from '../../record/fields.js';
import { finishAgent, finishWork, isAgentTask, spawnNews, startAgent, startWork, whose } from '../agents.js';
import { type Call, type Context, noAgentEnd, type Origin } from '../context.js';
import { changed } from '../members.js';
import { alias, canonical, nameOf } from '../sessions.js';
import { read, spawnCallWire, type TaskFrameWire, taskFrameWire } from '../shapes.js';
import { isSpawnTool } from '../tools/table.js';

/** task_started, task_progress, task_updated, task_notification: the life of an agent, or of a shell, monitor or workflow. */
export function taskFrame(context: Context, at: Origin, subtype: string): void {
  const frame = read(taskFrameWire, at.record);
  const call = frame.tool_use_id == null ? undefined : context.calls.get(frame.tool_use_id);
  const found = agentOf(at, frame, call);
  if (subtype === 'task_started') return started(context, at, frame, call, found);
  const id = found === null ? null : ensureKnown(context, at, frame, found);
  if (subtype === 'task_notification') ended(context, at, frame, id, frame.status ?? null);
  else if (subtype === 'task_updated' && isTerminal(frame.patch?.status))
    ended(context, at, frame, id, frame.patch?.status ?? null);
  else progressed(context, at, frame, id);
}

/** The agent a frame is about; null when it is about work that is no agent. */
function agentOf(at: Origin, frame: TaskFrameWire, call: Call | undefined): string | null {
  const { session } = at;
  const task = frame.task_id ?? '';
  const known = canonical(session, task);
  if (session.agents.has(known)) return known;
  if (!isAgentTask(frame.task_type, call)) return null;
  const byCall = frame.tool_use_id == null ? null : session.aliases.get(frame.tool_use_id);
  if (byCall != null && session.agents.has(byCall)) return byCall;
  // Joined late: only agents have a type and tokens.
  const isAgent =
    frame.task_type != null ||
    call !== undefined ||
    byCall != null ||
    frame.subagent_type != null ||
    frame.usage != null;
  return isAgent && task !== '' ? task : null;
}

/** A stream joined after the agent was spawned: what the frame says of it is all there is. */
function ensureKnown(context: Context, at: Origin, frame: TaskFrameWire, id: string): string {
  if (at.session.agents.has(id)) return id;
  // 2.1.140 ends a teammate with a notification that sums it up as `writer@report-crew`.
  const mate = /^([^@\s]+)@([^@\s]+)$/.exec(frame.summary ?? '');
  const own = {
    task_id: frame.task_id ?? null,
    tool_use_id: frame.tool_use_id ?? null,
    run_id: frame.run_id ?? null,
    agent_type: frame.subagent_type ?? null,
  };
  if (mate === null) return startAgent(context, at, { ...own, id, description: frame.description ?? null }).id;
  at.session.team ??= mate[2] ?? null;
  return startAgent(context, at, { ...own, id: mate[0], kind: 'teammate', name: mate[1] ?? null }).id;
}

function started(context: Context, at: Origin, frame: TaskFrameWire, call: Call | undefined, id: string | null): void {
  const parent = frame.parent_task_id == null ? (call?.at.agent ?? null) : canonical(at.session, frame.parent_task_id);
  const own = {
    description: frame.description ?? null,
    prompt: frame.prompt ?? null,
    agent_type: frame.subagent_type ?? null,
    parent,
    tool_use_id: frame.tool_use_id ?? null,
    task_id: frame.task_id ?? null,
    task_type: frame.task_type ?? null,
    run_id: frame.run_id ?? null,
    background: frame.is_backgrounded ?? null,
    ambient: frame.ambient === true || frame.skip_transcript === true,
  };
  if (id === null) {
    return startWork(context, { ...at, agent: parent ?? at.agent, time: at.time ?? call?.calledAt ?? null }, own);
  }
  if (call === undefined || !isSpawnTool(call.tool)) {
    // Resumed by a message: the prompt is that message, and the agent keeps its name. Or joined late: a teammate's description begins with its name.
    const mate = /teammate/.test(frame.task_type ?? '') ? /^([^:\s]+): /.exec(frame.description ?? '')?.[1] : undefined;
    startAgent(
      context,
      { ...at, agent: parent ?? at.agent },
      {
        ...own,
        id,
        description: at.session.agents.get(id)?.description ?? own.description,
        ...(mate === undefined ? {} : { kind: 'teammate' as const, name: mate }),
      },
    );
    return;
  }
  call.seen = true;
  if (/teammate/.test(frame.task_type ?? '')) {
    // Its receipt, which follows, has the name it goes by.
    alias(at.session, frame.task_id, call.id);
    return;
  }
  const asked = spawnNews(read(spawnCallWire, call.input));
  startAgent(
    context,
    { ...at, agent: call.at.agent, time: at.time ?? call.calledAt },
    {
      ...asked,
      ...own,
      id,
      agent_type: own.agent_type ?? asked.agent_type ?? null,
      description: asked.description ?? own.description,
      prompt: own.prompt ?? asked.prompt ?? null,
      background: own.background ?? asked.background ?? null,
    },
  );
}

function ended(context: Context, at: Origin, frame: TaskFrameWire, id: string | null, status: string | null): void {
  const own = {
    task_id: frame.task_id ?? null,
    task_type: frame.task_type ?? null,
    run_id: frame.run_id ?? null,
    tool_use_id: frame.tool_use_id ?? null,
    status: status === 'killed' ? 'stopped' : status,
    summary: frame.summary ?? frame.patch?.error ?? null,
    ...usage(frame),
  };
  const when = { ...at, time: at.time ?? timeOf(frame.patch?.end_time) };
  if (id === null) finishWork(context, when, own);
  else finishAgent(context, when, id, own);
  if (id !== null && at.session.agents.get(id)?.kind === 'teammate')
    changed(context, { ...when, agent: id }, 'team:member:shutdown', nameOf(at.session, id), null);
}

function progressed(context: Context, at: Origin, frame: TaskFrameWire, id: string | null): void {
  if (id !== null) alias(at.session, frame.tool_use_id, id);
  const last = frame.last_tool_name ?? null;
  const own = {
    ...noAgentEnd,
    task_id: frame.task_id ?? null,
    task_type: frame.task_type ?? null,
    run_id: frame.run_id ?? null,
    tool_use_id: frame.tool_use_id ?? null,
  };
  const said = {
    status: frame.patch?.status ?? null,
    summary: frame.summary ?? frame.patch?.description ?? frame.description ?? null,
    ...usage(frame),
  };
  context.emit({ ...at, agent: id ?? whose(at, own.task_id).agent }, 'agent:progressed', {
    ...own,
    ...said,
    background: frame.patch?.is_backgrounded ?? null,
    last_tool: last,
  });
}

function usage(frame: TaskFrameWire) {
  return {
    total_tokens: frame.usage?.total_tokens ?? null,
    tool_uses: frame.usage?.tool_uses ?? null,
    duration_ms: frame.usage?.duration_ms ?? null,
  };
}

function isTerminal(status: string | null | undefined): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped';
}
