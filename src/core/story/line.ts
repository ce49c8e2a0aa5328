// A line of the story of a run: one thing that happened, as data, and how it is made. Commands and the page draw it.

import type { Event, EventMap } from '../event/event.js';
import { parseJson, toJson } from '../record/json.js';
import { digest } from '../tables/order.js';
import {
  type Amount,
  amountOf,
  type ChangedLine,
  changeCounts,
  changesOf,
  countsOf,
  failureIn,
  mannerOf,
  resultText,
  searchPlace,
  targetOf,
} from '../wire/tools/about.js';
import { actOf, isToldByEvents } from '../wire/tools/table.js';

export const lineKinds = [
  'session',
  'prompt',
  'text',
  'thinking',
  'call',
  'message',
  'agent',
  'task',
  'notice',
  'result',
] as const;
export type LineKind = (typeof lineKinds)[number];

/** Figures beside a line, as far as they are known. Of an agent, `context` is the size of its last context; what it spent, only its messages say. */
export type Facts = { readonly [figure in Figure]?: number | null | undefined };
type Figure =
  | ('exit' | 'background' | 'added' | 'removed' | 'lines' | 'files' | 'bytes' | 'calls' | 'ms')
  | ('attempt' | 'attempts' | 'wait_ms' | 'from_tokens' | 'to_tokens' | 'context' | 'cost_usd' | 'turns' | 'agents');

/** What belongs to a line and is shown only in full. */
export interface Part {
  readonly is: 'input' | 'output' | 'text' | 'change';
  readonly text: string;
  readonly changes?: readonly ChangedLine[];
}

/** What is known of a line before anybody knows who is who. */
export interface Draft {
  readonly kind: LineKind;
  /** How it ended, or what became of it; the words depend on the kind. */
  readonly status: string | null;
  /** Something went wrong. Such a line is never folded or left out. */
  readonly bad: boolean;
  readonly tool: string | null;
  /** What a call was about, who got a message, which agent was started, which task changed. */
  readonly target: string | null;
  readonly tool_use_id: string | null;
  /** What was said; of a call, why it failed. */
  readonly text: string | null;
  /** How many characters of the text were left out. */
  readonly left: number;
  readonly facts: Facts;
  readonly parts: readonly Part[];
  /** Left out unless everything is wanted. */
  readonly quiet: boolean;
  /** Whether it has what --grep looks for. */
  readonly found: boolean;
}

/** Where a line comes from. */
export interface LineOrigin {
  readonly time: string | null;
  readonly session_id: string | null;
  readonly team: string | null;
  readonly agent: string | null;
  readonly line: number | null;
}

export interface StoryLine extends LineOrigin, Omit<Draft, 'quiet' | 'found'> {
  readonly name: string;
  /** The colour Claude Code gave the agent. */
  readonly color: string | null;
  /** The folder its session works in. */
  readonly cwd: string | null;
  /** Calls that this line stands for, if it is several; `folder` is where all of them looked. */
  readonly folded: Folded | null;
}

export interface Folded {
  readonly reads: number;
  readonly searches: number;
  readonly folder: string | null;
}

// Makes lines of a story from single events: what calls, texts and all others have in common.

/** What is wanted of each line. */
export interface Wants {
  /** Texts stay whole; otherwise only their beginning is kept. */
  readonly whole: boolean;
  /** Inputs, results and changes are wanted. */
  readonly parts: boolean;
  readonly thinking: boolean;
  /** Transcripts that say what their session cost tell it. */
  readonly costs: boolean;
  /** What --grep looks for; null if everything is wanted. */
  readonly find: ((text: string) => boolean) | null;
  /** Also what is usually left out. */
  readonly everything: boolean;
  /** Where each turn begins. */
  readonly turns: boolean;
  /** One line for things of a kind that follow each other. */
  readonly folds: boolean;
}

interface Common {
  /** Its time is filled in later if it has none of its own. */
  readonly origin: Dated;
  /** Its own time, even if it counts at that of the record before it. */
  readonly own: string | null;
  /** The file it is from; '' if there is only one. */
  readonly source: string;
  /** Copies of it in other files have the same key. Asked for only if there are several files. */
  key(): string;
}

type Dated = Omit<LineOrigin, 'time'> & { time: string | null };

export type Happening = Common &
  (
    | { readonly does: 'tell'; readonly draft: Draft; readonly about: About | null }
    | { readonly does: 'call'; readonly id: string; readonly draft: Draft; readonly input: unknown }
    | { readonly does: 'return'; readonly id: string; readonly end: CallEnd; readonly opened: OpenedCall | null }
    | { readonly does: 'retract'; readonly ids: readonly string[] }
  );

/** The call of a result, if they were brought together before they are told. */
export type OpenedCall = Extract<Happening, { does: 'call' }>;

