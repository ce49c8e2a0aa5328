// Everything the package needs is in its bundles, so that installing it fetches nothing else.
import { rmSync } from 'node:fs';
import { build } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { licenses } from './licenses.js';
import { buildPage } from './page.js';

const collected = licenses('dist/licenses.txt');
const ignored = '/** @ts-ignore Cast variance */';
const zod = { name: 'zod', test: /node_modules[\\/]zod[\\/]/ };

// The command is CommonJS, in a few files: a filter is started over and over, and Node loads them sooner than ES modules.
await build({
  input: { main: 'src/main.ts' },
  platform: 'node',
  plugins: [collected],
  output: {
    dir: 'dist/cli',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name, facadeModuleId }) => `${roomOf(facadeModuleId)}${name}.cjs`,
    // Names of functions stay: CCT_DEBUG=1 shows where a bug is.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    codeSplitting: {
      groups: [
        // All that --version loads beside main.
        { name: 'start', test: /src[\\/](version|io[\\/]exit)\.ts/, priority: 1 },
        zod,
        // What reads and folds is one file: calls from one file into another are slower.
        {
          name: 'cli',
          test: /src[\\/](cli\.ts|io[\\/](?!screen|hash|child|processes|timer|follow|last|directory|page)|cli[\\/](run-command|input|fold|print)\.ts)/,
        },
        // What only a drawing, a schema, the help or --redact needs is left out.
        {
          name: 'rows',
          test: /src[\\/](core|cli|view|io|commands)[\\/](?!screen|live|glyphs|spans|audit|trace|calls|.*(live|cards|audit|core.state.(calls|repeated)|picture|usage.(budget|meter|option)|zod|schema|save|read-prices|event.(redact|anonymize|secrets)|io.hash|docs))/,
          minShareCount: 2,
        },
      ],
    },
  },
});

await buildPage('dist/cli/page.html', [collected]);

// The library; lib.js and its chunks name nothing of Node.
await build({
  input: { lib: 'src/lib.ts', node: 'src/node.ts' },
  platform: 'node',
  plugins: [collected],
  transform: { target: 'es2022' },
  experimental: { attachDebugInfo: 'none' },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    comments: { legal: false },
    codeSplitting: { groups: [zod, { name: 'core', test: /src[\\/]core[\\/]/ }] },
  },
});

// Its types, with those of zod that they name, in three files instead of hundreds: most of an install is the making of files.
await build({
  input: { lib: 'dist/types/lib.d.ts', node: 'dist/types/node.d.ts' },
  external: /^node:/,
  plugins: [
    dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }),
    { name: 'ignored', renderChunk: ignoredAlone },
    collected,
  ],
  checks: { bundlerTimings: false },
  output: { dir: 'dist', chunkFileNames: 'chunks/types.d.ts' },
});
rmSync('dist/types', { recursive: true });

/** `teams-` of commands/teams/live.ts: every room has files of the same names. */
function roomOf(module) {
  const room = /src[\\/]commands[\\/]([a-z]+)[\\/]/.exec(module ?? '')?.[1];
  return room === undefined ? '' : `${room}-`;
}

/**
 * zod tells the compiler to ignore a line of its types. The bundler moves that comment to the end of the line before, where it has no effect:
 * whoever checks libraries too would get errors. test/lib/package.test.ts checks them.
 */
function ignoredAlone(code) {
  return code.replaceAll(ignored, `\n${ignored}\n`);
}
