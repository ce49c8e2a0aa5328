// Where bytes come from changes no row: a directory, compressed files, files that take turns as they grow.

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createTurns } from '../../src/cli/follow.js';
import { openIndex } from '../../src/cli/lines.js';
import { createReader } from '../../src/core/wire/reader.js';
import { placeOf } from '../../src/core/wire/sessions.js';
import { initialState, reduce, type State, selectTasks, selectTeams, selectUsage } from '../../src/lib.js';
import { cct } from '../run.js';
import { check } from './check.js';
import { homes, type Input, sessions } from './inputs.js';
import { inputsOf } from './laws.js';
import { type Part, readAll } from './reading.js';

const scratch = mkdtempSync(join(tmpdir(), 'cct-sources-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const commands = [
  ['teams', '--members'],
  ['tasks', '--all'],
  ['messages', '--settled'],
  ['usage', '--by', 'agent,day'],
];

const folderOf = ({ name }: Input) => `fixtures/${name}`;
const several = homes.filter(({ parts }) => parts.length > 1);

describe('a directory is its files', () => {
  test.each(inputsOf('sources: directories', several))('$name', async (home) => {
    const paths = home.parts.map(({ path }) => `${folderOf(home)}/${path}`);
    for (const words of commands) {
      const listed = await cct([...words, ...paths.toReversed()]);
      expect(await cct([...words, folderOf(home)])).toEqual(listed);
    }
  });
});

describe('a compressed file is the file', () => {
  test.each(inputsOf('sources: compressed', several))('$name', async (home) => {
    const folder = join(scratch, home.name);
    cpSync(folderOf(home), folder, { recursive: true });
    for (const { path } of home.parts) {
      const file = join(folder, path ?? '');
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
      rmSync(file);
    }
    for (const words of commands) expect(await cct([...words, folder])).toEqual(await cct([...words, folderOf(home)]));
  });

  test.each(inputsOf('sources: stdin', sessions))('$name on stdin, in any chunks', async ({ parts: [part] }) => {
    const plain = part?.bytes ?? Buffer.alloc(0);
    const text = plain.toString();
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    const half = plain.length >> 1;
    const forms = [
      gzipSync(plain),
      Buffer.concat([gzipSync(plain.subarray(0, half)), gzipSync(plain.subarray(half))]),
      gzipSync(wide),
      wide,
      Buffer.from(wide).swap16(),
    ];
    const expected = await cct(['normalize'], text);
    for (const [index, bytes] of forms.entries())
      expect(await cct(['normalize'], pieces(bytes, [1, 2, 5, 4096 + index]))).toEqual(expected);
  });
});

function* pieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[Math.min(turn, sizes.length - 1)] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe('files that take turns, cut anywhere, give the rows of whole files', () => {
  test.each(several)('$name', ({ parts }) => {
    const plain = rowsOf(readAll(parts).events.reduce(reduce, initialState));
    const turns = fc.array(
      fc.record({ file: fc.nat(parts.length - 1), bytes: fc.integer({ min: 1, max: 9000 }), pauses: fc.boolean() }),
      { maxLength: 60 },
    );
    check(
      fc.property(turns, (taken) => {
        expect(rowsOf(stateByTurns(parts, taken))).toEqual(plain);
      }),
      'sources: turns',
    );
  });
});

interface Piece {
  readonly file: number;
  readonly bytes: number;
  /** The rest of the file has not been written yet. */
  readonly pauses: boolean;
}

function stateByTurns(parts: readonly Part[], taken: readonly Piece[]): State {
  let state = initialState;
  const plain = createReader({
    emit(event) {
      state = reduce(state, event);
    },
    several: true,
  });
  const reader = { ...plain, begin: ({ name }: { name: string }) => plain.begin(placeOf(name)) };
  const index = openIndex({ line: (entry) => plain.line(index.lineText(entry), index.number(entry)), tooLong() {} });
  const turns = createTurns({ reader, index });
  const read = parts.map(() => 0);
  const rest = parts.map(({ bytes }, file) => ({ file, bytes: bytes.length, pauses: false }));
  for (const { file, bytes, pauses } of [...taken, ...rest]) {
    const { path, bytes: all } = parts[file] ?? { path: '', bytes: Buffer.alloc(0) };
    const at = read[file] ?? 0;
    const next = Buffer.from(all.subarray(at, at + bytes));
    if (next.length === 0) continue;
    turns.enter({ path: path ?? '', found: true }, at === 0);
    index.write(next.subarray(0, turns.withoutLineEnd(next, next.length)));
    if (pauses) turns.pause();
    read[file] = at + next.length;
  }
  turns.end(() => index.end());
  return state;
}

function rowsOf(state: State): Record<string, unknown> {
  return {
    teams: selectTeams(state, { ended: true }),
    tasks: selectTasks(state, { all: true }),
    usage: selectUsage(state, { by: ['session', 'agent', 'day'] }),
  };
}

// They wait more than they read, so they take turns.
describe.concurrent('files that are followed while they grow give the rows of finished ones', () => {
  const growing = several.filter(({ name }) => /grow|team-2|parley-refuse-2.1.140/.test(name));
  test.for(growing)('$name', async (home, { expect }) => {
    const folder = join(scratch, 'growing', home.name);
    mkdirSync(folder, { recursive: true });
    const following = commands.map((words) => cct([...words, '--follow', '--until-end', folder]));
    const left = home.parts.map(({ path, bytes }) => ({ path: join(folder, path ?? ''), bytes, at: 0 }));
    for (let step = 1; left.some(({ at, bytes }) => at < bytes.length); step++) {
      for (const file of left) {
        const size = 1 + ((step * 7919) % 20_000);
        mkdirSync(dirname(file.path), { recursive: true });
        appendFileSync(file.path, file.bytes.subarray(file.at, file.at + size));
        file.at += size;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const end = { hook_event_name: 'SessionEnd', session_id: 'over', cwd: '/', reason: 'exit' };
    writeFileSync(join(folder, 'hooks.ndjson'), `${JSON.stringify(end)}\n`);
    expect(readdirSync(folder)).toContain('hooks.ndjson');
    for (const [index, words] of commands.entries()) {
      const finished = await cct([...words, folder]);
      const followed = await following[index];
      expect(followed).toMatchObject({ code: 0, stderr: finished.stderr });
      // A row that was true for a while, such as what nobody had spent yet, stays written.
      expect(lastOfEach(followed?.stdout ?? '')).toEqual(expect.arrayContaining(lastOfEach(finished.stdout)));
    }
  });
});

/** The last row of each key: a fold writes a row again when it changes. */
function lastOfEach(text: string): string[] {
  const rows = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const { team, session_id, agent_id, agent, id, kind, owner, day, tool_use_id, time, from } = JSON.parse(line);
    rows.set(JSON.stringify([team, session_id, agent_id, agent, id, kind, owner, day, tool_use_id, time, from]), line);
  }
  return [...rows.values()].sort();
}
