import type { Facts } from '../state/audit-facts.js';
import type { TaskAct } from '../state/audit-tasks.js';
import { type FindingRow, finding } from './finding.js';
import type { RuleName } from './finding-rules.js';
import type { Board } from './task-boards.js';

/** Something that was done to a task, and the board it stands on. */
export interface BoardAct extends TaskAct {
  readonly board: Board;
}

/** A finding about a task belongs to its board, whoever did it in which session. */
export function taskFinding(
  { agents }: Facts,
  rule: RuleName,
  act: BoardAct,
  about: { detail: string; agent?: string | null },
): FindingRow {
  const { session_id, team } = act.board;
  return finding(agents, rule, act, { session_id, team, task: act.id, tool_use_id: act.tool_use_id, ...about });
}
