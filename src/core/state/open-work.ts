import type { OpenCall } from '../event/desk.js';

/** Who and what was still at work, a line for each kind, the last to begin first. */
export function describeOpen(agents: readonly string[], calls: readonly Omit<OpenCall, 'session_id'>[]): string[] {
  return [
    ...listed('open agents', agents),
    ...listed(
      'open calls',
      calls.map(({ tool, id, agent, line }) => `${tool} ${id} by ${agent}${line === null ? '' : ` at line ${line}`}`),
    ),
  ];
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(-mostShown).reverse().map(short);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  return [`${title}: ${shown.join(', ')}${more}`];
}

const mostShown = 10;

/** A name may be a whole description. */
function short(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
const longest = 120;
