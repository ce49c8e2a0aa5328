import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Part } from './reading.js';

export interface Input {
  readonly name: string;
  readonly parts: readonly Part[];
}

// Relative to the project's root, where tests and tools run: a tool is bundled elsewhere.
const fixtures = pathToFileURL('fixtures/');

/** Whole streams, each read from stdin. */
export const sessions: readonly Input[] = filesIn('sessions');
export const specimens: readonly Input[] = filesIn('specimens');
/** Damaged input. */
export const broken: readonly Input[] = filesIn('broken');
/** The files a home holds, each under its path. */
export const homes: readonly Input[] = readdirSync(new URL('files/', fixtures), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name: `files/${name}`, parts: partsOf(`files/${name}/`) }));

export function bytesOf({ parts }: Input): Buffer {
  return Buffer.concat(parts.map(({ bytes }) => bytes));
}

function filesIn(folder: string): Input[] {
  return readdirSync(new URL(`${folder}/`, fixtures), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[a-z]+$/.test(file) && !/\.events\.(?:nd)?json$/.test(file))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .map((file) => ({ name: `${folder}/${file}`, parts: [{ path: null, bytes: bytesIn(`${folder}/${file}`) }] }));
}

function partsOf(folder: string): Part[] {
  const inside = readdirSync(new URL(folder, fixtures), { recursive: true, encoding: 'utf8' });
  const files = inside.filter((file) => /\.(?:jsonl?|ndjson)$/.test(file)).sort();
  return files.map((path) => ({ path, bytes: bytesIn(`${folder}${path}`) }));
}

function bytesIn(path: string): Buffer {
  return readFileSync(new URL(path, fixtures));
}

/** Streams of two runs of one session without times are read in the order in which they are given. */
export function isInOrder({ name }: Input): boolean {
  return name === 'files/agent-left-behind-2.1.327' || name === 'files/resumed-with-less-2.1.140';
}
