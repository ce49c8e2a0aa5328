// Every field of a row that is described is filled by some fixture, and no row has another.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describedRows } from '../../src/commands/schema/command.js';
import type { Field, Shape } from '../../src/core/record/describe.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { cct } from '../run.js';

/** Which row a command of test/rows.test.ts writes, and which others fill what no session and no home does. */
const rowsOf: Readonly<Record<string, { readonly golden: RegExp; readonly more: readonly string[] }>> = {
  team: { golden: /^teams$/, more: ['teams fixtures/specimens/teams/team-delete-refused.ndjson'] },
  member: { golden: /^teams --members$/, more: ['teams --members fixtures/specimens'] },
  task: { golden: /^tasks --all$/, more: [] },
  message: { golden: /^messages(?: --settled)?$/, more: [] },
  usage: {
    golden: /^usage --by/,
    more: [
      'usage --by month fixtures/sessions',
      'usage --by session fixtures/specimens',
      'usage --by message fixtures/specimens',
    ],
  },
  session: {
    golden: /^sessions$/,
    more: ['sessions fixtures/files/forked-2.1.326 fixtures/files/how-it-ended-2.1.325'],
  },
  call: { golden: /^calls --by/, more: [] },
  account: { golden: /^trace --by agent$/, more: ['trace --by agent fixtures/specimens'] },
  // There is one for each call and each answer, so no golden has them.
  span: { golden: /^trace$/, more: ['trace fixtures/specimens'] },
  finding: { golden: /^audit$/, more: [] },
  // There is one for each line of the story, so no golden has them.
  line: { golden: /^log$/, more: ['log -f ndjson fixtures/sessions'] },
};

/** What stands before the fields of the description, as it says. */
const before: Readonly<Record<string, readonly string[]>> = { member: ['team', 'session_id'] };

/** These have tests of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  replay: 'its rows are rows of other commands, and patches',
  state: 'core/tables/save-shape.test.ts compares it',
};

/** Described, and filled by no fixture. A fixture that fills one of them takes its line away. */
const unfilled: Readonly<Record<string, string>> = {
  'usage.ci': 'the environment of a CI job says it: ci-action.test.ts',
  'usage.reported.ci': 'the same',
  'usage.pr': 'run:started says it: cli/usage.md',
  'usage.label': 'the same',
  'usage.iteration': 'no capture has a message of several attempts: commands/usage tests write some',
  'usage.iteration_type': 'the same',
  'usage.session.api_error_status': 'no capture has a result that names the status of a failed request',
  'usage.stop_sequence': 'Claude Code asks for no stop sequences',
};

/** The rows of every fixture are in its golden file, without fields that are null. Only the names of members are kept. */
function goldenRows(golden: RegExp): JsonObject[] {
  return goldens.flatMap((text) =>
    text.split(/^\$ cct /m).flatMap((section) => {
      const [words = '', ...lines] = section.split('\n');
      return golden.test(words) ? lines.map(parseJson).filter(isObject) : [];
    }),
  );
}
const goldens = readdirSync('fixtures/rows', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.txt'))
  .map((name) => readFileSync(`fixtures/rows/${name}`, 'utf8'));

async function writtenBy(command: string): Promise<JsonObject[]> {
  const { stdout } = await cct(command.split(' '));
  return stdout.split('\n').map(parseJson).filter(isObject);
}

/** A field that holds others, without what may be around it. */
function inner(field: Field): Field {
  return field.of !== undefined && field.kind !== 'map' ? inner(field.of) : field;
}

function* described(shape: Shape, path = ''): Generator<string> {
  for (const [name, field] of Object.entries(shape)) {
    yield `${path}${name}`;
    const { fields } = inner(field);
    if (fields !== undefined && !isListedByName(field)) yield* described(fields, `${path}${name}.`);
  }
}

/** The members of a team are in its golden by their names; `cct teams --members` writes them whole. */
function isListedByName({ kind, of }: Field): boolean {
  return kind === 'list' && of?.fields?.['agent_id'] !== undefined;
}

function* filled(value: unknown, path = ''): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* filled(item, path);
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue;
    yield `${path}${name}`;
    yield* filled(item, `${path}${name}.`);
  }
}

/** Fields under these hold what the input says, whatever it is. */
function isInsideOpen(path: string, shape: Shape): boolean {
  const [name = '', ...rest] = path.split('.');
  const field = shape[name];
  if (field === undefined || rest.length === 0) return false;
  if (isListedByName(field)) return true;
  const { kind, fields } = inner(field);
  if (kind === 'map' || kind === 'json' || fields === undefined) return true;
  return isInsideOpen(rest.join('.'), fields);
}

test('every row with a schema is here', () => {
  const known = [...Object.keys(rowsOf), ...Object.keys(elsewhere)];
  expect(known.sort()).toEqual(describedRows.map(({ title }) => title).sort());
});

describe.each(describedRows.filter(({ title }) => elsewhere[title] === undefined))('$title', ({ title, shapes }) => {
  const shape: Shape = Object.assign({}, ...shapes.map(({ fields }) => fields));
  const names = new Set([...(before[title] ?? []), ...shapes.flatMap(({ fields }) => [...described(fields ?? {})])]);

  test('has every field that is described, and no other', async () => {
    const { golden = /^$/, more = [] } = rowsOf[title] ?? {};
    const rows = [...goldenRows(golden), ...(await Promise.all(more.map(writtenBy))).flat()];
    const found = new Set([...filled(rows)].filter((path) => !isInsideOpen(path, shape)));
    const missing = [...names].filter((path) => !found.has(path)).map((path) => `${title}.${path}`);
    expect(missing.sort()).toEqual(
      Object.keys(unfilled)
        .filter((path) => path.startsWith(`${title}.`))
        .sort(),
    );
    expect([...found].filter((path) => !names.has(path))).toEqual([]);
  });
});
