import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { registry } from '../src/cli/registry.js';
import { defaultsOver, excused, longestFile, violations, withoutTexts } from './architecture.js';

describe('src keeps the rules', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

  test.each(files)('%s', (path) => {
    expect(violations(path, readFileSync(`src/${path}`, 'utf8'))).toEqual([]);
  });

  test.each(Object.entries(excused).filter(([path]) => existsSync(`src/${path}`)))(
    '%s needs its excuse',
    (path, [of]) => {
      expect(defaultsOver(withoutTexts(readFileSync(`src/${path}`, 'utf8')))).toContain(of);
    },
  );

  test('every room with a command.ts is in the registry, under its own name, and nothing else is', async () => {
    const names = readdirSync('src/commands').filter((room) => existsSync(`src/commands/${room}/command.ts`));
    expect(Object.keys(registry).sort()).toEqual(names.sort());
    for (const [name, load] of Object.entries(registry)) expect((await load()).name).toBe(name);
  });

  test('every row that is described has a schema', async () => {
    const rooms = readdirSync('src/commands').filter((room) => existsSync(`src/commands/${room}/row.ts`));
    const modules: object[] = await Promise.all(rooms.map((room) => import(`../src/commands/${room}/row.ts`)));
    const described = modules.flatMap((module) =>
      Object.entries(module).filter(([name]) => /^described[A-Z]/.test(name)),
    );
    const offered = (await registry.schema?.())?.operand?.choices;
    expect(['event', 'state', ...described.map(([, { title }]) => title)].sort()).toEqual([...(offered ?? [])].sort());
  });

  test('every command has a transcript', () => {
    const transcripts = readdirSync('test/cli');
    for (const name of Object.keys(registry)) expect(transcripts).toContain(`${name}.md`);
  });
});

