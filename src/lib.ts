// The library without the parts that need Node, so it also runs in a browser. Node gets node.ts, and everybody its types.

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
  accountRowSchema,
  agentNames,
  type CallRowBy,
  type CallsOptions,
  type Capabilities,
  callGroupRowSchema,
  callRowSchema,
  capabilities,
  copyState,
  eventSchema,
  findingRowSchema,
  initialState,
  loadState,
  memberRowSchema,
  memberSchema,
  messageRowSchema,
  messageSchema,
  modelUsageSchema,
  reduce,
  saveState,
  selectAccounts,
  selectCalls,
  selectFindings,
  selectMessages,
  selectSessions,
  selectSpans,
  selectTasks,
  selectTeams,
  selectUsage,
  sessionRowSchema,
  spanRowSchema,
  taskChangeSchema,
  taskRowSchema,
  teamRowSchema,
  tokensSchema,
  type UsageOptions,
  type UsageRowBy,
  usageMessageRowSchema,
  usageRowSchema,
  withoutContent,
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
export { type Audited, auditedSubjects, type FindingRow } from './commands/audit/row.js';
export type { CallGroupRow, CallRow } from './commands/calls/row.js';
export { type CallKey, callKeys } from './commands/calls/rows.js';
export type { MessageRow } from './commands/messages/row.js';
export type { SessionRow } from './commands/sessions/row.js';
export type { TaskRow } from './commands/tasks/row.js';
export type { MemberRow, TeamRow } from './commands/teams/row.js';
export type { AccountRow, SpanRow } from './commands/trace/row.js';
export { type UsageKey, type UsageMessageRow, type UsageRow, usageKeys } from './commands/usage/rows.js';
export type {
  Event,
  EventMap,
  Member,
  Message,
  ModelUsage,
  TaskChange,
  TeamCategory,
  Tokens,
} from './core/event/event.js';
export { type EventName, eventNames, isEventName } from './core/event/names.js';
export { eventJsonSchema } from './core/event/schema.js';
export { redactSecrets } from './core/privacy/redact.js';
export type { State } from './core/tables/reduce.js';
export { type SavedState, StateError, savedStateSchema } from './core/tables/save.js';

/** In a browser. Node has its own, of the same type: node.ts. */
export function eventStream(): never {
  throw new TypeError(
    "eventStream needs the streams of Node; elsewhere use createParser, or import 'cct-toolkit/node'",
  );
}
