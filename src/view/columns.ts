// How a field looks in a table: its title, how its values are written, how far it may shrink.
import type { Row } from './formats.js';
import type { Signs } from './signs.js';
import { compact, decimalsFor, duration, money, sanitize, thousands } from './text.js';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  readonly align: 'left' | 'right';
  /**
   * If there are too many columns, the one with the lowest rank is dropped first; of equal ranks, the last. Ranks below
   * 0 are dropped before any text is cut. The first column always stays.
   */
  readonly rank: number;
  /** The width to plan for while rows are still coming. */
  readonly expect?: number;
  /** Columns with a rank below 0 are dropped before this column's texts are cut to less than this width. */
  readonly comfort?: number;
  value?(row: Row): unknown;
  /** What a heading says if all rows have the same text; null for nothing. */
  readonly says?: (text: string) => string | null;
  /** Text that is too long continues on the next line, if it is the last in its line. */
  readonly wraps?: boolean;
  /** Shown also where all rows say the same. */
  readonly stays?: boolean;
  /** Shown only if two rows have the same values in all these fields. */
  readonly ifSame?: readonly string[];
}

export interface FieldColumn extends Column {
  readonly field: string;
}

/** prose is cut first, then text. Words, ids, models, times and numbers are shown whole or not at all. */
export type ColumnKind =
  | 'prose'
  | 'text'
  | 'word'
  | 'id'
  | 'model'
  | 'time'
  | 'number'
  | 'count'
  | 'tokens'
  | 'money'
  | 'share'
  | 'duration';

/** The column that the name of a field suggests. */
export function columnFor(field: string): Column {
  const kind = kindFor(field);
  return { title: titleFor(field), kind, align: isNumeric(kind) ? 'right' : 'left', rank: kind === 'money' ? 1 : 0 };
}

export function isNumeric(kind: ColumnKind): boolean {
  return kind === 'number' || kind === 'count' || kind === 'tokens' || kind === 'money' || kind === 'duration';
}

/** Whether `readable` has a shorter form of it. */
export function hasShortForm(kind: ColumnKind): boolean {
  return kind === 'tokens' || kind === 'time';
}

/** A value as people read it, not yet sanitised; `short` where there is little room. '' if there is no value. */
export function readableValue(field: string, kind: ColumnKind, value: unknown, short: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return readableNumber(kind, value, short);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return readableObject(value);
  if (field === 'members') return String(value.length);
  return value.map((item) => readableValue('', 'text', item, short)).join(', ');
}

/** `≥ $0.1855` for a lower bound, `~ $0.1855` for a guess. A lower bound of 0 says nothing, so it is left empty. */
export function costText(usd: number | null, source: unknown, { costs }: Signs, decimals?: number): string {
  if (usd === null || (usd === 0 && source === 'lower_bound')) return '';
  const text = money(usd, decimals);
  // `≥ <$0.01` would say nothing.
  const isMarked = (source === 'lower_bound' || source === 'guess') && !text.startsWith('<');
  return isMarked ? `${costs[source]} ${text}` : text;
}

/** A short form of a model or id: `opus-4-6`, the first eight characters of a long id. Names and short ids stay. */
function shortName(kind: ColumnKind, text: string): string {
  if (kind === 'model') return text.replace(/^claude-(?=.)/, '').replace(/-20\d{6}(?=$|\[)/, '');
  return kind === 'id' && longId.test(text) ? text.slice(0, 8) : text;
}

const longId = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[a-z]?[0-9a-f]{16,32})$/;

/** Short forms of models and ids, unless two of them would then look the same; and how precise money is. */
export class Names {
  readonly #long = new Map<string, string | null>();
  #most = 0;

  note({ field, kind }: FieldColumn, value: unknown): void {
    if (kind === 'money' && typeof value === 'number') this.#most = Math.max(this.#most, Math.abs(value));
    if ((kind !== 'model' && kind !== 'id') || typeof value !== 'string') return;
    const short = `${field} ${shortName(kind, value)}`;
    const other = this.#long.get(short);
    this.#long.set(short, other === undefined || other === value ? value : null);
  }

  get decimals(): number {
    return decimalsFor(this.#most);
  }

  text({ field, kind }: FieldColumn, value: string): string {
    if (kind !== 'model' && kind !== 'id') return value;
    const short = shortName(kind, value);
    return this.#long.get(`${field} ${short}`) === value ? short : value;
  }
}

function kindFor(field: string): ColumnKind {
  if (field.endsWith('_tokens')) return 'tokens';
  if (field.endsWith('_usd')) return 'money';
  if (field.endsWith('_ms')) return 'duration';
  if (field.endsWith('_at')) return 'time';
  if (field.endsWith('_share')) return 'share';
  return kindsByField.get(field) ?? 'text';
}

const kindsByField = new Map<string, ColumnKind>([
  ...kindEntries(
    'prose',
    'subject description active_form summary content detail error text prompt result plan feedback reason',
  ),
  ...kindEntries('word', 'status kind type role protocol severity rule cost_source event subtype'),
  ...kindEntries('id', 'id session_id agent_id agent task'),
  ...kindEntries('model', 'model'),
  ...kindEntries('time', 'time day'),
  ...kindEntries('number', 'turn line seq'),
  ...kindEntries(
    'count',
    'members messages runs tool_calls tool_errors tool_uses open_calls messages_sent messages_received',
  ),
  ...kindEntries('count', 'web_search_requests web_fetch_requests num_turns results bytes'),
  ...kindEntries('share', 'share'),
]);

function kindEntries(kind: ColumnKind, fields: string): [string, ColumnKind][] {
  return fields.split(' ').map((field) => [field, kind]);
}

function titleFor(field: string): string {
  const title = titlesByField.get(field) ?? field.replace(/(?<=.)_(?:tokens|usd|ms|at|id)$/, '').replaceAll('_', ' ');
  return sanitize(title.toUpperCase());
}

const titlesByField = new Map([
  ['total_tokens', 'tokens'],
  ['cache_write_5m_tokens', 'write 5m'],
  ['cache_write_1h_tokens', 'write 1h'],
  ['web_search_requests', 'searches'],
  ['web_fetch_requests', 'fetches'],
  ['cost_source', 'source'],
  ['num_turns', 'turns'],
  ['tool_calls', 'calls'],
  ['messages_sent', 'sent'],
  ['messages_received', 'received'],
]);

function readableNumber(kind: ColumnKind, value: number, short: boolean): string {
  switch (kind) {
    case 'count':
      return thousands(value);
    case 'tokens':
      return short ? compact(value) : thousands(value);
    case 'money':
      return money(value);
    case 'share':
      return percent(value);
    case 'duration':
      return duration(value);
    default:
      return String(value);
  }
}

/** `66%`; `<1%` for a share that is not 0 but rounds to 0. */
function percent(share: number): string {
  const rounded = Math.round(100 * share);
  return rounded === 0 && share > 0 ? '<1%' : `${rounded}%`;
}

/** `{pending: 2, in_progress: 0, completed: 5}` → `2 pending, 5 completed`. */
function readableObject(value: object): string {
  const entries = Object.entries(value);
  if (!entries.every(([, amount]) => typeof amount === 'number')) return JSON.stringify(value);
  const present = entries.filter(([, amount]) => amount !== 0);
  return present.map(([name, amount]) => `${amount} ${name}`).join(', ');
}
