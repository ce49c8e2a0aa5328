// What a Task or Agent call and its result say of the agent it spawned.
import { textOf } from '../../record/fields.js';
import type { JsonObject } from '../../record/json.js';
import { read, type SpawnCallWire, type SpawnResultWire, spawnCallWire, spawnResultWire } from '../../record/wire.js';
import { labelled, type Outcome } from '../outcome.js';

export interface Spawn {
  asked: SpawnCallWire;
  told: SpawnResultWire;
  /** The canonical one: teammate_id, else agent_id, else agentId; null when the result has none of them. */
  id: string | null;
  name: string | null;
  agentType: string | null;
  model: string | null;
  color: string | null;
  /** The result says that it is one of a team. */
  isTeammate: boolean;
  /** The team that was asked for, where the result names none. */
  team: string | null;
}

export function readSpawn(input: JsonObject, { data, text }: Outcome): Spawn {
  const asked = read(spawnCallWire, input);
  const told = read(spawnResultWire, data);
  const isTeammate = saysTeammate(told, text);
  return {
    asked,
    told,
    id: agentId(told, text),
    name: told.name ?? (isTeammate ? labelled(text, 'name') : null) ?? asked.name ?? null,
    agentType: told.agent_type ?? told.agentType ?? asked.subagent_type ?? null,
    model: told.resolvedModel ?? told.model ?? asked.model ?? null,
    color: told.color ?? null,
    isTeammate,
    team: told.team_name ?? labelled(text, 'team_name') ?? told.teammate_id?.split('@')[1] ?? textOf(input.team_name),
  };
}

function agentId(told: SpawnResultWire, text: string): string | null {
  const said = told.teammate_id ?? told.agent_id ?? told.agentId ?? told.taskId;
  return said ?? labelled(text, 'agent_id') ?? labelled(text, 'agentId') ?? labelled(text, 'Task ID');
}

function saysTeammate(told: SpawnResultWire, text: string): boolean {
  if (told.status != null) return told.status === 'teammate_spawned' || told.status === 'spawned';
  return told.teammate_id != null || /^Spawned successfully/.test(text);
}
