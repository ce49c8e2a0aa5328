import { compact, duration, money, thousands } from './amount.js';
import { sanitize } from './text.js';

/** How a field looks in a table. */
export interface Column {
  readonly title: string;
  readonly kind: Kind;
  readonly align: 'left' | 'right';
  /** Of too many columns the one with the lowest rank goes first, of equals the last; the first column always stays. */
  readonly rank: number;
}

/** prose is the first to give way in a line that is too long, then text, word and time; numbers are shown whole or not at all. */
export type Kind = 'prose' | 'text' | 'word' | 'time' | 'number' | 'count' | 'tokens' | 'money' | 'duration';

/** What the name of a field says about its column. */
export function columnFor(field: string): Column {
  const kind = kindFor(field);
  return { title: titleFor(field), kind, align: isNumeric(kind) ? 'right' : 'left', rank: kind === 'money' ? 1 : 0 };
}

export function isNumeric(kind: Kind): boolean {
  return kind !== 'prose' && kind !== 'text' && kind !== 'word' && kind !== 'time';
}

/** Whether `readable` knows a shorter way to write it. */
export function hasShortForm(kind: Kind): boolean {
  return kind === 'tokens' || kind === 'time';
}

/** A value as people read it, not yet sanitised; `short` where there is little room. Nothing at all is ''. */
export function readable(field: string, kind: Kind, value: unknown, short: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return readableNumber(kind, value, short);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return kind === 'time' ? readableTime(value, short) : value;
  if (!Array.isArray(value)) return readableObject(value);
  if (field === 'members') return String(value.length);
  return value.map((item) => readable('', 'text', item, short)).join(', ');
}

function kindFor(field: string): Kind {
  if (field.endsWith('_tokens')) return 'tokens';
  if (field.endsWith('_usd')) return 'money';
  if (field.endsWith('_ms')) return 'duration';
  if (field.endsWith('_at')) return 'time';
  return kinds.get(field) ?? 'text';
}

const kinds = new Map<string, Kind>([
  ...fieldsOf(
    'prose',
    'subject description active_form summary content detail error text prompt result plan feedback reason',
  ),
  ...fieldsOf('word', 'status kind type role protocol severity rule cost_source event subtype'),
  ...fieldsOf('time', 'time day'),
  ...fieldsOf('number', 'turn line seq'),
  ...fieldsOf(
    'count',
    'members messages runs tool_calls tool_errors tool_uses open_calls messages_sent messages_received',
  ),
  ...fieldsOf('count', 'web_search_requests num_turns results bytes'),
]);

function fieldsOf(kind: Kind, fields: string): [string, Kind][] {
  return fields.split(' ').map((field) => [field, kind]);
}

function titleFor(field: string): string {
  const title = titles.get(field) ?? field.replace(/(?<=.)_(?:tokens|usd|ms|at|id)$/, '').replaceAll('_', ' ');
  return sanitize(title.toUpperCase());
}

const titles = new Map([
  ['cache_write_5m_tokens', 'write 5m'],
  ['cache_write_1h_tokens', 'write 1h'],
  ['web_search_requests', 'searches'],
  ['cost_source', 'source'],
  ['num_turns', 'turns'],
  ['messages_sent', 'sent'],
  ['messages_received', 'received'],
]);

function readableNumber(kind: Kind, value: number, short: boolean): string {
  switch (kind) {
    case 'count':
      return thousands(value);
    case 'tokens':
      return short ? compact(value) : thousands(value);
    case 'money':
      return money(value);
    case 'duration':
      return duration(value);
    default:
      return String(value);
  }
}

/** `2026-11-16T02:00:01.500Z` → `2026-11-16T02:00:01Z`, or `11-16 02:00:01`. */
function readableTime(time: string, short: boolean): string {
  const parts = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time);
  if (parts === null) return time;
  return short ? `${parts[1]} ${parts[2]}` : `${time.slice(0, 19)}Z`;
}

/** `{pending: 2, in_progress: 0, completed: 5}` → `2 pending, 5 completed`. */
function readableObject(value: object): string {
  const entries = Object.entries(value);
  if (!entries.every(([, amount]) => typeof amount === 'number')) return JSON.stringify(value);
  const present = entries.filter(([, amount]) => amount !== 0);
  return present.map(([name, amount]) => `${amount} ${name}`).join(', ');
}
