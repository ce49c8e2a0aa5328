// Makes lines of a story from single events: what calls, texts and all others have in common.
import type { Event } from '../event/event.js';
import { parseJson, toJson } from '../record/json.js';
import { digest } from '../tables/order.js';
import type { Draft, Facts, LineKind, Origin, Part } from './line.js';

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

type Dated = Omit<Origin, 'time'> & { time: string | null };

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
    found: wants.find === null || isFound(wants.find, [text, target, ...parts.map((part) => part.text)]),
  };
}
export const noFacts: Facts = {};

function isFound(find: (text: string) => boolean, said: readonly (string | null)[]): boolean {
  return said.some((one) => one !== null && find(one));
}

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
