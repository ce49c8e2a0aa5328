// The library without what needs Node: it also runs in a browser. Node gets node.ts.
import { type Clock, TeamToolCorrelationBuffer as CorrelationBuffer } from './core/team/correlation-buffer.js';

export { type Capabilities, capabilities } from './core/event/capabilities.js';
export { withoutContent } from './core/event/content.js';
export {
  type Event,
  type EventMap,
  type EventName,
  eventNames,
  eventSchema,
  isEventName,
  type Member,
  type Message,
  type ModelUsage,
  type TaskChange,
  type Tokens,
} from './core/event/event.js';
export { eventJsonSchema } from './core/event/json-schema.js';
export {
  memberSchema,
  messageSchema,
  modelUsageSchema,
  taskChangeSchema,
  tokensSchema,
} from './core/event/parts.js';
export type { TeamCategory } from './core/event/recognizer.js';
export { redactSecrets } from './core/event/redact.js';
export { agentNames } from './core/rows/agent-names.js';
export { type MemberRow, memberRowSchema } from './core/rows/member-schema.js';
export { type MessageRow, messageRowSchema } from './core/rows/message-schema.js';
export { selectMessages, selectTasks, selectTeams, selectUsage } from './core/rows/select.js';
export { type TaskRow, taskRowSchema } from './core/rows/task-schema.js';
export { type TeamRow, teamRowSchema } from './core/rows/team-schema.js';
export { type UsageKey, type UsageRow, usageKeys } from './core/rows/usage.js';
export { type ObserverOptions, observeTeam, type TeamObserver } from './core/state/observe-team.js';
export { createParser, type Parser, type ParserInput, type ParserOptions } from './core/state/parser.js';
export { initialState, reduce, type State } from './core/state/reduce.js';
export { type SavedState, StateError } from './core/state/save.js';
export { loadState, savedStateSchema, saveState } from './core/state/saved-state.js';
export { noTeamStates, reduceTeamStates, type TeamStates, teamStateOf } from './core/state/team-states.js';
export type {
  Clock,
  CorrelatedToolUse,
  PendingToolUse,
  ToolResultContent,
} from './core/team/correlation-buffer.js';
export {
  isTeamMember,
  isTeamMessage,
  isTeamState,
  isTeamStateChange,
  isTeamTask,
  isTeamTaskUpdate,
} from './core/team/guards.js';
export { type RecognizedTeamToolUse, type RecognizerOptions, recognizeTeamToolUses } from './core/team/recognize.js';
export { reduceTeamState } from './core/team/reduce-team-state.js';
export type {
  TeamEvent,
  TeamIdleEvent,
  TeamMemberEvent,
  TeamMessageEvent,
  TeamPlanApprovalRequestEvent,
  TeamPlanApprovalResponseEvent,
  TeamShutdownRequestEvent,
  TeamShutdownResponseEvent,
  TeamTaskEvent,
} from './core/team/team-event.js';
export {
  type TeamMember,
  type TeamState,
  type TeamTask,
  teamMemberSchema,
  teamStateSchema,
  teamTaskSchema,
} from './core/team/team-state.js';

/** Holds team calls until their results come. Ages are measured by `Date`, unless another clock is given. */
export class TeamToolCorrelationBuffer extends CorrelationBuffer {
  constructor(clock: Clock = Date) {
    super(clock);
  }
}
