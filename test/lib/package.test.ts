// The package as people get it: packed, unpacked elsewhere, run, type-checked and bundled. Needs a build, as all tests of dist do.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../effort.js';

const project = new URL('../..', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'cct-package-'));
const installed = join(home, 'node_modules/cct-toolkit');
const session = join(project, 'fixtures/sessions/team-2.1.39.ndjson');

beforeAll(() => {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', home];
  const file = execFileSync('npm', pack, { cwd: project, encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(home, file), '-C', installed, '--strip-components=1']);
  for (const name of ['@types', 'undici-types'])
    symlinkSync(join(project, 'node_modules', name), join(home, 'node_modules', name));
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  mkdirSync(join(home, 'own-zod/node_modules'), { recursive: true });
  symlinkSync(join(project, 'node_modules/zod'), join(home, 'own-zod/node_modules/zod'));
}, 60_000);

afterAll(() => rmSync(home, { recursive: true }));

function run(file: string, ...args: string[]) {
  const example = join(home, file);
  writeFileSync(example, readFileSync(join(project, 'fixtures/library', file)));
  return spawnSync(process.execPath, [example, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
}

describe('the examples run', () => {
  test('team.mjs', () => {
    const { stdout, stderr } = run('team.mjs', session);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'team-lead to researcher: Please also note the line count of each file.',
      'team-lead to nobody: Are you there?',
      'team-lead to everybody: Reminder: keep the report under one page.',
      'That was report-crew.',
      'report-crew  team-lead  finished',
      'report-crew  researcher  shutdown',
      'report-crew  writer  shutdown',
      '#1  completed  Survey the sources',
      '#2  completed  Write the summary',
      '#3  pending  Review the report',
      'still there: nobody',
      '',
    ]);
  });

  test('watch-run.mjs, with a run that succeeds', () => {
    const { stdout, stderr, status } = run('watch-run.mjs', 'cat', session);
    expect(stdout).toBe('success: 18 turns, $0.535481\nsuccess: 3 turns, $0.6821659999999999\n');
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('watch-run.mjs, with a run that fails', () => {
    const script = 'echo one >&2; echo two >&2; exit 3';
    const { stdout, stderr, status } = run('watch-run.mjs', 'sh', '-c', script);
    expect([stdout, stderr, status]).toEqual(['', 'sh ended with 3\none\ntwo\n', 3]);
  });
});

describe('its types fit, resolved as', () => {
  /** What the compiler says to these files, which use the package under these options. */
  function check(name: string, sources: Record<string, string>, options: object): string {
    const folder = join(home, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, source] of Object.entries(sources)) writeFileSync(join(folder, file), source);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      exactOptionalPropertyTypes: true,
      ...options,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(sources) }));
    return spawnSync(join(project, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout;
  }

  const common = `
    const parser: Parser = createParser({ onWarning: (text) => text.length });
    let state: State = initialState;
    for (const event of parser.push('')) {
      state = reduce(state, event);
      if (event.event === 'team:message:sent') event.message.content satisfies string | null;
      if (isTeamTaskUpdate(event)) event satisfies EventMap['team:task:created' | 'team:task:claimed' | 'team:task:updated' | 'team:task:completed' | 'team:task:deleted'];
    }
    const team: TeamState | undefined = reduceTeamState(undefined, { recognized: { toolName: 'TeamCreate', toolUseId: 'a', category: 'team_state_change', input: {} } });
    const member: TeamMember = { name: 'a', agentId: 'a', agentType: 'a', status: 'idle' };
    const names: string[] = agentNames(team).concat(agentNames(state), member.name);
    const told = (event: TeamEvent) => (event.type === 'idle' ? event.completedTaskId : names[0]);
    const restored: State = loadState(saveState(state));
    createParser({ state: restored }) satisfies Parser;
    // @ts-expect-error what cannot be resolved would be any
    selectTeams(state)[0].nobody;
    for (const row of selectUsage(state, { by: ['agent'] })) {
      row.name satisfies string | null | undefined;
      // @ts-expect-error it is cost_usd
      row.cost;
    }
  `;
  const imports = `agentNames, createParser, initialState, isTeamTaskUpdate, loadState, reduce, reduceTeamState, saveState, selectTeams, selectUsage, type EventMap, type Parser, type State, type TeamEvent, type TeamMember, type TeamState`;

  const inNode = `
    import { ${imports}, eventStream } from 'cct-toolkit';
    import { eventStream as same } from 'cct-toolkit/node';
    process.stdin.pipe(eventStream({ maxLineBytes: 1 })).pipe(same());
    for await (const { line } of eventStream()) line satisfies number | null;
    ${common}`;
  const inBrowser = `
    import { ${imports}, eventStream } from 'cct-toolkit';
    ${common}`;
  const required = `
    import cct = require('cct-toolkit');
    const row: cct.MemberRow = cct.memberRowSchema.parse({});
    // @ts-expect-error there is no such field
    row.nobody;`;
  const awaited = `
    import('cct-toolkit').then(({ memberRowSchema }) => {
      const row = memberRowSchema.parse({});
      row.name satisfies string;
      // @ts-expect-error there is no such field
      row.nobody;
    });`;
  const ownZod = `
    import * as z from 'zod';
    import { memberRowSchema, type MemberRow } from 'cct-toolkit';
    const { row } = z.object({ row: memberRowSchema }).parse({});
    row satisfies MemberRow;
    // @ts-expect-error there is no such field
    row.nobody;`;

  test.each<[string, Record<string, string>, object]>([
    ['node16', { 'use.mts': inNode, 'use.cts': awaited }, { module: 'node16', types: ['node'] }],
    [
      'nodenext',
      { 'use.mts': inNode, 'use.cts': required },
      { module: 'nodenext', types: ['node'], skipLibCheck: false },
    ],
    ['bundler', { 'use.ts': inNode }, { module: 'preserve', types: ['node'] }],
    ['bundler-for-node', { 'use.ts': inNode }, { module: 'preserve', customConditions: ['node'], types: ['node'] }],
    [
      'bundler-browser',
      { 'use.ts': inBrowser },
      { module: 'preserve', lib: ['es2022', 'dom'], types: [], skipLibCheck: false },
    ],
    ['own-zod', { 'use.ts': ownZod }, { module: 'preserve', lib: ['es2022', 'dom'], types: [] }],
  ])('%s', (name, sources, options) => {
    expect(check(name, sources, options)).toBe('');
  });

  test.each(sample(['node16', 'nodenext', 'bundler'], 1))('every example of the API page, %s', (name) => {
    const page = readFileSync(join(project, 'src/api/README.md'), 'utf8');
    const examples = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, example = '']) => example);
    const files = Object.fromEntries(examples.map((example, at) => [`example-${at}.mts`, example]));
    expect(examples.length).toBeGreaterThan(20);
    expect(check(`page-${name}`, files, { module: name === 'bundler' ? 'preserve' : name, types: ['node'] })).toBe('');
  });

  test.each(sample(['bundler', 'node16'], 1))('both programs, %s', (name) => {
    const files = Object.fromEntries(
      ['team.mjs', 'watch-run.mjs'].map((file) => [
        file,
        readFileSync(join(project, 'fixtures/library', file), 'utf8'),
      ]),
    );
    const options = { module: name === 'bundler' ? 'preserve' : name, types: ['node'], allowJs: true, checkJs: true };
    expect(check(`programs-${name}`, files, options)).toBe('');
  });

  test('and nothing but the stream names anything of Node', () => {
    const text = readFileSync(join(installed, 'dist/node.d.ts'), 'utf8');
    expect(text.match(/.*(?:['"]node:|\bNodeJS\.|\bBuffer\b|types="node").*/g)).toEqual([
      'import { Transform } from "node:stream";',
      '  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Event>;',
    ]);
  });
});