/** What a line is about that may be told once, or whose name others need. */
export type About =
  | { readonly is: 'session'; readonly cwd: string | null }
  | { readonly is: 'turn' | 'cost' }
  /** `copy`: what it shares with its copy in a fork. */
  | { readonly is: 'prompt'; readonly copy: string }
  | { readonly is: 'result' | 'text'; readonly said: string }
  | ({ readonly is: 'started'; readonly again: boolean; readonly waited: boolean } & Work)
  | ({ readonly is: 'finished' } & Work)
  | { readonly is: 'sent' | 'received'; readonly body: string; readonly from: string | null }
  | { readonly is: 'task'; readonly id: string; readonly kind: string; readonly subject: string | null };

/** An agent, or other work such as a shell in the background. */
export interface Work {
  readonly ids: readonly string[];
  readonly isAgent: boolean;
}

/** How a call ended, as far as its result says. The call itself says the rest. */
export interface CallEnd extends Pick<Draft, 'status' | 'bad' | 'text' | 'left' | 'facts' | 'found'> {
  readonly tool: string | null;
  readonly result: unknown;
  readonly error: string | null;
}

/** Field by field, because lines are many, and a spread takes ten times as long. */
export function draftOf(kind: LineKind, own: Partial<Draft>, wants: Wants): Draft {
  const { text = null, target = null, parts = [] } = own;
  const { find } = wants;
  const kept = beginningOf(text, wants);
  return {
    kind,
    status: own.status ?? null,
    bad: own.bad ?? false,
    tool: own.tool ?? null,
    target: beginningOf(target, wants),
    tool_use_id: own.tool_use_id ?? null,
    text: kept,
    left: text === null || kept === null ? 0 : text.length - kept.length,
    facts: own.facts ?? noFacts,
    parts: wants.parts ? parts : [],
    quiet: own.quiet ?? false,
    found: find === null || [text, target, ...parts.map((part) => part.text)].some((one) => one !== null && find(one)),
  };
}
export const noFacts: Facts = {};

/** `key`: what tells copies from other things; by default the text and the time. */
export function lineToTell(
  event: Event,
  kind: LineKind,
  own: Partial<Draft>,
  wants: Wants,
  about: About | null = null,
  key?: () => string | undefined,
): Happening {
  const { text = null, status = '', target = '' } = own;
  const keyOfEvent = () => {
    const known = key?.();
    // With an id, it is the same thing whoever is said to have done it.
    if (known?.startsWith(byId)) return `${event.event} ${known}`;
    const what = known ?? `${event.time} ${status ?? ''} ${target ?? ''} ${digest(text ?? '')}`;
    return `${event.event} ${event.session_id} ${event.agent} ${what}`;
  };
  return toTell(event, keyOfEvent, draftOf(kind, own, wants), about);
}

const byId = 'id ';

/** The key of something that has an id of its own. */
export function keyOfId(id: string | null | undefined, more = ''): string | undefined {
  return id === null || id === undefined ? undefined : `${byId}${id} ${more}`;
}

// Field by field, here too: to add a field to a spread takes fifty times as long.
export function toTell(event: Event, key: () => string, draft: Draft, about: About | null): Happening {
  const { time: own, source = '' } = event;
  return { origin: originOf(event), own, source, key, does: 'tell', draft, about };
}

export function originOf({ time, session_id, team, agent, line }: Event): Dated {
  return { time, session_id, team, agent, line };
}

/** Written anew, because a slice would keep the whole text in memory. */
export function beginningOf(text: string | null, { whole }: Pick<Wants, 'whole'>): string | null {
  if (text === null || whole || text.length <= longestKept) return text;
  const start = parseJson(toJson(text.slice(0, longestKept)));
  return typeof start === 'string' ? start : '';
}
const longestKept = 1000;

export function partsOf(is: Part['is'], text: string | null | undefined): Part[] {
  return text === null || text === undefined || text === '' ? [] : [{ is, text }];
}

// Tells calls: what each was about, how it ended, what it changed.
export function callMade(event: EventMap['tool:called'], wants: Wants): Happening {
  const { tool, tool_use_id: id, input } = event;
  const about = targetOf(tool, input);
  const place = searchPlace(tool, input);
  const target = about !== null && place !== null ? `${about} in ${place}` : about;
  const parts = wants.parts ? inputParts(tool, input, about) : [];
  const told = draftOf('call', { status: 'open', tool, tool_use_id: id, target, parts }, wants);
  const draft = told.found ? told : { ...told, found: wants.find?.(toJson(input)) ?? true };
  const key = () => `call ${id ?? `${event.time} ${tool} ${event.session_id} ${event.agent}`}`;
  if (id === null) return toTell(event, key, draft, null);
  // Inputs of edits and sends are needed when the call returns. Others are not kept.
  const kept = mannerOf(tool) === 'edit' || actOf(tool ?? '') !== null ? input : null;
  const { time: own, source = '' } = event;
  return { origin: originOf(event), own, source, key, does: 'call', id, draft, input: kept };
}

