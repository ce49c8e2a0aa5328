// Joins what the files of a session say about it: where it ran, its labels, and whether its last turn ended.
import type { EventMap } from '../event/event.js';
import type { MessageRow, Outcome } from '../event/usage-row.js';
import { digest, earliest, hasSameFields, isLeadId } from './order.js';

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
  readonly started_at: string | null;
  /** The last message that it only repeats, as a fork does. */
  readonly copied: string | null;
  /** Whether it is a stream. A transcript does not say how a turn ended. null if nothing shows which it is. */
  readonly stream: boolean | null;
  /** Whether its last turn has no result, or was interrupted without one. */
  readonly open: 'unfinished' | 'stopped' | null;
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

export type SessionFacts = Omit<SessionFile, 'setups' | 'stream' | 'log' | 'rows'>;

export const noFile: SessionFile = {
  project: null,
  branch: null,
  version: null,
  started_at: null,
  copied: null,
  ci: null,
  labels: null,
  log: null,
  rows: null,
  stream: null,
  open: null,
  setups: [],
};

type FileEvent = EventMap['session:started' | 'turn:started' | 'session:ended' | 'session:changed'];

/** The file after an event of the session. `at` is the moment of the event. */
export function fileAfter(file: SessionFile, event: FileEvent, at: Moment): SessionFile {
  switch (event.event) {
    case 'session:started':
      return {
        ...file,
        project: file.project ?? event.cwd,
        branch: file.branch ?? event.git_branch,
        version: file.version ?? event.claude_code_version,
        started_at: earliest(file.started_at, event.time),
        stream: file.stream === true || !event.transcript,
        setups: setupsAfter(file.setups, event, at),
      };
    case 'turn:started':
      return event.transcript === true ? file : { ...file, stream: true, open: 'unfinished' };
    case 'session:ended':
      return { ...file, stream: true, open: null };
    case 'session:changed':
      if (!isInterruption(event) || (file.stream !== null && file.open !== 'unfinished')) return file;
      return { ...file, stream: true, open: 'stopped' };
  }
}

/** The same for a row of `usage --by message` that is read back. */
export function fileAfterRow(
  file: SessionFile,
  { project, branch, version, session, reported, transcript }: MessageRow,
) {
  const said = session ?? reported;
  const outcome = said?.outcome ?? null;
  const isResult = reported !== null && transcript !== true;
  const isStream = isResult || outcome !== null;
  const next: SessionFile = {
    ...file,
    project: file.project ?? project,
    branch: file.branch ?? branch,
    version: file.version ?? version,
    started_at: earliest(file.started_at, said?.started_at ?? null),
    copied: said?.copied ?? file.copied,
    rows: said === null ? file.rows : earlierLabels(file.rows, dated(said, said.started_at)),
    stream: isStream || file.stream,
    open: isStream ? openOf(outcome, isResult) : file.open,
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
    started_at: files.reduce<string | null>((time, [, file]) => earliest(time, file.started_at), null),
    copied: first('copied'),
    ci: run?.ci ?? null,
    labels: run?.labels ?? null,
    open: ordered.findLast(([, file]) => file.stream)?.[1].open ?? null,
  };
}

/** How a result ended its turn. */
export function outcomeOf({ is_error, subtype, terminal_reason }: EventMap['session:ended']): Outcome {
  if (is_error !== true && !subtype?.startsWith('error')) return 'finished';
  // An interrupt stops a run. Any other error makes it fail.
  const aborted = terminal_reason === null ? subtype === 'error_during_execution' : /^aborted/.test(terminal_reason);
  return aborted ? 'stopped' : 'failed';
}

/** Whether `a` is at or before `b`. */
export function isBefore(a: Moment, b: Moment): boolean {
  return a.time !== null && b.time !== null ? a.time <= b.time : a.place <= b.place;
}

function isInterruption({ subtype, agent }: EventMap['session:changed']): boolean {
  return subtype === 'interrupted' && isLeadId(agent);
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

function openOf(outcome: Outcome | null, isResult: boolean): SessionFile['open'] {
  if (outcome === 'unfinished') return outcome;
  return outcome === 'stopped' && !isResult ? outcome : null;
}

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
