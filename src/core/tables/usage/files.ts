// Joins what the files of a session say about it: where it ran, its labels, and whether its last turn ended.
import type { EventMap } from '../../event/event.js';
import type { Ending, MessageRow } from '../../event/usage-row.js';
import { digest, earliest, hasSameFields } from '../order.js';
import { endAfter, endAfterRow, endingIn, isByCct, noEnd, type SessionEnd } from '../outcome.js';

/** What one file says about a session. `ci` and `labels` are those of `cct run`. */
export interface SessionFile extends RunLabels {
  /** What the log around its records says. */
  readonly log: RunLabels | null;
  /** What its rows of `usage --by message` say. */
  readonly rows: DatedLabels | null;
  /** The first one it names. */
  readonly project: string | null;
  readonly branch: string | null;
  readonly version: string | null;
  /** The other agent that wrote it; null for Claude Code. */
  readonly program: string | null;
  readonly started_at: string | null;
  /** The last message that it only repeats, as a fork does. */
  readonly copied: string | null;
  readonly end: SessionEnd;
  /** The tools and the version of Claude Code, and each change of them. */
  readonly setups: readonly Setup[];
}

export interface RunLabels {
  readonly ci: string | null;
  readonly labels: Readonly<Record<string, string>> | null;
}

/** `ci` and `labels` stay together: they are never taken from two files. */
interface DatedLabels extends RunLabels {
  readonly time: string | null;
}

/** What prompts of the main conversation begin with, from this moment on. */
export interface Setup extends Moment {
  readonly digest: string;
}

/** A time and a place in the input. Moments are compared by place if one of them has no time. */
export interface Moment {
  readonly time: string | null;
  readonly place: number;
}

export type SessionFacts = Omit<SessionFile, 'setups' | 'end' | 'log' | 'rows'> & {
  /** How its last turn ended; null if that turn has a result that says it. */
  readonly open: Ending | null;
  /** How a transcript shows that it ended. */
  readonly shown: Ending | null;
};

export const noFile: SessionFile = {
  project: null,
  branch: null,
  version: null,
  program: null,
  started_at: null,
  copied: null,
  ci: null,
  labels: null,
  log: null,
  rows: null,
  end: noEnd,
  setups: [],
};

type FileEvent = EventMap[
  | 'session:started'
  | 'turn:started'
  | 'session:ended'
  | 'session:changed'
  | 'usage:reported'
  | 'run:stopped'];

/** The file after an event of the session. `at` is the moment of the event. */
export function fileAfter(file: SessionFile, event: FileEvent, at: Moment): SessionFile {
  const end = endAfter(file.end, event);
  switch (event.event) {
    case 'session:started':
      if (end === file.end && addsNothing(file, event)) return file;
      return {
        ...file,
        end,
        project: file.project ?? event.cwd,
        branch: file.branch ?? event.git_branch,
        version: file.version ?? event.claude_code_version,
        program: event.program === 'claude' ? file.program : event.program,
        started_at: earliest(file.started_at, event.time),
        setups: setupsAfter(file.setups, event, at),
      };
    case 'turn:started':
    case 'session:ended':
    case 'session:changed':
    case 'usage:reported':
    case 'run:stopped':
      return end === file.end ? file : { ...file, end };
  }
}

/** Whether a file already knows what a session says again, as the rows of a transcript do. */
function addsNothing(file: SessionFile, event: EventMap['session:started']): boolean {
  const isTold = file.project !== null && file.branch !== null && file.version !== null && event.tools === null;
  return isTold && file.started_at !== null && (event.time === null || file.started_at <= event.time);
}

