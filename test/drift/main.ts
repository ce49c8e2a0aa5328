import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Drift, driftIn } from './drift.js';

/** Prints what cct does not read in these files. Returns 1 if it includes the team protocol, 2 without a file. */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  // npm says where it was called.
  const folder = process.env['INIT_CWD'] ?? '.';
  if (words.length === 0) {
    print('usage: npm run drift -- FILE...\n');
    return 2;
  }
  const drift = driftIn(words.map((path) => ({ path, text: readFileSync(resolve(folder, path), 'utf8') })));
  print(report(drift));
  return drift.ours.size === 0 ? 0 : 1;
}

export function report({ unknown, ours, unread }: Drift): string {
  const lines: string[] = [];
  for (const name of [...ours].sort()) lines.push(`of the team protocol, and not known: ${name}`);
  for (const [name, count] of sorted(unknown)) lines.push(`unknown: ${name} (${count})`);
  for (const [within, fields] of sorted(unread))
    lines.push(
      `not read in ${within}: ${sorted(fields)
        .map(([path, count]) => `${path} (${count})`)
        .join(', ')}`,
    );
  if (lines.length === 0) lines.push('everything is read');
  return lines.map((line) => `${line}\n`).join('');
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
