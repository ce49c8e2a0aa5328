// Bundles everything the package needs, so that installing it fetches nothing else.
import { rmSync } from 'node:fs';
import { build } from 'rolldown';
import { parseSync } from 'rolldown/utils';
import { dts } from 'rolldown-plugin-dts';
import { lazy } from './lazy.js';
import { licenses } from './licenses.js';
import { markdown } from './markdown.js';
import { buildPage } from './page.js';

const collected = licenses('dist/licenses.txt');
const ignored = '/** @ts-ignore Cast variance */';
const plain = new Set(['Literal', 'Identifier', 'ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression']);
// Keeps function names, so that CCT_DEBUG=1 and the traces of a library's user show where a bug is.
const minify = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } };
// commander loads these two in order to start programs, which cct never asks of it. Whoever types a flag would wait for
// them longer than for commander itself.
const startsNothing = {
  name: 'starts-nothing',
  transform: (code, id) =>
    /[\\/]commander[\\/]lib[\\/]command\.js$/.test(id)
      ? code.replace(/^const (?:childProcess|process) = require\(.*$/gm, '')
      : null,
};
// In the tables of secrets, comments and the blanks that align rows are for those who edit them.
const tables = {
  name: 'tables',
  transform: (code, id) =>
    /core[\\/]privacy[\\/]secrets[\\/]/.test(id) ? code.replace(/^# .*\n|(?<=^\S+ ) +/gm, '') : null,
};
const zod = { name: 'zod', test: /node_modules[\\/]zod[\\/]/ };

const page = await buildPage('dist/page.html', [collected]);

// The command is CommonJS in a few files: a filter is started often, and Node loads these faster than ES modules.
await build({
  input: { main: 'src/main.ts', reader: 'src/reader.ts' },
  platform: 'node',
  plugins: [
    collected,
    markdown,
    startsNothing,
    tables,
    lazy,
    { name: 'ascii', generateBundle: (_, files) => inAscii(files) },
  ],
  preserveEntrySignatures: 'allow-extension',
  transform: { define: { builtPage: JSON.stringify(page) } },
  output: {
    dir: 'dist/cli',
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name, facadeModuleId }) => `${roomOf(facadeModuleId)}${name}.cjs`,
    // Also those that tell other bundlers what is pure: nothing bundles the command again.
    comments: false,
    minify,
    codeSplitting: {
      // Files load each other when they are first used (lazy.js), so what is rarely needed is in files of its own.
      includeDependenciesRecursively: false,
      groups: [
        // Everything that --version loads besides main.
        { name: 'start', test: /src[\\/](version|io[\\/]exit)\.ts/, priority: 2 },
        zod,
        { name: 'programs', test: /core[\\/]wire[\\/]programs[\\/](?!programs|shapes)/, priority: 1 },
        // What few inputs need.
        {
          name: 'odd',
          test: /core[\\/](record[\\/]recover|wire[\\/](dialects[\\/]recall|tools[\\/]early-results))\.ts/,
          priority: 1,
        },
        { name: 'save', test: /io[\\/](hash|atomic-file|processes)\.ts|tables[\\/]save/, priority: 1 },
        { name: 'threads', test: /io[\\/]helper|cli[\\/]scan-ahead|tables[\\/]merge|wire[\\/]shares/, priority: 1 },
        { name: 'table', test: /view[\\/](table|fit|glyphs)\.ts|get-east-asian-width|[\\/]chalk[\\/]/, priority: 1 },
        // What shows text to people.
        { name: 'text', test: /view[\\/]text\.ts/, priority: 1 },
        { name: 'described', test: /core[\\/]event[\\/](event|usage-row|run-events)\.ts/, priority: 1 },
        {
          name: 'columns',
          test: /commands[\\/]((audit|messages|sessions|trace)[\\/]row|calls[\\/](row|rows|fold))\.ts/,
          priority: 1,
        },
        {
          name: 'privacy',
          test: /core[\\/]privacy[\\/](?!content)|flags[\\/]privacy|wire[\\/]bare-memory/,
          priority: 1,
        },
        { name: 'files', test: /io[\\/](last|follow)\.ts|cli[\\/](follow|flags[\\/]last)\.ts/, priority: 1 },
        {
          name: 'live',
          test: /cli[\\/]live-drawing|io[\\/]screen|commands[\\/][a-z]+[\\/]live\.ts|teams[\\/](picture|agent-spans|cards)\.ts/,
          priority: 1,
        },
        { name: 'viewers', test: /[\\/]pbf[\\/]|trace[\\/](otlp|perfetto)\.ts/, priority: 1 },
        { name: 'budget', test: /commands[\\/]usage[\\/](budget|estimates|option)\.ts/ },
        { name: 'money', test: /commands[\\/]usage[\\/](?!command|print)|core[\\/]prices[\\/]models/ },
        { name: 'schema', test: /event[\\/]schema|read-prices/ },
        // Only cct log and the page tell a story.
        { name: 'story', test: /core[\\/](story[\\/]|wire[\\/]dialects[\\/]telling)|log[\\/]row\.ts/, priority: 1 },
        {
          name: 'rows',
          test: /commands[\\/]((messages|tasks|teams)[\\/](rows|join|talk)|(tasks|teams)[\\/]row)\.ts/,
        },
        // Reading and folding are in one file, because calls between files are slower.
        {
          name: 'cli',
          test: /src[\\/](cli\.ts|view|io[\\/](?!screen|processes|follow|last|page)|cli[\\/](?!docs|follow|live-drawing|flags[\\/](arguments|last))|core[\\/](record|event|prices|wire|tables|spans[\\/]model)[\\/.](?!schema|read-prices|recorded))/,
        },
      ],
    },
  },
});

