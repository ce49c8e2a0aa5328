// The command is built as CommonJS, in a few files: a filter is started over and over, and Node loads them sooner than ES modules.
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [{ name: 'zod-when-needed', renderChunk: zodWhenNeeded }],
  output: {
    dir: 'dist/cli',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    // Names of functions stay: CCT_DEBUG=1 shows where a bug is.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    codeSplitting: {
      groups: [
        // All that --version loads beside main.
        { name: 'start', test: /src[\\/](version|io[\\/]exit)\.ts/, priority: 1 },
        { name: 'zod', test: /node_modules[\\/]zod[\\/]/ },
        // What reads and folds is one file: calls from one file into another are slower.
        { name: 'cli', test: /src[\\/](cli\.ts|io[\\/]|run[\\/](run-command|input|fold|print)\.ts)/ },
        { name: 'rows', test: /src[\\/](core|run|view|io)[\\/]/, minShareCount: 2 },
      ],
    },
  },
});

/** A module is loaded where it is imported; this one, where it is first used: schemas are made when a record asks for one. */
function zodWhenNeeded(code) {
  return code
    .replace(/const require_zod = (require\(.*?\));/, 'const require_zod = () => $1;')
    .replaceAll('require_zod.', 'require_zod().');
}
