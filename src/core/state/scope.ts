/** Where names are unique: a session. Files of a team name none; they speak for the team alone. */
export function scopeOf(event: { session_id: string | null; team: string | null }): string {
  return event.session_id ?? (event.team === null ? '' : `team ${event.team}`);
}

/** Shells, monitors and workflows have ids too, but are no agents. */
export function isAgentWork(taskType: string | null): boolean {
  return taskType === null || /agent|teammate/.test(taskType);
}
