import type { TeamMember, TeamTask } from './team-state.js';

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
