import * as z from 'zod';
import type { TeamCategory } from '../../core/event/event.js';
import { isObject } from '../../core/record/json.js';

/** What happens in a team, for somebody who watches it. */
export type TeamEvent =
  | TeamMessageEvent
  | TeamIdleEvent
  | TeamShutdownRequestEvent
  | TeamShutdownResponseEvent
  | TeamPlanApprovalRequestEvent
  | TeamPlanApprovalResponseEvent
  | TeamMemberEvent
  | TeamTaskEvent;

export interface TeamMessageEvent {
  type: 'message';
  from: string;
  /** Absent in a broadcast. */
  to?: string;
  content: string;
  summary?: string;
}

export interface TeamIdleEvent {
  type: 'idle';
  from: string;
  completedTaskId?: string;
}

export interface TeamShutdownRequestEvent {
  type: 'shutdown_request';
  from: string;
  to: string;
  requestId: string;
  reason?: string;
}

export interface TeamShutdownResponseEvent {
  type: 'shutdown_response';
  from: string;
  requestId: string;
  approved: boolean;
  reason?: string;
}

export interface TeamPlanApprovalRequestEvent {
  type: 'plan_approval_request';
  from: string;
  to: string;
  requestId: string;
  plan: string;
}

export interface TeamPlanApprovalResponseEvent {
  type: 'plan_approval_response';
  from: string;
  to: string;
  requestId: string;
  approved: boolean;
  feedback?: string;
}

export interface TeamMemberEvent {
  type: 'member_joined' | 'member_left' | 'member_idle' | 'member_active';
  member: TeamMember;
}

export interface TeamTaskEvent {
  type: 'task_created' | 'task_claimed' | 'task_completed' | 'task_updated';
  task: TeamTask;
}

// A team as its calls tell of it, in the spelling of its consumers: camelCase, and what is not known is absent.

export const teamMemberSchema = z.object({
  name: z.string(),
  agentId: z.string(),
  agentType: z.string(),
  status: z.enum(['active', 'idle', 'shutdown']),
  model: z.string().optional(),
  color: z.string().optional(),
});
export type TeamMember = z.infer<typeof teamMemberSchema>;

export const teamTaskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'deleted']),
  owner: z.string().optional(),
  activeForm: z.string().optional(),
  blockedBy: z.array(z.string()),
  blocks: z.array(z.string()),
});
export type TeamTask = z.infer<typeof teamTaskSchema>;

export const teamStateSchema = z.object({
  name: z.string(),
  role: z.enum(['lead', 'teammate']).describe('of the session that was observed'),
  members: z.array(teamMemberSchema),
  tasks: z.array(teamTaskSchema),
});
export type TeamState = z.infer<typeof teamStateSchema>;

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
