// Reads the agents of a workflow: from the frames of a stream, and from the two files that a workflow leaves.
import { idOf, type JsonObject, listOf, objectOf, textOf, timeOf, wholeOf } from '../../record/json.js';
import { finishAgent, finishWork, startAgent, startWork } from '../agents.js';
import { atTime, type Context, type Origin } from '../context.js';
import { type Read, read, spelled } from '../read.js';
import { canonical } from '../sessions.js';

/** The type of work that a workflow is, as frames name it. */
export const workflowType = 'local_workflow';

/** Emits the news about the agents of a workflow. `list` has phases too. */
export function workflowAgents(context: Context, at: Origin, list: unknown, workflow: string | null): void {
  const parent = at.session.work.get(workflow ?? '')?.owner ?? null;
  for (const item of listOf(list) ?? []) {
    const entry = objectOf(item)?.type === 'workflow_agent' ? read(workflowAgent, item) : null;
    // One that waits for its turn has no conversation yet.
    if (entry === null || entry.id === null || entry.state === 'queued') continue;
    const { model, started_at, seen_at, duration_ms } = entry;
    const agent = startAgent(context, atTime(at, started_at ?? at.time), {
      id: canonical(at.session, entry.id),
      agent_type: entry.agent_type ?? usualType,
      description: entry.label,
      model,
      parent,
      workflow,
    });
    const status = agentStatus(entry);
    // Every list shows again what earlier ones showed.
    if (status === null || agent.finished) continue;
    finishAgent(context, atTime(at, seen_at ?? at.time), agent.id, {
      status,
      summary: status === 'stopped' ? null : entry.error,
      result: entry.result,
      model,
      total_tokens: entry.tokens,
      tool_uses: entry.tool_uses,
      duration_ms,
    });
  }
}

/** The agents of a workflow that has ended do not run on, even if no list shows their end. `status`: what became of them. */
export function endWorkflow(context: Context, at: Origin, workflow: string, status: 'completed' | 'stopped'): void {
  for (const agent of at.session.agents.values())
    if (agent.workflow === workflow && !agent.finished) finishAgent(context, at, agent.id, { status });
}

/** workflows/wf_<id>.json, written when the workflow has ended. */
export function workflowFile(context: Context, at: Origin): void {
  const record = at.record.whole();
  const { started_at, ended_at, name, summary, task_id, status, ...end } = read(workflowShape, record);
  const ended = atTime(at, ended_at ?? at.time);
  const work = { task_id, task_type: workflowType };
  startWork(context, atTime(at, started_at), { ...work, description: summary ?? name, background: true });
  workflowAgents(context, at, record.workflowProgress, task_id);
  if (status === null || status === 'running') return;
  // Its list is complete: whoever is not done was stopped, even if the workflow is completed.
  if (task_id !== null) endWorkflow(context, ended, task_id, 'stopped');
  finishWork(context, ended, { ...work, ...end, status });
}

/** A workflow journal, `{"type":"result","key":"v2:…","agentId":"…","result":…}`, is no result of a session. */
export function isJournal(record: JsonObject): boolean {
  return typeof record.key === 'string' && typeof record.agentId === 'string';
}

/**
 * A row of journal.jsonl. Rows have no times, and the file is read as it was left: what it says is later than what the
 * conversations say.
 */
export function journalRow(context: Context, at: Origin, type: string): void {
  const { label, result = null } = at.record.whole();
  const id = at.record.writer.agentId;
  if (id === null) return;
  const agent = startAgent(context, at, { id, agent_type: usualType, description: textOf(label) });
  if (type === 'started' || agent.finished) return;
  const status = type === 'failed' ? 'failed' : 'completed';
  finishAgent(context, at, id, { status, result, on_disk: true });
}

const workflowAgent = {
  id: spelled(idOf, 'agentId'),
  label: textOf,
  agent_type: spelled(textOf, 'agentType'),
  model: textOf,
  state: textOf,
  started_at: spelled(timeOf, 'startedAt'),
  seen_at: spelled(timeOf, 'lastProgressAt'),
  error: textOf,
  /** How the workflow ended while the agent was at work. */
  ended_with: spelled(textOf, 'endedWithRun'),
  result: spelled(textOf, 'resultPreview'),
  tokens: wholeOf,
  tool_uses: spelled(wholeOf, 'toolCalls'),
  duration_ms: spelled(wholeOf, 'durationMs'),
};

const workflowShape = {
  task_id: spelled(idOf, 'taskId'),
  name: spelled(textOf, 'workflowName'),
  /** What the workflow does, in the words of its script. */
  summary: textOf,
  status: textOf,
  started_at: spelled(timeOf, 'startTime'),
  ended_at: spelled(timeOf, 'timestamp'),
  total_tokens: spelled(wholeOf, 'totalTokens'),
  tool_uses: spelled(wholeOf, 'totalToolCalls'),
  duration_ms: spelled(wholeOf, 'durationMs'),
};

/** The type of an agent for which the script names none, as its meta file calls it. */
const usualType = 'workflow-subagent';

/** null while it runs. */
function agentStatus({ state, error, ended_with }: Read<typeof workflowAgent>) {
  if (state === 'done') return 'completed';
  // The workflow did not wait for it.
  if (state === 'error') return ended_with !== null || isEndedWithRun.test(error ?? '') ? 'stopped' : 'failed';
  return state !== null && /^(?:stopp|kill|abort|cancel|skip)/.test(state) ? 'stopped' : null;
}

const isEndedWithRun = /^Stopped because the workflow /;