describe('a bundle for browsers', () => {
  const use = `
    import * as cct from 'cct-toolkit';
    export const stream = cct.eventStream;
    export function read(text) {
      const parser = cct.createParser();
      const events = [...parser.push(new TextEncoder().encode(text)), ...parser.end()];
      const state = events.reduce(cct.reduce, cct.initialState);
      const rows = cct.selectTeams(cct.loadState(JSON.stringify(cct.saveState(state))), { ended: true });
      return rows.map((row) => row.team + ' ' + row.status + ' ' + row.members.length);
    }`;

  test.each(['browser', 'neutral'] as const)('%s: has no import of Node and runs without it', async (platform) => {
    writeFileSync(join(home, 'page.js'), use);
    const { output } = await build({
      input: join(home, 'page.js'),
      platform,
      output: { format: 'iife', name: 'page' },
      write: false,
    });
    const [{ code, imports, moduleIds }, ...others] = output;
    expect([...imports, ...others]).toEqual([]);
    expect(moduleIds.filter((path) => !/[\\/](page|lib|core|names|zod)\.js$|^\0rolldown/.test(path))).toEqual([]);
    const page = createContext({ TextDecoder, TextEncoder });
    runInContext(code, page);
    expect(() => runInContext('page.stream()', page)).toThrow('eventStream needs the streams of Node');
    page.text = readFileSync(session, 'utf8');
    expect([...runInContext('page.read(text)', page)]).toEqual(['report-crew cleaned_up 3']);
  });

  test.each([
    ['eventNames', 3000],
    ['usageKeys', 1000],
    ['isTeamMember', 15_000],
    ['redactSecrets', 55_000],
  ])('%s alone takes no more than %d bytes', async (name, most) => {
    writeFileSync(join(home, 'one.js'), `import { ${name} } from 'cct-toolkit'; console.log(${name});`);
    const { output } = await build({
      input: join(home, 'one.js'),
      platform: 'browser',
      output: { format: 'esm', minify: true },
      write: false,
    });
    expect(output[0].code.length).toBeLessThan(most);
    // The library without zod, which is most of it.
    expect(output[0].moduleIds.filter((path) => path.endsWith('zod.js'))).toEqual([]);
  });
});