describe('the rules can be broken', () => {
  test.each([
    ['core/event/a.ts', "import { readFile } from 'node:fs';", 'core may not import node:fs'],
    ['core/event/a.ts', "import { createOutput } from '../../io/output.js';", 'core may not import io/output.js'],
    ['core/event/a.ts', "import type { Row } from '../../view/writer.js';", 'core may not import view/writer.js'],
    ['core/event/a.ts', "import chalk from 'chalk';", 'core may not import chalk'],
    [
      'core/event/a.ts',
      "switch (event.event) { case 'a': switch (kind) { default: f(); } default: g(); }",
      'its switch over event.event has a default: name the cases',
    ],
    [
      'commands/tasks/a.ts',
      'switch (task.status) {\n  default:\n    return null;\n}',
      'its switch over task.status has a default: name the cases',
    ],
    ['core/event/a.ts', "import * as z from 'zod';", 'core may not import zod here'],
    ['commands/teams/row.ts', "import * as z from 'zod';", 'commands may not import zod'],
    ['commands/report/lanes.ts', "import { h } from 'preact';", 'commands may not import preact'],
    [
      'commands/report/page/app.tsx',
      "import { flagOf } from '../../../cli/flags.js';",
      'commands/report/page/app.tsx is pure and may not import cli/flags.js',
    ],
    ['core/event/a.ts', "export * from '../../cli/print.js';", 'core may not import cli/print.js'],
    ['core/event/a.ts', "const later = await import('../../cli.js');", 'core may not import cli.js'],
    [
      'core/event/a.ts',
      "import {\n  a,\n  b,\n} from '../tables/teams.js';",
      'event may not import core/tables/teams.js',
    ],
    ['core/record/a.ts', "import '../event/event.js';", 'record may not import core/event/event.js'],
    ['view/a.ts', "import { eventNames } from '../core/event/event.js';", 'view may not import core/event/event.js'],
    ['view/a.ts', "import { Chalk } from 'chalk';", 'view may not import chalk'],
    ['io/a.ts', "import { parse } from '../core/record/json.js';", 'io may not import core/record/json.js'],
    ['commands/teams/a.ts', "import fs from 'node:fs';", 'commands may not import node:fs'],
    [
      'commands/teams/a.ts',
      "import { Output } from '../../io/output.js';",
      'commands/teams/a.ts is pure and may not import io/output.js',
    ],
    [
      'commands/teams/rows.ts',
      "import { teams } from './command.js';",
      'commands/teams/rows.ts is pure and may not import commands/teams/command.js',
    ],
    [
      'commands/teams/rows.ts',
      "import { settle } from '../usage/settle.js';",
      'teams may ask usage only for its rows, not import commands/usage/settle.js',
    ],
    ['somewhere/a.ts', "import './b.js';", 'somewhere may not import somewhere/b.js'],
    ['cli/a.ts', "import { b } from '../commands/teams/rows.js';", 'cli may not import commands/teams/rows.js'],
    ['cli/a.ts', "import { b } from './live-drawing.js';", 'cli/live-drawing.js has to be loaded when it is needed'],
    [
      'commands/teams/command.ts',
      "import { b } from './cards.js';",
      'commands/teams/cards.js has to be loaded when it is needed',
    ],
    ['core/event/a.ts', "import { b } from './b';", 'the import of ./b has to end in .js'],
    [
      'core/event/a.ts',
      "import { page } from '../../../man/text/input.md';",
      'the import of ../../../man/text/input.md has to end in .js',
    ],
    ['core/event/a.ts', 'const now = Date.now();', 'it looks at the clock'],
    ['core/event/a.ts', 'const now = new Date();', 'it looks at the clock'],
    ['core/event/a.ts', 'const now = new Date;', 'it looks at the clock'],
    ['view/a.ts', 'const now = Date();', 'it looks at the clock'],
    ['core/event/a.ts', 'const id = Math.random();', 'it is not deterministic'],
    ['core/event/a.ts', 'const width = process.stdout.columns;', 'only io and main know the process'],
    ['commands/teams/command.ts', 'process.exit(1);', 'only io and main know the process'],
    ['core/event/a.ts', `const width = \`\${process.env.COLUMNS}\`;`, 'only io and main know the process'],
    ['io/a.ts', "console.log('x');", 'it uses console'],
    ['view/a.ts', "const bytes = Buffer.from('x');", 'it uses Buffer'],
    ['io/a.ts', 'const record = JSON.parse(text);', 'only core/record/json.ts calls JSON.parse'],
    ['io/a.ts', 'export default 1;', 'it has a default export'],
    ['io/a.ts', 'const a = 1;\nexport { a as default };', 'it has a default export'],
    ['io/fileReader.ts', '', 'its name is not kebab-case'],
    ['io/a.ts', '\n'.repeat(longestFile + 1), `it has more than ${longestFile} lines`],
  ])('%s: %s', (path, source, text) => {
    expect(violations(path, source)).toEqual([`${path}: ${text}`]);
  });

  test.each([
    [
      'core/event/schema.ts',
      "import * as z from 'zod';\nimport { b } from '../record/b.js';\nexport { c } from './c.js';",
    ],
    [
      'core/event/a.ts',
      "const time = new Date(text).toISOString(); // not Date.now(), nor new Date()\nconst word = 'process.exit()';",
    ],
    ['core/event/a.ts', `const quoted = /["'\`]|console\\.log/g; const other = \`the process.exit of \${name}\`;`],
    ['view/a.ts', "import type { Event } from '../core/event/event.js';"],
    ['io/a.ts', "import { open } from 'node:fs';\nprocess.exitCode = 1;"],
    ['cli/registry.ts', "const load = () => import('../commands/schema/command.js');"],
    ['commands/teams/command.ts', "import { UsageError } from '../../io/exit.js';"],
    ['commands/teams/rows.ts', "import { reportUsage } from '../usage/rows.js';"],
    ['core/record/json.ts', 'const record: unknown = JSON.parse(text);'],
    ['cli/docs/help.ts', "import { page } from '../../../man/text/input.md';"],
  ])('%s: %s is fine', (path, source) => {
    expect(violations(path, source)).toEqual([]);
  });
});
