import { sanitize } from './text.js';
import type { Row } from './writer.js';

/**
 * `name=value` lines for $GITHUB_OUTPUT: the fields of the total, then all rows as JSON for `fromJSON`.
 * A value never holds a line end, so no field can smuggle in another output.
 */
export function githubOutput(total: Row, rows: readonly Row[]): string {
  const lines = Object.entries(total).map(([name, value]) => `${name}=${plain(value)}\n`);
  return `${lines.join('')}rows=${JSON.stringify(rows)}\n`;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return sanitize(typeof value === 'string' ? value : JSON.stringify(value));
}
