export interface OpenCall {
  readonly tool: string;
  readonly id: string;
  /** Who made it, by name where one is known. */
  readonly agent: string;
  /** null where it is not known, as in events of somebody else. */
  readonly line: number | null;
}

/** Who and what was still at work, a line for each kind, the last to begin first. */
export function describeOpen(agents: readonly string[], calls: readonly OpenCall[]): string[] {
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
