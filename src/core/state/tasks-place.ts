/** Where an event speaks of a task: in which session, and for which team. */
export interface Place {
  readonly session_id: string | null;
  readonly team: string | null;
}

/** One key of several parts, none of which can run into the next. */
export function keyOf(...parts: (string | null)[]): string {
  return JSON.stringify(parts);
}
