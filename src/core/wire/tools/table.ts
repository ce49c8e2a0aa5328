// The tools of the team protocol, every generation of them: one table for the normalizer, the library and audits.

import type { TeamCategory } from '../../event/event.js';
import { idOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';

interface TeamTool {
  /** What a call is about; null for tools that only share the family name. */
  readonly category: TeamCategory | null;
  /** What a call has to say; of several spellings one is enough. */
  readonly needs: readonly (readonly string[])[];
}

const tools: Readonly<Record<string, TeamTool>> = {
  TeamCreate: { category: 'team_state_change', needs: [['team_name']] },
  TeamDelete: { category: 'team_state_change', needs: [] },
  Teammate: { category: 'team_message', needs: [['operation']] },
  Task: { category: 'team_state_change', needs: [['team_name'], ['name']] },
  Agent: { category: 'team_state_change', needs: [['team_name'], ['name']] },
  TaskCreate: { category: 'team_task_update', needs: [['subject']] },
  TaskUpdate: { category: 'team_task_update', needs: [['taskId', 'task_id', 'id']] },
  TaskGet: { category: 'team_task_update', needs: [['taskId', 'task_id', 'id']] },
  TaskList: { category: 'team_task_update', needs: [] },
  SendMessage: { category: 'team_message', needs: [['type', 'to', 'recipient']] },
  TaskOutput: { category: null, needs: [] },
  TaskStop: { category: null, needs: [] },
  SendUserMessage: { category: null, needs: [] },
  SendUserFile: { category: null, needs: [] },
};

/** What a call is about; null when it has nothing to do with teams. */
export function categoryOf(tool: string, input: JsonObject): TeamCategory | null {
  if (tool === 'Teammate' && (input.operation === 'spawnTeam' || input.operation === 'cleanup'))
    return 'team_state_change';
  return known(tool)?.category ?? null;
}

/** The inputs a call of a team tool lacks, by their first spelling. */
export function missingInputs(tool: string, input: JsonObject): string[] {
  const needs = known(tool)?.needs ?? [];
  return needs.filter((spellings) => spellings.every((name) => idOf(input[name]) === null)).map(([name = '']) => name);
}

/** Named like the tools of the team protocol but none of them: the protocol has moved on. */
export function isUnknownTeamTool(tool: string): boolean {
  return /^(Team|Task|Send)/.test(tool) && known(tool) === undefined;
}

function known(tool: string): TeamTool | undefined {
  return Object.hasOwn(tools, tool) ? tools[tool] : undefined;
}
