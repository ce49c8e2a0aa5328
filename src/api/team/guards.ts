import type { TeamCategory } from '../../core/event/event.js';
import { isObject } from '../../core/record/json.js';
import {
  type TeamMember,
  type TeamState,
  type TeamTask,
  teamMemberSchema,
  teamStateSchema,
  teamTaskSchema,
} from './team-event.js';

export function isTeamMember(value: unknown): value is TeamMember {
  return teamMemberSchema.safeParse(value).success;
}

export function isTeamTask(value: unknown): value is TeamTask {
  return teamTaskSchema.safeParse(value).success;
}

export function isTeamState(value: unknown): value is TeamState {
  return teamStateSchema.safeParse(value).success;
}

/** A message of this type, or an event or recognized call of this category. */
export type OfCategory<C extends TeamCategory> = { readonly type: C } | { readonly category: C };

export function isTeamMessage(value: unknown): value is OfCategory<'team_message'> {
  return isOf(value, 'team_message');
}

export function isTeamTaskUpdate(value: unknown): value is OfCategory<'team_task_update'> {
  return isOf(value, 'team_task_update');
}

export function isTeamStateChange(value: unknown): value is OfCategory<'team_state_change'> {
  return isOf(value, 'team_state_change');
}

function isOf(value: unknown, category: TeamCategory): boolean {
  return isObject(value) && (value.type === category || value.category === category);
}
