// Sessions on disk: with --last the newest of the project in the current directory, each with its team; else all.
import { idOf, isObject, parseJson, textOf, timeOf } from '../../core/record/json.js';
import { implicitTeam } from '../../core/wire/sessions.js';
import type { Diagnostics } from '../../io/diagnostics.js';
import { filesUnder, isFolder, isLink } from '../../io/directory.js';
import { UsageError } from '../../io/exit.js';
import { configFolder, firstLines, hasText, lastLines, namesIn, projectsHere, smallFile } from '../../io/last.js';
import type { Environment } from '../../io/streams.js';

interface Session {
  readonly id: string;
  /** Its transcript, the folder of its agents, and agent files beside it. */
  readonly paths: readonly string[];
  /** The times of its first and last record. */
  readonly first: string;
  readonly last: string;
  /** The team that its rows name. */
  readonly team: string | null;
  /** The directory it was started in, if its rows name it. */
  readonly project: string | null;
  /** Whether it is the session of a teammate, not of a lead. */
  readonly isMate: boolean;
}

/**
 * The files and folders of the newest sessions of the project here, else of all projects. Reports which they are, and
 * `ending` after it.
 */
export function lastSessions(
  count: number,
  env: Environment,
  diagnostics: Diagnostics,
  { here, ending = '', session = null, shown = lastRecord }: LastOptions = {},
): string[] {
  const config = configFolder(env);
  const own = session === null ? projectHere(config, here) : projectOf(config, session);
  const sessions = own?.sessions ?? projectFolders(config).flatMap(sessionsIn);
  if (sessions.length === 0) throw new UsageError(`${homePath(`${config}/projects`, env)} has no sessions${ending}`);
  const leads = namesIn(`${config}/teams`).map((team) => ({ team, lead: leadInConfig(config, team) ?? '' }));
  const isMeant = (group: readonly Session[]) => group.some(({ id }) => id.startsWith(session ?? ''));
  const groups = newestOf(sessions, config).filter(isMeant).slice(0, count);
  if (groups.length === 0)
    throw new UsageError(`--session: no session ${session} in ${homePath(config, env)}/projects`);
  diagnostics.warn(`reading ${takenText(groups, own?.path ?? null, env, shown)}${ending}`);
  return groups.flatMap((taken) => [...taken.flatMap(({ paths }) => paths), ...teamFolders(taken, leads, config)]);
}

interface LastOptions {
  readonly here?: string;
  readonly ending?: string;
  /** Only this session; the start of its id is enough. */
  readonly session?: string | null;
  /** How the time of its last record is written. */
  readonly shown?: (time: string) => string;
}

function lastRecord(time: string): string {
  return `last record ${time.replace(/\.\d+/, '')}`;
}

/** The folder of all projects, those of them that are links to elsewhere, and how many sessions there are. */
export function allSessions(env: Environment) {
  const config = configFolder(env);
  const folders = projectFolders(config);
  const names = folders.flatMap(namesIn);
  return {
    folder: `${config}/projects`,
    linked: folders.filter(isLink),
    count: names.filter((name) => name.endsWith('.jsonl') && !isOfAgent(name)).length,
  };
}

/** A path as people write it: `~/.claude`. */
export function homePath(path: string, env: Environment): string {
  const home = env['HOME'] || env['USERPROFILE'] || '';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function projectFolders(config: string): string[] {
  return namesIn(`${config}/projects`).map((name) => `${config}/projects/${name}`);
}

/** The nearest project that has a session. */
function projectHere(config: string, here?: string) {
  for (const { path, folder } of projectsHere(config, here)) {
    const sessions = sessionsIn(folder);
    if (sessions.length > 0) return { path, sessions };
  }
  return null;
}

/** The project of a session; null if none has it, or several have one whose id begins like this. */
function projectOf(config: string, session: string) {
  const [folder, ...others] = projectFolders(config).filter((each) =>
    namesIn(each).some((name) => name.startsWith(session) && name.endsWith('.jsonl')),
  );
  const sessions = folder === undefined || others.length > 0 ? [] : sessionsIn(folder);
  return sessions.length === 0 ? null : { path: sessions[0]?.project ?? folder ?? '', sessions };
}

/** `session 5f2c8d1e and 2 of its team in ~/shop, last record 2026-11-15T23:36:25Z` */
function takenText(
  groups: readonly Session[][],
  path: string | null,
  env: Environment,
  shown: (time: string) => string,
): string {
  const projects = new Set(groups.map(([first]) => path ?? first?.project ?? null));
  const [project = null] = projects.size === 1 ? projects : [];
  const from = project === null ? ` of ${projects.size} projects` : ` in ${homePath(project, env)}`;
  const ids = groups.map(([first]) => first?.id.slice(0, 8) ?? '');
  const [taken = []] = groups;
  if (groups.length > 1) return `the newest ${groups.length} sessions${from}: ${ids.join(', ')}`;
  const mates = taken.length > 1 ? ` and ${taken.length - 1} of its team` : '';
  const last = newest(taken);
  return `session ${ids[0]}${mates}${project === null ? '' : from}${last === '' ? '' : `, ${shown(last)}`}`;
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
      project: start.map((record) => textOf(record.cwd)).find((cwd) => cwd !== null) ?? null,
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
function newestOf(sessions: readonly Session[], config: string): Session[][] {
  const leads = new Map<Session, Session | null>();
  for (const mate of sessions.filter(({ isMate }) => isMate)) leads.set(mate, leadOfMate(mate, sessions, config));
  const groups = new Map<Session | string, Session[]>();
  for (const session of sessions) {
    // Teammates whose lead is not found are at least kept together.
    const key = session.isMate ? (leads.get(session) ?? session.team ?? session.id) : session;
    const group = groups.get(key) ?? [];
    groups.set(key, session.isMate ? [...group, session] : [session, ...group]);
  }
  return [...groups.values()].sort((a, b) => (newest(a) > newest(b) ? -1 : 1));
}

function newest(group: readonly Session[]): string {
  return group.map(({ last }) => last).reduce((a, b) => (a > b ? a : b));
}

/** Finds the lead by the team's name, by its config, or by who was running when the teammate began and names the team. */
function leadOfMate({ team, first }: Session, sessions: readonly Session[], config: string): Session | null {
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
