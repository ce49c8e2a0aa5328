import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { eventJsonSchema, eventNames } from '../../../src/lib.js';
import { rows } from '../../run.js';

const schema = Object(eventJsonSchema());
const checked = z.fromJSONSchema(schema);

test('is a schema of draft 2020-12 with a definition of each event', () => {
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(schema.anyOf).toEqual(eventNames().map((name) => ({ $ref: `#/$defs/${name}` })));
  for (const name of eventNames()) expect(schema.$defs[name].properties.event).toMatchObject({ const: name });
  expect(schema.$defs['team:message:sent'].properties.message).toMatchObject({ $ref: '#/$defs/message' });
  expect(Object.keys(schema.$defs).filter((name) => name.startsWith('__'))).toEqual([]);
});

test.each(readdirSync('fixtures/sessions').filter((file) => file.endsWith('.ndjson')))(
  'every event of %s fits',
  async (file) => {
    const events = await rows(['normalize', '--raw'], readFileSync(`fixtures/sessions/${file}`, 'utf8'));
    const misfits = events.filter((event) => !checked.safeParse(event).success);
    expect(misfits).toEqual([]);
  },
);

test.each([
  ['no event', { cct: 1, seq: 1 }],
  [
    'an event nobody knows',
    { cct: 1, seq: 1, event: 'made:up', time: null, session_id: null, team: null, agent: null, line: 1 },
  ],
  ['a field of another type', { ...turn(), turn: 'one' }],
  ['a field missing', { ...turn(), turn: undefined }],
  ['another version', { ...turn(), cct: 2 }],
])('%s does not fit', (_name, event) => {
  expect(checked.safeParse(event).success).toBe(false);
});

test('a field that is new does fit', () => {
  expect(checked.safeParse({ ...turn(), mood: 'good' }).success).toBe(true);
});

function turn() {
  return {
    cct: 1,
    seq: 1,
    event: 'turn:started',
    time: null,
    session_id: null,
    team: null,
    agent: null,
    line: 1,
    turn: 1,
  };
}
