// A fixed choice, so that a new fixture changes nothing here. Together they show every slice with something in it.

import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { stateVersion } from '../../../src/core/tables/saved-state.js';
import { type EventName, eventNames, eventSchema } from '../../../src/lib.js';
import { cct } from '../../run.js';

const inputs = [
  'sessions/background-2.1.325.ndjson',
  'sessions/killed-midway.ndjson',
  'sessions/parley-plan-2.1.140.ndjson',
  'sessions/partial-2.1.325.ndjson',
  'sessions/superseded.ndjson',
  'sessions/team-2.1.39.ndjson',
  'sessions/team-2.1.140.ndjson',
  'sessions/team-2.1.325.ndjson',
  'sessions/teammate-tool.ndjson',
  'files/hooks-2.1.39',
  'files/team-2.1.39',
  'files/team-2.1.140',
];
const isFact = /^(?:agent:|team:|session:(?:started|ended|changed)|turn:started|usage:reported|hook:fired)/;
const golden = new URL('save-shape.txt', import.meta.url);

test('a saved state of another shape has another version', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cct-shape-'));
  const paths = new Set<string>();
  for (const [index, input] of inputs.entries()) {
    const file = join(scratch, `${index}.json`);
    await cct(['teams', '-q', '--state', file, ...filesOf(input)]);
    for (const path of pathsIn(JSON.parse(readFileSync(file, 'utf8')).slices)) paths.add(path);
  }
  const facts = eventNames().filter((name) => isFact.test(name));
  const lines = [`version ${stateVersion}`, ...[...paths].sort(), ...facts.map(requiredFields)];
  const shape = lines.map((line) => `${line}\n`).join('');
  const known = existsSync(golden) ? readFileSync(golden, 'utf8') : '';
  // --update alone does not do: a state of the old shape would be read as one of the new.
  if (known.startsWith(`version ${stateVersion}\n`)) expect(shape, advice).toBe(known);
  else await expect(shape).toMatchFileSnapshot(golden.pathname);
});

const advice =
  'raise stateVersion in src/core/tables/saved-state.ts (or, if that version was never released, remove save-shape.txt) and run this test with --update';

function filesOf(input: string): string[] {
  const path = `fixtures/${input}`;
  if (!input.startsWith('files/')) return [path];
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return inside
    .filter((file) => /\.(?:jsonl?|ndjson)$/.test(file))
    .map((file) => `${path}/${file}`)
    .sort();
}

/** Where values stand: `{}` in a table, `[]` in a list of objects. */
function* pathsIn(value: unknown, at = ''): Generator<string> {
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    for (const item of value) yield* pathsIn(item, `${at}[]`);
    return;
  }
  if (Array.isArray(value) || typeof value !== 'object' || value === null || foreign.test(at)) return yield at;
  const [[tag, inner] = ['', null]] = Object.entries(value);
  if (tag === '$table' || tag === '$map') {
    yield `${at}{}`;
    for (const [, item] of inner) yield* pathsIn(item, `${at}{}`);
    return;
  }
  if (tag === '$number') return yield at;
  if (tag === '$set' || tag === '$calls') return yield* pathsIn(inner, at);
  for (const [name, item] of Object.entries(value)) yield* pathsIn(item, at === '' ? name : `${at}.${name}`);
}

/** Whatever the input says, kept as it came; and events, which have a schema. */
const foreign = /\.(?:input|metadata|value|mcp_servers\[\]|partial\{\}\.usage)$|^facts\{\}\.event$/;

/** What an event that is kept as a fact has to have. */
function requiredFields(name: EventName): string {
  const { required } = z.toJSONSchema(eventSchema(name));
  return `${name}: ${required?.toSorted().join(' ')}`;
}
