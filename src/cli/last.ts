// --last: the newest sessions of the project in the current directory, each with its team.
import { idOf, isObject, parseJson, textOf, timeOf } from '../core/record/json.js';
import { implicitTeam } from '../core/wire/sessions.js';
import type { Diagnostics } from '../io/diagnostics.js';
import { filesUnder, isFolder } from '../io/directory.js';
import { UsageError } from '../io/exit.js';
import { configFolder, firstLines, hasText, lastLines, namesIn, projectsHere, smallFile } from '../io/last.js';
import type { Environment } from '../io/streams.js';

interface Session {
  readonly id: string;
  /** Its transcript, the folder of its agents, and agent files beside it. */
  readonly paths: readonly string[];
  /** The times of its first and last record. */
  readonly first: string;
  readonly last: string;
  /** The team that its rows name. */
  readonly team: string | null;
  /** Whether it is the session of a teammate, not of a lead. */
  readonly isMate: boolean;
}

/** The files and folders of the newest sessions. Reports which they are. */
export function lastSessions(count: number, env: Environment, diagnostics: Diagnostics, here?: string): string[] {
  const config = configFolder(env);
  for (const { path, folder } of projectsHere(config, here)) {
    const sessions = sessionsIn(folder);
    if (sessions.length === 0) continue;
    const leads = namesIn(`${config}/teams`).map((team) => ({ team, lead: leadInConfig(config, team) ?? '' }));
    return newestOf(sessions, count, config).flatMap((taken) => {
      const { id = '', last = '' } = taken[0] ?? {};
      const mates = taken.length > 1 ? ` and ${taken.length - 1} of its team` : '';
      diagnostics.warn(
        `--last: session ${id}${mates} in ${path}${last === '' ? '' : `, last record ${newest(taken)}`}`,
      );
      return [...taken.flatMap(({ paths }) => paths), ...teamFolders(taken, leads, config)];
    });
  }
  throw new UsageError(`--last: ${config}/projects has no session of this directory or its parents`);
}

function sessionsIn(folder: string): Session[] {
  const names = namesIn(folder).filter((name) => name.endsWith('.jsonl'));
  // Old versions wrote agent files beside the session files.
  const beside = new Map<string, string[]>();
  for (const name of names.filter(isOfAgent)) {
    const path = `${folder}/${name}`;
    const id = recordsOf(firstLines(path)).map((record) => idOf(record.sessionId))[0] ?? '';
    beside.set(id, [...(beside.get(id) ?? []), path]);
  }
  return names.filter((name) => !isOfAgent(name)).flatMap((name) => sessionAt(folder, name.slice(0, -6), beside));
}

function isOfAgent(name: string): boolean {
  return name.startsWith('agent-');
}

/** Empty if there is no record in it. */
function sessionAt(folder: string, id: string, beside: ReadonlyMap<string, readonly string[]>): Session[] {
  const path = `${folder}/${id}.jsonl`;
  const own = `${folder}/${id}`;
  const start = recordsOf(firstLines(path));
  if (start.length === 0) return [];
  const agents = [...(isFolder(own) ? filesUnder(own).map((file) => file.path) : []), ...(beside.get(id) ?? [])];
  const lasts = [path, ...agents.filter((file) => file.endsWith('.jsonl'))].map(lastTime);
  const tagged = start.find((record) => idOf(record.teamName) !== null);
  const agent = idOf(tagged?.agentName);
  return [
    {
      id,
      paths: [path, ...(isFolder(own) ? [own] : []), ...(beside.get(id) ?? [])],
      first: start.map((record) => timeOf(record.timestamp)).find((time) => time !== null) ?? '',
      last: lasts.reduce((a, b) => (a > b ? a : b)),
      team: idOf(tagged?.teamName),
      isMate: agent !== null && agent !== 'team-lead',
    },
  ];
}

function recordsOf(lines: Iterable<string>) {
  return [...lines].map(parseJson).filter(isObject);
}

/** Empty if there is none. */
function lastTime(path: string): string {
  for (const line of lastLines(path)) {
    const record = line.includes('"timestamp"') ? parseJson(line) : null;
    const time = isObject(record) ? timeOf(record.timestamp) : null;
    if (time !== null) return time;
  }
  return '';
}

/** Each session with its team, the newest first. */
function newestOf(sessions: readonly Session[], count: number, config: string): Session[][] {
  const leads = new Map<Session, Session | null>();
  for (const mate of sessions.filter(({ isMate }) => isMate)) leads.set(mate, leadOf(mate, sessions, config));
  const groups = new Map<Session | string, Session[]>();
  for (const session of sessions) {
    // Teammates whose lead is not found are at least kept together.
    const key = session.isMate ? (leads.get(session) ?? session.team ?? session.id) : session;
    const group = groups.get(key) ?? [];
    groups.set(key, session.isMate ? [...group, session] : [session, ...group]);
  }
  return [...groups.values()].sort((a, b) => (newest(a) > newest(b) ? -1 : 1)).slice(0, count);
}

function newest(group: readonly Session[]): string {
  return group.map(({ last }) => last).reduce((a, b) => (a > b ? a : b));
}

/** Finds the lead by the team's name, by its config, or by who was running when the teammate began and names the team. */
function leadOf({ team, first }: Session, sessions: readonly Session[], config: string): Session | null {
  const others = sessions.filter(({ isMate }) => !isMate);
  const named = others.find(({ id }) => implicitTeam(id) === team);
  if (named !== undefined || team === null) return named ?? null;
  const configured = leadInConfig(config, team);
  const atWork = others.filter((other) => other.first <= first && first <= other.last);
  const naming = [`"teamName":"${team}"`, `"team_name":"${team}"`];
  return (
    others.find(({ id }) => id === configured && atWork.some((other) => other.id === id)) ??
    atWork.sort((a, b) => (a.first > b.first ? -1 : 1)).find(({ paths: [path = ''] }) => hasText(path, naming)) ??
    null
  );
}

function leadInConfig(config: string, team: string): string | null {
  const value = parseJson(smallFile(`${config}/teams/${team}/config.json`));
  return isObject(value) ? textOf(value.leadSessionId) : null;
}

/** The config, inboxes and tasks of the team, if they belong to these sessions: a team name may be reused. */
function teamFolders(
  taken: readonly Session[],
  leads: readonly { readonly team: string; readonly lead: string }[],
  config: string,
): string[] {
  const ids = new Set(taken.map(({ id }) => id));
  const own = new Set([...ids].flatMap((id) => [id, implicitTeam(id)]));
  const named = leads.filter(({ lead }) => ids.has(lead));
  return [...new Set([...own, ...named.map(({ team }) => team)])]
    .flatMap((team) => [`${config}/teams/${team}`, `${config}/tasks/${team}`])
    .filter(isFolder);
}
