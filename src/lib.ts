// The library without the parts that need Node, so it also runs in a browser. Node gets node.ts.

export {
  type ObserverOptions,
  observeTeam,
  type TeamEvent,
  type TeamIdleEvent,
  type TeamMemberEvent,
  type TeamMessageEvent,
  type TeamObserver,
  type TeamPlanApprovalRequestEvent,
  type TeamPlanApprovalResponseEvent,
  type TeamShutdownRequestEvent,
  type TeamShutdownResponseEvent,
  type TeamTaskEvent,
} from './api/observe-team.js';
export { createParser, type Parser, type ParserInput, type ParserOptions } from './api/parser.js';
export {
  type Capabilities,
  capabilities,
  memberRowSchema,
  memberSchema,
  messageRowSchema,
  messageSchema,
  modelUsageSchema,
  taskChangeSchema,
  taskRowSchema,
  teamRowSchema,
  tokensSchema,
} from './api/schemas.js';
export {
  agentNames,
  loadState,
  saveState,
  selectMessages,
  selectTasks,
  selectTeams,
  selectUsage,
} from './api/state.js';
export {
  type Clock,
  type CorrelatedToolUse,
  isTeamMember,
  isTeamMessage,
  isTeamState,
  isTeamStateChange,
  isTeamTask,
  isTeamTaskUpdate,
  type PendingToolUse,
  type RecognizedTeamToolUse,
  type RecognizerOptions,
  recognizeTeamToolUses,
  reduceTeamState,
  type TeamMember,
  type TeamState,
  type TeamTask,
  TeamToolCorrelationBuffer,
  type ToolResultContent,
  teamMemberSchema,
  teamStateOf,
  teamStateSchema,
  teamTaskSchema,
} from './api/team.js';
export type { MessageRow } from './commands/messages/row.js';
export { initialState, reduce, type State } from './commands/reduce.js';
export type { TaskRow } from './commands/tasks/row.js';
export type { MemberRow, TeamRow } from './commands/teams/row.js';
export { type UsageKey, type UsageRow, usageKeys } from './commands/usage/rows.js';
export { withoutContent } from './core/event/content.js';
export {
  type Event,
  type EventMap,
  type EventName,
  eventNames,
  isEventName,
  type Member,
  type Message,
  type ModelUsage,
  type TaskChange,
  type TeamCategory,
  type Tokens,
} from './core/event/event.js';
export { redactSecrets } from './core/event/redact.js';
export { eventJsonSchema, eventSchema } from './core/event/schema.js';
export { type SavedState, StateError, savedStateSchema } from './core/state/save.js';
