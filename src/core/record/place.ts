// Finds the session, team, agent or inbox of a file by its path.

export interface Place {
  source: string;
  /** The recipient, for an inbox file. */
  inbox: string | null;
  team: string | null;
  /** The agent id, for a transcript or meta file of a subagent. */
  agent: string | null;
  session: string | null;
}

export const nowhere: Place = { source: 'stdin', inbox: null, team: null, agent: null, session: null };

/** Knows the folders of Claude Code: teams/<team>/inboxes/<name>.json, tasks/<team>/<id>.json, <session>/subagents/agent-<id>.* */
export function placeOf(path: string): Place {
  const parts = path.split(/[\\/]/);
  const file = parts.at(-1) ?? '';
  const place: Place = { ...nowhere, source: path };
  if (parts.at(-2) === 'inboxes') place.inbox = file.replace(/\.json$/, '');
  const home = parts.findLastIndex((part) => part === 'teams' || part === 'tasks');
  const team = home === -1 || home === parts.length - 1 ? undefined : parts[home + 1];
  if (team !== undefined && home < parts.length - 2) {
    // From 2.1.178 on the name of the folder may be the session id.
    if (uuid.test(team)) Object.assign(place, { session: team, team: implicitTeam(team) });
    else place.team = team;
  }
  const agent = /^agent-(.+?)(?:\.meta)?\.jsonl?$/.exec(file)?.[1];
  if (agent !== undefined) place.agent = agent;
  if (parts.at(-2) === 'subagents') place.session = parts.at(-3) ?? null;
  return place;
}
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The name of a team that nobody named. */
export function implicitTeam(session: string | null): string {
  return `session-${(session ?? '').slice(0, 8)}`;
}
