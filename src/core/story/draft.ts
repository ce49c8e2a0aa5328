// Makes lines of a story from single events: what calls, texts and all others have in common.
import type { Event } from '../event/event.js';
import { parseJson, toJson } from '../record/json.js';
import { digest } from '../tables/order.js';
import type { Draft, Facts, LineKind, Origin, Part } from './line.js';

export interface HappeningOptions {
  /** Texts stay whole; otherwise only their beginning is kept. */
  readonly whole: boolean;
  /** Inputs, results and changes are wanted. */
  readonly parts: boolean;
  readonly thinking: boolean;
  /** What --grep looks for; null if everything is wanted. */
  readonly find: ((text: string) => boolean) | null;
}

interface Common {
  readonly origin: Origin;
  /** Its own time, even if it counts at that of the record before it. */
  readonly own: string | null;
  /** The file it is from; '' if there is only one. */
  readonly source: string;
  /** Copies of it in other files have the same key. */
  readonly key: string;
}

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
  | { readonly is: 'result'; readonly said: string }
  | { readonly is: 'text'; readonly said: string }
  | {
      readonly is: 'started';
      readonly ids: readonly string[];
      readonly again: boolean;
      readonly work: boolean;
      readonly waited: boolean;
    }
  | { readonly is: 'finished'; readonly ids: readonly string[]; readonly work: boolean }
  | { readonly is: 'sent' | 'received'; readonly body: string; readonly from: string | null }
  | { readonly is: 'task'; readonly id: string; readonly kind: string; readonly subject: string | null };

/** How a call ended, as far as its result says. The call itself says the rest. */
export interface CallEnd extends Pick<Draft, 'status' | 'bad' | 'text' | 'left' | 'facts' | 'found'> {
  readonly tool: string | null;
  readonly result: unknown;
  readonly error: string | null;
}

export const blank: Draft = {
  kind: 'notice',
  status: null,
  bad: false,
  tool: null,
  target: null,
  tool_use_id: null,
  text: null,
  left: 0,
  facts: {},
  parts: [],
  quiet: false,
  found: true,
};

/** `key`: what tells copies from other things; by default the text and the time. */
export function tell(
  event: Event,
  kind: LineKind,
  own: Partial<Draft>,
  options: HappeningOptions,
  about: About | null = null,
  key?: string,
): Happening {
  const { text, target, parts = [] } = own;
  const said = options.find === null ? [] : [text, target, ...parts.map((part) => part.text)];
  const found = options.find === null || said.some((one) => typeof one === 'string' && options.find?.(one));
  const draft: Draft = {
    ...blank,
    ...own,
    kind,
    ...shortened(text ?? null, options),
    target: shortened(target ?? null, options).text,
    parts: options.parts ? parts : [],
    found,
  };
  const known = key ?? `${event.time} ${own.status ?? ''} ${own.target ?? ''} ${digest(text ?? '')}`;
  // With an id, it is the same thing whoever is said to have done it.
  const whose = known.startsWith(byId) ? '' : ` ${event.session_id} ${event.agent}`;
  return { does: 'tell', ...common(event, `${event.event}${whose} ${known}`), draft, about };
}

const byId = 'id ';

/** The key of something that has an id of its own. */
export function keyOfId(id: string | null | undefined, more = ''): string | undefined {
  return id === null || id === undefined ? undefined : `${byId}${id} ${more}`;
}

export function common(event: Event, key: string): Common {
  const { time, session_id, team, agent, line, source = '' } = event;
  return { origin: { time, session_id, team, agent, line }, own: time, source, key };
}

/** The beginning of a text. Written anew, because a slice would keep the whole text in memory. */
export function shortened(text: string | null, { whole }: HappeningOptions): { text: string | null; left: number } {
  if (text === null || whole || text.length <= longestKept) return { text, left: 0 };
  const start = parseJson(toJson(text.slice(0, longestKept)));
  return { text: typeof start === 'string' ? start : '', left: text.length - longestKept };
}
const longestKept = 1000;

export function fact(name: keyof Facts, value: number | null | undefined): Facts {
  return value === null || value === undefined ? {} : { [name]: value };
}

export function part(is: Part['is'], text: string | null | undefined): Part[] {
  return text === null || text === undefined || text === '' ? [] : [{ is, text }];
}
