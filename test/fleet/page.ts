import { page as fleet } from '../../man/text/fleet.md';

/** The command of an example in cct-fleet(7), by the name it has in man/text/fleet.md. */
export function commandOf(name: string): string {
  for (const { parts } of fleet.sections)
    for (const part of parts) if (typeof part === 'object' && 'run' in part && part.name === name) return part.run;
  throw new Error(`cct-fleet(7) has no example '${name}'`);
}

/** The commands whose rows need no last step. */
export function sideBySide(): string[] {
  const terms = fleet.sections.flatMap(({ parts }) =>
    parts.flatMap((part) => (Array.isArray(part) ? part.map(([term]: readonly [string, string]) => term) : [])),
  );
  return terms.find((term) => term.startsWith('teams, '))?.split(', ') ?? [];
}
