// Puts the events and tables of a run into the page.
import type { FindingRow } from '../audit/row.js';
import type { RunFigures } from './summary.js';
import type { StaticTable } from './tables.js';

/** How a page was requested, besides its events. */
export interface Settings {
  readonly title: string;
  readonly compare: boolean;
  /** More may come: the page asks whoever serves it. */
  readonly live: boolean;
  /** What went wrong, as `cct audit` prints it. */
  readonly findings: readonly FindingRow[];
  /** Of each run; null if more may come. Worked out here like the findings, so that the page opens sooner. */
  readonly figures: readonly RunFigures[] | null;
}

export interface PageParts extends Settings {
  /** Deflated events in base64. */
  readonly events: string;
  readonly tables: readonly StaticTable[];
}

/** `shell` is the built page, with placeholders `{title}`, `{tables}`, `{settings}` and `{events}`. */
export function* documentOf(shell: string, page: PageParts): Generator<string> {
  const { title, events, tables, live } = page;
  const parts: Readonly<Record<string, string>> = {
    title: htmlEscaped(title),
    tables: tables.map(tableOf).join(''),
    settings: settingsOf(page),
    events,
  };
  // A generator, because the events may be long. Filled in order, so that no text of a run is taken for a placeholder.
  let rest = live ? shell.replace("default-src 'none'", "default-src 'none'; connect-src 'self'") : shell;
  for (const name of ['title', 'tables', 'settings', 'events']) {
    const place = rest.indexOf(`{${name}}`);
    yield rest.slice(0, place);
    yield parts[name] ?? '';
    rest = rest.slice(place + name.length + 2);
  }
  yield rest;
}

export function settingsOf({ title, compare, live, findings, figures }: Settings): string {
  return JSON.stringify({ title, compare, live, findings, figures }).replaceAll('<', '\\u003c');
}

function tableOf({ title, heads, aligns, rows, note, isInPage }: StaticTable): string {
  const styles = aligns.map((align) => (align === 'right' ? ' class="number"' : ''));
  const head = heads.map((text, at) => `<th scope="col"${styles[at]}>${htmlEscaped(text)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map((text, at) => `<td${styles[at]}>${htmlEscaped(text)}</td>`).join('')}</tr>`,
  );
  const under = note === null ? '' : `<p class="note">${note}</p>`;
  return `<section${isInPage ? ' class="drawn"' : ''}><h2>${title}</h2><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}</tbody></table>${under}</section>\n`;
}

/** Escapes characters that end text or an attribute, and those that change the text direction. */
export function htmlEscaped(text: string): string {
  return text.replace(
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (letter) => htmlEntities.get(letter) ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const htmlEntities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);