// Alone and small, because a large file waits for this thread.
await build({
  input: { scanner: 'src/scanner.ts' },
  platform: 'node',
  output: {
    dir: 'dist/cli',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  },
});

// The library. lib.js and its chunks do not import anything of Node.
await build({
  input: { lib: 'src/lib.ts', node: 'src/node.ts' },
  platform: 'node',
  plugins: [
    collected,
    tables,
    { name: 'droppable', renderChunk: (code, { name }) => (name === 'zod' ? null : droppable(code)) },
  ],
  transform: { target: 'es2022' },
  experimental: { attachDebugInfo: 'none' },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    // Compressing would undo what droppable does.
    minify: { ...minify, compress: false },
    // The comments are in the types.
    comments: { legal: false, jsdoc: false },
    codeSplitting: {
      groups: [
        zod,
        // Bundlers drop a whole file that nobody needs, but not all of a large one.
        { name: 'names', test: /src[\\/]core[\\/]event[\\/]names/, priority: 1 },
        { name: 'core', test: /src[\\/]core[\\/]/ },
      ],
    },
  },
});

// Its types, and the types of zod they use, in one file instead of hundreds: creating files is most of an install. They
// are the same with and without Node: which of the two a program runs on, its moduleResolution often cannot tell.
await build({
  input: { node: 'dist/types/node.d.ts' },
  external: /^node:/,
  plugins: [
    { name: 'brief', transform: { order: 'pre', handler: withoutComments } },
    dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }),
    { name: 'ignored', renderChunk: (code) => withoutNode(ignoredAlone(code)) },
    collected,
  ],
  checks: { bundlerTimings: false },
  output: { dir: 'dist' },
});
rmSync('dist/types', { recursive: true });

/** Of a source with other letters, V8 keeps and reads two bytes for each. All of them are in texts and patterns. */
function inAscii(files) {
  for (const file of Object.values(files))
    file.code = file.code?.replace(/[^\x00-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `teams-` for commands/teams/live.ts, because every command folder has files of the same names. */
function roomOf(module) {
  const room = /src[\\/]commands[\\/]([a-z]+)[\\/]/.exec(module ?? '')?.[1];
  return room === undefined ? '' : `${room}-`;
}

/**
 * Descriptions, schemas and tables are made by calls when a module is loaded. A bundler has to keep such a call, even if
 * nobody uses what it makes, unless it is marked. So each is put into a function that is marked as a whole.
 */
function droppable(code) {
  const made = parseSync('chunk.js', code).program.body.flatMap((statement) =>
    statement.type === 'VariableDeclaration' ? statement.declarations : [],
  );
  const calls = made.filter(({ id, init }) => id.type === 'Identifier' && init !== null && !plain.has(init.type));
  return calls.reduceRight((text, { init: { start, end } }) => {
    const value = text.slice(start, end);
    return `${text.slice(0, start)}/* @__PURE__ */ (() => (${value}))()${text.slice(end)}`;
  }, code);
}

/** What zod's own types say of themselves is in zod. */
function withoutComments(code, id) {
  if (!zod.test.test(id)) return null;
  return code.replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, (comment) => (comment.includes('@ts-ignore') ? comment : ''));
}

/** Without the types of Node, what eventStream returns is any, and nothing else changes. */
function withoutNode(code) {
  return code.replace(/^(?=import .*"node:|.*\bNodeJS\.)/gm, '// @ts-ignore for those without @types/node\n');
}

/**
 * zod tells the compiler to ignore a line of its types. The bundler moves that comment to the end of the line before,
 * where it has no effect. Whoever checks library types would get errors. test/lib/package.test.ts checks them.
 */
function ignoredAlone(code) {
  return code.replaceAll(ignored, `\n${ignored}\n`);
}
