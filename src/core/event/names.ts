// The names of all events, apart from their descriptions (event.ts), so that who needs only the names gets only them.
// The compiler asks event.ts for each of them, and refuses what is described there without a name here.
const names = [
  'session:started',
  'session:labelled',
  'turn:started',
  'session:ended',
  'session:compacted',
  'session:reset',
  'session:retried',
  'session:limited',
  'session:changed',
  'control:requested',
  'control:responded',
  'control:cancelled',
  'prompt:received',
  'text:produced',
  'thinking:produced',
  'tool:called',
  'tool:returned',
  'usage:recorded',
  'usage:reported',
  'usage:merged',
  'agent:started',
  'agent:progressed',
  'agent:finished',
  'team:created',
  'team:deleted',
  'team:cleanup_failed',
  'team:member:joined',
  'team:member:active',
  'team:member:idle',
  'team:member:shutting_down',
  'team:member:shutdown',
  'team:task:created',
  'team:task:claimed',
  'team:task:updated',
  'team:task:completed',
  'team:task:deleted',
  'team:message:sent',
  'team:message:received',
  'team:message:failed',
  'team:shutdown:requested',
  'team:shutdown:response',
  'team:plan:requested',
  'team:plan:resolved',
  'hook:fired',
  'spawn:requested',
  'spawn:linked',
  'run:started',
  'run:stopped',
  'input:skipped',
  'unknown',
] as const;

export type EventName = (typeof names)[number];

export function eventNames(): EventName[] {
  return [...names];
}

export function isEventName(name: string): name is EventName {
  return known.has(name);
}
const known: ReadonlySet<string> = new Set(names);

/** Of `cct run`. Their time is that of the recording, which says nothing about a run that is played back. */
export function isOfRun(event: string): boolean {
  return event.startsWith('run:');
}