/** The same for a row of `usage --by message` that is read back. */
export function fileAfterRow(file: SessionFile, row: MessageRow) {
  const { project, branch, version, session, reported } = row;
  const said = session ?? reported;
  const next: SessionFile = {
    ...file,
    project: file.project ?? project,
    branch: file.branch ?? branch,
    version: file.version ?? version,
    program: row.program ?? file.program,
    started_at: earliest(file.started_at, said?.started_at ?? null),
    copied: said?.copied ?? file.copied,
    rows: said === null ? file.rows : earlierLabels(file.rows, dated(said, said.started_at)),
    end: endAfterRow(file.end, row),
  };
  return hasSameFields(file, next) ? file : next;
}

type SourceAndFile = readonly [source: string, file: SessionFile];

/** What all files of a session say together. `firstOf` gives the first time in a file. */
export function joinFiles(files: readonly SourceAndFile[], firstOf: (source: string) => string | null): SessionFacts {
  const order = ([source]: SourceAndFile) => `${firstOf(source) ?? ''}\n${source}`;
  const ordered = files.length < 2 ? files : files.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const first = <K extends keyof SessionFile>(name: K): SessionFile[K] | null =>
    ordered.find(([, file]) => file[name] !== null)?.[1][name] ?? null;
  const labelsIn = (some: typeof files) =>
    some.reduce<DatedLabels | null>((known, [source, { ci, labels, log, rows, started_at }]) => {
      const said = { ci: ci ?? log?.ci ?? null, labels: { ...log?.labels, ...labels } };
      return earlierLabels(earlierLabels(known, rows), dated(said, started_at ?? firstOf(source)));
    }, null);
  // What `cct run` says about its run counts before what logs say.
  const run = labelsIn(files.filter(([, file]) => dated(file) !== null)) ?? labelsIn(files);
  return {
    project: first('project'),
    branch: first('branch'),
    version: first('version'),
    program: first('program'),
    started_at: files.reduce<string | null>((time, [, file]) => earliest(time, file.started_at), null),
    copied: first('copied'),
    ci: run?.ci ?? null,
    labels: run?.labels ?? null,
    // The files of agents have no turns.
    ...{ open: endIn(ordered, true), shown: endIn(ordered, false) },
  };
}

/** How the last turn ended in the last file of this kind, if it has no result there. */
function endIn(ordered: readonly SourceAndFile[], stream: boolean): Ending | null {
  const isOne = ({ end }: SessionFile) => (stream ? end.stream === true : end.stream !== true && end.asked);
  const end = ordered.findLast(([, file]) => isOne(file))?.[1].end;
  return end === undefined || (stream && !end.inTurn && !isByCct(end.result)) ? null : endingIn(end);
}

/** Whether `a` is at or before `b`. */
export function isBefore(a: Moment, b: Moment): boolean {
  return a.time !== null && b.time !== null ? a.time <= b.time : a.place <= b.place;
}

/** Only a stream names its tools. */
function setupsAfter(
  setups: readonly Setup[],
  { tools, agents, claude_code_version }: EventMap['session:started'],
  { time, place }: Moment,
): readonly Setup[] {
  if (tools === null) return setups;
  const own = digest(JSON.stringify([tools, agents, claude_code_version]));
  return setups.at(-1)?.digest === own ? setups : setups.slice(1 - mostSetups).concat({ digest: own, time, place });
}

/** Only made-up input has more. */
const mostSetups = 1000;

/** null if it says nothing. */
function dated(
  { ci = null, labels = null }: { readonly [K in keyof RunLabels]?: RunLabels[K] | undefined },
  time: string | null = null,
): DatedLabels | null {
  return ci === null && Object.keys(labels ?? {}).length === 0 ? null : { ci, labels, time };
}

/** By time, else by content, so that the order of files and rows does not matter. */
function earlierLabels(a: DatedLabels | null, b: DatedLabels | null): DatedLabels | null {
  if (a === null || b === null) return a ?? b;
  const order = ({ time, ci, labels }: DatedLabels) => `${time ?? ''}\n${JSON.stringify([ci, labels])}`;
  return order(b) < order(a) ? b : a;
}
