import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { families } from '../laws/families.js';
import { broken, bytesOf, homes, type Input, sessions } from '../laws/inputs.js';

/** What a command line reads: files, or one of them on stdin. */
export interface Given {
  readonly name: string;
  readonly files: readonly string[];
  readonly stdin: string | null;
}

/** All fixtures. Specimens are joined by family, in files of a scratch folder. */
export function fixtures(scratch: string): Given[] {
  const kept = (input: Input): string => {
    const file = join(scratch, 'families', `${input.name.replaceAll(/[^\w.-]+/g, '-')}.ndjson`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytesOf(input));
    return file;
  };
  return [
    ...[...sessions, ...broken].map(({ name }) => given(name, [`fixtures/${name}`])),
    ...sessions.map(({ name }) => ({ name: `${name} on stdin`, files: [], stdin: `fixtures/${name}` })),
    ...homes.map(({ name, parts }) =>
      given(
        name,
        parts.map(({ path }) => `fixtures/${name}/${path ?? ''}`),
      ),
    ),
    ...families.map((family) => given(family.name, [kept(family)])),
  ];
}

/**
 * What a folder holds. Beside a folder `projects` or a file `stream….ndjson` it is a capture: its streams, its
 * transcripts, both together, and what was left on disk. Elsewhere every file of records stands for itself.
 */
export function givenIn(folder: string): Given[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = entries.map(({ name }) => join(folder, name));
  const streams = paths.filter((path) => /^stream.*\.ndjson$/.test(basename(path)));
  const left = ['projects', 'state'].map((name) => join(folder, name)).filter((path) => isFolder(path));
  if (streams.length > 0 || left.length > 0)
    return [
      ...[...streams, ...left].map((path) => given(path, [path])),
      ...(streams.length > 0 && left.length > 0 ? [given(`${folder}, all of it`, [...streams, ...left])] : []),
    ];
  return paths.flatMap((path) => {
    if (isFolder(path)) return givenIn(path);
    return /\.(?:ndjson|jsonl)(?:\.gz)?$/.test(path) ? [given(path, [path])] : [];
  });
}

function given(name: string, files: readonly string[]): Given {
  return { name, files, stdin: null };
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
