import { readdirSync, readFileSync } from 'node:fs';
import { createParser, type Event } from '../../src/lib.js';

const fixtures = new URL('../../fixtures/', import.meta.url);

export const sessions = readdirSync(new URL('sessions/', fixtures)).filter((name) => name.endsWith('.ndjson'));
export const homes = readdirSync(new URL('files/', fixtures)).filter((name) => !name.endsWith('.json'));

export function textOf(session: string): string {
  return readFileSync(new URL(`sessions/${session}`, fixtures), 'utf8');
}

export function eventsOf(session: string): Event[] {
  const parser = createParser();
  return [...parser.push(textOf(session)), ...parser.end()];
}

/** The files of a home with their paths, which say what the files do not. */
export function filesOf(home: string): { path: string; text: string }[] {
  const root = new URL(`files/${home}/`, fixtures);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:jsonl?|ndjson)$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

export function eventsOfHome(home: string): Event[] {
  const parser = createParser();
  const events = filesOf(home).flatMap(({ path, text }) => [...parser.begin(path), ...parser.push(text)]);
  return [...events, ...parser.end()];
}
