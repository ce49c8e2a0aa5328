// What the table of calls keeps of each call only for those who show or judge single calls.
import { earlier, type Moment } from '../moments.js';
import { earliest as least } from '../order.js';

export interface CallDetails {
  readonly id: string;
  /** If copies are in several files, the first line. */
  readonly line: number | null;
  readonly message_id: string | null;
  readonly called: Moment | null;
  readonly returned: Moment | null;
  readonly about: string | null;
  readonly error: string | null;
  /** How many calls of the same agent were open when it began. */
  readonly parallel: number;
  /** Only if they are asked for. */
  readonly texts?: CallTexts;
}

/** What the input of a call says and lacks, and what its result says; `from` is the status of its task before it. */
const textNames = ['tool', 'missing', 'teamName', 'name', 'task', 'type', 'to', 'error', 'error_code', 'from'] as const;
export type CallTexts = { readonly [name in (typeof textNames)[number]]?: string | null };

/** The same whichever copy comes first. */
export function joinDetails(a: CallDetails, b: CallDetails): CallDetails {
  const texts = joinTexts(a.texts, b.texts);
  return {
    id: a.id,
    line: a.line === null || b.line === null ? (a.line ?? b.line) : Math.min(a.line, b.line),
    message_id: least(a.message_id, b.message_id),
    called: earlier(a.called, b.called),
    returned: earlier(a.returned, b.returned),
    about: least(a.about, b.about),
    error: least(a.error, b.error),
    parallel: Math.max(a.parallel, b.parallel),
    ...(texts && { texts }),
  };
}

function joinTexts(a: CallTexts | undefined, b: CallTexts | undefined): CallTexts | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Object.fromEntries(textNames.map((name) => [name, least(a[name] ?? null, b[name] ?? null)]));
}