/** What the first line of a call does not show. */
function inputParts(tool: string | null, input: unknown, target: string | null): Part[] {
  const manner = mannerOf(tool);
  if (manner === 'edit' || manner === 'read') return [];
  if (manner === 'shell') return target?.trim().includes('\n') ? partsOf('input', target) : [];
  const json = toJson(input);
  return json === '{}' || json === 'null' || json.length <= (target?.length ?? 0) + 20 ? [] : partsOf('input', json);
}

export function callReturned(event: EventMap['tool:returned'], wants: Wants): Happening | null {
  const { tool, tool_use_id: id, success, error = null, result } = event;
  if (id === null) return null;
  const { find, parts } = wants;
  const failure = success ? null : failureIn(tool, error ?? '');
  const text = beginningOf(failure?.text ?? null, wants);
  const end: CallEnd = {
    tool,
    status: success ? 'ok' : event.denied === true ? 'denied' : 'failed',
    bad: !success,
    text,
    left: (failure?.text.length ?? 0) - (text?.length ?? 0),
    facts: returnFacts(event, failure?.exit ?? null),
    found: find === null || find(error ?? '') || find(resultText(tool, result)) || find(toJson(result)),
    // A change is counted with the input, when the call is known too.
    result: parts ? result : mannerOf(tool) === 'edit' ? patchOf(result) : null,
    error: parts ? error : null,
  };
  const { time: own, source = '' } = event;
  return { origin: originOf(event), own, source, key: () => `return ${id}`, does: 'return', id, end, opened: null };
}

function returnFacts({ tool, success, result, duration_ms }: EventMap['tool:returned'], exit: number | null): Facts {
  const { background, lines, files, bytes }: Amount = success ? amountOf(tool, result) : {};
  return { exit, background: background && 1, lines, files, bytes, ms: duration_ms };
}

/** Of a result that nobody wants to read only the patch is needed. */
function patchOf(value: unknown): unknown {
  const hasPatch = typeof value === 'object' && value !== null && 'structuredPatch' in value;
  return hasPatch ? { structuredPatch: value.structuredPatch } : null;
}

/** What belongs to a call that returned, and how many lines it changed. */
export function endOfCall(
  { tool, parts: given }: Pick<Draft, 'tool' | 'parts'>,
  input: unknown,
  { result: value, error, bad }: CallEnd,
  wantsParts: boolean,
): { facts: Facts; parts: readonly Part[] } {
  if (!wantsParts) return { facts: (bad ? null : changeCounts(tool, input, value)) ?? noFacts, parts: [] };
  const changes = bad ? null : changesOf(tool, input, value);
  if (changes !== null) return { facts: countsOf(changes), parts: [...given, { is: 'change', text: '', changes }] };
  return { facts: noFacts, parts: [...given, ...partsOf('output', bad ? error : resultText(tool, value))] };
}

/** Whether events of their own tell what such a call did. A message that was refused is told by its event, too. */
export function isToldElsewhere(tool: string | null, failed: boolean): boolean {
  return failed ? actOf(tool ?? '') === 'send' : isToldByEvents(tool ?? '');
}

// Makes one line of several that follow each other: reads and searches, new tasks.
export function foldedLine(lines: readonly StoryLine[]): StoryLine {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) throw new Error('nothing was held');
  if (lines.length === 1) return first;
  if (first.kind === 'task')
    return { ...first, text: lines.map(taskWords).join(' · '), parts: lines.flatMap(({ parts }) => parts) };
  const read = lines.filter(({ tool }) => mannerOf(tool) === 'read');
  const files = targetsOf(read);
  const folded: Folded = {
    reads: files.size,
    searches: lines.length - read.length,
    folder: commonFolder([...(read.length === 0 ? targetsOf(lines) : files)]),
  };
  const sum = lines.reduce((total, { facts }) => total + (facts.lines ?? 0), 0);
  const facts = sum > 0 && read.length === lines.length ? { lines: sum } : {};
  return { ...last, target: folded.folder, text: null, facts, parts: [], tool_use_id: null, folded };
}

function targetsOf(lines: readonly StoryLine[]): Set<string> {
  return new Set(lines.flatMap(({ target }) => target ?? []));
}

/** `1 Survey the sources`; the first one begins with the word task. */
function taskWords({ target, text }: StoryLine, index: number): string {
  const id = target?.replace(/^(?:task|todo) ?/, '') ?? '';
  return index === 0 ? (text ?? '') : [id, text].filter(Boolean).join(' ');
}

/** The folder that all paths are in; null if there is none. */
export function commonFolder(paths: readonly string[]): string | null {
  const [first = ''] = paths;
  let parts = first.split('/').slice(0, -1);
  for (const path of paths) {
    const other = path.split('/').slice(0, -1);
    let same = 0;
    while (same < parts.length && parts[same] === other[same]) same += 1;
    parts = parts.slice(0, same);
  }
  return parts.join('/') || null;
}
