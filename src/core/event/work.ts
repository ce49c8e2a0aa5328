// Which work with an id is an agent.
import type { EventMap } from './event.js';

/** False for shells, monitors and workflows, which have task ids too. */
export function isAgentWork(taskType: string | null): boolean {
  return taskType === null || /agent|teammate/.test(taskType);
}

/** Whether the work is an agent. Other work belongs to the agent that started it. */
export function startsAgent({ task_type, task_id, agent, parent }: EventMap['agent:started']): boolean {
  if (task_type !== null) return isAgentWork(task_type);
  return task_id === null || agent === task_id || (parent !== null && parent !== agent);
}
