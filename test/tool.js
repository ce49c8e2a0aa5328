// Node 20 does not run TypeScript: `node test/tool.js bench …` bundles test/bench/main.ts and runs it in the root.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { markdown } from '../.build/markdown.js';

const [, , name, ...words] = process.argv;
const folder = mkdtempSync(join(tmpdir(), `cct-${name}-`));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code));
process.chdir(new URL('..', import.meta.url).pathname);

const file = join(folder, 'main.mjs');
await build({
  input: `test/${name}/main.ts`,
  platform: 'node',
  plugins: [markdown],
  output: { dir: folder, entryFileNames: 'main.mjs' },
});
// cct report reads its page from beside the program.
if (existsSync('dist/cli/page.html')) copyFileSync('dist/cli/page.html', join(folder, 'page.html'));
const { main } = await import(pathToFileURL(file).href);
process.exitCode = await main(words, folder, (text) => process.stdout.write(text));
