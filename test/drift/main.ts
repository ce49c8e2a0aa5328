import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Capture, type Drift, driftIn } from './drift.js';

/**
 * Prints what cct does not read in these files or folders; with `--against`, only what is not in those of an older
 * version. Returns 1 if it includes the team protocol, 2 without a file.
 */
export async function main(words: readonly string[], _scratch: string, print: (text: string) => void): Promise<number> {
  // npm says where it was called.
  const folder = process.env['INIT_CWD'] ?? '.';
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { against: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  if (positionals.length === 0) {
    print('usage: npm run drift -- [--against FILE|DIR]... FILE|DIR...\n');
    return 2;
  }
  const capturesAt = (paths: readonly string[]) => paths.flatMap((path) => capturesIn(resolve(folder, path)));
  const drift = driftIn(capturesAt(positionals), driftIn(capturesAt(values.against)));
  const isNews = values.against.length > 0;
  print(isNews && drift.unknown.size + drift.ours.size + drift.unread.size === 0 ? 'nothing new\n' : report(drift));
  return drift.ours.size === 0 ? 0 : 1;
}

/** The file, or every file of records in the folder. */
function capturesIn(path: string): Capture[] {
  if (!statSync(path).isDirectory()) return [{ path, text: readFileSync(path, 'utf8') }];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:jsonl?|ndjson)$/.test(file))
    .sort()
    .flatMap((file) => capturesIn(join(path, file)));
}

export function report({ unknown, ours, unread }: Pick<Drift, 'unknown' | 'ours' | 'unread'>): string {
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
